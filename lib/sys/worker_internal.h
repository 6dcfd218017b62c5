/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker_internal.h - what the files of worker.h share. */
#pragma once

#include <poll.h>

#include "sys/worker.h"

enum { WORKER_CHUNK_BYTES = 65536 };	/* what is read at once */

/* What is waited for of each. */
enum { WORKER_AT_FRAMES, WORKER_AT_OUTPUT, WORKER_AT_PROCESS, WORKER_NR_FDS };

/* A worker that was started, for as long as its set is open. */
struct child {
	struct worker *worker;
	struct pollfd fds[WORKER_NR_FDS];	/* closed ones are -1 */
	bool is_running;
	bool is_garbled;
	bool is_asked;			/* to end: SIGTERM was sent */
	bool is_killed;
	enum worker_end killed_as;
	uint64_t started_ns;
	uint64_t deadline_ns;		/* UINT64_MAX: none */
	uint64_t heard_ns;		/* its last line, or its start */
	uint64_t give_up_ns;		/* of a killed one */
	uint64_t dying_until_ns;	/* the same, as long as it does not sleep */
	struct strbuf line;		/* the one that is not complete */
};

#define NS_PER_MS UINT64_C(1000000)

/* When it is at its deadline if its time began then; UINT64_MAX: it has none. */
static inline uint64_t worker_due_ns(const struct worker *worker, uint64_t began_ns)
{
	return worker->deadline_ms == WORKER_NO_DEADLINE ? UINT64_MAX : began_ns + worker->deadline_ms * NS_PER_MS;
}

/* worker_hear.c: what it writes. */

void worker_close_fd(struct pollfd *at);
/* Reads once from the frame pipe, `most` bytes or less: how many. A garbled stream is heard no further. */
size_t worker_hear_frames(struct child *child, size_t most);
/* The same from the output pipe: the first of it is kept, the rest thrown away. */
size_t worker_hear_output(struct child *child, size_t most);
/*
 * Reads what is in a pipe now and no more: a descendant in a session of its
 * own may go on writing for ever, and the end of the file may never come.
 */
void worker_drain(struct child *child, int at, size_t (*hear)(struct child *child, size_t most));

/* Set for each worker: the process id of its parent. */
#define WORKER_PARENT_VARIABLE "GPUDIAG_PARENT_PID"
/* Likewise: its deadline; 0 none. */
#define WORKER_DEADLINE_VARIABLE "GPUDIAG_DEADLINE_MS"

/* And how long it may be silent. */
#define WORKER_QUIET_VARIABLE "GPUDIAG_QUIET_MS"

/* And which descriptor it shares with its parent, as a number; "0" none. */
#define WORKER_SHARED_VARIABLE "GPUDIAG_SHARED_FD"

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
void worker_orphans_end(struct worker_orphans *orphans, struct child *const *children, size_t nr);

/* The letter in /proc/PID/status of its first thread; '\0': not known. */
char worker_task_state(pid_t pid);

/* For one that was killed and gets no CPU to die on. */
enum { WORKER_DYING_MS = 1000 };

/* Of a killed one: does it end, and no thread of it sleeps in the kernel? */
bool worker_is_dying(pid_t pid);

/* Fills state, wchan and stack of a worker that does not die, from /proc. */
void worker_read_stuck(struct worker *worker);
