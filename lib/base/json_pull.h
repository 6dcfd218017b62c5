/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_pull.h - strict JSON read from front to end, without a tree: for many large documents of which little is wanted.
 *
 *	struct json_pull pull;
 *	json_pull_begin(&pull, text, len, &error);
 *	if (json_pull_object(&pull))
 *		while (json_pull_member(&pull, &key))
 *			if (span_is(key, "width"))
 *				json_pull_u64(&pull, &width);
 *			else
 *				json_pull_skip(&pull);
 *	if (json_pull_end(&pull) < 0)
 *		... error says where and why ...
 *
 * Each value must be taken or skipped. What is skipped is read as strictly as
 * what is taken, but that a key stands twice in one object is seen only by
 * who takes its values. The first error ends everything: from then on each
 * function returns false.
 */
#pragma once

#include "base/json_token.h"
#include "base/strbuf.h"

/* A piece of the text, or of the reader's own memory: it holds until the next value is taken. */
struct json_span {
	const char *text;		/* not ended by a NUL */
	size_t len;
};

struct json_pull {
	struct json_cursor cursor;
	struct json_error *error;
	uint64_t objects;		/* a bit for each open level: an object, not an array */
	unsigned depth;
	bool is_first;			/* nothing was taken yet of the container opened last */
	bool failed;
	struct strbuf unescaped;
};

/* The text ends in a NUL behind len bytes, and stays. *error is filled only by an error. */
void json_pull_begin(struct json_pull *pull, const char *text, size_t len, struct json_error *error);
/* 0 where the document was whole and nothing stood behind it, else -EINVAL; releases what the reader holds. */
int json_pull_end(struct json_pull *pull) MUST_CHECK;

/* Opens the next value. False where it is null, and by an error: where it is another kind of value. */
bool json_pull_object(struct json_pull *pull);
bool json_pull_array(struct json_pull *pull);
/* The next key of the open object, or the next item of the open array; false at its end, which closes it. */
bool json_pull_member(struct json_pull *pull, struct json_span *key);
bool json_pull_item(struct json_pull *pull);

/* The next value. False where it is null, and by an error: where it is another kind of value. */
bool json_pull_str(struct json_pull *pull, struct json_span *ret);
bool json_pull_f64(struct json_pull *pull, double *ret);
bool json_pull_u64(struct json_pull *pull, uint64_t *ret);
bool json_pull_bool(struct json_pull *pull, bool *ret);
void json_pull_skip(struct json_pull *pull);

/* An error of whoever reads, at the place of the reader. */
void json_pull_refuse(struct json_pull *pull, const char *format, ...) PRINTF_LIKE(2, 3);

static inline bool span_is(struct json_span span, const char *text)
{
	return strlen(text) == span.len && !memcmp(span.text, text, span.len);
}
