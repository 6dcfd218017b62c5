// SPDX-License-Identifier: GPL-2.0-or-later
/* collect_record.c - what came of a worker, as the snapshot keeps it: its run, and values that it left unset. */
#include "base/compat.h"
#include "collect/collect_internal.h"

#include "base/text.h"
#include "snapshot/under_test.h"
#include "sys/worker.h"

static bool sleeps(const struct snapshot *snapshot, const struct job *job)
{
	const struct gpu *gpu = job->target ? list_find(snapshot, gpus, gpu, job->target) : NULL;

	return gpu && gpu_is_asleep(gpu);
}

/* Values left unset by a worker that ended early failed; they are not "not collected". */
static void seal(struct snapshot *snapshot, const struct job *job)
{
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
		snprintf(why, sizeof(why), "in %s", last_call(job));
		break;
	case PROBE_UNAVAILABLE:
		state = VAL_ABSENT;
		break;
	case PROBE_DENIED:
		state = VAL_DENIED;
		break;
	case PROBE_INTERRUPTED:
		state = VAL_SKIPPED;
		snprintf(why, sizeof(why), "%s", job->why ? job->why : "the run was interrupted");
		break;
	case PROBE_REFUSED:
		state = sleeps(snapshot, job) ? VAL_ASLEEP : VAL_SKIPPED;
		break;
	default:
		state = VAL_ERROR;
		snprintf(why, sizeof(why), "%s in %s: %s", probe_outcome_name(job->outcome), last_call(job),
			 job->why ? job->why : "");
		break;
	}
	snapshot_fill_unset(snapshot, &job->reader.scope, state, *why ? why : NULL);
}

static struct val_str kept_text(struct arena *arena, const char *text, size_t len)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	if (!len)
		return (struct val_str){ .state = VAL_UNSET };
	utf8_clean(&clean, text, len);
	return val_str(arena_strdup(arena, clean.buf));
}

/* What it was held to: in the end, or as long as it kept to it, how long it may be silent. */
static unsigned deadline_of(const struct job *job)
{
	const struct worker *worker = job->worker;

	if (worker->was_quiet || worker->end == WORKER_TIMED_OUT || worker->end == WORKER_STUCK)
		return held_to_ms(worker);
	return job->own_deadline_ms < worker->deadline_ms ? job->own_deadline_ms : worker->deadline_ms;
}

static void record_worker(struct arena *arena, const struct job *job, struct probe_run *run)
{
	const struct worker *worker = job->worker;

	run->deadline_ms = val_u64(deadline_of(job));
	run->elapsed_ms = val_u64(worker->elapsed_ns / 1000000);
	run->output = kept_text(arena, worker->output.buf, worker->output.len);
	run->left_behind = kept_text(arena, worker->left, strlen(worker->left));
	run->wchan = kept_text(arena, worker->wchan, strlen(worker->wchan));
	run->stack = kept_text(arena, worker->stack, strlen(worker->stack));
}

static void record_outcome(struct snapshot *snapshot, const struct job *job)
{
	struct arena *arena = &snapshot->arena;
	struct probe_run *run = list_element(arena, snapshot, probes, probe_run, job->key);

	run->probe = val_str(job->probe->name);
	if (job->target)
		run->target = val_str(job->target);
	run->touches = val_str(probe_touches_name(job->probe->touches));
	run->outcome = val_str(probe_outcome_name(job->outcome));
	if (job->why)
		run->why = kept_text(arena, job->why, strlen(job->why));
	run->call = kept_text(arena, job->reader.call, strlen(job->reader.call));
	if (job->exit_why)
		run->exit_why = val_str(job->exit_why);
	if (job->pid)
		run->pid = val_u64((uint64_t)job->pid);
	if (job->worker)
		record_worker(arena, job, run);
}

void record_job(struct snapshot *snapshot, const struct job *job)
{
	if (job->is_not_needed)
		return;
	seal(snapshot, job);
	record_outcome(snapshot, job);
}
