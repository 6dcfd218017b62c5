/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_token.h - the words of JSON (RFC 8259), strictly: strings, numbers, true, false and null. Private to json.c and
 * json_lex.c, which checks a document before cJSON makes a tree of it, and json_pull.c, which reads one without a tree.
 *
 * Each takes what stands at the cursor and leaves the cursor behind it: 0, or -EINVAL with the error filled.
 */
#pragma once

#include "base/json.h"

struct json_cursor {
	const char *text;		/* ends in a NUL */
	size_t len;
	size_t at;			/* the next byte */
	struct json_error *error;
};

/* The next byte; -1 at the end. */
static inline int json_peek(const struct json_cursor *cursor)
{
	return cursor->at < cursor->len ? (unsigned char)cursor->text[cursor->at] : -1;
}

static inline bool json_take(struct json_cursor *cursor, int c)
{
	if (json_peek(cursor) != c)
		return false;
	cursor->at++;
	return true;
}

int json_take_string(struct json_cursor *cursor) MUST_CHECK;	/* at its opening quote */
int json_take_number(struct json_cursor *cursor) MUST_CHECK;
int json_take_word(struct json_cursor *cursor, const char *word) MUST_CHECK;

/* Fills *error for a place in the text. Always -EINVAL. */
int json_refuse_at(const char *text, size_t offset, struct json_error *error, const char *format, ...)
	PRINTF_LIKE(4, 5);
/* Refuses the text at its next byte: whatever was wanted there, when there is none it ends too early. */
int json_refuse_token(const struct json_cursor *cursor, const char *what);

/*
 * json_lex.c: goes over doc->text once, refuses what is not strict JSON, blanks comments where flags allow them, and
 * notes in doc->offset where each value begins. 0, or -EINVAL with *error filled; the caller releases doc either way.
 */
int json_lex(struct json_doc *doc, unsigned flags, struct json_error *error) MUST_CHECK;
