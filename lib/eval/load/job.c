// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/job.h"

#include "base/alloc.h"
#include "base/text.h"

/* Time from which samples of states tell something; ticks come a little early at times. */
#define SAMPLED_S 2.8

/* The part that a process has in a job. */
enum { NO_PART, HOLDS, WORKS };

/* Time on a CPU and in the run queue, from which a job's threads are worth judging. */
#define LEAST_READY_PERCENT 20.0

/* CPU use below which a process that has one child merely waits for it: a shell, a launcher. */
#define LAUNCHER_PERCENT 10.0

static struct val_f64 plus(struct val_f64 a, struct val_f64 b)
{
	if (!is_known(a) || !is_known(b))
		return is_known(a) ? a : b;
	return val_f64(a.v_ + b.v_);
}

static struct val_f64 percent_of(struct val_f64 ns_per_s)
{
	return is_known(ns_per_s) ? val_f64(ns_per_s.v_ / 1e7) : ns_per_s;
}

struct val_f64 process_percent(const struct fold_process *process, const struct watch_span *span)
{
	return percent_of(plus(mean_of(&process->track, tick_process, user_ns, span),
			       mean_of(&process->track, tick_process, system_ns, span)));
}

/* ---- threads */

/* Bytes and calls a second of a process whose time in the kernel goes to reading and writing. */
#define BYTES_COPIED 1e8
#define CALLS_MADE 1e4

/* Of one that has a single thread: else it may be another of its threads that reads. */
static bool copies(const struct fold_process *process, const struct watch_span *span)
{
	const struct track *track = &process->track;

	if (f64_or(figure_newest(figure_of(track, tick_process, threads)), 2.0) > 1.0)
		return false;
	return f64_or(mean_of(track, tick_process, read_call_bytes, span), 0.0) >= BYTES_COPIED ||
	       f64_or(mean_of(track, tick_process, written_call_bytes, span), 0.0) >= BYTES_COPIED ||
	       f64_or(mean_of(track, tick_process, read_calls, span), 0.0) >= CALLS_MADE;
}

/*
 * Mostly in the kernel and always ready: it calls sched_yield() in a loop, as CUDA and NCCL wait. That counts as no
 * sleep; one that sleeps many times is served by the kernel, as with page faults. 84 % of its time is the kernel's on
 * bare metal, 59 % was seen in a virtual machine whose system calls cost more outside of it.
 */
static bool is_polite(const struct job *job, const struct policy *policy, const struct fold *fold,
		      const struct fold_thread *thread)
{
	const struct track *track = &thread->track;
	const struct watch_span *span = &job->span;
	double user = f64_or(percent_of(mean_of(track, tick_thread, user_ns, span)), 0.0);
	double system = f64_or(percent_of(mean_of(track, tick_thread, system_ns, span)), 0.0);
	const struct fold_process *process;

	if (system <= user || user + system <= 50.0 ||
	    f64_or(mean_of(track, tick_thread, voluntary_switches, span), 0.0) >= policy->watch_switches_per_s)
		return false;
	process = fold_process_of(fold, thread->pid);
	return !process || !copies(process, span);
}

static void count_wchan(struct job *job, const struct fold_thread *thread)
{
	if (!thread->wchan[0] || !strcmp(thread->wchan, "0") || thread->state == 'R')
		return;
	for (size_t i = 0; i < job->nr_wchans; i++)
		if (!strcmp(job->wchans[i].name, thread->wchan)) {
			job->wchans[i].nr++;
			return;
		}
	if (job->nr_wchans < MAX_WCHANS)
		job->wchans[job->nr_wchans++] = (struct job_wchan){ .name = thread->wchan, .nr = 1 };
}

/* Of all threads together, per cent of one CPU. */
struct cpu_time {
	double run, wait;
	bool wait_is_known;		/* of any */
};

static void add_thread(struct job *job, const struct fold *fold, const struct policy *policy,
		       const struct fold_thread *thread, bool holds, struct cpu_time *time)
{
	const struct track *track = &thread->track;
	struct val_f64 user = percent_of(mean_of(track, tick_thread, user_ns, &job->span));
	struct val_f64 system = percent_of(mean_of(track, tick_thread, system_ns, &job->span));
	struct val_f64 all = plus(user, system);
	struct val_f64 wait = percent_of(mean_of(track, tick_thread, wait_ns, &job->span));
	bool polite = is_polite(job, policy, fold, thread);

	count_wchan(job, thread);
	time->wait_is_known |= is_known(wait);
	/* One that gives its CPU away stands in the queue because it waits for something else. */
	if (!polite) {
		time->run += f64_or(all, 0.0);
		time->wait += f64_or(wait, 0.0);
	}
	if (!is_known(all))
		return;
	if (polite && is_known(job->all_percent)) {
		job->all_percent.v_ -= all.v_;
		job->polite_percent += all.v_;
	}
	if (!holds)
		return;
	job->threads_pegged += all.v_ >= policy->cpu_pegged_percent && !polite;
	if (job->thread && all.v_ <= f64_or(job->thread_percent, 0.0))
		return;
	job->thread = thread;
	job->thread_percent = all;
	job->thread_switches = mean_of(track, tick_thread, voluntary_switches, &job->span);
	job->thread_is_polite = polite;
}

static void sort_wchans(struct job *job)
{
	for (size_t i = 1; i < job->nr_wchans; i++)
		for (size_t k = i; k && job->wchans[k].nr > job->wchans[k - 1].nr; k--) {
			struct job_wchan other = job->wchans[k];

			job->wchans[k] = job->wchans[k - 1];
			job->wchans[k - 1] = other;
		}
}

static void fill_queued(struct job *job, const struct cpu_time *time)
{
	double ready = time->run + time->wait;

	if (!time->wait_is_known) {
		job->run_wait_percent = job->queued_percent =
			no_f64(VAL_UNSET, job->thread ? "no time in the run queue" : "no threads read");
		return;
	}
	/*
	 * Threads that hardly want a CPU lose nothing by waiting for it now and then. One that wants it all the time
	 * and hardly gets it is no such thread.
	 */
	if (ready < LEAST_READY_PERCENT) {
		job->run_wait_percent = job->queued_percent = val_f64(0.0);
		return;
	}
	job->queued_percent = val_f64(100.0 * time->wait / ready);
	job->run_wait_percent = val_f64(100.0 * time->wait / (time->run > 1.0 ? time->run : 1.0));
}

static void add_threads(struct job *job, const struct fold *fold, const struct policy *policy, const char *parts)
{
	struct cpu_time time = { .run = 0.0 };

	for (size_t i = 0; i < fold->threads.nr; i++) {
		const struct fold_thread *thread = fold_thread_at(fold, i);
		size_t place = fold_place_of(fold, thread->pid);

		if (place != NO_PLACE && parts[place] != NO_PART)
			add_thread(job, fold, policy, thread, parts[place] == HOLDS, &time);
	}
	sort_wchans(job);
	/* Its threads may not have been read: of a process that has one, the process itself tells. */
	if (!job->thread && job->main &&
	    f64_or(figure_newest(figure_of(&job->main->track, tick_process, threads)), 1.0) <= 1.0) {
		job->thread_percent = job->main_percent;
		job->threads_pegged = f64_or(job->main_percent, 0.0) >= policy->cpu_pegged_percent;
	}
	fill_queued(job, &time);
}

/* ---- processes */

static void add_io(struct job *job, const struct fold_process *process, bool holds)
{
	const struct track *track = &process->track;
	struct val_f64 written = mean_of(track, tick_process, written_bytes, &job->span);
	struct val_f64 by_calls = mean_of(track, tick_process, written_call_bytes, &job->span);

	/* Calls of workers write into pipes; a holder's to files on servers and in memory, which no disk counts. */
	if (holds && f64_or(by_calls, 0.0) > f64_or(written, -1.0))
		written = by_calls;
	job->written = plus(job->written, written);
	job->read = plus(job->read, mean_of(track, tick_process, read_bytes, &job->span));
	job->read_call_bytes = plus(job->read_call_bytes, mean_of(track, tick_process, read_call_bytes, &job->span));
	job->read_calls = plus(job->read_calls, mean_of(track, tick_process, read_calls, &job->span));
	job->major_faults = plus(job->major_faults, mean_of(track, tick_process, major_faults, &job->span));
}

static void add_holder(struct job *job, const struct fold_process *process)
{
	struct val_f64 percent = process_percent(process, &job->span);

	job->nr_holders++;
	job->all_percent = plus(job->all_percent, percent);
	add_io(job, process, true);
	if (job->main && f64_or(percent, 0.0) <= f64_or(job->main_percent, 0.0))
		return;
	job->main = process;
	job->main_percent = percent;
}

static void add_worker(struct job *job, const struct policy *policy, const struct fold_process *process)
{
	struct val_f64 percent = process_percent(process, &job->span);

	add_io(job, process, false);
	job->all_percent = plus(job->all_percent, percent);
	job->workers++;
	job->workers_percent += f64_or(percent, 0.0);
	job->pegged += f64_or(percent, 0.0) >= policy->watch_worker_percent;
	if (!job->worker || f64_or(percent, 0.0) > f64_or(process_percent(job->worker, &job->span), 0.0))
		job->worker = process;
}

/* Workers where there are any: the main process sleeps while they read. */
static void fill_states(struct job *job, const struct fold *fold, const char *parts)
{
	double wait = 0.0, told = 0.0, ready = 0.0, held = 0.0;

	for (size_t i = 0; i < fold->processes.nr; i++) {
		const struct fold_process *process = fold_process_at(fold, i);

		for (size_t k = 0; k < job->span.nr; k++) {
			size_t slot = span_slot(&job->span, k);

			if (parts[i] == HOLDS) {
				ready += (double)process->ready[slot];
				held += (double)process->told[slot];
			}
			if (parts[i] == (job->workers ? WORKS : HOLDS)) {
				wait += (double)process->io_wait[slot];
				told += (double)process->told[slot];
			}
		}
	}
	job->io_wait_percent =
		told > 0.0 ? val_f64(100.0 * wait / told) : no_f64(VAL_UNSET, "no states of its processes");
	job->ready_percent =
		held > 0.0 ? val_f64(100.0 * ready / held) : no_f64(VAL_UNSET, "no states of its processes");
	job->io_seen_percent = f64_or(job->io_wait_percent, 0.0);
	/* States of a moment: half of eight workers wait for a disk now and then. */
	if (span_seconds(&job->span) < SAMPLED_S)
		job->io_wait_percent = no_f64(VAL_UNSET, "sampled for less than 3 s");
}

/* ---- its control group */

static struct val_f64 pressure(struct job *job, struct val_f64 group, struct val_f64 node)
{
	if (is_known(group) || !is_known(node))
		return share_percent(group);
	job->pressure_is_of_node = true;
	return share_percent(node);
}

static struct val_f64 share_of_periods(const struct track *group, const struct watch_span *span)
{
	struct val_f64 throttled = mean_of(group, tick_group, throttled_periods, span);
	double periods = f64_or(mean_of(group, tick_group, periods, span), 0.0);

	if (!is_known(throttled) || periods <= 0.0)
		return no_f64(throttled.state == VAL_OK ? VAL_ABSENT : throttled.state, throttled.why);
	return val_f64(100.0 * throttled.v_ / periods);
}

static void fill_group(struct job *job, const struct fold *fold)
{
	static const struct val_f64 none = { .state = VAL_UNSET, .why = "its control group is not known" };
	const struct watch_span *span = &job->span;
	const struct track *group = job->main && job->main->group ? track_find(&fold->groups, job->main->group) : NULL;
	double limit;

	job->group = group;
	job->io_full_percent = pressure(job, group ? mean_of(group, tick_group, io_full_ns, span) : none,
					mean_of(&fold->host, tick_host, io_full_ns, span));
	job->memory_full_percent = pressure(job, group ? mean_of(group, tick_group, memory_full_ns, span) : none,
					    mean_of(&fold->host, tick_host, memory_full_ns, span));
	job->throttled_percent = job->cpu_quota = job->memory_ratio = job->memory_stalls = job->refaults = none;
	if (!group)
		return;
	job->throttled_percent = percent_of(mean_of(group, tick_group, throttled_ns, span));
	if (!is_known(job->throttled_percent))
		job->throttled_percent = share_of_periods(group, span);
	job->cpu_quota = figure_newest(figure_of(group, tick_group, cpu_quota));
	job->memory_stalls = mean_of(group, tick_group, memory_stalls, span);
	job->refaults = mean_of(group, tick_group, refaults, span);
	limit = f64_or(figure_newest(figure_of(group, tick_group, memory_limit_bytes)), 0.0);
	if (limit > 0.0)
		job->memory_ratio =
			val_f64(f64_or(figure_newest(figure_of(group, tick_group, memory_bytes)), 0.0) / limit);
}

static void gather(const struct fold *fold, const struct policy *policy, const char *parts, struct job *job)
{
	job->main_percent = job->all_percent = job->thread_percent = job->thread_switches =
		no_f64(VAL_UNSET, "no processes are visible");
	job->written = job->read = job->read_call_bytes = job->read_calls = job->major_faults = job->main_percent;
	for (size_t i = 0; i < fold->processes.nr; i++) {
		if (parts[i] == HOLDS)
			add_holder(job, fold_process_at(fold, i));
		else if (parts[i] == WORKS)
			add_worker(job, policy, fold_process_at(fold, i));
	}
	job->is_seen = job->nr_holders;
	if (job->workers)
		job->workers_percent /= (double)job->workers;
	add_threads(job, fold, policy, parts);
	fill_states(job, fold, parts);
	fill_group(job, fold);
	job->cpus_allowed = job->main ? figure_newest(figure_of(&job->main->track, tick_process, cpus_allowed)) :
				      no_f64(VAL_UNSET, NULL);
}

/* ---- whose job */

static void count_unseen(const struct fold *fold, size_t place, struct job *job)
{
	const struct track_list *clients = &fold->gpus[place].clients;

	for (size_t i = 0; i < clients->nr; i++) {
		uint64_t pid;

		if (track_find(&fold->processes, clients->items[i]->key) || clients->items[i]->unseen)
			continue;
		job->nr_unseen++;
		if (!parse_u64(clients->items[i]->key, &pid))
			job->unseen_pid = pid;
	}
}

void job_of_gpu(const struct fold *fold, const struct policy *policy, const struct job_roles *roles, size_t place,
		const struct watch_span *span, struct job *ret)
{
	char *parts = xcalloc(roles->nr + 1, 1);

	*ret = (struct job){ .span = *span };
	for (size_t i = 0; i < roles->nr; i++)
		if (job_holds(fold, roles, i, place))
			parts[i] = HOLDS;
	for (size_t i = 0; i < roles->nr; i++)
		if (roles->owner[i] != NO_PLACE && parts[roles->owner[i]] == HOLDS)
			parts[i] = WORKS;
	gather(fold, policy, parts, ret);
	count_unseen(fold, place, ret);
	free(parts);
}

double job_family_percent(const struct fold *fold, const struct job *job)
{
	double sum = 0.0;

	for (size_t i = 0; job->main && i < fold->processes.nr; i++)
		if (is_one_job(fold, fold_process_at(fold, i)->pid, job->main->pid))
			sum += f64_or(process_percent(fold_process_at(fold, i), &job->span), 0.0);
	return sum;
}

/* Below a shell or a launcher, which waits for its only child, stands the process that is meant. */
static size_t main_of(const struct fold *fold, size_t place)
{
	for (size_t depth = 0; depth < 16; depth++) {
		const struct fold_process *process = fold_process_at(fold, place);
		size_t child = NO_PLACE, nr = 0;

		for (size_t i = 0; i < fold->processes.nr; i++)
			if (fold_process_at(fold, i)->parent == process->pid && i != place) {
				child = i;
				nr++;
			}
		if (nr != 1 || f64_or(process_percent(process, &fold->span), 0.0) >= LAUNCHER_PERCENT)
			break;
		place = child;
	}
	return place;
}

void job_of_pid(const struct fold *fold, const struct policy *policy, uint64_t pid, struct job *ret)
{
	char *parts = xcalloc(fold->processes.nr + 1, 1);
	size_t place = fold_place_of(fold, pid);

	*ret = (struct job){ .span = fold->span };
	if (place != NO_PLACE) {
		size_t main = main_of(fold, place);

		for (size_t i = 0; i < fold->processes.nr; i++)
			if (fold_process_at(fold, i)->is_requested ||
			    is_below(fold, fold_process_at(fold, i), fold_process_at(fold, main)->pid))
				parts[i] = WORKS;
		parts[main] = HOLDS;
	}
	gather(fold, policy, parts, ret);
	free(parts);
}
