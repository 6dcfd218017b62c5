// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/collect.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "probe/frames.h"
#include "probe/read.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "snapshot/daemons.h"
#include "snapshot/under_test.h"
#include "sys/worker.h"

/*
 * What a driver may take for each GPU at its first call: without persistence
 * each is woken anew, and healthy nodes of eight have taken 10 to 24 s.
 */
enum { WAKE_MS_PER_GPU = 3000 };

/* One worker to be: its probe and target, and what came of it. */
struct job {
	const struct probe *probe;
	const char *target;		/* or NULL */
	const char *key;		/* "opencl pocl.icd" */
	struct worker *worker;		/* NULL: not started */
	struct frame_reader reader;
	enum probe_outcome outcome;
	const char *why;
	pid_t pid;			/* of one that is still there */
	bool waits;			/* for those before it: started alone, after the rest of its phase */
	const struct job *beside;	/* a watch: of that one, which stands after it */
	bool may_start;
	bool is_moot;			/* a watch of one that was not started */
};

struct collection {
	struct snapshot *snapshot;
	const struct collect_options *options;
	uint64_t started_ns;
	char lock_dir[256];		/* "": no locks */
	struct job *jobs;
	size_t nr_jobs;
	bool is_side_by_side;		/* devices are loaded all at once, and this process holds the node's lock */
};

/* ---- planning */

static struct job *add_job(struct collection *c, const struct probe *probe, const char *target)
{
	struct arena *arena = &c->snapshot->arena;
	struct job *job;

	c->jobs = arena_grow(arena, c->jobs, c->nr_jobs, sizeof(*c->jobs));
	job = &c->jobs[c->nr_jobs++];
	memset(job, 0, sizeof(*job));
	job->probe = probe;
	job->target = target;
	job->key = target ? arena_printf(arena, "%s %s", probe->name, target) : probe->name;
	job->reader.snapshot = c->snapshot;
	job->reader.scope.paths = probe->provides;
	job->reader.scope.key = target;
	if (target && probe->target_is_prefix)
		job->reader.scope.key_prefix = arena_printf(arena, "opencl:%s:", target);
	return job;
}

/* A recorded tree has no library of its own; one that was put beside it stands for that machine's. */
static bool is_library_given(const struct collection *c, const struct probe *probe)
{
	return probe->takes_driver_root && is_known(c->snapshot->request.driver_root);
}

static void plan_probe(struct collection *c, const struct probe *probe)
{
	struct strs targets = { .nr = 0 };

	if (probe->beside)
		return;
	if (probe->live_only && !root_is_live(c->options->root) && !is_library_given(c, probe))
		return;
	if (c->options->wanted && !c->options->wanted(probe, c->options->data))
		return;
	if (probe->applies && !probe->applies(c->snapshot))
		return;
	if (!probe->targets) {
		add_job(c, probe, NULL);
		return;
	}
	probe->targets(c->snapshot, &c->snapshot->arena, &targets);
	for (size_t i = 0; i < targets.nr; i++)
		add_job(c, probe, targets.v[i]);
}

/* What its calls may take, without the time it was asked to watch. */
static unsigned calls_deadline_ms(const struct collection *c, const struct probe *probe)
{
	if (probe->touches == TOUCHES_FILES)
		return probe->deadline_ms +
		       (probe->phase == PHASE_DEVICE_FILES && bool_or(c->snapshot->request.wake, false) ? WAKE_MS_PER_GPU : 0);
	if (probe->kept_awake_deadline_ms && persistenced_runs(c->snapshot))
		return probe->kept_awake_deadline_ms;
	return probe->deadline_ms + WAKE_MS_PER_GPU * (unsigned)gpus_under_test(c->snapshot);
}

static unsigned own_deadline_ms(const struct collection *c, const struct job *job)
{
	const struct probe *probe = job->probe;

	return calls_deadline_ms(c, probe) + (probe->watches_ms ? probe->watches_ms(c->snapshot) : 0);
}

/* What a worker of another run may take. One that noted no deadline may have been asked to watch for long. */
static unsigned others_deadline_ms(const struct collection *c, const struct job *job, const struct lock_note *holder)
{
	if (holder->deadline_ms)
		return holder->deadline_ms;
	return calls_deadline_ms(c, job->probe) + (job->probe->watches_ms ? MAX_WATCH_MS : 0);
}

/* Load takes one lock for the whole node: its note says which device the holder is at. */
static bool is_about(const struct job *job, const char *name, const struct lock_note *holder)
{
	char own[PROBE_LOCK_NAME_BYTES];

	probe_own_lock_name(job->probe, job->target, own);
	return !strcmp(name, own) || (job->target && strstr(holder->call, job->target));
}

static void refuse_beside(struct collection *c, struct job *job, const struct lock_note *holder)
{
	job->outcome = PROBE_REFUSED;
	job->why = arena_printf(&c->snapshot->arena, "another gpudiag (pid %d) is measuring", (int)holder->pid);
}

/*
 * A worker of an earlier run that outlived its deadline hangs: another one
 * would hang beside it. One within its deadline is another run that reads
 * right now, which is no reason not to read; only load is for one at a time.
 */
static bool is_held_by_other(struct collection *c, struct job *job, const char *name)
{
	struct arena *arena = &c->snapshot->arena;
	struct lock_note holder;
	uint64_t age_s, now_s = clock_since_boot_s();

	if (!root_is_live(c->options->root) && !probe_puts_load(job->probe))
		return false;
	if (!*c->lock_dir || !lock_is_held(c->lock_dir, name, &holder))
		return false;
	/*
	 * Without a note it was taken this very moment, or could not be written: it says nothing. Nor does one of
	 * times to come: a time namespace has its own boot.
	 */
	age_s = holder.pid && holder.since_boot_s && holder.since_boot_s < now_s ? now_s - holder.since_boot_s : 0;
	if (age_s * 1000 > (uint64_t)others_deadline_ms(c, job, &holder) + 1000 && is_about(job, name, &holder)) {
		job->outcome = PROBE_STUCK;
		job->why = arena_printf(arena, "a worker of an earlier run (pid %d) has not come back for %llu s",
					(int)holder.pid, (unsigned long long)age_s);
		snprintf(job->reader.call, sizeof(job->reader.call), "%s", holder.call);
		job->pid = holder.pid;
		return true;
	}
	if (!probe_puts_load(job->probe))
		return false;
	refuse_beside(c, job, &holder);
	return true;
}

static bool is_left_from_earlier(struct collection *c, struct job *job)
{
	char name[PROBE_LOCK_NAME_BYTES];

	/* Of loads side by side this process has the node's lock. */
	probe_lock_name(job->probe, job->target, name);
	if (!(c->is_side_by_side && probe_puts_load(job->probe)) && is_held_by_other(c, job, name))
		return true;
	probe_own_lock_name(job->probe, job->target, name);
	return probe_puts_load(job->probe) && is_held_by_other(c, job, name);
}

static unsigned time_left_ms(const struct collection *c)
{
	uint64_t elapsed_ms = (clock_now_ns() - c->started_ns) / 1000000;

	if (!c->options->timeout_ms)
		return UINT_MAX;
	return c->options->timeout_ms > elapsed_ms ? (unsigned)(c->options->timeout_ms - elapsed_ms) : 0;
}

/* What is left of the whole run's time, or the worker's own deadline where that is less. */
static unsigned deadline_ms(const struct collection *c, const struct job *job)
{
	unsigned left_ms = time_left_ms(c), own_ms = own_deadline_ms(c, job);

	return left_ms < own_ms ? left_ms : own_ms;
}

static bool may_start(struct collection *c, struct job *job)
{
	const struct collect_options *options = c->options;

	if (*options->cancel || !time_left_ms(c)) {
		job->outcome = PROBE_INTERRUPTED;
		job->why = *options->cancel ? NULL : "the time for the whole run was used up";
		return false;
	}
	if (options->refuse) {
		job->why = options->refuse(c->snapshot, job->probe, job->target, &c->snapshot->arena, options->data);
		if (job->why) {
			job->outcome = PROBE_REFUSED;
			return false;
		}
	}
	return !is_left_from_earlier(c, job);
}

/* ---- running */

static int on_line(struct worker *worker, char *line, size_t len)
{
	struct job *job = worker->data;
	int r = frame_read(&job->reader, line, len);

	worker->quiet_ms = job->reader.quiet_ms;
	return r;
}

static void prepare_worker(struct collection *c, struct job *job, struct worker *worker)
{
	struct arena *arena = &c->snapshot->arena;
	const struct root *root = c->options->root;
	struct strs environment = { .nr = 0 };
	const char **argv = arena_alloc(arena, 8 * sizeof(*argv)), **env;
	size_t n = 0;

	argv[n++] = "gpudiag";
	argv[n++] = "probe--worker";
	if (!root_is_live(root)) {
		argv[n++] = "--root";
		argv[n++] = root->path;
	}
	if (bool_or(c->snapshot->request.wake, false))
		argv[n++] = "--wake";
	argv[n++] = job->probe->name;
	argv[n++] = job->target;
	if (job->probe->environment)
		job->probe->environment(c->snapshot, job->target, arena, &environment);
	if (c->is_side_by_side && probe_puts_load(job->probe))
		strs_add(arena, &environment, PROBE_SIDE_BY_SIDE_VARIABLE "=1");
	env = arena_alloc(arena, (environment.nr + 1) * sizeof(*env));
	for (size_t i = 0; i < environment.nr; i++)
		env[i] = environment.v[i];
	*worker = (struct worker){
		.main = job->probe->touches == TOUCHES_FILES ? c->options->worker_main : NULL,
		.argv = argv, .environment = env, .deadline_ms = deadline_ms(c, job), .on_line = on_line, .data = job,
		.ends_on_sigterm = job->probe->ends_on_sigterm, .output = STRBUF_INIT,
	};
	job->worker = worker;
}

static const char *crash_words(struct arena *arena, const struct worker *worker)
{
	const char *abbreviation = sigabbrev_np(worker->status);

	if (worker->end == WORKER_SIGNALLED)
		return abbreviation ? arena_printf(arena, "killed by SIG%s", abbreviation) :
				      arena_printf(arena, "killed by signal %d", worker->status);
	return arena_printf(arena, "exited with status %d before it was done", worker->status);
}

/* What it had for its last call or, as most, for all of them. */
static unsigned held_to_ms(const struct worker *worker)
{
	return worker->was_quiet ? worker->quiet_ms : worker->deadline_ms;
}

/* As a report has it: "40 s". */
static const char *time_words(struct arena *arena, unsigned ms)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format_u64(&text, UNIT_MS, ms);
	return arena_strdup(arena, text.buf);
}

/* The run's own limit says nothing about a driver, which may be slow and healthy: only its own deadline does. */
static void judge_timeout(struct collection *c, struct job *job)
{
	struct arena *arena = &c->snapshot->arena;
	unsigned given_ms = held_to_ms(job->worker), own_ms = own_deadline_ms(c, job);

	if (given_ms < own_ms && !job->worker->was_quiet) {
		job->outcome = PROBE_INTERRUPTED;
		job->why = arena_printf(
			arena,
			"no answer from %s when the time for the whole run was up (--timeout), after %u of "
			"%u ms",
			*job->reader.call ? job->reader.call : "its start", given_ms, own_ms);
		return;
	}
	/* Nothing to read kept it: there was more than it had time for, or others had the CPUs. */
	if (job->probe->touches == TOUCHES_FILES && job->worker->was_running) {
		job->outcome = PROBE_INTERRUPTED;
		job->why = arena_printf(arena, "still at work in %s after %u ms, and nothing kept it waiting",
					*job->reader.call ? job->reader.call : "its start", given_ms);
		return;
	}
	job->outcome = PROBE_TIMEOUT;
	job->why = arena_printf(arena, "no answer within %s", time_words(arena, given_ms));
}

/*
 * One that was there for another, and did not end when that had: calls wait while a driver tears down a load of ours,
 * which says nothing about it. Only one that was silent for as long as any call may take hangs.
 */
static bool judge_dismissed(struct collection *c, struct job *job)
{
	const struct worker *worker = job->worker;
	const char *call = *job->reader.call ? job->reader.call : "its start";

	if (!worker->was_dismissed || job->reader.ended || worker->end == WORKER_GARBLED)
		return false;
	if (worker->end == WORKER_SIGNALLED && worker->status != SIGTERM)
		return false;
	job->outcome = PROBE_PARTIAL;
	if (worker->end == WORKER_SIGNALLED)
		job->why = "what it was to watch was over before it could look";
	else
		job->why = arena_printf(&c->snapshot->arena, "what it watched was over, and %s did not come back within %u ms",
					call, WORKER_GRACE_MS);
	if (worker->end != WORKER_SIGNALLED && worker->silent_ns / 1000000 >= calls_deadline_ms(c, job->probe))
		job->outcome = PROBE_TIMEOUT;
	if (worker->end == WORKER_STUCK)
		job->pid = worker->pid;
	return worker->end == WORKER_SIGNALLED || worker->end == WORKER_TIMED_OUT || worker->end == WORKER_STUCK;
}

/* A worker that said it was done and then crashed, as libraries do in their destructors, has crashed all the same. */
static void judge_end(struct collection *c, struct job *job)
{
	struct arena *arena = &c->snapshot->arena;
	const struct worker *worker = job->worker;

	if (judge_dismissed(c, job))
		return;
	/* Its last call came back. */
	if (job->reader.ended && (worker->end != WORKER_EXITED || worker->status))
		snprintf(job->reader.call, sizeof(job->reader.call), "exit");
	switch (worker->end) {
	case WORKER_EXITED:
		if (job->reader.ended && !worker->status) {
			job->outcome = job->reader.outcome;
			job->why = *job->reader.why ? arena_strdup(arena, job->reader.why) : NULL;
			break;
		}
		FALLTHROUGH;
	case WORKER_SIGNALLED:
		job->outcome = PROBE_CRASHED;
		job->why = crash_words(arena, worker);
		break;
	case WORKER_TIMED_OUT:
		judge_timeout(c, job);
		break;
	case WORKER_STUCK:
		/* One that merely takes its time to die, as with a large GPU context to tear down, hangs in no kernel.
		 */
		if (worker->state != 'D') {
			judge_timeout(c, job);
			break;
		}
		job->outcome = PROBE_STUCK;
		job->why = arena_printf(arena, "no answer within %s, and it cannot be killed",
					time_words(arena, held_to_ms(worker)));
		job->pid = worker->pid;
		break;
	case WORKER_GARBLED:
		job->outcome = PROBE_GARBLED;
		job->why = *job->reader.error.what ? arena_strdup(arena, job->reader.error.what) :
						     "a line or a stream too long, or cut short";
		break;
	case WORKER_CANCELLED:
		job->outcome = PROBE_INTERRUPTED;
		break;
	case WORKER_NOT_STARTED:
		job->outcome = PROBE_GARBLED;
		job->why = arena_printf(arena, "its process could not be started: %s", name_of_errno(worker->status));
		break;
	}
}

/* Those that watch stand before what they watch, and are started only with it. */
static size_t prepare_workers(struct collection *c, struct job *jobs, size_t nr, struct worker *workers)
{
	size_t started = 0;

	for (size_t i = 0; i < nr; i++)
		jobs[i].may_start = !jobs[i].beside && may_start(c, &jobs[i]);
	for (size_t i = 0; i < nr; i++) {
		jobs[i].is_moot = jobs[i].beside && !jobs[i].beside->may_start;
		if (jobs[i].beside && !jobs[i].is_moot)
			jobs[i].may_start = may_start(c, &jobs[i]);
		if (jobs[i].may_start)
			prepare_worker(c, &jobs[i], &workers[started++]);
	}
	for (size_t i = 0; i < nr; i++)
		if (jobs[i].worker && jobs[i].beside)
			jobs[i].worker->ends_with = jobs[i].beside->worker;
	return started;
}

static void run_jobs(struct collection *c, struct job *jobs, size_t nr)
{
	struct worker *workers =
		arena_alloc(&c->snapshot->arena, nr * sizeof(*workers)); /* jobs keep pointing at them */
	size_t started = prepare_workers(c, jobs, nr, workers);

	if (started)
		workers_run(workers, started, c->options->cancel, NULL);
	for (size_t i = 0; i < nr; i++)
		if (jobs[i].worker)
			judge_end(c, &jobs[i]);
}

/* ---- recording */

static bool sleeps(const struct collection *c, const struct job *job)
{
	const struct gpu *gpu = job->target ? list_find(c->snapshot, gpus, gpu, job->target) : NULL;

	return gpu && gpu_is_asleep(gpu);
}

/* A failed worker's unset values are not "nobody looked". */
static void seal(struct collection *c, const struct job *job)
{
	const char *call = *job->reader.call ? job->reader.call : "its start";
	enum val_state state;
	char why[256];

	snprintf(why, sizeof(why), "%s", job->why ? job->why : "");
	switch (job->outcome) {
	case PROBE_OK:
	case PROBE_PARTIAL:
		return;
	case PROBE_TIMEOUT:
	case PROBE_STUCK:
		state = VAL_TIMEOUT;
		snprintf(why, sizeof(why), "in %s", call);
		break;
	case PROBE_UNAVAILABLE:
		state = VAL_ABSENT;
		break;
	case PROBE_DENIED:
		state = VAL_DENIED;
		break;
	case PROBE_INTERRUPTED:
		state = VAL_ERROR;
		snprintf(why, sizeof(why), "%s", job->why ? job->why : "the run was interrupted");
		break;
	case PROBE_REFUSED:
		state = sleeps(c, job) ? VAL_ASLEEP : VAL_ERROR;
		snprintf(why, sizeof(why), "not asked: %s", job->why ? job->why : "");
		break;
	default:
		state = VAL_ERROR;
		snprintf(why, sizeof(why), "%s in %s: %s", probe_outcome_name(job->outcome), call,
			 job->why ? job->why : "");
		break;
	}
	snapshot_fill_unset(c->snapshot, &job->reader.scope, state, *why ? why : NULL);
}

static struct val_str kept_text(struct arena *arena, const char *text, size_t len)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	if (!len)
		return (struct val_str){ .state = VAL_UNSET };
	utf8_clean(&clean, text, len);
	return val_str(arena_strdup(arena, clean.buf));
}

static void record_worker(struct arena *arena, const struct job *job, struct probe_run *run)
{
	const struct worker *worker = job->worker;

	run->deadline_ms = val_u64(held_to_ms(worker));
	run->elapsed_ms = val_u64(worker->elapsed_ns / 1000000);
	run->output = kept_text(arena, worker->output.buf, worker->output.len);
	run->wchan = kept_text(arena, worker->wchan, strlen(worker->wchan));
	run->stack = kept_text(arena, worker->stack, strlen(worker->stack));
}

static void record(struct collection *c, const struct job *job)
{
	struct arena *arena = &c->snapshot->arena;
	struct probe_run *run = list_element(arena, c->snapshot, probes, probe_run, job->key);

	run->probe = val_str(job->probe->name);
	if (job->target)
		run->target = val_str(job->target);
	run->touches = val_str(probe_touches_name(job->probe->touches));
	run->outcome = val_str(probe_outcome_name(job->outcome));
	if (job->why)
		run->why = kept_text(arena, job->why, strlen(job->why));
	run->call = kept_text(arena, job->reader.call, strlen(job->reader.call));
	if (job->pid)
		run->pid = val_u64((uint64_t)job->pid);
	if (job->worker)
		record_worker(arena, job, run);
}

/* The jobs before this one are recorded when it is asked whether it may start. */
static void run_and_record(struct collection *c, struct job *jobs, size_t nr)
{
	run_jobs(c, jobs, nr);
	for (size_t i = 0; i < nr; i++) {
		if (jobs[i].is_moot)
			continue;
		seal(c, &jobs[i]);
		record(c, &jobs[i]);
		if (jobs[i].worker)
			strbuf_release(&jobs[i].worker->output);
	}
}

/* "GPU 3", or what else a worker of this probe looks at. */
static const char *target_words(struct collection *c, const struct job *job)
{
	const struct gpu *gpu = list_find(c->snapshot, gpus, gpu, job->target ? job->target : "");

	return gpu ? arena_printf(&c->snapshot->arena, "GPU %zu", gpu_index(c->snapshot, gpu)) : job->key;
}

static void refuse_after(struct collection *c, struct job *job, const struct job *silent)
{
	job->outcome = PROBE_REFUSED;
	job->why = arena_printf(&c->snapshot->arena, "%s did not answer before it", target_words(c, silent));
	seal(c, job);
	record(c, job);
}

/* A worker that hangs may hang the driver for all: the first that does not answer is the last of its probe. */
static void run_one_by_one(struct collection *c)
{
	const struct job *silent = NULL;

	for (size_t i = 0; i < c->nr_jobs; i++) {
		struct job *job = &c->jobs[i];

		if (!job->waits)
			continue;
		if (silent && silent->probe == job->probe) {
			refuse_after(c, job, silent);
			continue;
		}
		run_and_record(c, job, 1);
		if (job->outcome == PROBE_TIMEOUT || job->outcome == PROBE_STUCK)
			silent = job;
	}
}

/* Those that wait come last, the rest in their order. */
static size_t put_waiting_last(struct collection *c)
{
	const struct collect_options *options = c->options;
	struct job *sorted = arena_alloc(&c->snapshot->arena, c->nr_jobs * sizeof(*sorted));
	size_t nr = 0, nr_at_once;

	for (size_t i = 0; i < c->nr_jobs; i++)
		c->jobs[i].waits = options->serially && c->jobs[i].target &&
				   options->serially(c->snapshot, c->jobs[i].probe, options->data);
	for (size_t i = 0; i < c->nr_jobs; i++)
		if (!c->jobs[i].waits)
			sorted[nr++] = c->jobs[i];
	nr_at_once = nr;
	for (size_t i = 0; i < c->nr_jobs; i++)
		if (c->jobs[i].waits)
			sorted[nr++] = c->jobs[i];
	c->jobs = sorted;
	return nr_at_once;
}

/* ---- loading */

static const struct probe *const *probes_of(const struct collection *c)
{
	return c->options->probes ? c->options->probes : probes;
}

/* Does a later one of these put its load on that place, too? */
static bool is_watched_later(const struct collection *c, const struct probe *watch, const char *target,
			     const struct job *loads, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *other = watch->target_beside(c->snapshot, loads[i].target);

		if (loads[i].probe == watch->beside && other && !strcmp(other, target))
			return true;
	}
	return false;
}

/* Each load, and before it who watches it; of loads at once that share a place, the last has its watch. */
static void plan_watches(struct collection *c, const struct job *loads, size_t nr)
{
	c->jobs = NULL;
	c->nr_jobs = 0;
	for (size_t i = 0; i < nr; i++) {
		for (const struct probe *const *watch = probes_of(c); *watch; watch++) {
			const char *target = (*watch)->beside == loads[i].probe && (*watch)->target_beside ?
						     (*watch)->target_beside(c->snapshot, loads[i].target) : NULL;

			if (target && !(c->is_side_by_side &&
					is_watched_later(c, *watch, target, &loads[i + 1], nr - i - 1)))
				add_job(c, *watch, target);
		}
		c->jobs = arena_grow(&c->snapshot->arena, c->jobs, c->nr_jobs, sizeof(*c->jobs));
		c->jobs[c->nr_jobs++] = loads[i];
	}
	for (size_t i = c->nr_jobs, load = 0; i-- > 0;) {
		if (!c->jobs[i].probe->beside)
			load = i;
		else
			c->jobs[i].beside = &c->jobs[load];
	}
}

/* The node's lock for all of them. A descriptor; -1: there is none to be had, which keeps nobody; -EWOULDBLOCK. */
static int take_load_lock(struct collection *c, const struct job *loads, size_t nr, struct lock_note *holder)
{
	char name[PROBE_LOCK_NAME_BYTES], call[sizeof(holder->call)] = "";
	unsigned longest_ms = 0;
	size_t len = 0;
	int fd;

	if (!*c->lock_dir)
		return -1;
	for (size_t i = 0; i < nr; i++) {
		unsigned own_ms = own_deadline_ms(c, &loads[i]);

		longest_ms = own_ms > longest_ms ? own_ms : longest_ms;
		if (len < sizeof(call))
			len += (size_t)snprintf(call + len, sizeof(call) - len, "%s%s", len ? ", " : "",
						loads[i].target ? loads[i].target : loads[i].key);
	}
	probe_lock_name(loads[0].probe, loads[0].target, name);
	fd = lock_take(c->lock_dir, name, longest_ms, holder);
	if (fd >= 0)
		lock_note_call(fd, call);
	return fd;
}

static bool is_measured_by_other(struct collection *c, struct job *loads, size_t nr, int *ret_fd)
{
	struct lock_note holder = { .pid = 0 };
	char name[PROBE_LOCK_NAME_BYTES];

	*ret_fd = take_load_lock(c, loads, nr, &holder);
	if (*ret_fd != -EWOULDBLOCK)
		return false;
	for (size_t i = 0; i < nr; i++) {
		probe_lock_name(loads[i].probe, loads[i].target, name);
		if (!is_held_by_other(c, &loads[i], name))
			refuse_beside(c, &loads[i], &holder);
		seal(c, &loads[i]);
		record(c, &loads[i]);
	}
	return true;
}

/* All at once (--together), or one after the other. */
static void run_loads(struct collection *c, struct job *loads, size_t nr)
{
	const size_t nr_jobs = c->nr_jobs;
	struct job *const jobs = c->jobs;
	int fd = -1;

	c->is_side_by_side = bool_or(c->snapshot->request.together, false) && nr > 1;
	if (c->is_side_by_side && is_measured_by_other(c, loads, nr, &fd))
		return;
	plan_watches(c, loads, nr);
	if (c->is_side_by_side)
		run_and_record(c, c->jobs, c->nr_jobs);
	for (size_t i = 0, begin = 0; i < c->nr_jobs && !c->is_side_by_side; i++)
		if (!c->jobs[i].beside) {
			run_and_record(c, &c->jobs[begin], i + 1 - begin);
			begin = i + 1;
		}
	if (fd >= 0)
		close(fd);
	c->jobs = jobs;
	c->nr_jobs = nr_jobs;
	c->is_side_by_side = false;
}

static void run_phase(struct collection *c, enum probe_phase phase)
{
	static const char *const names[NR_PROBE_PHASES] = {
		[PHASE_NODE] = "reading the node", [PHASE_DEVICE_FILES] = "reading each GPU",
		[PHASE_MANAGEMENT] = "starting the vendor's library", [PHASE_WINDOW] = "watching",
		[PHASE_LIBRARY] = "asking the drivers", [PHASE_LOAD] = "measuring",
	};
	size_t nr_at_once;

	c->jobs = NULL;
	c->nr_jobs = 0;
	for (const struct probe *const *probe = c->options->probes ? c->options->probes : probes; *probe; probe++)
		if ((*probe)->phase == phase)
			plan_probe(c, *probe);
	if (!c->nr_jobs)
		return;
	if (c->options->progress)
		c->options->progress(names[phase], c->options->data);
	nr_at_once = put_waiting_last(c);
	if (phase == PHASE_LOAD)
		run_loads(c, c->jobs, nr_at_once);
	else
		run_and_record(c, c->jobs, nr_at_once);
	run_one_by_one(c);
}

/* A recorded tree needs none, but for load: its library works on this machine. */
static void find_lock_folder(struct collection *c)
{
	struct run *run = &c->snapshot->run;
	int error;

	if (!root_is_live(c->options->root) && !is_known(c->snapshot->request.driver_root))
		return;
	error = lock_folder(c->lock_dir, sizeof(c->lock_dir));
	if (error)
		c->lock_dir[0] = '\0';
	if (!root_is_live(c->options->root))
		return;
	if (error)
		run->lock_folder = no_str(state_of_errno(error), name_of_errno(error));
	else
		run->lock_folder = val_str(arena_strdup(&c->snapshot->arena, c->lock_dir));
}

void collect(struct snapshot *snapshot, const struct collect_options *options)
{
	struct collection c = { .snapshot = snapshot, .options = options, .started_ns = clock_now_ns() };

	find_lock_folder(&c);
	for (int phase = 0; phase < NR_PROBE_PHASES; phase++)
		run_phase(&c, (enum probe_phase)phase);
}
