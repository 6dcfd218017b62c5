// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/empty_slot.h"

/* The ports beside one: how many carry GPUs, something else, or nothing. */
struct beside {
	size_t gpus, others, empty;
};

/* A port whose width is not known, as it sleeps, may be of any. */
static bool is_beside(const struct port *a, const struct port *b)
{
	const char *parent_a = str_or(a->parent, NULL), *parent_b = str_or(b->parent, NULL);
	uint64_t width = u64_or(a->link_width_able, 0);

	if (!width || u64_or(b->link_width_able, width) != width)
		return false;
	if (parent_a && parent_b)
		return !strcmp(parent_a, parent_b);
	return a->parent.state == VAL_ABSENT && b->parent.state == VAL_ABSENT;
}

static void look_beside(const struct snapshot *snapshot, const struct port *port, struct beside *ret)
{
	*ret = (struct beside){ .gpus = 0 };
	for (size_t i = 0; i < snapshot->nr_ports; i++) {
		const struct port *other = &snapshot->ports[i];

		if (other == port || !is_beside(port, other))
			continue;
		/* A root port with several below it leads to a switch: that is no place for one card. */
		if (u64_or(other->gpus, 0) == 1 || (u64_or(other->gpus, 0) && is_known(port->parent)))
			ret->gpus++;
		else if (u64_or(other->functions, 1))
			ret->others++;
		else
			ret->empty++;
	}
}

static const struct slot *slot_of(const struct snapshot *snapshot, const struct port *port)
{
	for (size_t i = 0; i < snapshot->nr_slots; i++)
		if (is_known(port->key) && str_is(snapshot->slots[i].port, str_or(port->key, "")))
			return &snapshot->slots[i];
	return NULL;
}

/* By the port's own word or that of its slot. */
static bool is_plugged(const struct port *port, const struct slot *slot)
{
	return bool_or(port->present, false) ||
	       (slot && bool_or(slot->occupied, false) && !bool_or(slot->answers, true));
}

/* Without a slot there is nothing to unplug: what is below the port was soldered or bolted on. */
static bool is_wired(const struct port *port, const struct slot *slot)
{
	return is_known(port->parent) && port->present.state == VAL_ABSENT && !slot;
}

void gpu_empty_slots(const struct snapshot *snapshot, struct empty_slots *ret)
{
	*ret = (struct empty_slots){ .nr = 0 };
	for (size_t i = 0; i < snapshot->nr_ports; i++) {
		const struct port *port = &snapshot->ports[i];
		const struct slot *slot = slot_of(snapshot, port);
		bool plugged = is_plugged(port, slot);
		struct beside beside;

		if (u64_or(port->functions, 1) || (!plugged && !is_wired(port, slot)))
			continue;
		look_beside(snapshot, port, &beside);
		/* Ports of one switch are near of kin; root ports of a machine less so. */
		if (beside.others || beside.gpus < (plugged && is_known(port->parent) ? 1 : 2) ||
		    (!plugged && beside.empty))
			continue;
		if (!ret->nr++) {
			ret->first = port;
			ret->first_slot = slot ? str_or(slot->key, NULL) : NULL;
			ret->first_is_plugged = plugged;
		}
	}
}
