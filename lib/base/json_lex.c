// SPDX-License-Identifier: GPL-2.0-or-later
/* json_lex.c - the strict reading that comes before cJSON. */
#include "base/compat.h"
#include "base/json_token.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/text_scan.h"

struct lexer {
	struct json_cursor cursor;	/* over the text of doc */
	struct json_doc *doc;
	unsigned flags;
	unsigned depth;
	size_t room;		/* elements doc->offset has room for */
};

/* Blanks the comment at the next byte. Line feeds stay: they are what lines are counted by. */
static int lex_comment(struct lexer *lex)
{
	char *text = lex->doc->text + lex->cursor.at;
	char *text_end = lex->doc->text + lex->doc->len;
	char *end;

	if (text[1] == '/') {
		end = memchr(text, '\n', (size_t)(text_end - text));
		if (!end)
			end = text_end;
	} else if (text[1] == '*') {
		end = memmem(text + 2, (size_t)(text_end - text - 2), "*/", 2);
		if (!end)
			return json_refuse_token(&lex->cursor, "comment never ends");
		end += 2;
	} else {
		return json_refuse_token(&lex->cursor, "'/' begins no comment");
	}
	lex->cursor.at += (size_t)(end - text);
	for (; text < end; text++) {
		if (*text != '\n')
			*text = ' ';
	}
	return 0;
}

static int lex_space(struct lexer *lex)
{
	for (;;) {
		int c = json_peek(&lex->cursor);

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
			lex->cursor.at++;
		else if (c != '/' || !(lex->flags & JSON_COMMENTS))
			return 0;
		else if (lex_comment(lex) < 0)
			return -EINVAL;
	}
}

static int lex_value(struct lexer *lex);

static int lex_key(struct lexer *lex)
{
	if (lex_space(lex) < 0)
		return -EINVAL;
	if (json_peek(&lex->cursor) == '}')
		return json_refuse_token(&lex->cursor, "key expected after the comma");
	if (json_peek(&lex->cursor) != '"')
		return json_refuse_token(&lex->cursor, "key expected, in double quotes");
	if (json_take_string(&lex->cursor) < 0 || lex_space(lex) < 0)
		return -EINVAL;
	return json_take(&lex->cursor, ':') ? 0 : json_refuse_token(&lex->cursor, "':' expected");
}

static int lex_items(struct lexer *lex, bool is_object)
{
	unsigned nr = 0;

	do {
		if (is_object && nr++ == JSON_MAX_KEYS)
			return json_refuse_at(lex->doc->text, lex->cursor.at, lex->cursor.error,
					      "more than %d keys in an object", JSON_MAX_KEYS);
		if (is_object && lex_key(lex) < 0)
			return -EINVAL;
		if (lex_value(lex) < 0 || lex_space(lex) < 0)
			return -EINVAL;
	} while (json_take(&lex->cursor, ','));
	return 0;
}

/* An object or array; it recurses through its values, JSON_MAX_DEPTH deep at most. */
static int lex_container(struct lexer *lex)
{
	bool is_object = json_peek(&lex->cursor) == '{';
	char close = is_object ? '}' : ']';

	if (lex->depth == JSON_MAX_DEPTH)
		return json_refuse_at(lex->doc->text, lex->cursor.at, lex->cursor.error, "nested deeper than %d",
				      JSON_MAX_DEPTH);
	lex->depth++;
	lex->cursor.at++;
	if (lex_space(lex) < 0)
		return -EINVAL;
	if (!json_take(&lex->cursor, close)) {
		if (lex_items(lex, is_object) < 0)
			return -EINVAL;
		if (!json_take(&lex->cursor, close))
			return json_refuse_token(&lex->cursor,
						 is_object ? "',' or '}' expected" : "',' or ']' expected");
	}
	lex->depth--;
	return 0;
}

/* The tree costs some forty bytes a byte in the worst case: a count of values bounds it, where a size would not. */
static int note_place(struct lexer *lex)
{
	struct json_doc *doc = lex->doc;

	if (doc->nr == JSON_MAX_VALUES)
		return json_refuse_token(&lex->cursor, "more than 1048576 values");
	if (doc->nr == lex->room) {
		lex->room = lex->room ? lex->room * 2 : 64;
		doc->offset = xrealloc(doc->offset, lex->room * sizeof(*doc->offset));
	}
	doc->offset[doc->nr++] = lex->cursor.at;
	return 0;
}

static int lex_value(struct lexer *lex)
{
	int c;

	if (lex_space(lex) < 0)
		return -EINVAL;
	if (note_place(lex) < 0)
		return -EINVAL;
	c = json_peek(&lex->cursor);
	if (c == '-' || is_digit((char)c))
		return json_take_number(&lex->cursor);
	switch (c) {
	case '"':
		return json_take_string(&lex->cursor);
	case '{':
	case '[':
		return lex_container(lex);
	case 't':
		return json_take_word(&lex->cursor, "true");
	case 'f':
		return json_take_word(&lex->cursor, "false");
	case 'n':
		return json_take_word(&lex->cursor, "null");
	default:
		return json_refuse_token(&lex->cursor, "value expected");
	}
}

int json_lex(struct json_doc *doc, unsigned flags, struct json_error *error)
{
	struct lexer lex = {
		.cursor = { .text = doc->text, .len = doc->len, .error = error }, .doc = doc, .flags = flags,
	};

	if (!strncmp(doc->text, "\xef\xbb\xbf", 3))
		return json_refuse_token(&lex.cursor, "begins with a byte order mark");
	if (lex_space(&lex) < 0)
		return -EINVAL;
	if (lex.cursor.at == doc->len) {
		*error = (struct json_error){ .what = "empty" };	/* and so without a line */
		return -EINVAL;
	}
	if (lex_value(&lex) < 0 || lex_space(&lex) < 0)
		return -EINVAL;
	return lex.cursor.at == doc->len ? 0 : json_refuse_token(&lex.cursor, "text after the end");
}
