// SPDX-License-Identifier: GPL-2.0-or-later
/* collect_outcome.c - a worker's exit (status, signal, deadline) as a probe outcome and its reason. */
#include "base/compat.h"
#include "collect/collect_internal.h"

#include <signal.h>

#include "base/text.h"
#include "base/units.h"
#include "probe/read.h"
#include "probe/system/host_room.h"
#include "sys/signal_name.h"
#include "sys/surroundings.h"
#include "sys/worker.h"

/* Calls that merely take long may wait in the kernel for so long. */
#define CALL_NS UINT64_C(100000000)

/* Signals that a process gets from others: whoever sent one, no library did. */
static bool is_from_outside(int signal_number)
{
	switch (signal_number) {
	case SIGKILL:
	case SIGTERM:
	case SIGINT:
	case SIGHUP:
	case SIGQUIT:
	case SIGXCPU:
		return true;
	default:
		return false;
	}
}

/* What sent the signal, as far as known; never a driver. */
static const char *killed_words(const struct collection *c, int signal_number)
{
	static const struct root live = ROOT_LIVE;
	struct arena *arena = &c->snapshot->arena;
	const char *abbreviation = name_of_signal(signal_number);
	struct host_room now;

	if (signal_number != SIGKILL)
		return arena_printf(arena, "ended by SIG%s from outside", abbreviation ? abbreviation : "?");
	host_room_read(&live, &now);
	return host_room_killer(arena, &c->room, &now);
}

static const char *crash_words(struct arena *arena, const struct worker *worker)
{
	const char *abbreviation = name_of_signal(worker->status);

	if (worker->end == WORKER_SIGNALLED)
		return abbreviation ? arena_printf(arena, "killed by SIG%s", abbreviation) :
				      arena_printf(arena, "killed by signal %d", worker->status);
	return arena_printf(arena, "exited with status %d before it was done", worker->status);
}

unsigned held_to_ms(const struct worker *worker)
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

/*
 * One that was not silent for too long hangs in nothing: its answers were many and slow, or the run's own limit cut it
 * short. Neither says anything about a driver, which may be slow and healthy.
 */
static void judge_unfinished(struct arena *arena, struct job *job)
{
	const unsigned given_ms = job->worker->deadline_ms;

	job->outcome = PROBE_INTERRUPTED;
	if (given_ms < job->total_ms)
		job->why = arena_printf(arena, "no answer from %s when the time for the whole run was up (--timeout), "
				"after %u of %u ms", last_call(job), given_ms, job->own_deadline_ms);
	else
		job->why = arena_printf(arena, "answers, but slowly: not done within %s (last call: %s)",
					time_words(arena, given_ms), last_call(job));
}

/* It was cut short in the middle of a call that took no longer than others that came back. */
static bool was_answering(const struct worker *worker)
{
	return !worker->was_quiet && (worker->silent_ns < CALL_NS || worker->silent_ns < 2 * worker->longest_ns);
}

static void judge_timeout(struct arena *arena, struct job *job)
{
	unsigned given_ms = held_to_ms(job->worker);

	if (!job->worker->was_quiet) {
		judge_unfinished(arena, job);
		return;
	}
	/* Nothing to read kept it: there was more than it had time for, or others had the CPUs. */
	if (job->probe->touches == TOUCHES_FILES && job->worker->was_running) {
		job->outcome = PROBE_INTERRUPTED;
		job->why = arena_printf(arena, "still at work in %s after %u ms, and nothing kept it waiting",
					last_call(job), given_ms);
		return;
	}
	job->outcome = PROBE_TIMEOUT;
	job->why = arena_printf(arena, "no answer within %s", time_words(arena, given_ms));
}

/*
 * One that was there for another, and did not end when that had: calls wait while a driver tears down a load of ours,
 * which says nothing about it. Only one that was silent for as long as any call may take hangs.
 */
static bool judge_dismissed(struct arena *arena, struct job *job)
{
	const struct worker *worker = job->worker;

	if (!worker->was_dismissed || job->reader.ended || worker->end == WORKER_GARBLED)
		return false;
	if (worker->end == WORKER_SIGNALLED && worker->status != SIGTERM)
		return false;
	job->outcome = PROBE_PARTIAL;
	if (worker->end == WORKER_SIGNALLED)
		job->why = "what it was to watch was over before it could look";
	else
		job->why = arena_printf(arena, "what it watched was over, and %s did not come back within %u ms",
					last_call(job), WORKER_GRACE_MS);
	if (worker->end != WORKER_SIGNALLED && worker->silent_ns / 1000000 >= job->calls_deadline_ms)
		job->outcome = PROBE_TIMEOUT;
	if (worker->end == WORKER_STUCK)
		job->pid = worker->pid;
	return worker->end == WORKER_SIGNALLED || worker->end == WORKER_TIMED_OUT || worker->end == WORKER_STUCK;
}

/* How its process failed to end; NULL: it ended, or another program ended it. */
static const char *exit_words(struct arena *arena, const struct worker *worker)
{
	switch (worker->end) {
	case WORKER_EXITED:
		return worker->status ? arena_printf(arena, "exit status %d", worker->status) : NULL;
	case WORKER_SIGNALLED:
		return is_from_outside(worker->status) ? NULL : crash_words(arena, worker);
	case WORKER_TIMED_OUT:
	case WORKER_STUCK:
		if (!worker->was_quiet)
			return NULL;
		return arena_printf(arena, "still there after %s%s", time_words(arena, worker->quiet_ms),
				    worker->end == WORKER_STUCK ? ", and it cannot be killed" : "");
	default:
		return NULL;
	}
}

/*
 * It said that it was done: what came after that, as in a destructor of a library, costs none of its answers. Lines
 * after the end are not of a worker that can be believed.
 */
static bool judge_complete(struct arena *arena, struct job *job)
{
	const struct worker *worker = job->worker;

	/* One that was cut short by the run's end says that it is done with what it had time for. */
	if (!job->reader.ended || worker->end == WORKER_GARBLED || worker->end == WORKER_CANCELLED)
		return false;
	job->outcome = job->reader.outcome;
	job->why = *job->reader.why ? arena_strdup(arena, job->reader.why) : NULL;
	job->exit_why = exit_words(arena, worker);
	if (worker->end == WORKER_STUCK)
		job->pid = worker->pid;
	return true;
}

/* A library that runs out of file descriptors returns arbitrary errors: they say nothing about the driver. */
static bool judge_want_of_files(struct arena *arena, struct job *job)
{
	unsigned long long files = surroundings_open_files();

	if (files >= LEAST_OPEN_FILES || job->probe->touches == TOUCHES_FILES ||
	    (job->reader.ended && job->reader.outcome == PROBE_OK))
		return false;
	job->outcome = PROBE_INTERRUPTED;
	job->why = arena_printf(arena, "only %llu files may be open at once (EMFILE): ulimit -n %d", files,
				USUAL_OPEN_FILES);
	return true;
}

void judge_end(const struct collection *c, struct job *job)
{
	struct arena *arena = &c->snapshot->arena;
	const struct worker *worker = job->worker;

	if (judge_want_of_files(arena, job) || judge_dismissed(arena, job) || judge_complete(arena, job))
		return;
	switch (worker->end) {
	case WORKER_SIGNALLED:
		if (is_from_outside(worker->status)) {
			job->outcome = PROBE_INTERRUPTED;
			job->why = killed_words(c, worker->status);
			break;
		}
		FALLTHROUGH;
	case WORKER_EXITED:
		job->outcome = PROBE_CRASHED;
		job->why = crash_words(arena, worker);
		break;
	case WORKER_TIMED_OUT:
		judge_timeout(arena, job);
		break;
	case WORKER_STUCK:
		/*
		 * One that merely takes its time to die, with a large GPU context to tear down, hangs in no kernel; nor
		 * does one that was answering until it was cut short in the middle of a call.
		 */
		if (worker->state != 'D' || was_answering(worker)) {
			judge_timeout(arena, job);
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
		/*
		 * It wrote nothing that could be garbled: it could not even start, for lack of memory or descriptors.
		 */
		job->outcome = PROBE_INTERRUPTED;
		job->why = arena_printf(arena, "its process could not be started: %s", name_of_errno(worker->status));
		break;
	}
}
