/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker_private.h - what the files of worker.h share. */
#ifndef GPUDIAG_SYS_WORKER_PRIVATE_H
#define GPUDIAG_SYS_WORKER_PRIVATE_H

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

/* Does its first thread run, or wait for nothing but a CPU? */
bool worker_is_running(const struct worker *worker);

/* Fills state, wchan and stack of a worker that does not die, from /proc. */
void worker_read_stuck(struct worker *worker);

#endif
