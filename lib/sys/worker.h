/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - child processes that may hang or crash, and a parent that does not.
 *
 * A worker is this very binary started again by posix_spawn(), so that a
 * driver's library finds a process as new as it expects. What reads files alone
 * may be forked instead (main), at about half the cost; the parent must then have
 * no threads, and has none. Either gets a session of its own,
 * a pipe for frames as descriptor 3 and one pipe for both stdout and stderr,
 * of which the first 4 KiB are kept. The parent reads both until the
 * process ends, not until the pipe closes: a grandchild may hold it open.
 *
 * What it started in a session of its own is ended when all workers have.
 *
 * At its deadline a worker's process group is killed, and so it is after it said
 * nothing for longer than it announced (quiet_ms): a hang in work of minutes must
 * not cost those minutes. One that does not die of SIGKILL
 * within WORKER_KILL_WAIT_MS and sleeps sits in the kernel: it is reported as stuck,
 * with what /proc says of it, and left behind. One that only lacks a CPU to die on has
 * a second. The parent always returns.
 * Time in which the parent itself was stopped or frozen counts for none of these:
 * nobody listened then, and what froze it may have frozen the worker.
 *
 * One that is at work for long may be asked to end before it is killed
 * (ends_on_sigterm): it stops between two pieces of work, says what it found and
 * gives back what it holds.
 *
 * Frames are lines. What they mean is the caller's business: every complete
 * line is handed to on_line().
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"

struct pollfd;

enum {
	WORKER_KILL_WAIT_MS = 40,		/* so that a hang costs its deadline plus 50 ms */
	WORKER_GRACE_MS = 500,			/* between SIGTERM and SIGKILL, for those that end on the first */
	WORKER_FRAME_FD = 3,
	WORKER_SHARED_FD,
	WORKER_MAX_OUTPUT_BYTES = 4096,
};
#define WORKER_MAX_LINE_BYTES ((size_t)1 << 20)
#define WORKER_MAX_STREAM_BYTES ((size_t)16 << 20)
#define WORKER_NO_DEADLINE UINT_MAX

enum worker_end {
	WORKER_EXITED,		/* status is its exit status */
	WORKER_SIGNALLED,	/* status is the signal; not one of ours */
	WORKER_TIMED_OUT,	/* killed at its deadline, or quiet for too long */
	WORKER_STUCK,		/* killed at its deadline, and still there */
	WORKER_GARBLED,		/* killed: a line or the stream too long, or on_line() refused one */
	WORKER_CANCELLED,	/* asked to end or killed because the whole run was cancelled */
	WORKER_NOT_STARTED,	/* status is the -errno of the spawn */
};

struct worker {
	/* set by the caller */
	const char *const *argv;	/* ends with NULL; argv[0] is the name, the binary is this one */
	int (*main)(int argc, char **argv); /* run in a fork, which ends with what it returns; NULL: start the binary */
	const char *const *environment;	/* NAME=value to add or replace, ends with NULL; NULL: none */
	unsigned deadline_ms;		/* from its start; WORKER_NO_DEADLINE: it works for as long as it is wanted */
	/*
	 * How long it may send no line; 0: until its deadline. on_line() may set it anew, for the time from that line
	 * on.
	 */
	unsigned quiet_ms;
	/*
	 * The same of one that at the end of that time runs or wants to, and waits for nothing: on a busy machine it is
	 * short of CPU, and does not hang. It becomes its quiet_ms then. 0: no more time for it.
	 */
	unsigned quiet_at_work_ms;
	/*
	 * on_line() sets it with deadline_ms and quiet_ms when that line begins another piece of work: time counts from
	 * it on, as if the worker had been started then.
	 */
	bool begins_anew;
	bool ends_on_sigterm;		/* when the run is cancelled: SIGTERM first, SIGKILL WORKER_GRACE_MS later */
	/*
	 * It has nothing to do once that one, which stands after it, has ended: it then gets SIGTERM, and SIGKILL
	 * WORKER_GRACE_MS later as one that timed out. NULL: it ends by itself.
	 */
	const struct worker *ends_with;
	int (*on_line)(struct worker *worker, char *line, size_t len); /* non-zero: garbled. line ends in NUL, not LF */
	/*
	 * What it shares with its parent or with other workers, as WORKER_SHARED_FD: memory (memfd_create) where a line
	 * for each thing said would cost too much, or a pipe with what is to be done. 0: none.
	 */
	int shared_fd;
	/*
	 * What it sent since its start; more than WORKER_MAX_STREAM_BYTES is garbled. on_line() of one that works for
	 * long sets it to 0 when it got what it waited for.
	 */
	size_t stream_bytes;
	void *data;			/* the caller's */

	/* set when it ends */
	enum worker_end end;
	int status;
	uint64_t elapsed_ns;
	uint64_t silent_ns;		/* of one that was killed: since its last line */
	uint64_t longest_ns;		/* that it was silent before one of its lines */
	bool was_dismissed;		/* the one that it ends_with had ended before */
	bool was_quiet;			/* it timed out since it said nothing for quiet_ms */
	bool was_running;		/* at its deadline: it ran or wanted to, and waited for nothing */
	struct strbuf output;		/* what it printed; the caller releases it */
	char state; /* of a stuck one: the letter in /proc/PID/status, 'D' in the kernel; '\0' unknown */
	char wchan[64];			/* of a stuck one; "" where it cannot be read */
	char stack[1024];
	pid_t pid;			/* of a stuck one it is still there */
	/* "pid 7 (name)": what it, or one beside it, started and what cannot be ended; "" */
	char left[128];
};

/*
 * Is a process stopped, as by Ctrl-Z, a debugger or a frozen container? It then answers nobody, whatever it is at.
 * False also where that cannot be told.
 */
bool process_is_stopped(pid_t pid);

/* Does its first thread run, or wait for nothing but a CPU? */
bool worker_is_running(const struct worker *worker);

/* Of a run of workers; each may be NULL. */
struct workers_run {
	/*
	 * When that becomes non-zero (a signal handler set it; the signal must interrupt poll()), all are asked to end
	 * or killed, and end as WORKER_CANCELLED.
	 */
	const volatile int *cancel;
	void (*on_end)(struct worker *worker);	/* called as each one ends */
	void (*second)(void *data);	/* called about once a second */
	/*
	 * One more to start now, after those that were given; asked for whenever something happened and after
	 * *ret_wait_ns at the latest. NULL: none yet, and none at all if no worker runs then. May be NULL.
	 */
	struct worker *(*more)(void *data, uint64_t *ret_wait_ns);
	void *data;
};

/* Runs all workers at once and returns when each has ended or was left. No child is left behind but stuck ones. */
void workers_run(struct worker *workers, size_t nr, const struct workers_run *run);

/*
 * A set of workers of which each is started, and may be stopped, by itself: workers_run() is a loop over one. A worker
 * lives, where it stands, until its set is closed. on_end may start none.
 */
struct worker_set;

/* takes_orphans: what a worker started in a session of its own is ended when the set is closed. */
struct worker_set *workers_open(void (*on_end)(struct worker *worker), bool takes_orphans);
/* One that cannot be started ends at once. */
void workers_start(struct worker_set *set, struct worker *worker);
/*
 * Waits once, for `most_ns` or less: until a worker wrote something, ended or is due, or one of the caller's own
 * descriptors is ready, whose revents are set; then serves the workers. False: nothing was there to be read. Poll
 * often, else nobody is killed in time; time in which nobody polled counts for no worker's silence.
 */
bool workers_poll(struct worker_set *set, uint64_t most_ns, struct pollfd *fds, size_t nr_fds);
size_t workers_running(const struct worker_set *set);
/* Of any set that is open: a child whose end is waited for, and which nobody else may reap. */
bool worker_is_awaited(pid_t pid);
/* It gave a sign of life that is no line: its silence begins anew. */
void workers_heard(struct worker_set *set, const struct worker *worker);
/* Asks it to end, or kills it: it ends as WORKER_CANCELLED, in a later poll. */
void workers_stop(struct worker_set *set, const struct worker *worker);
/* The same for all, and for those that are still to be started. */
void workers_cancel(struct worker_set *set);
/* Cancels what runs, and returns when each has ended or was left. */
void workers_close(struct worker_set *set);

/*
 * In the child, first thing: dies with its parent, takes no full core dump,
 * sets the signals back that the parent changed, closes what it inherited
 * above the frame pipe (a worker that hangs must not hold a pipe that our
 * caller waits on). Returns -errno where the parent is gone already.
 */
int worker_child_setup(void) MUST_CHECK;

/*
 * In the child of one that ends_on_sigterm: from now on SIGTERM sets the flag it
 * returns instead of ending the process. Look at it between two pieces of work.
 */
const volatile int *worker_child_catch_sigterm(void);

/* In the child: the descriptor that it shares with its parent; -1: none. */
int worker_shared_fd(void);

/* In the child: the deadline it was given; 0: none, or a person started it by hand. */
unsigned worker_child_deadline_ms(void);
/* Likewise how long it may be silent, until it announces something else. */
unsigned worker_child_quiet_ms(void);

/*
 * What the parent told this worker by a variable of its environment (worker_options.environment); "" where it did not.
 */
const char *worker_told(const char *name);

/* The path of this binary, for posix_spawn(); 0 or -errno. */
int worker_own_path(char *buf, size_t size) MUST_CHECK;
