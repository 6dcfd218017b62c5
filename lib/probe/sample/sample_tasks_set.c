// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_tasks_set.c - who is watched, and who belongs to whom.
 *
 * A process whose parent exited is given to init or to a subreaper, so that parentage alone loses it: it still belongs
 * to the family that made its session or process group, and with --pid to the asked process's own control group.
 */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

#include "base/alloc.h"
#include "probe/process/cgroup_path.h"

int task_read_stat(struct task_watch *watch, uint64_t pid, struct proc_stat *ret)
{
	char text[PROC_STAT_BYTES];
	int error = task_file_read(&watch->files, NULL, text, sizeof(text), "/proc/%llu/stat", (unsigned long long)pid);

	return error ? error : proc_stat_parse(text, ret);
}

bool task_is_ours(const struct task_watch *watch, uint64_t pid, const struct proc_stat *stat)
{
	if (!watch->own_pid || pid == watch->asked)
		return false;
	return pid == watch->own_pid || pid == watch->parent_pid ||
	       (stat->parent == watch->parent_pid && !strncmp(stat->comm, "gpudiag", strlen("gpudiag")));
}

/* Where it is, or belongs. */
static size_t position(const struct task_watch *watch, uint64_t pid)
{
	size_t low = 0, high = watch->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (watch->processes[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct task_process *task_find(const struct task_watch *watch, uint64_t pid)
{
	size_t at = position(watch, pid);

	return at < watch->nr && watch->processes[at]->pid == pid ? watch->processes[at] : NULL;
}

/*
 * Whose children count: with --pid only those of its tree. Everything on a node is a child of init, which holds
 * displays open for the session it manages.
 */
static bool has_family(const struct task_watch *watch, const struct task_process *process)
{
	if (watch->asked && !process->is_requested)
		return false;
	return process->is_asked ||
	       (process->pid != 1 && strncmp(process->stat.comm, "systemd", strlen("systemd")) != 0);
}

/* Given to init, or to a subreaper of another session. What a shell starts beside its job is of the shell's. */
static bool is_orphan(struct task_watch *watch, const struct proc_stat *stat)
{
	struct proc_stat parent;

	return stat->parent <= 1 || task_read_stat(watch, stat->parent, &parent) || parent.session != stat->session;
}

/*
 * gpudiag takes in the orphans of the command that it started, so that they are its children as the command is: one
 * whose parent was never seen too.
 */
static bool is_orphan_of_command(const struct task_watch *watch, uint64_t pid, const struct proc_stat *stat)
{
	return watch->asked_was_seen && watch->own_pid && watch->asked_parent == watch->parent_pid &&
	       stat->parent == watch->parent_pid && stat->started_ticks >= watch->asked_ticks &&
	       pid != watch->asked && !task_is_ours(watch, pid, stat);
}

static struct task_process *first_requested(struct task_watch *watch, uint64_t but)
{
	for (size_t i = 0; i < watch->nr; i++)
		if (watch->processes[i]->is_requested && watch->processes[i]->pid != but)
			return watch->processes[i];
	return NULL;
}

struct task_process *task_relative(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat)
{
	struct task_process *parent = stat->parent ? task_find(watch, stat->parent) : NULL;

	if (parent && has_family(watch, parent) && parent->stat.started_ticks <= stat->started_ticks)
		return parent;
	if (is_orphan_of_command(watch, pid, stat))
		return first_requested(watch, pid);
	for (size_t i = 0; i < watch->nr; i++) {
		struct task_process *process = watch->processes[i];
		bool is_near = (process->has_own_session && process->stat.session == stat->session) ||
			       (process->has_own_group && process->stat.group == stat->group);

		if (is_near && process->pid != pid && has_family(watch, process))
			return is_orphan(watch, stat) ? process : NULL;
	}
	return NULL;
}

/* A new holder is worth more than a child: the youngest child makes room. */
static bool make_room(struct task_watch *watch)
{
	for (size_t i = watch->nr; i-- > 0;) {
		struct task_process *process = watch->processes[i];

		if (process->is_holder || process->is_asked)
			continue;
		process->is_gone = true;
		task_remove_gone(watch);
		return true;
	}
	return false;
}

struct task_process *task_join(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat, uint64_t family)
{
	struct task_process *process;
	size_t at;

	if (watch->nr == TASKS_MAX_PROCESSES && (family || !make_room(watch))) {
		watch->walk.left_out++;
		return NULL;
	}
	watch->processes = xrealloc(watch->processes, (watch->nr + 1) * sizeof(*watch->processes));
	at = position(watch, pid);
	memmove(&watch->processes[at + 1], &watch->processes[at], (watch->nr - at) * sizeof(*watch->processes));
	process = watch->processes[at] = xcalloc(1, sizeof(*process));
	watch->nr++;
	*process = (struct task_process){
		.pid = pid, .family = family ? family : ++watch->families, .stat = *stat,
		.stat_file = TASK_FILE_NONE, .io_file = TASK_FILE_NONE, .list_is_stale = true,
		.has_own_session = stat->session == pid, .has_own_group = stat->group == pid,
	};
	return process;
}

/* Of control groups the one that says most, in memory of its own; NULL: not to be had. */
static char *group_of(struct task_watch *watch, const char *pid)
{
	struct arena arena = { 0 };
	struct cgroup_owner owner;
	char *ret = NULL;

	if (!task_file_read(&watch->files, NULL, watch->text, sizeof(watch->text), "/proc/%s/cgroup", pid)) {
		cgroup_owner_parse(watch->text, &arena, &owner);
		ret = owner.path && strcmp(owner.path, "/") ? xstrdup(owner.path) : NULL;
	}
	arena_release(&arena);
	return ret;
}

static bool is_in_group(struct task_watch *watch, uint64_t pid, const char *group)
{
	char number[24], *own;
	bool is_in;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)pid);
	own = group_of(watch, number);
	is_in = own && !strcmp(own, group);
	free(own);
	return is_in;
}

/* Its group tells its descendants where neither we nor its parent are in it: a container's, a unit's. */
static void find_asked_group(struct task_watch *watch, const struct task_process *asked)
{
	char number[24];
	char *group;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)asked->pid);
	group = group_of(watch, number);
	if (group && asked->stat.parent && !is_in_group(watch, asked->stat.parent, group) &&
	    !is_in_group(watch, watch->own_pid ? watch->own_pid : asked->stat.parent, group))
		watch->asked_group = group;
	else
		free(group);
}

static void join_family(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat,
			const struct task_process *relative)
{
	uint64_t family = relative->family;
	bool is_requested = relative->is_requested;
	bool session = relative->has_own_session && relative->stat.session == stat->session;
	bool group = relative->has_own_group && relative->stat.group == stat->group;
	struct task_process *process = task_join(watch, pid, stat, family);

	if (!process)
		return;
	process->is_requested = is_requested;
	process->has_own_session |= session;
	process->has_own_group |= group;
}

/* Of those that were given to init: a container's init has another number here. */
static bool is_orphan_of_asked(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat)
{
	return watch->asked_group && stat->parent <= 1 && is_in_group(watch, pid, watch->asked_group);
}

void task_consider(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat)
{
	const struct task_process *relative;
	struct task_process *asked;

	if (stat->is_kernel_thread || stat->is_thread || task_is_ours(watch, pid, stat) || task_find(watch, pid))
		return;
	if (pid == watch->asked && !watch->asked_was_seen) {
		asked = task_join(watch, pid, stat, 0);
		if (!asked)
			return;
		watch->asked_was_seen = asked->is_asked = asked->is_requested = true;
		watch->asked_parent = stat->parent;
		watch->asked_ticks = stat->started_ticks;
		find_asked_group(watch, asked);
		return;
	}
	relative = task_relative(watch, pid, stat);
	if (!relative && is_orphan_of_asked(watch, pid, stat))
		relative = first_requested(watch, pid);
	if (relative)
		join_family(watch, pid, stat, relative);
}

bool task_adopt(struct task_watch *watch, uint64_t pid)
{
	struct task_process *founder = task_find(watch, pid), *relative;
	uint64_t family;

	if (!founder || !founder->is_founder)
		return false;
	relative = task_relative(watch, pid, &founder->stat);
	if (!relative || relative->family == founder->family)
		return false;
	family = founder->family;
	founder->is_founder = false;
	for (size_t i = 0; i < watch->nr; i++) {
		struct task_process *process = watch->processes[i];

		if (process->family != family)
			continue;
		process->family = relative->family;
		process->is_requested |= relative->is_requested;
	}
	return true;
}

void task_dissolve(struct task_watch *watch, struct task_process *founder)
{
	uint64_t family = founder->family;

	for (size_t i = 0; i < watch->nr; i++) {
		struct task_process *process = watch->processes[i];

		if (process->family != family)
			continue;
		process->is_gone = !process->is_holder;
		if (process->is_holder) {
			process->family = ++watch->families;
			process->is_founder = true;
		}
	}
}

void task_remove_gone(struct task_watch *watch)
{
	size_t nr = 0;

	for (size_t i = 0; i < watch->nr; i++) {
		if (watch->processes[i]->is_gone)
			task_free(watch, watch->processes[i]);
		else
			watch->processes[nr++] = watch->processes[i];
	}
	watch->nr = nr;
}

void task_remove_all(struct task_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++)
		task_free(watch, watch->processes[i]);
	watch->nr = 0;
	free(watch->processes);
	watch->processes = NULL;
}
