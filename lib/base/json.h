/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - strict JSON in, with a place for every error.
 *
 * A lexer of ours (RFC 8259, valid UTF-8, no NUL in a string, no duplicate
 * key, numbers of at most 63 characters, which is all that cJSON reads) goes
 * over the text first and notes where each value begins; cJSON then builds
 * the tree. Every value of the tree knows its line, so an error can name it,
 * and whole numbers are read from their own digits: cJSON keeps doubles,
 * which lose u64 above 2^53.
 *
 * This is the only header that includes cJSON. Callers walk the tree through
 * the functions here and through cJSON's child/next/string members. valueint
 * is not the number: a value keeps its place there.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

enum {
	JSON_COMMENTS = 1,		/* allow // and block comments (policy files) */
	JSON_TWIN_KEYS = 2,		/* allow a key twice in an object (what other tools print) */

	JSON_MAX_DEPTH = 64,
	JSON_MAX_KEYS = 1024,		/* of one object */
	JSON_MAX_VALUES = 1 << 20,	/* of one document */
};
#define JSON_MAX_BYTES ((size_t)32 << 20)	/* the design's limit for any document */

/* A parsed document. Zeroed is empty. */
struct json_doc {
	cJSON *root;
	char *text;			/* own copy, comments blanked */
	size_t len;
	size_t *offset;			/* of each value, in document order */
	unsigned *line;			/* the same */
	size_t nr;
};

/* Where and why a document was refused. what is a phrase: "nested deeper than 64". */
struct json_error {
	unsigned line;			/* from 1; 0: no line (too large, empty) */
	char what[160];
};

/*
 * Parses len bytes of text, which need not end in NUL. 0, or -EINVAL with
 * *error filled and *ret empty. The caller ends with json_release(), which
 * accepts an empty document.
 */
int json_parse(const char *text, size_t len, unsigned flags, struct json_doc *ret, struct json_error *error) MUST_CHECK;
void json_release(struct json_doc *doc);

/* The line a value begins on, from 1. */
unsigned json_line(const struct json_doc *doc, const cJSON *value);

/* The member of an object, or NULL; case counts. */
const cJSON *json_member(const cJSON *object, const char *key);

/*
 * Whole numbers from their own digits: 0; -EINVAL not a number or not digits
 * alone (1.0 and 1e3 are not); -ERANGE negative or above 2^64-1.
 */
int json_u64(const struct json_doc *doc, const cJSON *value, uint64_t *ret) MUST_CHECK;
