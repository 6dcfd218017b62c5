/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_writer.h - JSON out, onto a strbuf, the same bytes for the same calls.
 *
 * The writer puts commas, colons, quotes and line breaks; the caller opens
 * and closes in order. Inside an object every value is preceded by its key:
 *
 *	struct json_writer w = { .out = &sb, .indent = 2 };
 *	json_object_begin(&w);
 *	json_key(&w, "width");
 *	json_put_u64(&w, 16);
 *	json_object_end(&w);
 *
 * Strings are escaped; bytes that are not UTF-8 become U+FFFD, so whatever
 * came from a file gives a valid document. Doubles print as the shortest form
 * that reads back bit for bit; NaN and infinity, which JSON has not, as null.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct json_writer {
	struct strbuf *out;
	unsigned indent;	/* spaces a level; 0: compact, one line */
	/* private */
	unsigned depth;
	bool has_items;		/* the open object or array holds something */
	bool after_key;
};

void json_object_begin(struct json_writer *w);
void json_object_end(struct json_writer *w);
void json_array_begin(struct json_writer *w);
void json_array_end(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);
void json_put_str(struct json_writer *w, const char *text);	/* NULL: null */
void json_put_u64(struct json_writer *w, uint64_t value);
void json_put_f64(struct json_writer *w, double value);
void json_put_bool(struct json_writer *w, bool value);
void json_put_null(struct json_writer *w);

/* key and value, or what begins one, in one call */
void json_object_member(struct json_writer *w, const char *key);
void json_array_member(struct json_writer *w, const char *key);
void json_str(struct json_writer *w, const char *key, const char *text);
void json_u64_member(struct json_writer *w, const char *key, uint64_t value);
void json_f64_member(struct json_writer *w, const char *key, double value);
void json_bool_member(struct json_writer *w, const char *key, bool value);
void json_null_member(struct json_writer *w, const char *key);

/* The shortest %g form of value that strtod() turns back into the same bits. */
void json_format_f64(double value, char buf[32]);
