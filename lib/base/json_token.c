// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/json_token.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>

#include "base/text.h"
#include "base/text_scan.h"

/* cJSON copies a number into a buffer of 64 bytes and silently stops there. */
#define MAX_NUMBER_BYTES 63

/* The line of the byte at an offset, from 1. */
static unsigned line_at(const char *text, size_t offset)
{
	const char *end = text + offset;
	unsigned line = 1;

	while ((text = memchr(text, '\n', (size_t)(end - text)))) {
		text++;
		line++;
	}
	return line;
}

int json_refuse_at(const char *text, size_t offset, struct json_error *error, const char *format, ...)
{
	va_list args;

	error->line = line_at(text, offset);
	va_start(args, format);
	vsnprintf(error->what, sizeof(error->what), format, args);
	va_end(args);
	return -EINVAL;
}

int json_refuse_token(const struct json_cursor *cursor, const char *what)
{
	if (cursor->at >= cursor->len)
		what = "ends too early";
	return json_refuse_at(cursor->text, cursor->at, cursor->error, "%s", what);
}

static bool take_digits(struct json_cursor *cursor)
{
	size_t start = cursor->at;

	while (is_digit((char)json_peek(cursor)))
		cursor->at++;
	return cursor->at > start;
}

/* The four hexadecimal digits after \u. */
static int take_hex4(struct json_cursor *cursor, unsigned *ret)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++) {
		int c = json_peek(cursor);

		if (is_digit((char)c))
			value = value * 16 + (unsigned)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value * 16 + (unsigned)((c | 0x20) - 'a' + 10);
		else
			return json_refuse_token(cursor, "\\u wants four hexadecimal digits");
		cursor->at++;
	}
	*ret = value;
	return 0;
}

/* What follows a backslash. */
static int take_escape(struct json_cursor *cursor)
{
	unsigned high, low;
	int c = json_peek(cursor);

	if (c != 'u') {
		if (c < 0 || !memchr("\"\\/bfnrt", c, 8))
			return json_refuse_token(cursor, "unknown escape in string");
		cursor->at++;
		return 0;
	}
	cursor->at++;
	if (take_hex4(cursor, &high) < 0)
		return -EINVAL;
	if (!high)
		return json_refuse_token(cursor, "NUL in string");
	if (high < 0xd800 || high > 0xdfff)
		return 0;
	/* A character above U+FFFF is a pair, high half first; one half alone is none. */
	if (high > 0xdbff || !json_take(cursor, '\\') || !json_take(cursor, 'u'))
		return json_refuse_token(cursor, "half a surrogate pair in string");
	if (take_hex4(cursor, &low) < 0)
		return -EINVAL;
	if (low < 0xdc00 || low > 0xdfff)
		return json_refuse_token(cursor, "half a surrogate pair in string");
	return 0;
}

/*
 * Most of a document is strings: the NUL that ends the text is a control character too, and saves asking for its end.
 */
int json_take_string(struct json_cursor *cursor)
{
	const char *text = cursor->text;
	size_t start = ++cursor->at;
	unsigned char c, all = 0;

	while ((c = (unsigned char)text[cursor->at]) != '"') {
		if (c < 0x20)
			return json_refuse_token(cursor, "control character in string");
		all |= c;
		cursor->at++;
		if (c == '\\' && take_escape(cursor) < 0)
			return -EINVAL;
	}
	if (all >= 0x80 && !utf8_valid(text + start, cursor->at - start))
		return json_refuse_token(cursor, "not valid UTF-8");
	cursor->at++;
	return 0;
}

int json_take_number(struct json_cursor *cursor)
{
	size_t start = cursor->at;
	bool has_exponent;
	size_t len;

	json_take(cursor, '-');
	if (!is_digit((char)json_peek(cursor)))
		return json_refuse_token(cursor, "digit expected");
	if (!json_take(cursor, '0'))
		take_digits(cursor);
	else if (is_digit((char)json_peek(cursor)))
		return json_refuse_token(cursor, "number begins with 0");
	if (json_take(cursor, '.') && !take_digits(cursor))
		return json_refuse_token(cursor, "digit expected after the point");
	has_exponent = json_take(cursor, 'e') || json_take(cursor, 'E');
	if (has_exponent) {
		if (!json_take(cursor, '-'))
			json_take(cursor, '+');
		if (!take_digits(cursor))
			return json_refuse_token(cursor, "digit expected in the exponent");
	}
	len = cursor->at - start;
	if (len > MAX_NUMBER_BYTES)
		return json_refuse_at(cursor->text, start, cursor->error, "number longer than %d characters",
				      MAX_NUMBER_BYTES);
	/* Without an exponent so few digits always fit a double. */
	if (has_exponent && isinf(strtod(cursor->text + start, NULL)))
		return json_refuse_at(cursor->text, start, cursor->error, "number %.*s is too large for a double",
				      (int)len, cursor->text + start);
	return 0;
}

int json_take_word(struct json_cursor *cursor, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(cursor->text + cursor->at, word, len))	/* the text ends in a NUL */
		return json_refuse_token(cursor, "value expected");
	cursor->at += len;
	return 0;
}
