// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

/*
 * The kernel's counter has kills of both kinds: the node had no memory, or a
 * control group was at its limit. With memory to spare it was a group's limit.
 */
static bool is_node_short(struct judgement *j)
{
	double available = (double)need(j, memory, &j->snapshot->memory, available_bytes);
	double total = (double)need(j, memory, &j->snapshot->memory, total_bytes);

	return available < j->policy->memory_available_ratio * total;
}

/* True if a process was killed during the window. */
static bool judge_window(struct judgement *j)
{
	const struct window *window = &j->snapshot->window;
	uint64_t kills = u64_or(window->oom_kills, 0);

	if (!kills)
		return false;
	question(j);
	derive(j, "kills", UNIT_COUNT, (double)kills, "/proc/vmstat oom_kill, its growth over the window");
	want(j, window, window, length_ms);
	finding_add(j, is_node_short(j) ? OOM_KILLS_NOW : OOM_KILLS_NOW_IN_GROUP);
	return true;
}

static void judge_group(struct judgement *j)
{
	const struct cgroup *cgroup = &j->snapshot->cgroup;
	uint64_t kills = u64_or(cgroup->oom_kills, 0);

	if (!kills)
		return;
	question(j);
	derive(j, "kills", UNIT_COUNT, (double)kills, "memory.events oom_kill");
	derive(j, "limit", UNIT_BYTES, (double)need(j, cgroup, cgroup, memory_limit_bytes), "memory.max");
	finding_add(j, OOM_KILLS_GROUP);
}

static void eval(struct judgement *j)
{
	const struct memory *memory = &j->snapshot->memory;
	bool is_now = judge_window(j);

	/* Without a limit of its own its group's count is the node's. */
	if (is_known(j->snapshot->cgroup.memory_limit_bytes))
		judge_group(j);
	question(j);
	/* Linux counts them since 4.13. */
	if (memory->oom_kills.state == VAL_ABSENT)
		skip_check(j, "not supported by this kernel");
	else if (need(j, memory, memory, oom_kills) && !is_now)
		finding_add(j, OOM_KILLS_SINCE_BOOT);
}

const struct check check_oom_kills = {
	.name = "oom-kills",
	.title = "OOM kills",
	.doc = "Were there OOM kills? During the window, on a node short of memory: a warning. Kills since boot have "
	       "no date, and those in a control group concern its job only: notes.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_WINDOW,
	.says = "no OOM kills",
	.may_emit = IDS(OOM_KILLS_NOW, OOM_KILLS_NOW_IN_GROUP, OOM_KILLS_GROUP, OOM_KILLS_SINCE_BOOT),
	.eval = eval,
};
