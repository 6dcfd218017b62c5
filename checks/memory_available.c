// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

static void eval(struct judgement *j)
{
	const struct memory *memory = &j->snapshot->memory;
	double available = (double)need(j, memory, memory, available_bytes);
	double total = (double)need(j, memory, memory, total_bytes);
	double stalled = want(j, pressure, &j->snapshot->pressure, memory_full_avg10);
	bool low = available < j->policy->memory_available_ratio * total;

	/* A share of a machine of 2 TiB is more than many machines have, and huge pages are set aside on purpose. */
	if (available < j->policy->memory_critical_ratio * total && available < j->policy->memory_critical_bytes)
		finding_add(j, MEMORY_AVAILABLE_EXHAUSTED);
	else if (low && stalled > j->policy->memory_pressure_percent)
		finding_add(j, MEMORY_AVAILABLE_STALLED);
	else if (low)
		finding_add(j, MEMORY_AVAILABLE_LOW);
}

const struct check check_memory_available = {
	.name = "memory-available",
	.title = "Host memory available",
	.doc = "Is host memory available, and do tasks wait for it? Little memory alone is a note; with waiting "
	       "tasks, or almost none available, a warning.",
	.per = SUBJECT_NODE,
	.says = "{available_bytes} of {total_bytes} host memory available",
	.may_emit = IDS(MEMORY_AVAILABLE_LOW, MEMORY_AVAILABLE_EXHAUSTED, MEMORY_AVAILABLE_STALLED),
	.eval = eval,
};
