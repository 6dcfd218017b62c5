// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_tasks_threads.c - the threads that matter, of processes that may have 100,000.
 *
 * Read of every thread is schedstat, which is short and counts in ns what it ran and what it waited for a CPU: those of
 * the last tick's busiest in each tick, of the others as many as fit into the time, the next ones in the next tick. Of
 * the busiest all the rest is read. Where the kernel keeps no schedstat, stat has the time, in steps of a clock tick.
 */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

#include "base/alloc.h"
#include "base/text_scan.h"
#include "format/text_value.h"
#include "probe/read.h"
#include "sys/clock.h"

enum {
	MAX_SHOWN = 256,
	A_LOOK_AT_THE_CLOCK = 8,	/* threads */
};

#define STAYS_BY 0.02		/* of a CPU */
#define IS_BUSY 0.5
#define IS_ANYTHING 0.001	/* used or waited for: less of it, of hundreds, costs more to tell than it says */

/* A thread of a process. */
struct pair {
	struct task_process *process;
	struct task_thread *thread;
};

/* The busiest, busiest first. */
struct busiest {
	struct pair pairs[TASKS_NR_BUSIEST];
	size_t nr;
};

/* Of processes with one thread, whose record has nearly all there is to say, and of the others. */
struct ranking { struct busiest lone, others; };

/* ---- which threads there are */

/* The new list takes over what is known of those that are in both; both rise. */
static void take_list(struct task_watch *watch, struct task_process *process, const uint64_t *tids, size_t nr)
{
	struct task_thread *threads;
	size_t old = 0;

	if (nr > TASKS_MAX_THREADS - watch->nr_threads + process->nr_threads)
		nr = TASKS_MAX_THREADS - watch->nr_threads + process->nr_threads;
	threads = xcalloc(nr + 1, sizeof(*threads));
	for (size_t i = 0; i < nr; i++) {
		while (old < process->nr_threads && process->threads[old].tid < tids[i])
			task_thread_close(watch, &process->threads[old++]);
		if (old < process->nr_threads && process->threads[old].tid == tids[i])
			threads[i] = process->threads[old++];
		else
			threads[i] = (struct task_thread){ .tid = (uint32_t)tids[i], .schedstat = TASK_FILE_NONE,
							   .stat = TASK_FILE_NONE, .wchan = TASK_FILE_NONE };
	}
	while (old < process->nr_threads)
		task_thread_close(watch, &process->threads[old++]);
	watch->nr_threads += nr - process->nr_threads;
	free(process->threads);
	process->threads = threads;
	process->nr_threads = nr;
	process->list_is_stale = false;
}

/* Goes on with the list of that process. False: the time is up. */
static bool list_on(struct task_watch *watch, struct task_process *process, uint64_t end_ns)
{
	uint64_t tid;

	while (proc_numbers_next(&watch->listing, &tid)) {
		if (!(watch->nr_listed & (watch->nr_listed - 1)))
			watch->listed =
				xrealloc(watch->listed, (watch->nr_listed ? 2 * watch->nr_listed : 1) * sizeof(tid));
		watch->listed[watch->nr_listed++] = tid;
		if (watch->nr_listed % 64 == 0 && clock_cpu_ns() >= end_ns)
			return false;
	}
	if (watch->nr_listed)
		qsort(watch->listed, watch->nr_listed, sizeof(*watch->listed), compare_numbers);
	take_list(watch, process, watch->listed, watch->nr_listed);
	proc_numbers_close(&watch->listing);
	watch->listing_pid = 0;
	return true;
}

/* One of them, or a piece of it, in any case. */
static void list_threads(struct task_watch *watch, uint64_t end_ns)
{
	bool any = false;

	if (watch->listing_pid && !list_on(watch, task_find(watch, watch->listing_pid), end_ns))
		return;
	for (size_t i = 0; i < watch->nr; i++) {
		struct task_process *process = watch->processes[i];

		if (!process->list_is_stale)
			continue;
		if (any && clock_cpu_ns() >= end_ns)
			return;
		any = true;
		if (process->stat.threads == 1) {
			take_list(watch, process, &process->pid, 1);
			continue;
		}
		if (proc_numbers_open(&watch->listing, watch->env->root, "/proc/%llu/task",
				      (unsigned long long)process->pid))
			continue;
		watch->listing_pid = process->pid;
		watch->nr_listed = 0;
		if (!list_on(watch, process, end_ns))
			return;
	}
}

/* ---- their times */

static bool parse_schedstat(const char *text, uint64_t *run_ns, uint64_t *wait_ns)
{
	bool fits = true;

	return scan_u64(&text, 10, run_ns, &fits) && scan_char(&text, ' ') && scan_u64(&text, 10, wait_ns, &fits) &&
	       fits;
}

static bool read_times(struct task_watch *watch, const struct task_process *process, struct task_thread *thread,
		       uint64_t *run_ns, uint64_t *wait_ns)
{
	unsigned long long pid = process->pid, tid = thread->tid;
	struct proc_stat stat;

	if (watch->has_schedstat)
		return !task_file_read(&watch->files, &thread->schedstat, watch->text, sizeof(watch->text),
				       "/proc/%llu/task/%llu/schedstat", pid, tid) &&
		       parse_schedstat(watch->text, run_ns, wait_ns);
	if (task_file_read(&watch->files, NULL, watch->text, sizeof(watch->text), "/proc/%llu/task/%llu/stat", pid,
			   tid) ||
	    proc_stat_parse(watch->text, &stat))
		return false;
	*run_ns = (stat.user_ticks + stat.system_ticks) * TASKS_TICK_NS;
	*wait_ns = 0;
	return true;
}

/* A little in favour of the last tick's: among many that do next to nothing the same ones are told again. */
static bool is_busier(const struct task_thread *a, const struct task_thread *b)
{
	double left = a->rate + (a->was_busiest ? STAYS_BY : 0.0), right = b->rate + (b->was_busiest ? STAYS_BY : 0.0);

	return left > right || (left == right && a->run_ns > b->run_ns);
}

static void rank(struct busiest *busiest, struct task_process *process, struct task_thread *thread)
{
	size_t at = TASKS_NR_BUSIEST - 1;

	if (busiest->nr < TASKS_NR_BUSIEST)
		at = busiest->nr++;
	else if (!is_busier(thread, busiest->pairs[at].thread))
		return;
	for (; at && is_busier(thread, busiest->pairs[at - 1].thread); at--)
		busiest->pairs[at] = busiest->pairs[at - 1];
	busiest->pairs[at] = (struct pair){ .process = process, .thread = thread };
}

static uint64_t ticks_used(const struct task_process *process)
{
	return process->stat.user_ticks + process->stat.system_ticks;
}

/*
 * The only thread of a process whose stat says all there is to know: it sleeps, and used no whole clock tick since it
 * was read. One that waits for a CPU does not sleep.
 */
static bool rests(const struct task_process *process, const struct task_thread *thread)
{
	return process->stat.threads == 1 && process->stat.state == 'S' && thread->tick &&
	       process->ticks_of_lone == ticks_used(process);
}

static void read_thread(struct task_watch *watch, struct ranking *ranking, struct task_process *process,
			struct task_thread *thread)
{
	uint64_t run_ns, wait_ns, now_ns;

	if (thread->tick == watch->tick)
		return;
	if (!read_times(watch, process, thread, &run_ns, &wait_ns)) {
		process->list_is_stale = true;		/* it exited, and its place may be another's */
		return;
	}
	now_ns = clock_now_ns();
	if (thread->tick && now_ns > thread->at_ns && run_ns >= thread->run_ns && wait_ns >= thread->wait_ns)
		thread->rate = (double)(run_ns - thread->run_ns + wait_ns - thread->wait_ns) /
			       (double)(now_ns - thread->at_ns);
	thread->run_ns = run_ns;
	thread->wait_ns = wait_ns;
	thread->at_ns = now_ns;
	thread->tick = watch->tick;
	process->ticks_of_lone = ticks_used(process);
	rank(process->stat.threads == 1 ? &ranking->lone : &ranking->others, process, thread);
}

static bool is_main(const struct task_process *process, const struct task_thread *thread)
{
	return process->pid == thread->tid;
}

/* Those that must be read in this tick. */
static void read_wanted(struct task_watch *watch, struct ranking *ranking)
{
	for (size_t i = 0; i < watch->nr; i++) {
		struct task_process *process = watch->processes[i];

		for (size_t k = 0; k < process->nr_threads; k++) {
			struct task_thread *thread = &process->threads[k];

			if (thread->was_busiest ||
			    (is_main(process, thread) && (process->is_holder || process->is_asked)))
				read_thread(watch, ranking, process, thread);
		}
	}
}

/* From the thread whose turn it is, round about, until all were read or the time is up. */
static void read_in_turn(struct task_watch *watch, struct ranking *ranking, uint64_t end_ns)
{
	size_t at = 0, nr_read = 0;

	while (at < watch->nr && watch->processes[at]->pid < watch->turn.pid)
		at++;
	for (size_t i = 0; i <= watch->nr && watch->nr; i++, at++) {
		struct task_process *process = watch->processes[at % watch->nr];
		bool is_first = i == 0 && process->pid == watch->turn.pid;

		for (size_t k = 0; k < process->nr_threads; k++) {
			if ((is_first && process->threads[k].tid < watch->turn.tid) ||
			    rests(process, &process->threads[k]))
				continue;
			if (++nr_read % A_LOOK_AT_THE_CLOCK == 0 && clock_cpu_ns() >= end_ns) {
				watch->turn = (struct task_turn){ .pid = process->pid, .tid = process->threads[k].tid };
				return;
			}
			read_thread(watch, ranking, process, &process->threads[k]);
		}
	}
}

/* ---- what is shown */

/* How often one goes to sleep says something of those that work, and of one that has not woken for a while. */
static void fill_switches(struct task_watch *watch, const struct pair *pair, struct tick_thread *to)
{
	struct strbuf text = { .buf = watch->text };
	struct proc_text status = { .text = text, .state = VAL_OK };
	struct arena scratch = { 0 };
	int error;

	if (pair->thread->rate < STAYS_BY && !str_is(to->state, "D")) {
		to->voluntary_switches = no_u64(VAL_SKIPPED, "read of threads that work only");
		return;
	}
	error = task_file_read(&watch->files, NULL, watch->text, sizeof(watch->text), "/proc/%llu/task/%u/status",
			       (unsigned long long)pair->process->pid, pair->thread->tid);
	if (error) {
		to->voluntary_switches = no_u64(state_of_errno(error), name_of_errno(error));
	} else {
		to->voluntary_switches = proc_text_u64(&status, &scratch, "voluntary_ctxt_switches", 1);
		if (!is_known(to->voluntary_switches))
			to->voluntary_switches.why = "no voluntary_ctxt_switches there";
	}
	arena_release(&scratch);
}

/* "0" is what the kernel says to those who may not know, who may not read io either, and of one that runs by now. */
static void fill_wchan(struct task_watch *watch, const struct pair *pair, struct tick *ret, struct tick_thread *to)
{
	int error;

	if (str_is(to->state, "R")) {
		to->wchan = no_str(VAL_ABSENT, "running");
		return;
	}
	error = task_file_read(&watch->files, &pair->thread->wchan, watch->text, sizeof(watch->text),
			       "/proc/%llu/task/%u/wchan",
			       (unsigned long long)pair->process->pid, pair->thread->tid);
	if (error)
		to->wchan = no_str(state_of_errno(error), name_of_errno(error));
	else if (!*watch->text || !strcmp(watch->text, "0"))
		to->wchan = pair->process->may_trace ? no_str(VAL_ABSENT, "reads 0") :
						       no_str(VAL_DENIED, "reads 0: needs root");
	else
		to->wchan = text_value(&ret->arena, watch->text, strcspn(watch->text, "\n"));
}

/* Of a process with one thread all is known already. */
static bool read_stat_of(struct task_watch *watch, const struct pair *pair, struct proc_stat *ret)
{
	*ret = pair->process->stat;
	if (pair->process->stat.threads == 1)
		return true;
	return !task_file_read(&watch->files, &pair->thread->stat, watch->text, sizeof(watch->text),
			       "/proc/%llu/task/%u/stat", (unsigned long long)pair->process->pid, pair->thread->tid) &&
	       !proc_stat_parse(watch->text, ret);
}

static void show(struct task_watch *watch, const struct pair *pair, bool in_detail, struct tick *ret)
{
	static const char why[] = "read of the busiest threads only";
	struct tick_process *process;
	struct tick_thread *to;
	struct proc_stat stat;
	char key[24];

	if (!read_stat_of(watch, pair, &stat))
		return;
	snprintf(key, sizeof(key), "%llu", (unsigned long long)pair->process->pid);
	process = list_find(ret, processes, tick_process, key);
	if (!process)
		return;
	snprintf(key, sizeof(key), "%u", pair->thread->tid);
	to = list_element(&ret->arena, process, threads_seen, tick_thread, key);
	to->comm = text_value(&ret->arena, stat.comm, strlen(stat.comm));
	to->state = val_str(text_cleaned(&ret->arena, &stat.state, 1));
	to->user_ns = val_u64(stat.user_ticks * TASKS_TICK_NS);
	to->system_ns = val_u64(stat.system_ticks * TASKS_TICK_NS);
	to->wait_ns = watch->has_schedstat ? val_u64(pair->thread->wait_ns) :
					     no_u64(VAL_ABSENT, "the kernel keeps no schedstat");
	to->cpu = stat.has_cpu ? val_u64(stat.cpu) : no_u64(VAL_ABSENT, "the line of its stat is short");
	if (stat.has_cpu && pair->thread->rate >= IS_BUSY)
		task_cpus_note(watch, stat.cpu);
	to->voluntary_switches = no_u64(VAL_SKIPPED, why);
	to->wchan = no_str(VAL_SKIPPED, why);
	if (!in_detail)
		return;
	fill_switches(watch, pair, to);
	fill_wchan(watch, pair, ret, to);
}

static bool has_rank(const struct busiest *busiest, const struct task_thread *thread)
{
	for (size_t i = 0; i < busiest->nr; i++)
		if (busiest->pairs[i].thread == thread)
			return true;
	return false;
}

/*
 * The busiest, and those of the last tick, so that each has two readings; the first threads of holders and of the
 * process asked for, and of those that sleep uninterruptibly; and where a process has but one thread, and it worked
 * or wanted to, that.
 */
static void show_thread(struct task_watch *watch, const struct ranking *ranking, const struct pair *pair,
			size_t *nr_shown, struct tick *ret)
{
	const struct task_process *process = pair->process;
	struct task_thread *thread = pair->thread;
	bool is_busiest = has_rank(&ranking->lone, thread) || has_rank(&ranking->others, thread);
	bool is_first =
		is_main(process, thread) && (process->is_holder || process->is_asked || process->stat.state == 'D');
	bool is_lone = process->stat.threads == 1 && thread->rate >= IS_ANYTHING;

	if (!is_busiest && !is_first) {
		task_file_close(&watch->files, &thread->stat);
		task_file_close(&watch->files, &thread->wchan);
	}
	if (*nr_shown < MAX_SHOWN && (is_busiest || thread->was_busiest || is_first || is_lone)) {
		show(watch, pair, is_busiest || thread->was_busiest || is_first, ret);
		++*nr_shown;
	}
	thread->was_busiest = is_busiest;
}

static void count_threads(struct task_watch *watch, struct tick *ret)
{
	uint64_t seen = 0, all = 0;

	for (size_t i = 0; i < watch->nr; i++) {
		const struct task_process *process = watch->processes[i];

		all += process->stat.threads;
		for (size_t k = 0; k < process->nr_threads; k++)
			seen += process->threads[k].tick == watch->tick || rests(process, &process->threads[k]);
	}
	ret->host.threads_seen = val_u64(seen);
	ret->host.threads_left_out = val_u64(all > seen ? all - seen : 0);
}

void task_threads_fill(struct task_watch *watch, struct tick *ret)
{
	struct ranking ranking = { .lone.nr = 0, .others.nr = 0 };
	uint64_t now_ns = clock_cpu_ns(), end_ns = now_ns + watch->budget_ns;
	size_t nr_shown = 0;

	/* Threads that come and go must not keep the others from their turn. */
	list_threads(watch, now_ns + watch->budget_ns / 2);
	read_wanted(watch, &ranking);
	read_in_turn(watch, &ranking, end_ns);
	for (size_t i = 0; i < watch->nr; i++) {
		struct task_process *process = watch->processes[i];

		for (size_t k = 0; k < process->nr_threads; k++)
			if (process->threads[k].tick == watch->tick)
				show_thread(watch, &ranking,
					    &(struct pair){ .process = process, .thread = &process->threads[k] },
					    &nr_shown, ret);
	}
	count_threads(watch, ret);
	task_cpus_keep_off(watch);
}
