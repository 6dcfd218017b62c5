// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

/* A limit above what the machine has limits nothing. */
static bool limits(struct judgement *j, double limit)
{
	return !is_known(j->snapshot->memory.total_bytes) ||
	       limit < (double)u64_or(j->snapshot->memory.total_bytes, 0);
}

static void eval(struct judgement *j)
{
	const struct cgroup *cgroup = &j->snapshot->cgroup;
	double limit, used, cache, left;

	if (cgroup->version.state == VAL_ABSENT || cgroup->memory_limit_bytes.state == VAL_ABSENT) {
		skip_check(j, "no control group memory limit visible");
		return;
	}
	limit = (double)need(j, cgroup, cgroup, memory_limit_bytes);
	if (!all_known(j))
		return;
	used = (double)need(j, cgroup, cgroup, memory_used_bytes);
	cache = (double)need(j, cgroup, cgroup, memory_cache_bytes);
	if (!all_known(j))
		return;
	if (!limits(j, limit)) {
		skip_check(j, "its control group's limit, {memory_limit_bytes}, is more than the machine has");
		return;
	}
	left = limit - used + (cache < used ? cache : used);
	derive(j, "memory_left_bytes", UNIT_BYTES, left > 0.0 ? left : 0.0,
	       "memory_limit_bytes - memory_used_bytes + memory_cache_bytes");
	if (left < j->policy->memory_critical_ratio * limit)
		finding_add(j, CGROUP_MEMORY_EXHAUSTED);
	else if (left < j->policy->memory_available_ratio * limit)
		finding_add(j, CGROUP_MEMORY_LOW);
}

const struct check check_cgroup_memory = {
	.name = "cgroup-memory",
	.title = "Control group memory",
	.doc = "How much memory does the control group of this run (a container's, a job's) have left below the "
	       "narrowest limit, page cache not counted? What a job does with its share is its own concern: a note at "
	       "most.",
	.per = SUBJECT_NODE,
	.says = "{memory_left_bytes} of {memory_limit_bytes} left in its control group",
	.may_emit = IDS(CGROUP_MEMORY_LOW, CGROUP_MEMORY_EXHAUSTED),
	.eval = eval,
};
