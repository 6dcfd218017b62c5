// SPDX-License-Identifier: GPL-2.0-or-later
/* collect_end.c - what the end of a worker says of what it asked: an outcome, and why. */
#include "base/compat.h"
#include "probe/collect_parts.h"

#include <signal.h>

#include "base/text.h"
#include "base/units.h"
#include "probe/read.h"
#include "sys/worker.h"

static const char *crash_words(struct arena *arena, const struct worker *worker)
{
	const char *abbreviation = sigabbrev_np(worker->status);

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

/* The run's own limit says nothing about a driver, which may be slow and healthy: only its own deadline does. */
static void judge_timeout(struct arena *arena, struct job *job)
{
	unsigned given_ms = held_to_ms(job->worker);

	if (given_ms < job->own_deadline_ms && !job->worker->was_quiet) {
		job->outcome = PROBE_INTERRUPTED;
		job->why = arena_printf(arena, "no answer from %s when the time for the whole run was up (--timeout), "
				"after %u of %u ms", last_call(job), given_ms, job->own_deadline_ms);
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

/* A worker that said it was done and then crashed, as libraries do in their destructors, has crashed all the same. */
void judge_end(struct arena *arena, struct job *job)
{
	const struct worker *worker = job->worker;

	if (judge_dismissed(arena, job))
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
		judge_timeout(arena, job);
		break;
	case WORKER_STUCK:
		/* One that merely takes its time to die, with a large GPU context to tear down, hangs in no kernel. */
		if (worker->state != 'D') {
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
		/* It said nothing that could be garbled: nobody looked, for want of what a process needs. */
		job->outcome = PROBE_INTERRUPTED;
		job->why = arena_printf(arena, "its process could not be started: %s", name_of_errno(worker->status));
		break;
	}
}
