// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_place.c - places as they are called, and causes in the order in which they are told: those of most GPUs first.
 */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hostlist.h"

/* A cause on its way to its place in the order. */
struct ranked {
	struct fleet_cause cause;
	uint32_t was;			/* its number + 1 */
	uint32_t most;			/* GPUs that any metric of its place has */
};

bool fleet_same_place(const struct fleet_cause *a, const struct fleet_cause *b)
{
	return !strcmp(a->level, b->level) && !strcmp(a->value, b->value);
}

const char *fleet_place_phrase(struct arena *arena, const struct fleet_cause *cause)
{
	if (!strcmp(cause->level, "slot"))
		return arena_printf(arena, "slot %s", cause->value);
	if (!strcmp(cause->level, "serial-batch"))
		return arena_printf(arena, "batch %s…", cause->value);
	return arena_printf(arena, "%s %s", cause->level, cause->value);
}

static int compare_places(const void *a, const void *b)
{
	const struct fleet_cause *one = &((const struct ranked *)a)->cause, *other = &((const struct ranked *)b)->cause;
	int order = strcmp(one->level, other->level);

	if (!order)
		order = text_compare_natural(one->value, other->value);
	if (!order)
		order = (one->worse < other->worse) - (one->worse > other->worse);
	return order ? order : (one->metric > other->metric) - (one->metric < other->metric);
}

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;

	if (one->most != other->most)
		return one->most > other->most ? -1 : 1;
	return compare_places(a, b);
}

void fleet_order_causes(struct fleet *fleet)
{
	struct ranked *ranked = xcalloc(fleet->nr_causes + 1, sizeof(*ranked));
	uint32_t *now = xcalloc(fleet->nr_causes + 1, sizeof(*now));

	for (uint32_t i = 0; i < fleet->nr_causes; i++)
		ranked[i] = (struct ranked){ fleet->causes[i], i + 1, 0 };
	qsort(ranked, fleet->nr_causes, sizeof(*ranked), compare_places);
	for (size_t i = 0, end; i < fleet->nr_causes; i = end) {
		uint32_t most = 0;

		for (end = i; end < fleet->nr_causes && fleet_same_place(&ranked[end].cause, &ranked[i].cause); end++)
			most = ranked[end].cause.bad > most ? ranked[end].cause.bad : most;
		for (size_t k = i; k < end; k++)
			ranked[k].most = most;
	}
	qsort(ranked, fleet->nr_causes, sizeof(*ranked), compare_ranks);
	for (uint32_t i = 0; i < fleet->nr_causes; i++) {
		fleet->causes[i] = ranked[i].cause;
		now[ranked[i].was] = i + 1;
	}
	for (size_t i = 0; i < fleet->nr_outliers; i++)
		fleet->outliers[i].cause = now[fleet->outliers[i].cause];
	free(ranked);
	free(now);
}
