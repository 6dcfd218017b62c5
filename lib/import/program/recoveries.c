// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/recoveries.h"

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : !a && !b;
}

static bool is_of_same_check(const struct recovery *a, const struct recovery *b)
{
	return is_same(a->check, b->check) && is_same(a->node, b->node);
}

/* By their own times, or else as they stand: a list is as it was written, or the newest first. */
static bool is_later(const struct recovery *a, const struct recovery *b)
{
	if (a->time && b->time && strlen(a->time) == strlen(b->time))
		return strcmp(a->time, b->time) > 0;
	/* Those of a string all have the number of its line. */
	return a->line->number != b->line->number ? a->line->number > b->line->number : a->line > b->line;
}

/* By any of its names that both tell. */
static bool is_of_gpu(const struct xid_report *well, const struct xid_report *gpu)
{
	return (gpu->index != UINT64_MAX && gpu->index == well->index) ||
	       (gpu->address && well->address && !strcmp(gpu->address, well->address)) ||
	       (gpu->uuid && well->uuid && !strcmp(gpu->uuid, well->uuid));
}

static bool has_same_names(const struct xid_report *a, const struct xid_report *b)
{
	return a->index == b->index && is_same(a->address, b->address) && is_same(a->uuid, b->uuid);
}

bool recovery_names_gpu(const struct xid_report *gpu)
{
	return gpu->address || gpu->uuid || gpu->index != UINT64_MAX;
}

void recoveries_add(struct arena *arena, struct recoveries *to, const struct recovery *recovery)
{
	for (size_t i = 0; i < to->nr; i++) {
		if (!is_of_same_check(&to->v[i], recovery) || !has_same_names(&to->v[i].gpu, &recovery->gpu))
			continue;
		if (is_later(recovery, &to->v[i]))
			to->v[i] = *recovery;
		return;
	}
	to->v = arena_grow(arena, to->v, to->nr, sizeof(*to->v));
	to->v[to->nr++] = *recovery;
}

bool recoveries_end(const struct recoveries *recoveries, const struct recovery *event)
{
	for (size_t i = 0; i < recoveries->nr; i++) {
		const struct recovery *well = &recoveries->v[i];

		if ((!recovery_names_gpu(&well->gpu) || is_of_gpu(&well->gpu, &event->gpu)) &&
		    is_of_same_check(well, event) && is_later(well, event))
			return true;
	}
	return false;
}
