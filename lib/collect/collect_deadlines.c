// SPDX-License-Identifier: GPL-2.0-or-later
/* collect_deadlines.c - what time workers have: of their own, and of the whole run. */
#include "base/compat.h"
#include "collect/collect_internal.h"

#include <limits.h>

#include "snapshot/node.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"

/* What many slow answers may take beside: a library that gives one after the other is slow, and does not hang. */
enum { ANSWERING_MS = 45000 };

/* Times its own deadline: what a reader of files has that is at work then, as where others have the CPUs. */
enum { FILES_AT_WORK = 3 };

unsigned calls_deadline_ms(const struct snapshot *snapshot, const struct probe *probe)
{
	if (probe->touches == TOUCHES_FILES)
		return probe->deadline_ms +
		       (probe->phase == PHASE_DEVICE_FILES && bool_or(snapshot->request.wake, false)
				? PROBE_WAKE_MS_PER_GPU
				: 0);
	if (probe->kept_awake_deadline_ms && persistenced_runs(snapshot))
		return probe->kept_awake_deadline_ms;
	return probe->deadline_ms + PROBE_WAKE_MS_PER_GPU * (unsigned)gpus_under_test(snapshot);
}

unsigned own_deadline_ms(const struct snapshot *snapshot, const struct probe *probe)
{
	return calls_deadline_ms(snapshot, probe) + (probe->watches_ms ? probe->watches_ms(snapshot) : 0);
}

unsigned total_ms(const struct snapshot *snapshot, const struct probe *probe)
{
	unsigned own_ms = own_deadline_ms(snapshot, probe);

	/* A device at work shares its time out by itself, and says with each step how long that may take. */
	return probe->touches == TOUCHES_DEVICE ? own_ms : own_ms + ANSWERING_MS;
}

unsigned time_left_ms(const struct collection *c)
{
	uint64_t elapsed_ms = (clock_now_ns() - c->started_ns) / 1000000;

	if (!c->options->timeout_ms)
		return UINT_MAX;
	return c->options->timeout_ms > elapsed_ms ? (unsigned)(c->options->timeout_ms - elapsed_ms) : 0;
}

bool is_over(const struct collection *c, struct job *job)
{
	if (!*c->options->cancel && time_left_ms(c))
		return false;
	job->outcome = PROBE_INTERRUPTED;
	job->why = *c->options->cancel ? NULL : "the time for the whole run was used up";
	return true;
}

unsigned given_ms(const struct collection *c, const struct job *job)
{
	unsigned left_ms = time_left_ms(c);

	return left_ms < job->total_ms ? left_ms : job->total_ms;
}

unsigned quiet_at_work_ms(const struct job *job)
{
	return job->probe->touches == TOUCHES_FILES ? FILES_AT_WORK * job->own_deadline_ms : 0;
}
