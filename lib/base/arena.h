/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h - memory that lives and dies together.
 *
 * A snapshot and a report each own one arena; every string and list in them
 * comes from it, nothing in it is freed by itself. Memory is zeroed and
 * aligned for any type. A zeroed struct arena is an empty one.
 */
#pragma once

#include "base/compat.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;	/* newest first */
};

/* Frees all that came from the arena and leaves an empty one. */
void arena_release(struct arena *arena);

/* Moves all that `from` has to `to`, where it lives on; `from` is empty afterwards. */
void arena_join(struct arena *to, struct arena *from);

/* Memory of malloc() that is freed with the arena. */
void arena_adopt(struct arena *arena, void *memory);

void *arena_alloc(struct arena *arena, size_t size_bytes);
/* An array grown to hold one more element of element_bytes; *nr is not changed. Returns the (moved) array. */
void *arena_grow(struct arena *arena, void *array, size_t nr, size_t element_bytes);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t len);
/* The same with ASCII's capitals as small letters. */
char *arena_small_letters(struct arena *arena, const char *text, size_t len);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
