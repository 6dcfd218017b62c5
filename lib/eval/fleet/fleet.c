// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet.c - what is kept of the reports; fleet_read.c fills it, the other files judge it. */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <stdlib.h>

#include "base/alloc.h"

void fleet_release(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->nr_metrics; i++)
		free(fleet->metrics[i].values);
	for (size_t i = 0; i < fleet->nr_labels; i++)
		free(fleet->labels[i].of_record);
	free(fleet->records);
	free(fleet->gpus);
	free(fleet->findings);
	free(fleet->metrics);
	free(fleet->labels);
	free(fleet->first_of_name);
	free(fleet->next_of_name);
	free(fleet->expected);
	free(fleet->groups);
	free(fleet->spreads);
	free(fleet->outliers);
	free(fleet->causes);
	free(fleet->members);
	free(fleet->drifts);
	free(fleet->shifts);
	free(fleet->splits);
	free(fleet->odd_settings);
	free(fleet->missing);
	free(fleet->nodes);
	free(fleet->notes);
	texts_release(&fleet->texts);
	arena_release(&fleet->arena);
	*fleet = (struct fleet){ .nr_records = 0 };
}

void *fleet_grow(void *array, size_t nr, size_t *room, size_t element_bytes)
{
	if (nr < *room)
		return array;
	/* By a half: of a hundred thousand nodes the last step is what the memory is bounded by. */
	*room = *room ? *room + *room / 2 : 16;
	return xrealloc(array, *room * element_bytes);
}

void *fleet_append(void *array, size_t nr, size_t element_bytes)
{
	/* Without a room of its own: it doubles where nr is a power of two. */
	if (nr & (nr - 1))
		return array;
	return xrealloc(array, (nr ? nr * 2 : 1) * element_bytes);
}

void fleet_refuse(struct fleet *fleet, const char *source, unsigned line, const char *why)
{
	struct arena *arena = &fleet->arena;

	fleet->nr_refused++;
	if (fleet->nr_refusals == MAX_REFUSALS)
		return;
	if (!fleet->refusals)
		fleet->refusals = arena_alloc(arena, MAX_REFUSALS * sizeof(*fleet->refusals));
	fleet->refusals[fleet->nr_refusals++] =
		(struct fleet_refusal){ arena_strdup(arena, source), arena_strdup(arena, why), line };
}

void fleet_expect(struct fleet *fleet, const char *name)
{
	fleet->expected = fleet_append(fleet->expected, fleet->nr_expected, sizeof(*fleet->expected));
	fleet->expected[fleet->nr_expected++] = arena_strdup(&fleet->arena, name);
}

void fleet_note(struct fleet *fleet, const char *note)
{
	fleet->notes = fleet_append(fleet->notes, fleet->nr_notes, sizeof(*fleet->notes));
	fleet->notes[fleet->nr_notes++] = note;
}

const char *fleet_node_name(const struct fleet *fleet, const struct fleet_record *record)
{
	const char *name = texts_get(&fleet->texts, record->name);

	return name ? name : "(no name)";
}
