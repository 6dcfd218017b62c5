// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_cgroup.c - what this run's control group allows.
 *
 * A limit counts wherever it is set, from the own group up to the root that is
 * seen, and the narrowest holds. What is used is that of the group with the
 * limit. Files: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include "base/text.h"
#include "probe/read.h"
#include "probe/system/cgroup_place.h"

/* Version 1 writes the largest number of pages for "no limit", which differs with the page size. */
#define NO_LIMIT_BYTES (UINT64_C(1) << 60)

enum { MAX_DEPTH = 64 };	/* of a group that is looked at; those of Slurm and Kubernetes lie 8 deep */

/* A group and all above it, the own one first. */
struct groups {
	struct probe_env *env;
	struct arena *arena;
	unsigned version;
	struct strs folders;
};

static void groups_find(struct groups *groups, const struct cgroup_place *place)
{
	size_t len, least;
	char *folder;

	groups->version = place->version;
	if (!place->mount)
		return;
	folder = arena_printf(groups->arena, "%s%s", strcmp(place->mount, "/") ? place->mount : "", place->below);
	len = strlen(folder);
	least = len - strlen(place->below);
	while (len && len >= least && groups->folders.nr < MAX_DEPTH) {
		strs_add(groups->arena, &groups->folders, arena_strndup(groups->arena, folder, len));
		while (len && folder[--len] != '/')
			;
	}
}

/* The name a file has in that version; NULL: it has none. */
static const char *file_of(const struct groups *groups, const char *v2, const char *v1)
{
	return groups->version == 2 ? v2 : v1;
}

static struct val_u64 read_limit(struct groups *groups, const char *folder, const char *file)
{
	struct val_str text = read_str(groups->env, groups->arena, "%s/%s", folder, file);
	uint64_t limit;

	if (str_is(text, "max"))
		return no_u64(VAL_ABSENT, "no limit");
	if (!is_known(text))
		return no_u64(text.state, text.why);
	if (parse_u64(str_or(text, ""), &limit))
		return no_u64(VAL_ERROR, arena_printf(groups->arena, "reads \"%.40s\"", str_or(text, "")));
	return limit < NO_LIMIT_BYTES ? val_u64(limit) : no_u64(VAL_ABSENT, "no limit");
}

/* The narrowest limit, and the group that has it: NULL where none has. */
static struct val_u64 narrowest(struct groups *groups, const char *file, const char **ret_folder)
{
	struct val_u64 least = no_u64(VAL_ABSENT, groups->folders.nr ? "no limit" : "not mounted");

	*ret_folder = NULL;
	for (size_t i = 0; i < groups->folders.nr; i++) {
		struct val_u64 limit = read_limit(groups, groups->folders.v[i], file);

		if (is_known(limit) && (!is_known(least) || u64_or(limit, 0) < u64_or(least, 0))) {
			least = limit;
			*ret_folder = groups->folders.v[i];
		} else if (limit.state != VAL_ABSENT && !is_known(least)) {
			least = limit;		/* a group that cannot be read may have one */
		}
	}
	return least;
}

static void read_file(struct groups *groups, struct proc_text *ret, const char *folder, const char *file)
{
	proc_text_read(groups->env, ret, 0, arena_printf(groups->arena, "%s/%s", folder, file));
}

/* File pages are given back before anything is killed, the active ones last; shared memory is not among them. */
static struct val_u64 read_cache(struct groups *groups, const char *folder)
{
	PROC_TEXT_AUTO stat = PROC_TEXT_INIT;
	struct val_u64 inactive, active;

	read_file(groups, &stat, folder, "memory.stat");
	inactive = proc_text_u64(&stat, groups->arena, file_of(groups, "inactive_file", "total_inactive_file"), 1);
	active = proc_text_u64(&stat, groups->arena, file_of(groups, "active_file", "total_active_file"), 1);
	return is_known(inactive) && is_known(active) ? val_u64(u64_or(inactive, 0) + u64_or(active, 0)) : inactive;
}

/* Version 1 limits memory and swap together. */
static struct val_u64 read_swap_limit(struct groups *groups, const char *folder, struct val_u64 memory_limit)
{
	struct val_u64 both;
	const char *limited;

	if (groups->version == 2)
		return narrowest(groups, "memory.swap.max", &limited);
	if (!folder)
		return no_u64(VAL_ABSENT, "no limit");
	both = read_limit(groups, folder, "memory.memsw.limit_in_bytes");
	if (!is_known(both) || u64_or(both, 0) < u64_or(memory_limit, 0))
		return no_u64(both.state == VAL_OK ? VAL_ERROR : both.state, both.why);
	return val_u64(u64_or(both, 0) - u64_or(memory_limit, 0));
}

static void read_memory(struct groups *groups, struct cgroup *ret)
{
	PROC_TEXT_AUTO events = PROC_TEXT_INIT;
	const char *limited;

	ret->memory_limit_bytes = narrowest(groups, file_of(groups, "memory.max", "memory.limit_in_bytes"), &limited);
	ret->swap_limit_bytes = read_swap_limit(groups, limited, ret->memory_limit_bytes);
	ret->memory_used_bytes = ret->memory_cache_bytes = no_u64(VAL_ABSENT, "no limit");
	if (limited) {
		ret->memory_used_bytes =
			read_u64(groups->env, groups->arena, "%s/%s", limited,
				 file_of(groups, "memory.current", "memory.usage_in_bytes"));
		ret->memory_cache_bytes = read_cache(groups, limited);
	}
	ret->oom_kills = no_u64(VAL_ABSENT, "not mounted");
	if (!groups->folders.nr)
		return;
	read_file(groups, &events, limited ? limited : groups->folders.v[0],
		  file_of(groups, "memory.events", "memory.oom_control"));
	ret->oom_kills = proc_text_u64(&events, groups->arena, "oom_kill", 1);
}

/* "200000 100000": so many µs of every so many; "max 100000" and a quota of -1 are no limit. */
static struct val_f64 read_cpu_limit(struct groups *groups, const char *folder)
{
	struct val_str text = read_str(groups->env, groups->arena, "%s/%s", folder,
				       file_of(groups, "cpu.max", "cpu.cfs_quota_us"));
	const char *quota = str_or(text, "");
	size_t len = strcspn(quota, " ");
	double quota_us, period_us;

	if (!is_known(text))
		return no_f64(text.state, text.why);
	if (!strncmp(quota, "max", strlen("max")) || quota[0] == '-')
		return no_f64(VAL_ABSENT, "no limit");
	if (groups->version == 2)
		period_us = parse_f64(quota[len] ? quota + len + 1 : "", &period_us) ? 0.0 : period_us;
	else
		period_us = (double)u64_or(
			read_u64(groups->env, groups->arena, "%s/cpu.cfs_period_us", folder), 0);
	if (parse_f64(arena_strndup(groups->arena, quota, len), &quota_us) || period_us <= 0.0 || quota_us < 0.0)
		return no_f64(VAL_ERROR, arena_printf(groups->arena, "reads \"%.40s\"", quota));
	return val_f64(quota_us / period_us);
}

static void read_cpu(struct groups *groups, struct cgroup *ret)
{
	PROC_TEXT_AUTO stat = PROC_TEXT_INIT;
	const char *limited = NULL;

	ret->cpu_limit = no_f64(VAL_ABSENT, groups->folders.nr ? "no limit" : "not mounted");
	for (size_t i = 0; i < groups->folders.nr; i++) {
		struct val_f64 limit = read_cpu_limit(groups, groups->folders.v[i]);

		if (is_known(limit) && (!limited || f64_or(limit, 0.0) < f64_or(ret->cpu_limit, 0.0))) {
			ret->cpu_limit = limit;
			limited = groups->folders.v[i];
		} else if (limit.state != VAL_ABSENT && !limited) {
			ret->cpu_limit = limit;
		}
	}
	ret->cpu_periods = ret->cpu_throttled_periods = no_u64(VAL_ABSENT, "no limit");
	if (!limited)
		return;
	read_file(groups, &stat, limited, "cpu.stat");
	ret->cpu_periods = proc_text_u64(&stat, groups->arena, "nr_periods", 1);
	ret->cpu_throttled_periods = proc_text_u64(&stat, groups->arena, "nr_throttled", 1);
}

/* The nearest group that says: where the controller is off a group has no such file, and what is above holds. */
static struct val_str read_set(struct groups *groups, const char *file, const char *older)
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

static void read_sets(struct groups *groups, struct cgroup *ret)
{
	bool is_v2 = groups->version == 2;

	ret->cpus = read_set(groups, is_v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus",
			     is_v2 ? NULL : "cpuset.cpus");
	ret->memory_nodes = read_set(groups, is_v2 ? "cpuset.mems.effective" : "cpuset.effective_mems",
				     is_v2 ? NULL : "cpuset.mems");
}

static struct groups groups_of(struct probe_env *env, struct arena *arena, const struct cgroup_place *place)
{
	struct groups groups = { .env = env, .arena = arena, .version = 0, .folders = { 0 } };

	groups_find(&groups, place);
	return groups;
}

void system_cgroup_read(struct probe_env *env, struct arena *arena, struct cgroup *ret)
{
	PROC_TEXT_AUTO own = PROC_TEXT_INIT;
	PROC_TEXT_AUTO mounts = PROC_TEXT_INIT;
	struct cgroup_place memory, cpu, cpuset;
	struct groups groups;

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
	groups = groups_of(env, arena, &memory);
	read_memory(&groups, ret);
	groups = groups_of(env, arena, &cpu);
	read_cpu(&groups, ret);
	groups = groups_of(env, arena, &cpuset);
	read_sets(&groups, ret);
}
