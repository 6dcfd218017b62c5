/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_keys.h - many elements of a keyed list at once. */
#pragma once

#include "snapshot/snapshot.h"

/* As list_element() for each, in one pass: keys in the order of key_compare(), without twins. */
#define list_add_keys(arena, owner, list, type, keys, nr_keys)                                                         \
	list_add_keys_((arena), &record_##type, (void **)&(owner)->list, &(owner)->nr_##list, (keys), (nr_keys))
void list_add_keys_(struct arena *arena, const struct record *record, void **list, size_t *nr, const char *const *keys,
		    size_t nr_keys);
