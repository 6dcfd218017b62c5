// SPDX-License-Identifier: GPL-2.0-or-later
/* list.c - keyed lists of records, kept sorted, and series. */
#include "base/compat.h"
#include "base/text.h"
#include "snapshot/list_keys.h"

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

/* Those of sorted keys that a sorted list lacks. */
static size_t nr_missing(const struct record *record, const void *list, size_t nr, const char *const *keys,
			 size_t nr_keys)
{
	size_t ret = 0;
	bool found;

	for (size_t i = 0; i < nr_keys; i++) {
		position(record, list, nr, keys[i], &found);
		ret += !found;
	}
	return ret;
}

void list_add_keys_(struct arena *arena, const struct record *record, void **list, size_t *nr, const char *const *keys,
		    size_t nr_keys)
{
	size_t size = record->size, missing = nr_missing(record, *list, *nr, keys, nr_keys), room = 1, from = 0;
	char *merged, *to;

	if (!missing)
		return;
	/* As arena_grow() has it. */
	while (room < *nr + missing)
		room *= 2;
	to = merged = arena_alloc(arena, room * size);
	for (size_t i = 0; i < nr_keys; i++) {
		bool found;
		size_t at = position(record, *list, *nr, keys[i], &found);

		if (found)
			continue;
		if (at > from)
			memcpy(to, (const char *)*list + from * size, (at - from) * size);
		to += (at - from) * size;
		from = at;
		*(struct val_str *)(void *)to = val_str(arena_strdup(arena, keys[i]));
		to += size;
	}
	if (*nr > from)
		memcpy(to, (const char *)*list + from * size, (*nr - from) * size);
	*list = merged;
	*nr += missing;
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
