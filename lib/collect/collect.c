// SPDX-License-Identifier: GPL-2.0-or-later
/* collect.c - phase by phase, workers are started, listened to and recorded. */
#include "base/compat.h"
#include "collect/collect_internal.h"

#include <errno.h>
#include <unistd.h>

#include "snapshot/under_test.h"
#include "sys/clock.h"
#include "sys/worker.h"

static bool may_start(const struct collection *c, struct job *job)
{
	const struct collect_options *options = c->options;

	if (is_over(c, job))
		return false;
	if (options->refuse) {
		job->why = options->refuse(c->snapshot, job->probe, job->target, &c->snapshot->arena, options->data);
		if (job->why) {
			job->outcome = PROBE_REFUSED;
			return false;
		}
	}
	return !is_held_by_other(c, job);
}

static int on_line(struct worker *worker, char *line, size_t len)
{
	return hear_job(worker->data, worker, line, len);
}

/* The worker's task, as its arguments. */
static const char **arguments_of(const struct collection *c, const struct job *job)
{
	size_t n;
	const char **argv = begin_arguments(c, 2, &n);

	argv[n++] = job->probe->name;
	argv[n++] = job->target;
	return argv;
}

static const char **environment_of(const struct collection *c, const struct job *job)
{
	struct arena *arena = &c->snapshot->arena;
	struct strs variables = { .nr = 0 };
	const char **list;

	if (job->probe->environment)
		job->probe->environment(c->snapshot, job->target, arena, &variables);
	if (c->is_side_by_side && probe_puts_load(job->probe))
		strs_add(arena, &variables, PROBE_SIDE_BY_SIDE_VARIABLE "=1");
	list = arena_alloc(arena, (variables.nr + 1) * sizeof(*list));
	for (size_t i = 0; i < variables.nr; i++)
		list[i] = variables.v[i];
	return list;
}

static void prepare_worker(const struct collection *c, struct job *job, struct worker *worker)
{
	job->calls_deadline_ms = calls_deadline_ms(c->snapshot, job->probe);
	job->own_deadline_ms = own_deadline_ms(c->snapshot, job->probe);
	job->total_ms = total_ms(c->snapshot, job->probe);
	*worker = (struct worker){
		.quiet_at_work_ms = quiet_at_work_ms(job),
		.main = job->probe->touches == TOUCHES_FILES ? c->options->worker_main : NULL,
		.argv = arguments_of(c, job), .environment = environment_of(c, job),
		.deadline_ms = given_ms(c, job),
		.quiet_ms = job->own_deadline_ms,
		.on_line = on_line, .data = job,
		.ends_on_sigterm = job->probe->ends_on_sigterm, .output = STRBUF_INIT,
	};
	job->worker = worker;
}

/* Those that watch stand before what they watch, and are started only with it. */
static void prepare_workers(const struct collection *c, struct job *jobs, size_t nr, struct worker *workers)
{
	for (size_t i = 0; i < nr; i++)
		jobs[i].may_start = !jobs[i].beside && may_start(c, &jobs[i]);
	for (size_t i = 0; i < nr; i++) {
		jobs[i].is_not_needed = jobs[i].beside && !jobs[i].beside->may_start;
		if (jobs[i].beside && !jobs[i].is_not_needed)
			jobs[i].may_start = may_start(c, &jobs[i]);
		if (jobs[i].may_start)
			prepare_worker(c, &jobs[i], &workers[i]);
	}
	for (size_t i = 0; i < nr; i++)
		if (jobs[i].worker && jobs[i].beside)
			jobs[i].worker->ends_with = jobs[i].beside->worker;
}

static void run_jobs(const struct collection *c, struct job *jobs, size_t nr)
{
	struct arena *arena = &c->snapshot->arena;
	/* Jobs keep pointing at them. */
	struct worker *workers = arena_alloc(arena, nr * sizeof(*workers));
	struct worker **alone = arena_alloc(arena, nr * sizeof(*alone));
	struct job **sharing = arena_alloc(arena, nr * sizeof(*sharing));
	size_t nr_alone = 0, nr_sharing = 0;

	prepare_workers(c, jobs, nr, workers);
	for (size_t i = 0; i < nr; i++) {
		if (jobs[i].worker && may_share(&jobs[i]))
			sharing[nr_sharing++] = &jobs[i];
		else if (jobs[i].worker)
			alone[nr_alone++] = jobs[i].worker;
	}
	run_workers(c, alone, nr_alone, sharing, nr_sharing);
	for (size_t i = 0; i < nr; i++)
		if (jobs[i].worker)
			judge_end(c, &jobs[i]);
}

/* The jobs before this one are recorded when it is asked whether it may start. */
static void run_and_record(const struct collection *c, struct job *jobs, size_t nr)
{
	run_jobs(c, jobs, nr);
	for (size_t i = 0; i < nr; i++) {
		record_job(c->snapshot, &jobs[i]);
		if (jobs[i].worker)
			strbuf_release(&jobs[i].worker->output);
	}
}

/* "GPU 3", or what else a worker of this probe looks at. */
static const char *target_words(const struct collection *c, const struct job *job)
{
	const struct gpu *gpu = list_find(c->snapshot, gpus, gpu, job->target ? job->target : "");

	return gpu ? arena_printf(&c->snapshot->arena, "GPU %zu", gpu_index(c->snapshot, gpu)) : job->key;
}

static void refuse_after(const struct collection *c, struct job *job, const struct job *silent)
{
	job->outcome = PROBE_REFUSED;
	job->why = arena_printf(&c->snapshot->arena, "%s did not answer before it", target_words(c, silent));
	record_job(c->snapshot, job);
}

/* A worker that hangs may hang the driver for all: the first that does not answer is the last of its probe. */
static void run_one_by_one(const struct collection *c, struct job *jobs, size_t nr)
{
	const struct job *silent = NULL;

	for (size_t i = 0; i < nr; i++) {
		struct job *job = &jobs[i];

		if (silent && silent->probe == job->probe) {
			refuse_after(c, job, silent);
			continue;
		}
		run_and_record(c, job, 1);
		if (job->outcome == PROBE_TIMEOUT || job->outcome == PROBE_STUCK)
			silent = job;
	}
}

/* All at once (--together), by the node's lock. */
static void run_side_by_side(struct collection *c, struct job *loads, size_t nr)
{
	int fd = take_load_lock(c, loads, nr);
	struct job_list list;

	if (fd == -EWOULDBLOCK) {
		for (size_t i = 0; i < nr; i++)
			record_job(c->snapshot, &loads[i]);
		return;
	}
	c->is_side_by_side = true;
	list = plan_watches(c, loads, nr);
	run_and_record(c, list.v, list.nr);
	c->is_side_by_side = false;
	if (fd >= 0)
		close(fd);
}

static void run_loads(struct collection *c, struct job *loads, size_t nr)
{
	if (bool_or(c->snapshot->request.together, false) && nr > 1) {
		run_side_by_side(c, loads, nr);
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		struct job_list list = plan_watches(c, &loads[i], 1);

		run_and_record(c, list.v, list.nr);
	}
}

/* Two at once would measure each other. One that does not answer says nothing of the next. */
static void run_apart(const struct collection *c, struct job *jobs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		run_and_record(c, &jobs[i], 1);
}

static void run_phase(struct collection *c, enum probe_phase phase)
{
	static const char *const names[NR_PROBE_PHASES] = {
		[PHASE_NODE] = "reading the node", [PHASE_DEVICE_FILES] = "reading each GPU",
		[PHASE_MANAGEMENT] = "starting the vendor's library", [PHASE_WINDOW] = "watching",
		[PHASE_STORAGE] = "measuring storage",
		[PHASE_LIBRARY] = "asking the drivers", [PHASE_IMPORT] = "importing frameworks",
		[PHASE_LOAD] = "measuring", [PHASE_COLLECTIVE] = "running all_reduce_perf",
	};
	struct job_list list = plan_phase(c, phase);

	if (!list.nr)
		return;
	if (c->options->progress)
		c->options->progress(names[phase], c->options->data);
	if (phase == PHASE_LOAD)
		run_loads(c, list.v, list.nr_at_once);
	else if (phase == PHASE_STORAGE || phase == PHASE_IMPORT || phase == PHASE_COLLECTIVE)
		run_apart(c, list.v, list.nr_at_once);
	else
		run_and_record(c, list.v, list.nr_at_once);
	run_one_by_one(c, list.v + list.nr_at_once, list.nr - list.nr_at_once);
}

void collect(struct snapshot *snapshot, const struct collect_options *options)
{
	static const struct root live = ROOT_LIVE;
	struct collection c = { .snapshot = snapshot, .options = options, .started_ns = clock_now_ns() };

	/* Workers run on this machine, whichever one was recorded. */
	host_room_read(&live, &c.room);
	find_lock_folder(&c);
	for (int phase = 0; phase < NR_PROBE_PHASES; phase++)
		run_phase(&c, (enum probe_phase)phase);
}
