/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker_internal.h - what the files of worker.h share. */
#pragma once

#include "sys/worker.h"

/* Set for each worker: the process id of its parent. */
#define WORKER_PARENT_VARIABLE "GPUDIAG_PARENT_PID"
/* Likewise: its deadline. */
#define WORKER_DEADLINE_VARIABLE "GPUDIAG_DEADLINE_MS"

/* And how long it may be silent. */
#define WORKER_QUIET_VARIABLE "GPUDIAG_QUIET_MS"

/*
 * Starts a worker and sets its pid. 0 and the ends of its pipes that are
 * ours, which do not wait, or -errno.
 */
int worker_spawn(struct worker *worker, const char *path, int *ret_frame_fd, int *ret_output_fd) MUST_CHECK;

/* And, for as long as it lives and in what it starts, whose worker it is: the process id of its parent. */
#define WORKER_OF_VARIABLE "GPUDIAG_WORKER_OF"

/* worker_orphans.c: what workers left behind in sessions of their own is ended when the last worker has. */
struct worker_children { size_t nr; pid_t pid[256]; };
struct worker_orphans {
	struct worker_children before;	/* children that are no workers' */
	bool can_tell;			/* all of these are known */
	uint64_t began_ticks;		/* after boot, as /proc/PID/stat counts */
	bool was_reaper, has_others;	/* other processes may become our children */
};
void worker_orphans_begin(struct worker_orphans *orphans);
/* Fills `left` of a worker where some could not be ended. */
void worker_orphans_end(struct worker_orphans *orphans, struct worker *workers, size_t nr);

/* The letter in /proc/PID/status of its first thread; '\0': not known. */
char worker_task_state(pid_t pid);

/* Does its first thread run, or wait for nothing but a CPU? */
bool worker_is_running(const struct worker *worker);

/* Fills state, wchan and stack of a worker that does not die, from /proc. */
void worker_read_stuck(struct worker *worker);
