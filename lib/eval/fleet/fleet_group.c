// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_group.c - GPUs that may be compared with each other: what else differs would be taken for a fault. */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/fnv.h"

static struct fleet_group kind_of(const struct fleet_gpu *gpu)
{
	return (struct fleet_group){
		.model = gpu->model, .vbios = gpu->vbios, .driver_version = gpu->driver_version,
		.partition = gpu->partition, .power_limit_mw = gpu->power_limit_mw,
		.clock_application_mhz = gpu->clock_application_mhz, .clock_max_mhz = gpu->clock_max_mhz,
	};
}

static bool is_of(const struct fleet_group *group, const struct fleet_group *kind)
{
	return group->model == kind->model && group->vbios == kind->vbios &&
	       group->driver_version == kind->driver_version && group->partition == kind->partition &&
	       group->power_limit_mw == kind->power_limit_mw &&
	       group->clock_application_mhz == kind->clock_application_mhz &&
	       group->clock_max_mhz == kind->clock_max_mhz;
}

static uint64_t hash_of(const struct fleet_group *kind)
{
	const uint32_t parts[] = { kind->model,	       kind->vbios,	     kind->driver_version,
				   kind->partition,    kind->power_limit_mw, kind->clock_application_mhz,
				   kind->clock_max_mhz };
	uint64_t hash = FNV_START;

	for (size_t i = 0; i < sizeof(parts); i++)
		hash = fnv_byte(hash, ((const unsigned char *)parts)[i]);
	return hash;
}

/* Groups by a hash table that grows: a fleet of which every GPU has a limit of its own must not take quadratic time. */
struct grouping {
	struct fleet *fleet;
	uint32_t *slots;		/* number + 1 */
	size_t nr_slots;		/* a power of two */
	uint32_t *last_node;		/* of each group, the record + 1 that was counted last */
};

static uint32_t *find_slot(const struct grouping *grouping, const struct fleet_group *kind)
{
	size_t at = (size_t)hash_of(kind) & (grouping->nr_slots - 1);

	while (grouping->slots[at] && !is_of(&grouping->fleet->groups[grouping->slots[at] - 1], kind))
		at = (at + 1) & (grouping->nr_slots - 1);
	return &grouping->slots[at];
}

static void add_to_group(struct grouping *grouping, struct fleet_gpu *gpu)
{
	const struct fleet_group kind = kind_of(gpu);
	struct fleet *fleet = grouping->fleet;
	uint32_t *slot = find_slot(grouping, &kind);

	if (!*slot) {
		fleet->groups = fleet_append(fleet->groups, fleet->nr_groups, sizeof(*fleet->groups));
		fleet->groups[fleet->nr_groups] = kind;
		*slot = (uint32_t)++fleet->nr_groups;
	}
	gpu->group = *slot;
	fleet->groups[*slot - 1].nr_gpus++;
	fleet->groups[*slot - 1].nr_nodes += grouping->last_node[*slot - 1] != gpu->record + 1;
	grouping->last_node[*slot - 1] = gpu->record + 1;
}

void fleet_make_groups(struct fleet *fleet)
{
	struct grouping grouping = { .fleet = fleet, .nr_slots = 64 };

	for (size_t n = 0; n < fleet->nr_nodes; n++)
		fleet->nr_judged_gpus += fleet->records[fleet->nodes[n]].nr_gpus;
	while (grouping.nr_slots < 2 * (size_t)fleet->nr_judged_gpus)
		grouping.nr_slots *= 2;
	grouping.slots = xcalloc(grouping.nr_slots, sizeof(*grouping.slots));
	grouping.last_node = xcalloc(fleet->nr_judged_gpus + 1, sizeof(*grouping.last_node));
	for (size_t n = 0; n < fleet->nr_nodes; n++) {
		const struct fleet_record *record = &fleet->records[fleet->nodes[n]];

		for (uint32_t g = 0; g < record->nr_gpus; g++)
			if (fleet->gpus[record->first_gpu + g].model)
				add_to_group(&grouping, &fleet->gpus[record->first_gpu + g]);
	}
	free(grouping.slots);
	free(grouping.last_node);
}
