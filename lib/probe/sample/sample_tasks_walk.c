// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_tasks_walk.c - all processes, once in 5 s: who has come to hold a GPU, and who belongs to a family though his
 * parent exited before he was seen.
 *
 * A process that used no CPU time and had no page fault since the last round has opened nothing: its files are looked
 * at again only once a minute.
 */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

#include "base/alloc.h"
#include "probe/process/open_files.h"
#include "probe/read.h"
#include "sys/clock.h"

enum {
	ROUNDS_UNSEEN = 12, /* for how many one that does nothing, or is the kernel's, is believed to be the same */
	LEAST_PER_TICK = 16,
	MAX_FAULT_THREADS = 64,
	MAX_SEEN = 1 << 20,
};

static void note(struct task_seen_list *list, const struct task_seen *seen)
{
	if (list->nr == MAX_SEEN)
		return;
	if (list->nr == list->room) {
		list->room = list->room ? 2 * list->room : 512;
		list->items = xrealloc(list->items, list->room * sizeof(*list->items));
	}
	list->items[list->nr++] = *seen;
}

/* As the last round saw it; both lists rise. */
static const struct task_seen *seen_before(struct task_walk *walk, uint64_t pid)
{
	while (walk->before_at < walk->before.nr && walk->before.items[walk->before_at].pid < pid)
		walk->before_at++;
	return walk->before_at < walk->before.nr && walk->before.items[walk->before_at].pid == pid ?
		       &walk->before.items[walk->before_at] : NULL;
}

/* ---- threads of NVIDIA's driver that serve page faults */

static void look_at_kernel_thread(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat)
{
	size_t len = strlen(stat->comm);

	if (strncmp(stat->comm, "UVM GPU", strlen("UVM GPU")) != 0 || len < 3 ||
	    strcmp(stat->comm + len - 3, " BH") != 0)
		return;
	for (size_t i = 0; i < watch->nr_fault_threads; i++)
		if (watch->fault_threads[i].pid == pid && watch->fault_threads[i].started_ticks == stat->started_ticks)
			return;
	if (watch->nr_fault_threads == MAX_FAULT_THREADS)
		return;
	watch->fault_threads =
		xrealloc(watch->fault_threads, (watch->nr_fault_threads + 1) * sizeof(*watch->fault_threads));
	watch->fault_threads[watch->nr_fault_threads++] = (struct task_fault_thread){
		.pid = pid, .started_ticks = stat->started_ticks, .stat_file = TASK_FILE_NONE,
	};
}

struct val_u64 task_faults_ns(struct task_watch *watch)
{
	uint64_t ticks = 0;
	size_t nr = 0;

	for (size_t i = 0; i < watch->nr_fault_threads; i++) {
		struct task_fault_thread *thread = &watch->fault_threads[i];
		struct proc_stat stat;

		if (task_file_read(&watch->files, &thread->stat_file, watch->text, sizeof(watch->text),
				   "/proc/%llu/stat", (unsigned long long)thread->pid) ||
		    proc_stat_parse(watch->text, &stat) || stat.started_ticks != thread->started_ticks) {
			task_file_close(&watch->files, &thread->stat_file);
			continue;
		}
		ticks += stat.user_ticks + stat.system_ticks;
		watch->fault_threads[nr++] = *thread;
	}
	watch->nr_fault_threads = nr;
	if (!nr)
		return no_u64(VAL_ABSENT, watch->hidden_why ? watch->hidden_why :
							      "no thread of NVIDIA's driver that serves page faults");
	return val_u64(ticks * TASKS_TICK_NS);
}

/* ---- one process */

static void hold(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat, const uint64_t *gpus)
{
	struct task_process *process = task_find(watch, pid);

	if (!process) {
		task_consider(watch, pid, stat);	/* it may be a child as well */
		process = task_find(watch, pid);
	}
	if (!process) {
		process = task_join(watch, pid, stat, 0);
		if (!process)
			return;
		process->is_founder = true;
	}
	process->is_holder = true;
	memcpy(process->gpus, gpus, sizeof(process->gpus));
}

static void hold_no_longer(struct task_watch *watch, uint64_t pid)
{
	struct task_process *process = task_find(watch, pid);

	if (!process || !process->is_holder)
		return;
	process->is_holder = false;
	memset(process->gpus, 0, sizeof(process->gpus));
}

/* Once all were looked at: a child may hold what its parent has closed. */
static void let_go(struct task_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++) {
		struct task_process *process = watch->processes[i];

		if (process->is_founder && !process->is_holder && !process->is_gone)
			task_dissolve(watch, process);
	}
	task_remove_gone(watch);
}

static void look_at_files(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat, struct task_seen *seen)
{
	uint64_t gpus[TASKS_MAX_GPUS / 64];
	int error;

	if (task_gpus_of(watch, pid, gpus, &error))
		hold(watch, pid, stat, gpus);
	else if (!error)
		hold_no_longer(watch, pid);
	seen->is_denied = state_of_errno(error) == VAL_DENIED;
}

static void look_at_program(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat,
			    struct task_seen *seen, const struct task_seen *before)
{
	struct task_walk *walk = &watch->walk;
	bool is_same = before && before->started_ticks == seen->started_ticks && before->activity == seen->activity;

	if (task_is_ours(watch, pid, stat))
		return;
	if (is_same && walk->round % ROUNDS_UNSEEN)
		seen->is_denied = before->is_denied;
	else if (walk->may_be_gpus && stat->state != 'Z')
		look_at_files(watch, pid, stat, seen);
	walk->denied += seen->is_denied;
	if (!before || before->started_ticks != seen->started_ticks || pid == watch->asked)
		task_consider(watch, pid, stat);
	note(&walk->now, seen);
}

/* Of one that is watched, as the last tick read it: it is read again in this one. */
static int stat_of(struct task_watch *watch, uint64_t pid, struct proc_stat *ret)
{
	const struct task_process *process = task_find(watch, pid);

	if (!process || process->stat_file.fd < 0)
		return task_read_stat(watch, pid, ret);
	*ret = process->stat;
	return 0;
}

static void look_at(struct task_watch *watch, uint64_t pid)
{
	struct task_walk *walk = &watch->walk;
	const struct task_seen *before = seen_before(walk, pid);
	struct task_seen seen;
	struct proc_stat stat;

	if (before && before->is_kernel_thread && walk->round % ROUNDS_UNSEEN) {
		note(&walk->now, before);
		return;
	}
	if (stat_of(watch, pid, &stat))
		return;
	seen = (struct task_seen){
		.pid = (uint32_t)pid, .parent = (uint32_t)stat.parent, .group = (uint32_t)stat.group,
		.session = (uint32_t)stat.session, .started_ticks = stat.started_ticks,
		.activity = stat.user_ticks + stat.system_ticks + stat.minor_faults + stat.major_faults,
		.is_kernel_thread = stat.is_kernel_thread,
	};
	if (stat.is_kernel_thread) {
		look_at_kernel_thread(watch, pid, &stat);
		note(&walk->now, &seen);
	} else {
		look_at_program(watch, pid, &stat, &seen, before);
	}
}

/* ---- a round */

static void begin_round(struct task_watch *watch)
{
	struct task_walk *walk = &watch->walk;

	if (proc_numbers_open(&walk->numbers, watch->env->root, "/proc"))
		return;
	/* What nodes are whose may change, and looking up paths that are none takes memory. */
	gpu_nodes_release(&walk->nodes);
	walk->may_be_gpus = watch->nr_gpus && open_files_may_be_gpus(&watch->probe);
	walk->is_under_way = true;
	walk->began_ns = watch->now_ns;
	walk->before_at = walk->denied = walk->left_out = 0;
	walk->now.nr = 0;
	walk->per_tick = LEAST_PER_TICK + (size_t)(walk->before.nr * watch->env->interval_ns / TASKS_ROUND_NS);
}

/* Descendants whose parents joined after they were passed, until none is found. */
static void join_descendants(struct task_watch *watch)
{
	const struct task_seen_list *now = &watch->walk.now;
	bool any = true;

	while (any) {
		any = false;
		for (size_t i = 0; i < now->nr; i++) {
			const struct task_seen *seen = &now->items[i];
			struct proc_stat stat = {
				.parent = seen->parent, .group = seen->group, .session = seen->session,
				.started_ticks = seen->started_ticks,
			};

			any |= task_adopt(watch, seen->pid);
			if (seen->is_kernel_thread || task_find(watch, seen->pid) ||
			    !task_relative(watch, seen->pid, &stat))
				continue;
			if (watch->nr == TASKS_MAX_PROCESSES)
				watch->walk.left_out++;
			else if (!task_read_stat(watch, seen->pid, &stat) && stat.started_ticks == seen->started_ticks)
				task_consider(watch, seen->pid, &stat);
			any |= task_find(watch, seen->pid) != NULL;
		}
	}
}

static void end_round(struct task_watch *watch)
{
	struct task_walk *walk = &watch->walk;
	struct task_seen_list emptied = walk->before;

	proc_numbers_close(&walk->numbers);
	walk->is_under_way = false;
	walk->round++;
	/* Those that were met in the round, when there was no room, come again. */
	walk->left_out = 0;
	let_go(watch);
	join_descendants(watch);
	watch->left_out = walk->left_out;
	watch->hidden = watch->hidden_why ? no_u64(VAL_DENIED, watch->hidden_why) : val_u64(walk->denied);
	walk->before = walk->now;
	walk->now = emptied;
}

/* At most nr of them, in that CPU time. */
static void walk_on(struct task_watch *watch, size_t nr, uint64_t budget_ns)
{
	uint64_t end_ns = clock_cpu_ns() + budget_ns, pid;

	for (size_t i = 0; i < nr && (!i || !budget_ns || clock_cpu_ns() < end_ns); i++) {
		if (!proc_numbers_next(&watch->walk.numbers, &pid)) {
			end_round(watch);
			return;
		}
		look_at(watch, pid);
	}
}

void task_walk_step(struct task_watch *watch)
{
	struct task_walk *walk = &watch->walk;

	if (!walk->is_under_way && watch->now_ns - walk->began_ns >= TASKS_ROUND_NS)
		begin_round(watch);
	if (walk->is_under_way)
		walk_on(watch, walk->per_tick, watch->budget_ns);
}

void task_walk_whole(struct task_watch *watch)
{
	begin_round(watch);
	if (watch->walk.is_under_way)
		walk_on(watch, SIZE_MAX, 0);
}

void task_walk_release(struct task_watch *watch)
{
	proc_numbers_close(&watch->walk.numbers);
	gpu_nodes_release(&watch->walk.nodes);
	free(watch->walk.before.items);
	free(watch->walk.now.items);
	for (size_t i = 0; i < watch->nr_fault_threads; i++)
		task_file_close(&watch->files, &watch->fault_threads[i].stat_file);
	free(watch->fault_threads);
}
