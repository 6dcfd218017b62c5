/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * empty_slot.h - places on the bus where a GPU belongs, by what is beside them,
 * and none answers.
 *
 * A place counts only where its neighbours leave little doubt: ports of one
 * switch, or root ports, of the same width, of which every one that has
 * anything below has a GPU below. So the slots of an NVMe backplane never
 * count, nor do empty slots: a card must be plugged in, or the port have no
 * slot at all and so be wired to something.
 */
#pragma once

#include "snapshot/snapshot.h"

struct empty_slots {
	size_t nr;
	const struct port *first;
	const char *first_slot;		/* what the kernel calls the first's slot, or NULL */
	bool first_is_plugged;		/* a card is there and does not answer; else nothing is seen of one */
};
void gpu_empty_slots(const struct snapshot *snapshot, struct empty_slots *ret);
