// SPDX-License-Identifier: GPL-2.0-or-later
/* list.c - keyed lists of records, kept sorted, and series. */
#include "base/compat.h"
#include "base/text.h"
#include "snapshot/snapshot.h"

static const char *key_at(const struct record *record, const void *list, size_t i)
{
	const struct val_str *key = (const void *)((const char *)list + i * record->size);

	return key->v_;
}

/* Where the key is or belongs; *found says which. */
static size_t position(const struct record *record, const void *list, size_t nr, const char *key, bool *found)
{
	size_t low = 0, high = nr;

	*found = false;
	/* Most lists are made, and read, in the order of their keys. */
	if (nr && key_compare(key_at(record, list, nr - 1), key) < 0)
		return nr;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = key_compare(key_at(record, list, middle), key);

		if (!order) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *list_element_(struct arena *arena, const struct record *record, void **list, size_t *nr, const char *key)
{
	bool found;
	size_t at = position(record, *list, *nr, key, &found);
	char *element;

	if (!found) {
		*list = arena_grow(arena, *list, *nr, record->size);
		element = (char *)*list + at * record->size;
		memmove(element + record->size, element, (*nr - at) * record->size);
		memset(element, 0, record->size);
		*(struct val_str *)element = val_str(arena_strdup(arena, key));
		++*nr;
	}
	return (char *)*list + at * record->size;
}

void *list_find_(const struct record *record, const void *list, size_t nr, const char *key)
{
	bool found;
	size_t at = position(record, list, nr, key, &found);
	union { const void *from; void *to; } element = { .from = list };

	return found ? (char *)element.to + at * record->size : NULL;
}

void f64s_add(struct arena *arena, struct f64s *series, double value)
{
	series->v = arena_grow(arena, series->v, series->nr, sizeof(*series->v));
	series->v[series->nr++] = value;
}

void strs_add(struct arena *arena, struct strs *series, const char *text)
{
	series->v = arena_grow(arena, series->v, series->nr, sizeof(*series->v));
	series->v[series->nr++] = arena_strdup(arena, text);
}

bool strs_has(const struct strs *series, const char *text)
{
	for (size_t i = 0; i < series->nr; i++)
		if (!strcmp(series->v[i], text))
			return true;
	return false;
}
