// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_tasks_groups.c - control groups of watched processes in a tick, of version 1, 2 or both.
 *
 * What a limit is compared with is that of the group which has the limit, be it above: the periods of a quota and the
 * memory in use are counted there. CPU time and stalls are the process's own group's.
 */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

#include "base/alloc.h"
#include "base/text.h"
#include "probe/process/cgroup_path.h"
#include "probe/read.h"
#include "probe/sample/sample_kept_text.h"
#include "probe/system/cgroup_limits.h"
#include "probe/window_rates.h"
#include "sys/clock.h"

#define US_NS UINT64_C(1000)

enum { FILE_BYTES = 64 * 1024 };

/* A file of a group, and where it is; path NULL: the version has none, or the group is not in sight. */
struct group_file {
	const char *path;
	struct kept_text text;
};

enum group_files {
	GROUP_CPU_TIME, GROUP_CPU_QUOTA, GROUP_MEMORY, GROUP_MEMORY_EVENTS, GROUP_MEMORY_STAT, GROUP_CPU_PRESSURE,
	GROUP_IO_PRESSURE, GROUP_MEMORY_PRESSURE, NR_GROUP_FILES
};

struct task_group {
	struct arena arena;
	char *text, *key;		/* /proc/PID/cgroup of its processes */
	struct cgroup_place cpu, cpuacct, memory, unified;
	bool is_used;
	uint64_t limits_tick;		/* when limits were read */
	struct val_f64 cpu_quota;	/* its reason is static, or the arena's of limits */
	struct val_u64 memory_limit;
	struct arena limits;
	struct group_file files[NR_GROUP_FILES];
};

struct task_groups {
	struct task_watch *watch;
	struct task_group *items[TASKS_MAX_GROUPS];
	size_t nr, turn;
};

const char *task_group_key(const struct task_group *group)
{
	return group->key;
}

static void group_free(struct task_group *group)
{
	for (size_t i = 0; i < NR_GROUP_FILES; i++)
		kept_text_release(&group->files[i].text);
	arena_release(&group->limits);
	arena_release(&group->arena);
	free(group);
}

/* Which file of which group; a file that is where it was stays open. */
static void place_file(struct task_group *group, enum group_files which, const char *folder, const char *name)
{
	struct group_file *file = &group->files[which];
	const char *path = folder && name ? arena_printf(&group->limits, "%s/%s", folder, name) : NULL;

	if (file->text.file.fd >= 0 && (!path || !file->path || strcmp(file->path, path) != 0))
		cached_fd_close(&file->text.file);
	file->path = path;
}

static const char *own_folder(const struct cgroup_chain *chain)
{
	return chain->folders.nr ? chain->folders.v[0] : NULL;
}

static struct cgroup_chain chain_of(struct task_watch *watch, struct arena *arena, const struct cgroup_place *place)
{
	static const struct cgroup_place nowhere = { .version = 0, .below = "" };

	return cgroup_chain_of(&watch->probe, arena, place->is_shown ? place : &nowhere);
}

/* Stalls that the group of the whole node counts are those of all jobs: only the root has no type. */
static const char *stalls_folder(struct task_watch *watch, const struct cgroup_chain *unified)
{
	const char *folder = unified->version == 2 ? own_folder(unified) : NULL;

	return folder && (unified->folders.nr > 1 || !root_exists(watch->env->root, "%s/cgroup.type", folder)) ?
	       folder : NULL;
}

/* Limits, and with them where what they limit is counted. */
static void read_limits(struct task_watch *watch, struct task_group *group)
{
	struct arena before = group->limits;
	struct cgroup_chain cpu, cpuacct, memory, unified;
	const char *limited, *folder;

	group->limits = (struct arena){ 0 };
	cpu = chain_of(watch, &group->limits, &group->cpu);
	cpuacct = chain_of(watch, &group->limits, &group->cpuacct);
	memory = chain_of(watch, &group->limits, &group->memory);
	unified = chain_of(watch, &group->limits, &group->unified);
	group->cpu_quota = cgroup_cpu_limit(&cpu, &limited);
	place_file(group, GROUP_CPU_QUOTA, limited, "cpu.stat");
	place_file(group, GROUP_CPU_TIME, own_folder(&cpuacct), cgroup_file_of(&cpuacct, "cpu.stat", "cpuacct.usage"));
	group->memory_limit = cgroup_narrowest(&memory, cgroup_file_of(&memory, "memory.max", "memory.limit_in_bytes"),
					       &limited);
	folder = limited ? limited : own_folder(&memory);
	place_file(group, GROUP_MEMORY, folder, cgroup_file_of(&memory, "memory.current", "memory.usage_in_bytes"));
	place_file(group, GROUP_MEMORY_EVENTS, folder, cgroup_file_of(&memory, "memory.events", "memory.failcnt"));
	place_file(group, GROUP_MEMORY_STAT, folder, "memory.stat");
	folder = stalls_folder(watch, &unified);
	place_file(group, GROUP_CPU_PRESSURE, folder, "cpu.pressure");
	place_file(group, GROUP_IO_PRESSURE, folder, "io.pressure");
	place_file(group, GROUP_MEMORY_PRESSURE, folder, "memory.pressure");
	group->limits_tick = watch->tick;
	arena_release(&before);
}

/* On a machine with several trees processes of one group of memory may be in several of CPU time. */
static char *key_of(struct arena *arena, const char *path, const struct cgroup_place *cpu)
{
	const char *group =
		cpu->version == 1 && strcmp(cpu->group, "/") != 0 && strcmp(cpu->group, path) != 0 ? cpu->group : NULL;
	const char *key = group ? arena_printf(arena, "%s cpu:%s", path, group) : path;

	return arena_strdup(arena, text_cleaned(arena, key, strlen(key)));
}

static struct task_group *add_group(struct task_watch *watch, const char *text)
{
	struct task_group *group = xcalloc(1, sizeof(*group));
	STRBUF_AUTO mounts = STRBUF_INIT;
	struct cgroup_owner owner;

	if (root_read(watch->env->root, &mounts, "/proc/self/mountinfo"))
		strbuf_reset(&mounts);
	group->text = arena_strdup(&group->arena, text);
	cgroup_owner_parse(text, &group->arena, &owner);
	group->cpu = cgroup_find(&group->arena, text, mounts.buf, "cpu");
	group->cpuacct = cgroup_find(&group->arena, text, mounts.buf, "cpuacct");
	group->memory = cgroup_find(&group->arena, text, mounts.buf, "memory");
	/* Stalls are counted in the tree of version 2, which has no name among those of version 1. */
	group->unified = cgroup_find(&group->arena, text, mounts.buf, "");
	group->key = key_of(&group->arena, owner.path ? owner.path : "/", &group->cpu);
	for (size_t i = 0; i < NR_GROUP_FILES; i++)
		group->files[i] = (struct group_file){ .text = KEPT_TEXT_INIT };
	watch->groups->items[watch->groups->nr++] = group;
	return group;
}

const struct task_group *task_group_of(struct task_watch *watch, const char *text)
{
	struct task_groups *groups = watch->groups;

	for (size_t i = 0; i < groups->nr; i++)
		if (!strcmp(groups->items[i]->text, text))
			return groups->items[i];
	return *text && groups->nr < TASKS_MAX_GROUPS ? add_group(watch, text) : NULL;
}

/* ---- a tick */

static bool read_file(struct task_watch *watch, struct task_group *group, enum group_files which,
		      struct val_u64 *missing)
{
	struct group_file *file = &group->files[which];

	if (!file->path) {
		*missing = no_u64(VAL_ABSENT, "not counted by its control group");
		return false;
	}
	kept_text_read(&file->text, watch->env->root, file->path, FILE_BYTES);
	if (file->text.error)
		*missing = no_u64(state_of_errno(file->text.error), name_of_errno(file->text.error));
	return !file->text.error;
}

/* A file of one number. */
static struct val_u64 number_of(struct task_watch *watch, struct task_group *group, enum group_files which)
{
	struct val_u64 missing;
	uint64_t number;

	if (!read_file(watch, group, which, &missing))
		return missing;
	return parse_u64(group->files[which].text.text.buf, &number) ? no_u64(VAL_ERROR, "reads no number") :
								       val_u64(number);
}

static struct val_u64 times(struct val_u64 value, uint64_t each)
{
	return is_known(value) ? val_u64(u64_or(value, 0) * each) : value;
}

static void fill_cpu(struct task_watch *watch, struct task_group *group, struct arena *arena, struct tick_group *to)
{
	const struct kept_text *own = &group->files[GROUP_CPU_TIME].text,
			       *limited = &group->files[GROUP_CPU_QUOTA].text;
	bool is_v2 = group->cpu.version == 2;
	struct val_u64 missing;

	to->cpu_quota = group->cpu_quota;
	to->cpu_quota.why = to->cpu_quota.why ? arena_strdup(arena, to->cpu_quota.why) : NULL;
	if (group->cpuacct.version == 1)
		to->cpu_ns = number_of(watch, group, GROUP_CPU_TIME);
	else if (read_file(watch, group, GROUP_CPU_TIME, &missing))
		to->cpu_ns = times(kept_text_u64(own, arena, "usage_usec", 1), US_NS);
	else
		to->cpu_ns = missing;
	if (!group->files[GROUP_CPU_QUOTA].path) {
		to->periods = to->throttled_periods = to->throttled_ns = no_u64(VAL_ABSENT, "no limit");
		return;
	}
	if (!read_file(watch, group, GROUP_CPU_QUOTA, &missing)) {
		to->periods = to->throttled_periods = to->throttled_ns = missing;
		return;
	}
	to->periods = kept_text_u64(limited, arena, "nr_periods", 1);
	to->throttled_periods = kept_text_u64(limited, arena, "nr_throttled", 1);
	to->throttled_ns = is_v2 ? times(kept_text_u64(limited, arena, "throttled_usec", 1), US_NS) :
				   kept_text_u64(limited, arena, "throttled_time", 1);
}

/* Before Linux 5.9 there was one of files alone, without its kind in its name. */
static struct val_u64 refaults_of(const struct kept_text *stat, struct arena *arena)
{
	struct val_u64 file = kept_text_u64(stat, arena, "workingset_refault_file", 1);
	struct val_u64 anon = kept_text_u64(stat, arena, "workingset_refault_anon", 1);

	if (file.state == VAL_ABSENT)
		return kept_text_u64(stat, arena, "workingset_refault", 1);
	if (!is_known(file) || !is_known(anon))
		return is_known(anon) ? anon : file;
	return val_u64(u64_or(file, 0) + u64_or(anon, 0));
}

static void fill_memory(struct task_watch *watch, struct task_group *group, struct arena *arena, struct tick_group *to)
{
	struct val_u64 missing;

	to->memory_limit_bytes = group->memory_limit;
	to->memory_limit_bytes.why = group->memory_limit.why ? arena_strdup(arena, group->memory_limit.why) : NULL;
	to->memory_bytes = number_of(watch, group, GROUP_MEMORY);
	if (group->memory.version == 1)
		to->memory_stalls = number_of(watch, group, GROUP_MEMORY_EVENTS);
	else if (read_file(watch, group, GROUP_MEMORY_EVENTS, &missing))
		to->memory_stalls = kept_text_u64(&group->files[GROUP_MEMORY_EVENTS].text, arena, "max", 1);
	else
		to->memory_stalls = missing;
	if (read_file(watch, group, GROUP_MEMORY_STAT, &missing))
		to->refaults = refaults_of(&group->files[GROUP_MEMORY_STAT].text, arena);
	else
		to->refaults = missing;
}

static struct val_u64 stalled_ns(struct task_group *group, enum group_files which, const char *line,
				 struct val_u64 missing, bool is_read)
{
	return is_read ? times(pressure_total(group->files[which].text.text.buf, line), US_NS) : missing;
}

static void fill_pressure(struct task_watch *watch, struct task_group *group, struct tick_group *to)
{
	struct val_u64 missing = { .state = VAL_ABSENT };
	bool is_read = read_file(watch, group, GROUP_CPU_PRESSURE, &missing);

	to->cpu_some_ns = stalled_ns(group, GROUP_CPU_PRESSURE, "some ", missing, is_read);
	is_read = read_file(watch, group, GROUP_IO_PRESSURE, &missing);
	to->io_some_ns = stalled_ns(group, GROUP_IO_PRESSURE, "some ", missing, is_read);
	to->io_full_ns = stalled_ns(group, GROUP_IO_PRESSURE, "full ", missing, is_read);
	is_read = read_file(watch, group, GROUP_MEMORY_PRESSURE, &missing);
	to->memory_some_ns = stalled_ns(group, GROUP_MEMORY_PRESSURE, "some ", missing, is_read);
	to->memory_full_ns = stalled_ns(group, GROUP_MEMORY_PRESSURE, "full ", missing, is_read);
}

static void fill_group(struct task_watch *watch, struct task_group *group, struct tick *ret)
{
	uint64_t every = watch->env->interval_ns ? TASKS_ROUND_NS / watch->env->interval_ns : 1;
	struct tick_group *to = list_element(&ret->arena, ret, groups, tick_group, group->key);

	if (!group->limits_tick || watch->tick - group->limits_tick >= every)
		read_limits(watch, group);
	fill_cpu(watch, group, &ret->arena, to);
	fill_memory(watch, group, &ret->arena, to);
	fill_pressure(watch, group, to);
}

static void forget_unused(struct task_groups *groups)
{
	const struct task_watch *watch = groups->watch;
	size_t nr = 0;

	for (size_t i = 0; i < groups->nr; i++)
		groups->items[i]->is_used = false;
	for (size_t i = 0; i < watch->nr; i++)
		for (size_t k = 0; k < groups->nr; k++)
			groups->items[k]->is_used |= groups->items[k] == watch->processes[i]->group;
	for (size_t i = 0; i < groups->nr; i++) {
		if (groups->items[i]->is_used)
			groups->items[nr++] = groups->items[i];
		else
			group_free(groups->items[i]);
	}
	groups->nr = nr;
}

/* Where the time is not enough, in turn: a group that is not there was not read in this tick. */
void task_groups_fill(struct task_watch *watch, struct tick *ret)
{
	struct task_groups *groups = watch->groups;
	uint64_t end_ns = clock_cpu_ns() + watch->budget_ns;
	size_t nr = 0;

	forget_unused(groups);
	for (; nr < groups->nr && (!nr || clock_cpu_ns() < end_ns); nr++)
		fill_group(watch, groups->items[(groups->turn + nr) % groups->nr], ret);
	groups->turn = groups->nr ? (groups->turn + nr) % groups->nr : 0;
}

struct task_groups *task_groups_open(struct task_watch *watch)
{
	struct task_groups *groups = xcalloc(1, sizeof(*groups));

	groups->watch = watch;
	return groups;
}

void task_groups_close(struct task_groups *groups)
{
	for (size_t i = 0; i < groups->nr; i++)
		group_free(groups->items[i]);
	free(groups);
}
