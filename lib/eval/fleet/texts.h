/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * texts.h - each text of a fleet once: ten thousand nodes have one driver version, and a number stands for it. Pure.
 */
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* A text's number; 0: none. Numbers count up from 1 in the order in which texts come. */
typedef uint32_t text_id;

struct texts {
	struct arena arena;
	const char **text;		/* by number */
	uint32_t *slot;			/* hash table of numbers, 0 empty; a power of two */
	size_t nr, nr_slots;
};

void texts_release(struct texts *texts);

/* The number of a text of len bytes, which is added where it is new; 0 for an empty one. */
text_id texts_add(struct texts *texts, const char *text, size_t len);
/* Its number, 0 where there is no such text. */
text_id texts_find(const struct texts *texts, const char *text, size_t len);

/* The text of a number, or NULL for 0. It lives as long as the table. */
static inline const char *texts_get(const struct texts *texts, text_id id)
{
	return id ? texts->text[id - 1] : NULL;
}
