// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/json_lex.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>

#include "base/alloc.h"
#include "base/text.h"

/* cJSON copies a number into a buffer of 64 bytes and silently stops there. */
#define MAX_NUMBER_BYTES 63

struct lexer {
	struct json_doc *doc;
	struct json_error *error;
	unsigned flags;
	unsigned depth;
	size_t at;		/* the next byte */
	size_t room;		/* elements doc->offset has room for */
};

/* The line of the byte at an offset, from 1. */
static unsigned json_line_at(const struct json_doc *doc, size_t offset)
{
	const char *from = doc->text;
	const char *end = doc->text + offset;
	unsigned line = 1;

	while ((from = memchr(from, '\n', (size_t)(end - from)))) {
		from++;
		line++;
	}
	return line;
}

int json_refuse(const struct json_doc *doc, size_t offset, struct json_error *error, const char *format, ...)
{
	va_list args;

	error->line = json_line_at(doc, offset);
	va_start(args, format);
	vsnprintf(error->what, sizeof(error->what), format, args);
	va_end(args);
	return -EINVAL;
}

/* Refuses the text at its next byte: whatever was wanted there, when there is none it ends too early. */
static int refuse(const struct lexer *lex, const char *what)
{
	if (lex->at >= lex->doc->len)
		what = "ends too early";
	return json_refuse(lex->doc, lex->at, lex->error, "%s", what);
}

/* The next byte; -1 at the end. */
static int peek(const struct lexer *lex)
{
	return lex->at < lex->doc->len ? (unsigned char)lex->doc->text[lex->at] : -1;
}

static bool take(struct lexer *lex, int c)
{
	if (peek(lex) != c)
		return false;
	lex->at++;
	return true;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool take_digits(struct lexer *lex)
{
	size_t start = lex->at;

	while (is_digit(peek(lex)))
		lex->at++;
	return lex->at > start;
}

/* Blanks the comment at the next byte. Line feeds stay: they are what lines are counted by. */
static int lex_comment(struct lexer *lex)
{
	char *text = lex->doc->text + lex->at;
	char *text_end = lex->doc->text + lex->doc->len;
	char *end;

	if (text[1] == '/') {
		end = memchr(text, '\n', (size_t)(text_end - text));
		if (!end)
			end = text_end;
	} else if (text[1] == '*') {
		end = memmem(text + 2, (size_t)(text_end - text - 2), "*/", 2);
		if (!end)
			return refuse(lex, "comment never ends");
		end += 2;
	} else {
		return refuse(lex, "'/' begins no comment");
	}
	lex->at += (size_t)(end - text);
	for (; text < end; text++) {
		if (*text != '\n')
			*text = ' ';
	}
	return 0;
}

static int lex_space(struct lexer *lex)
{
	for (;;) {
		int c = peek(lex);

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
			lex->at++;
		else if (c != '/' || !(lex->flags & JSON_COMMENTS))
			return 0;
		else if (lex_comment(lex) < 0)
			return -EINVAL;
	}
}

/* The four hexadecimal digits after \u. */
static int lex_hex4(struct lexer *lex, unsigned *ret)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++) {
		int c = peek(lex);

		if (is_digit(c))
			value = value * 16 + (unsigned)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value * 16 + (unsigned)((c | 0x20) - 'a' + 10);
		else
			return refuse(lex, "\\u wants four hexadecimal digits");
		lex->at++;
	}
	*ret = value;
	return 0;
}

/* What follows a backslash. */
static int lex_escape(struct lexer *lex)
{
	unsigned high, low;
	int c = peek(lex);

	if (c != 'u') {
		if (c < 0 || !memchr("\"\\/bfnrt", c, 8))
			return refuse(lex, "unknown escape in string");
		lex->at++;
		return 0;
	}
	lex->at++;
	if (lex_hex4(lex, &high) < 0)
		return -EINVAL;
	if (!high)
		return refuse(lex, "NUL in string");
	if (high < 0xd800 || high > 0xdfff)
		return 0;
	/* A character above U+FFFF is a pair, high half first; one half alone is none. */
	if (high > 0xdbff || !take(lex, '\\') || !take(lex, 'u'))
		return refuse(lex, "half a surrogate pair in string");
	if (lex_hex4(lex, &low) < 0)
		return -EINVAL;
	if (low < 0xdc00 || low > 0xdfff)
		return refuse(lex, "half a surrogate pair in string");
	return 0;
}

static int lex_string(struct lexer *lex)
{
	size_t start = ++lex->at;
	int c;

	while ((c = peek(lex)) != '"') {
		if (c < 0x20)	/* the end is, too */
			return refuse(lex, "control character in string");
		lex->at++;
		if (c == '\\' && lex_escape(lex) < 0)
			return -EINVAL;
	}
	if (!utf8_valid(lex->doc->text + start, lex->at - start))
		return refuse(lex, "not valid UTF-8");
	lex->at++;
	return 0;
}

static int lex_number(struct lexer *lex)
{
	size_t start = lex->at;
	bool has_exponent;
	size_t len;

	take(lex, '-');
	if (!is_digit(peek(lex)))
		return refuse(lex, "digit expected");
	if (!take(lex, '0'))
		take_digits(lex);
	else if (is_digit(peek(lex)))
		return refuse(lex, "number begins with 0");
	if (take(lex, '.') && !take_digits(lex))
		return refuse(lex, "digit expected after the point");
	has_exponent = take(lex, 'e') || take(lex, 'E');
	if (has_exponent) {
		if (!take(lex, '-'))
			take(lex, '+');
		if (!take_digits(lex))
			return refuse(lex, "digit expected in the exponent");
	}
	len = lex->at - start;
	if (len > MAX_NUMBER_BYTES)
		return json_refuse(lex->doc, start, lex->error, "number longer than %d characters", MAX_NUMBER_BYTES);
	/* Without an exponent so few digits always fit a double. */
	if (has_exponent && isinf(strtod(lex->doc->text + start, NULL)))
		return json_refuse(lex->doc, start, lex->error, "number %.*s is too large for a double", (int)len,
				   lex->doc->text + start);
	return 0;
}

static int lex_word(struct lexer *lex, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(lex->doc->text + lex->at, word, len))	/* the text ends in a NUL */
		return refuse(lex, "value expected");
	lex->at += len;
	return 0;
}

static int lex_value(struct lexer *lex);

static int lex_key(struct lexer *lex)
{
	if (lex_space(lex) < 0)
		return -EINVAL;
	if (peek(lex) == '}')
		return refuse(lex, "key expected after the comma");
	if (peek(lex) != '"')
		return refuse(lex, "key expected, in double quotes");
	if (lex_string(lex) < 0 || lex_space(lex) < 0)
		return -EINVAL;
	return take(lex, ':') ? 0 : refuse(lex, "':' expected");
}

static int lex_items(struct lexer *lex, bool is_object)
{
	unsigned nr = 0;

	do {
		if (is_object && nr++ == JSON_MAX_KEYS)
			return json_refuse(lex->doc, lex->at, lex->error, "more than %d keys in an object",
					   JSON_MAX_KEYS);
		if (is_object && lex_key(lex) < 0)
			return -EINVAL;
		if (lex_value(lex) < 0 || lex_space(lex) < 0)
			return -EINVAL;
	} while (take(lex, ','));
	return 0;
}

/* An object or array; it recurses through its values, JSON_MAX_DEPTH deep at most. */
static int lex_container(struct lexer *lex)
{
	bool is_object = peek(lex) == '{';
	char close = is_object ? '}' : ']';

	if (lex->depth == JSON_MAX_DEPTH)
		return json_refuse(lex->doc, lex->at, lex->error, "nested deeper than %d", JSON_MAX_DEPTH);
	lex->depth++;
	lex->at++;
	if (lex_space(lex) < 0)
		return -EINVAL;
	if (!take(lex, close)) {
		if (lex_items(lex, is_object) < 0)
			return -EINVAL;
		if (!take(lex, close))
			return refuse(lex, is_object ? "',' or '}' expected" : "',' or ']' expected");
	}
	lex->depth--;
	return 0;
}

/* The tree costs some forty bytes a byte in the worst case: a count of values bounds it, where a size would not. */
static int note_place(struct lexer *lex)
{
	struct json_doc *doc = lex->doc;

	if (doc->nr == JSON_MAX_VALUES)
		return refuse(lex, "more than 1048576 values");
	if (doc->nr == lex->room) {
		lex->room = lex->room ? lex->room * 2 : 64;
		doc->offset = xrealloc(doc->offset, lex->room * sizeof(*doc->offset));
	}
	doc->offset[doc->nr++] = lex->at;
	return 0;
}

static int lex_value(struct lexer *lex)
{
	int c;

	if (lex_space(lex) < 0)
		return -EINVAL;
	if (note_place(lex) < 0)
		return -EINVAL;
	c = peek(lex);
	if (c == '-' || is_digit(c))
		return lex_number(lex);
	switch (c) {
	case '"':
		return lex_string(lex);
	case '{':
	case '[':
		return lex_container(lex);
	case 't':
		return lex_word(lex, "true");
	case 'f':
		return lex_word(lex, "false");
	case 'n':
		return lex_word(lex, "null");
	default:
		return refuse(lex, "value expected");
	}
}

int json_lex(struct json_doc *doc, unsigned flags, struct json_error *error)
{
	struct lexer lex = { .doc = doc, .error = error, .flags = flags };

	if (!strncmp(doc->text, "\xef\xbb\xbf", 3))
		return refuse(&lex, "begins with a byte order mark");
	if (lex_space(&lex) < 0)
		return -EINVAL;
	if (lex.at == doc->len) {
		*error = (struct json_error){ .what = "empty" };	/* and so without a line */
		return -EINVAL;
	}
	if (lex_value(&lex) < 0 || lex_space(&lex) < 0)
		return -EINVAL;
	return lex.at == doc->len ? 0 : refuse(&lex, "text after the end");
}
