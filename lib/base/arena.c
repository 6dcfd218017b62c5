// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>

#include "base/alloc.h"

/* Large enough that a report of one GPU is one block, small enough to be nothing. */
#define BLOCK_BYTES ((size_t)16 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	void *adopted;		/* memory of its own, which goes with it; or NULL */
	alignas(max_align_t) char data[];
};

void arena_release(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;

		free(block->adopted);
		free(block);
		block = next;
	}
	arena->blocks = NULL;
}

void arena_join(struct arena *to, struct arena *from)
{
	struct arena_block **end = &to->blocks;

	while (*end)
		end = &(*end)->next;
	*end = from->blocks;
	from->blocks = NULL;
}

/* Behind the open block, whose room stays in use. */
static void add_behind_open(struct arena *arena, struct arena_block *block)
{
	struct arena_block **at = arena->blocks ? &arena->blocks->next : &arena->blocks;

	block->next = *at;
	*at = block;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
	struct arena_block *block = arena->blocks;
	size_t need = (size_bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	void *memory;

	if (need < size_bytes)
		need = (size_t)-1 / 4;	/* overflow: let the allocator refuse it */
	if (!block || block->size - block->used < need) {
		size_t size = need > BLOCK_BYTES / 4 ? need : BLOCK_BYTES;

		block = xcalloc(1, sizeof(*block) + size);
		block->size = size;
		if (size == need) {
			add_behind_open(arena, block);
		} else {
			block->next = arena->blocks;
			arena->blocks = block;
		}
	}
	memory = block->data + block->used;
	block->used += need;
	return memory;
}

void arena_adopt(struct arena *arena, void *memory)
{
	struct arena_block *block = xcalloc(1, sizeof(*block));

	block->adopted = memory;
	add_behind_open(arena, block);
}

void *arena_grow(struct arena *arena, void *array, size_t nr, size_t element_bytes)
{
	void *grown;

	/* Room is there for the next power of two: it grows only when nr is one. */
	if (nr & (nr - 1))
		return array;
	grown = arena_alloc(arena, (nr ? nr * 2 : 1) * element_bytes);
	if (nr)
		memcpy(grown, array, nr * element_bytes);
	return grown;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	memcpy(copy, text, len);
	return copy;
}

char *arena_small_letters(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_strndup(arena, text, len);

	for (char *at = copy; *at; at++)
		if (*at >= 'A' && *at <= 'Z')
			*at = (char)(*at - 'A' + 'a');
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args, again;
	int len;
	char *text;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = arena_alloc(arena, (size_t)(len < 0 ? 0 : len) + 1);
	vsnprintf(text, (size_t)(len < 0 ? 0 : len) + 1, format, again);
	va_end(again);
	return text;
}
