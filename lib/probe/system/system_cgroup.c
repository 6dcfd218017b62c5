// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_cgroup.c - what this run's control group allows. What is used is that of the group with the limit. Files:
 * Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include "probe/read.h"
#include "probe/system/cgroup_limits.h"

static void read_file(struct cgroup_chain *groups, struct proc_text *ret, const char *folder, const char *file)
{
	proc_text_read(groups->env, ret, 0, arena_printf(groups->arena, "%s/%s", folder, file));
}

/* File pages are given back before anything is killed, the active ones last; shared memory is not among them. */
static struct val_u64 read_cache(struct cgroup_chain *groups, const char *folder)
{
	PROC_TEXT_AUTO stat = PROC_TEXT_INIT;
	struct val_u64 inactive, active;

	read_file(groups, &stat, folder, "memory.stat");
	inactive =
		proc_text_u64(&stat, groups->arena, cgroup_file_of(groups, "inactive_file", "total_inactive_file"), 1);
	active = proc_text_u64(&stat, groups->arena, cgroup_file_of(groups, "active_file", "total_active_file"), 1);
	return is_known(inactive) && is_known(active) ? val_u64(u64_or(inactive, 0) + u64_or(active, 0)) : inactive;
}

/* Version 1 limits memory and swap together. */
static struct val_u64 read_swap_limit(struct cgroup_chain *groups, const char *folder, struct val_u64 memory_limit)
{
	struct val_u64 both;
	const char *limited;

	if (groups->version == 2)
		return cgroup_narrowest(groups, "memory.swap.max", &limited);
	if (!folder)
		return no_u64(VAL_ABSENT, "no limit");
	both = cgroup_read_limit(groups, folder, "memory.memsw.limit_in_bytes");
	if (!is_known(both) || u64_or(both, 0) < u64_or(memory_limit, 0))
		return no_u64(both.state == VAL_OK ? VAL_ERROR : both.state, both.why);
	return val_u64(u64_or(both, 0) - u64_or(memory_limit, 0));
}

static void read_memory(struct cgroup_chain *groups, struct cgroup *ret)
{
	PROC_TEXT_AUTO events = PROC_TEXT_INIT;
	const char *limited;

	ret->memory_limit_bytes =
		cgroup_narrowest(groups, cgroup_file_of(groups, "memory.max", "memory.limit_in_bytes"), &limited);
	ret->swap_limit_bytes = read_swap_limit(groups, limited, ret->memory_limit_bytes);
	ret->memory_used_bytes = ret->memory_cache_bytes = no_u64(VAL_ABSENT, "no limit");
	if (limited) {
		ret->memory_used_bytes =
			read_u64(groups->env, groups->arena, "%s/%s", limited,
				 cgroup_file_of(groups, "memory.current", "memory.usage_in_bytes"));
		ret->memory_cache_bytes = read_cache(groups, limited);
	}
	ret->oom_kills = no_u64(VAL_ABSENT, "not mounted");
	if (!groups->folders.nr)
		return;
	read_file(groups, &events, limited ? limited : groups->folders.v[0],
		  cgroup_file_of(groups, "memory.events", "memory.oom_control"));
	ret->oom_kills = proc_text_u64(&events, groups->arena, "oom_kill", 1);
}

static void read_cpu(struct cgroup_chain *groups, struct cgroup *ret)
{
	PROC_TEXT_AUTO stat = PROC_TEXT_INIT;
	const char *limited;

	ret->cpu_limit = cgroup_cpu_limit(groups, &limited);
	ret->cpu_periods = ret->cpu_throttled_periods = no_u64(VAL_ABSENT, "no limit");
	if (!limited)
		return;
	read_file(groups, &stat, limited, "cpu.stat");
	ret->cpu_periods = proc_text_u64(&stat, groups->arena, "nr_periods", 1);
	ret->cpu_throttled_periods = proc_text_u64(&stat, groups->arena, "nr_throttled", 1);
}

/* The nearest group that says: where the controller is off a group has no such file, and what is above holds. */
static struct val_str read_set(struct cgroup_chain *groups, const char *file, const char *older)
{
	struct val_str list = no_str(VAL_ABSENT, groups->folders.nr ? "not in any control group" : "not mounted");

	for (size_t i = 0; i < groups->folders.nr; i++) {
		list = checked_cpulist(groups->arena,
				       read_str(groups->env, groups->arena, "%s/%s", groups->folders.v[i], file));
		if (list.state == VAL_ABSENT && older)
			list = checked_cpulist(groups->arena, read_str(groups->env, groups->arena, "%s/%s",
								       groups->folders.v[i], older));
		if (list.state != VAL_ABSENT)
			break;
	}
	return list;
}

static void read_sets(struct cgroup_chain *groups, struct cgroup *ret)
{
	bool is_v2 = groups->version == 2;

	ret->cpus = read_set(groups, is_v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus",
			     is_v2 ? NULL : "cpuset.cpus");
	ret->memory_nodes = read_set(groups, is_v2 ? "cpuset.mems.effective" : "cpuset.effective_mems",
				     is_v2 ? NULL : "cpuset.mems");
}

void system_cgroup_read(struct probe_env *env, struct arena *arena, struct cgroup *ret)
{
	PROC_TEXT_AUTO own = PROC_TEXT_INIT;
	PROC_TEXT_AUTO mounts = PROC_TEXT_INIT;
	struct cgroup_place memory, cpu, cpuset;
	struct cgroup_chain groups;

	proc_text_read(env, &own, 0, "/proc/self/cgroup");
	proc_text_read(env, &mounts, 0, "/proc/self/mountinfo");
	if (own.state != VAL_OK) {
		ret->version = no_u64(own.state, own.why);
		ret->path = no_str(own.state, own.why);
		return;
	}
	memory = cgroup_find(arena, own.text.buf, mounts.text.buf, "memory");
	cpu = cgroup_find(arena, own.text.buf, mounts.text.buf, "cpu");
	cpuset = cgroup_find(arena, own.text.buf, mounts.text.buf, "cpuset");
	ret->version = memory.version ? val_u64(memory.version) : no_u64(VAL_ABSENT, "in no group");
	ret->path = no_str(VAL_ABSENT, "in no group");
	if (memory.version)
		ret->path = text_value(arena, memory.group, strlen(memory.group));
	groups = cgroup_chain_of(env, arena, &memory);
	read_memory(&groups, ret);
	groups = cgroup_chain_of(env, arena, &cpu);
	read_cpu(&groups, ret);
	groups = cgroup_chain_of(env, arena, &cpuset);
	read_sets(&groups, ret);
}
