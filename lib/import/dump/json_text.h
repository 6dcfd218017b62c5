/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_text.h - a JSON document among the lines of a dump, as people paste it: with text before and after it, shortened
 * by dots, with remarks behind values, never closed as its tool was killed, with NaN. json_scan.c makes strict JSON of
 * it.
 *
 * A document is one part, from the line of its first bracket to that of its last. Of which kind it is its keys tell:
 *
 *	enum dump_begins my_begins(const struct dump_line *lines, size_t nr)
 *	{
 *		return json_text_has_key(lines, nr, "device_level") ? BEGINS_NEW : BEGINS_NOT;
 *	}
 *
 *	struct json_text text;
 *
 *	if (json_text_read(reading->part, &text) < 0)
 *		return;
 *	value = json_member(text.doc.root, "temperature");
 *	if (json_text_number(value, &number))
 *		put(reading, json_text_line(&text, value), gpu->…, val_f64(number));
 *	json_text_release(&text);
 */
#pragma once

#include "base/json.h"
#include "import/dump/dump.h"

/*
 * How many of the lines are a document's, that begins in the first of them; 0: none does. *ret_is_cut: it has no end.
 * Nothing that follows it is looked at.
 */
size_t json_text_lines(const struct dump_line *lines, size_t nr, bool *ret_is_cut);

/* Does a document begin in the first line, and is that one of the keys near its beginning? */
bool json_text_has_key(const struct dump_line *lines, size_t nr, const char *key);

/* Or one of several? */
bool json_text_has_any(const struct dump_line *lines, size_t nr, const char *const *keys, size_t nr_keys);

struct json_text {
	struct json_doc doc;
	const struct dump_part *part;
	/* brackets that were never closed: with 1 the elements of a list are whole, with more the last is not */
	unsigned nr_open;
};

/* Of the part's lines; -EINVAL where even so it cannot be read. What was cut off is left out, last values as well. */
int json_text_read(const struct dump_part *part, struct json_text *ret) MUST_CHECK;
/* Lines that have brackets only are taken if any other is. */
void json_text_release(struct json_text *text);

/* The line a value begins on. */
struct dump_line *json_text_line(const struct json_text *text, const cJSON *value);

/* A number, or a text that is one, with its unit or without: 12.5, "12.5", "12.5 W", "85%". Not "N/A", not null. */
bool json_text_number(const cJSON *value, double *ret);
/* A text in the arena, also of a number; NULL: neither. */
const char *json_text_string(struct arena *arena, const struct json_text *text, const cJSON *value);

/*
 * Hands over each object with a number of one of those names, as GPUs have one, wherever it stands; not what is in it.
 */
typedef void json_numbered_fn(void *to, const cJSON *object, const cJSON *member, uint64_t number);
void json_text_numbered(const struct json_text *text, const char *const *names, size_t nr_names, json_numbered_fn *fn,
			void *to);

/* ---- json_scan.c */

/* Where in a line a document begins, or NULL; lines[nr] does not exist. */
const char *json_scan_start(const struct dump_line *lines, size_t nr);

/* A document as strict JSON, its values on the lines they were on. */
struct json_scan {
	struct strbuf out;
	size_t nr_lines;	/* of the document */
	unsigned nr_open;
};
/* false: there is none. The caller releases `out`. */
bool json_scan(const struct dump_line *lines, size_t nr, struct json_scan *ret);

/* ---- json_unfold.c */

/*
 * The lines with each node of Kubernetes that stands on one of them laid out over many; the same, where there is none.
 */
struct dump_line *json_unfold(struct arena *arena, struct dump_line *lines, size_t *nr);

/* ---- json_pieces.c */

/* Has it the keys of a node, or of its conditions alone? */
bool json_is_of_node(const char *text);
/* Lines that are pieces of one node's document become one. */
void json_join_pieces(struct arena *arena, struct dump_line *lines, size_t *nr);
