/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect_internal.h - the parts of collect(), one file each. Private to collect*.c and their tests. */
#pragma once

#include "collect/collect.h"
#include "collect/frames.h"
#include "probe/system/host_room.h"

struct worker;

/* One worker to be: its probe and target, and what came of it. */
struct job {
	const struct probe *probe;
	const char *target;		/* or NULL */
	const char *key;		/* "opencl pocl.icd" */
	const struct job *beside;	/* a watch: of that one, which stands after it */
	unsigned calls_deadline_ms;	/* what a call of it may take that announces nothing else */
	unsigned own_deadline_ms;	/* that, and the time it is asked to watch: how long it may be silent */
	unsigned total_ms;		/* how long it may go on answering; the run may have less left */
	bool may_start;
	bool is_not_needed;			/* a watch of one that was not started */
	bool has_begun;			/* of one that shares a process */
	struct worker *worker;		/* NULL: not started */
	struct frame_reader reader;
	enum probe_outcome outcome;
	const char *why;		/* or NULL */
	const char *exit_why;		/* how its process failed to end after it had said all; or NULL */
	pid_t pid;			/* of one that is still there */
};

/* What it was at, in words. */
static inline const char *last_call(const struct job *job)
{
	return *job->reader.call ? job->reader.call : "its start";
}

struct job_list {
	struct job *v;
	size_t nr;
	size_t nr_at_once;		/* the first; each of the rest is started alone, after them */
};

struct collection {
	struct snapshot *snapshot;
	const struct collect_options *options;
	uint64_t started_ns;
	struct host_room room;		/* as it was at the beginning */
	char lock_dir[256];		/* "": no locks */
	bool is_side_by_side;		/* devices are loaded all at once, and this process holds the node's lock */
};

/* collect_job.c: a job and the process it is run in. */

/* A line of its worker: what the frame says, and how long the worker may be silent after it. */
int hear_job(struct job *job, struct worker *worker, const char *line, size_t len) MUST_CHECK;
/* The first arguments of any worker, with room for more. */
const char **begin_arguments(const struct collection *c, size_t nr_more, size_t *ret_nr);

/* collect_shared.c: which of them have a process of their own. */

/* May it, of which a worker was prepared, be run in a process in which others are run before and after it? */
bool may_share(const struct job *job);
/*
 * Runs the workers, and beside them those jobs, in as many processes as it takes to keep the CPUs busy. What came of
 * each is in its worker, as if that had been its own; of one that was not run worker is NULL, and its outcome says why.
 */
void run_workers(const struct collection *c, struct worker **alone, size_t nr_alone, struct job **sharing,
		 size_t nr_sharing);

/* collect_plan.c: which workers there are to be, and in which order. */

/* Those of a phase, but for watches. */
struct job_list plan_phase(const struct collection *c, enum probe_phase phase);
/* Each of these loads, and before it who watches it; of those side by side that share a place, the last is watched. */
struct job_list plan_watches(const struct collection *c, const struct job *loads, size_t nr);

/* collect_deadlines.c: what time they have. */

/*
 * Deadlines are for silence. How long a probe may be silent in a call, without the time it is asked to watch; it may
 * announce with its steps how long these may take (struct sink).
 */
unsigned calls_deadline_ms(const struct snapshot *snapshot, const struct probe *probe);
/* With it. */
unsigned own_deadline_ms(const struct snapshot *snapshot, const struct probe *probe);
/* How long it may take in all, as long as it goes on answering. */
unsigned total_ms(const struct snapshot *snapshot, const struct probe *probe);
/* Of the whole run; UINT_MAX: no limit. */
unsigned time_left_ms(const struct collection *c);
/* Is there none for this one, or was the run interrupted? True: its outcome says so. */
bool is_over(const struct collection *c, struct job *job);
/* How long it may go on answering, if it begins now. */
unsigned given_ms(const struct collection *c, const struct job *job);
/* How long it may be silent that is at work: struct worker. */
unsigned quiet_at_work_ms(const struct job *job);

/* collect_locks.c: workers of other runs, that hang or that measure. */

/* Fills lock_dir. A recorded tree needs none, but for load: its library works on this machine. */
void find_lock_folder(struct collection *c);
/* Is another run in this one's way? True: its outcome says how. */
bool is_held_by_other(const struct collection *c, struct job *job);
/*
 * The node's lock for all of these loads: a descriptor. -1: there is none to be had, which keeps nobody.
 * -EWOULDBLOCK: another run has it, and the outcome of each says so.
 */
int take_load_lock(const struct collection *c, struct job *loads, size_t nr) MUST_CHECK;

/* collect_outcome.c: a worker's exit (status, signal, deadline) as a probe outcome and its reason. */

/* Fills outcome, why, exit_why and pid of one whose worker has ended or was left; what killed it is looked up. */
void judge_end(const struct collection *c, struct job *job);
/* What a worker had for its last call or, as most, for all of them. */
unsigned held_to_ms(const struct worker *worker);

/* collect_record.c */

/* Writes probes[] and, into values that a worker left unset which failed, why. Of one that is moot, nothing. */
void record_job(struct snapshot *snapshot, const struct job *job);
