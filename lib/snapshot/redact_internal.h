/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redact_internal.h - what redaction is made of: pseudonyms, and texts searched for values. Private to redact*.c. */
#pragma once

#include "base/strbuf.h"
#include "snapshot/redact.h"

/* redact_pseudonym.c */

/* A pseudonym of the text's kind. */
const char *pseudonym_of(struct arena *arena, const uint8_t *key, const char *text);
uint64_t pseudonym_of_number(const uint8_t *key, uint64_t number);
/* How long the UUID is that text begins with (8-4-4-4-12 hexadecimal digits): 36, or 0. */
size_t uuid_at(const char *text);

/* redact_terms.c: the values that are looked for inside other texts */
struct term {
	const char *text;
	const char *pseudonym;
	size_t len;
	bool is_short_number;	/* a user's, say: too few digits to be meant wherever they stand */
};

struct terms {
	struct term *items;
	size_t nr;
	/* by first byte, once terms_sort() was called: items[first[c]] to items[first[c + 1] - 1] */
	size_t first[257];
};

void terms_add(struct arena *arena, struct terms *terms, const uint8_t *key, const char *text);
/* The same of a path: each part of it that is not the same on every machine has its own pseudonym. */
void terms_add_path(struct arena *arena, struct terms *terms, const uint8_t *key, const char *path);
void terms_sort(struct terms *terms);

/*
 * The text with every term, and every UUID, replaced; the text itself where
 * there is none. A short number is looked for in free text; elsewhere, only
 * where it is a whole part of a path: "/run/user/1000".
 */
const char *terms_replace(struct arena *arena, const struct terms *terms, const uint8_t *key, const char *text,
			  bool is_free_text);

/* redact_texts.c: texts with a form of their own */
const char *redact_path(struct arena *arena, const uint8_t *key, const char *path);
const char *redact_command_line(struct arena *arena, const char *line);
const char *redact_variable(struct arena *arena, const uint8_t *key, const char *variable);
/* "sdb1, ata-WDC_WD40-WCC7": the kernel's names stay, as every machine has them. */
const char *redact_disks(struct arena *arena, const uint8_t *key, const char *names);
bool redact_is_kernels_disk(const char *name, size_t len);
const char *redact_argument(struct arena *arena, const char *argument, size_t place);
/*
 * A port by the tools of a fabric, "node7 mlx5_0 port 1": each word that may name the machine has its own pseudonym.
 * An interface's own name stays.
 */
const char *redact_port(struct arena *arena, const uint8_t *key, const char *port);
/* The first such word from *at on, which goes on behind it; NULL: there is none. */
const char *port_word(const char *port, size_t *at, size_t *ret_len);
