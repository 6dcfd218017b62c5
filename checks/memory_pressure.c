// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

/* Where the node itself is short of memory, memory-available reports it, stalls included. */
static void eval(struct judgement *j)
{
	const struct memory *memory = &j->snapshot->memory;
	const struct pressure *pressure = &j->snapshot->pressure;
	enum val_state state = pressure->memory_full_avg10.state;
	double stalled, available, total;

	if (state == VAL_ABSENT || state == VAL_UNSUPPORTED) {
		skip_check(j, "not supported by this kernel (PSI)");
		return;
	}
	stalled = need(j, pressure, pressure, memory_full_avg10);
	want(j, window, &j->snapshot->window, memory_full_percent);
	if (!all_known(j) || stalled <= j->policy->memory_pressure_percent)
		return;
	available = (double)need(j, memory, memory, available_bytes);
	total = (double)need(j, memory, memory, total_bytes);
	if (all_known(j) && available < j->policy->memory_available_ratio * total)
		skip_check(j, "the node is short of host memory (memory-available)");
	else
		finding_add(j, MEMORY_PRESSURE_STALLED);
}

const struct check check_memory_pressure = {
	.name = "memory-pressure",
	.title = "Memory stalls",
	.doc = "Do tasks wait for memory although the node has some available, as in a control group at its limit? If "
	       "the node itself is short, see memory-available.",
	.per = SUBJECT_NODE,
	.says = "memory stalls {memory_full_avg10}",
	.may_emit = IDS(MEMORY_PRESSURE_STALLED),
	.eval = eval,
};
