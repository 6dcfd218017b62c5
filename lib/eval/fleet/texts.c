// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/fleet/texts.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/siphash.h"

void texts_release(struct texts *texts)
{
	arena_release(&texts->arena);
	free(texts->text);
	free(texts->slot);
	*texts = (struct texts){ .nr = 0 };
}

/*
 * Texts come from other machines, and one may be made to collide: by a hash whose collisions cannot be computed ahead.
 */
static uint64_t hash_of(const char *text, size_t len)
{
	static const uint8_t key[SIPHASH_KEY_BYTES] = "texts of fleets";

	return siphash(key, text, len);
}

/* The slot that holds the text, or the empty one where it belongs. There is always an empty one. */
static uint32_t *find_slot(const struct texts *texts, const char *text, size_t len)
{
	size_t at = (size_t)hash_of(text, len) & (texts->nr_slots - 1);

	for (; texts->slot[at]; at = (at + 1) & (texts->nr_slots - 1)) {
		const char *there = texts->text[texts->slot[at] - 1];

		if (!strncmp(there, text, len) && !there[len])
			break;
	}
	return &texts->slot[at];
}

static void make_room(struct texts *texts)
{
	if (texts->nr * 2 < texts->nr_slots)
		return;
	texts->nr_slots = texts->nr_slots ? texts->nr_slots * 2 : 1024;
	free(texts->slot);
	texts->slot = xcalloc(texts->nr_slots, sizeof(*texts->slot));
	texts->text = xrealloc(texts->text, texts->nr_slots / 2 * sizeof(*texts->text));
	for (uint32_t i = 0; i < texts->nr; i++)
		*find_slot(texts, texts->text[i], strlen(texts->text[i])) = i + 1;
}

text_id texts_add(struct texts *texts, const char *text, size_t len)
{
	uint32_t *slot;

	if (!len)
		return 0;
	make_room(texts);
	slot = find_slot(texts, text, len);
	if (!*slot) {
		texts->text[texts->nr] = arena_strndup(&texts->arena, text, len);
		*slot = (uint32_t)++texts->nr;
	}
	return *slot;
}

text_id texts_find(const struct texts *texts, const char *text, size_t len)
{
	return len && texts->nr ? *find_slot(texts, text, len) : 0;
}
