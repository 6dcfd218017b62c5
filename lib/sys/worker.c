// SPDX-License-Identifier: GPL-2.0-or-later
/* worker.c - starting workers, listening to them all, and getting rid of them. */
#include "base/compat.h"
#include "sys/worker.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/clock.h"
#include "sys/worker_internal.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434	/* Linux 5.3 */
#endif

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

enum {
	CHUNK_BYTES = 16384,
	/*
	 * The longest wait. The kernel rounds long ones up by a thousandth (15 ms
	 * for a deadline of 15 s), and a signal between a look at *cancel and the
	 * wait is noticed no later than this.
	 */
	LONGEST_WAIT_MS = 50,
	LOOK_AGAIN_MS = 5,	/* if no descriptor reports the end of a process */
	/* Later than that after its wait, this process was stopped or frozen, and did not merely lack a CPU. */
	STOPPED_MS = 1000,
};

/* What the loop waits for, three for each child. */
enum { AT_FRAMES, AT_OUTPUT, AT_PROCESS, NR_FDS };

struct child {
	struct worker *worker;
	struct pollfd *fds;		/* NR_FDS of the run's; closed ones are -1 */
	bool is_running;
	bool is_garbled;
	bool is_asked;			/* to end: SIGTERM was sent */
	bool is_killed;
	enum worker_end killed_as;
	uint64_t started_ns, deadline_ns;
	uint64_t heard_ns;		/* its last line, or its start */
	uint64_t give_up_ns;		/* of a killed one */
	size_t stream_bytes;
	struct strbuf line;		/* the one that is not complete */
};

struct run {
	struct child *children;
	struct pollfd *fds;		/* of all children, in order */
	size_t nr, nr_started, nr_running;
	bool is_cancelled;
	void (*on_end)(struct worker *worker);
};

/* ---- ending with another ---- */

/* The one that it was there for has ended. What it says before it ends counts as ever. */
static void child_dismiss(struct child *child)
{
	uint64_t grace_ns = clock_now_ns() + WORKER_GRACE_MS * NS_PER_MS;

	if (child->is_killed || child->is_asked || child->worker->was_dismissed)
		return;
	child->worker->was_dismissed = true;
	if (grace_ns < child->deadline_ns)
		child->deadline_ns = grace_ns;
	kill(child->worker->pid, SIGTERM);
}

static void run_dismiss_those_of(struct run *run, const struct worker *ended)
{
	for (size_t i = 0; i < run->nr_started; i++)
		if (run->children[i].is_running && run->children[i].worker->ends_with == ended)
			child_dismiss(&run->children[i]);
}

/* ---- starting ---- */

static int child_start(struct child *child, const char *path)
{
	struct worker *worker = child->worker;
	int err;

	child->started_ns = clock_now_ns();
	child->deadline_ns = child->started_ns + worker->deadline_ms * NS_PER_MS;
	child->heard_ns = child->started_ns;
	err = worker_spawn(worker, path, &child->fds[AT_FRAMES].fd, &child->fds[AT_OUTPUT].fd);
	if (err)
		return err;
	/* -1 on older kernels, and where a filter forbids it. */
	child->fds[AT_PROCESS].fd = (int)syscall(SYS_pidfd_open, worker->pid, 0U);
	child->is_running = true;
	return 0;
}

static void run_start_next(struct run *run, const char *path, int path_err)
{
	struct child *child = &run->children[run->nr_started++];
	struct worker *worker = child->worker;
	int err = path_err;

	if (!err && !run->is_cancelled)
		err = child_start(child, path);
	if (child->is_running) {
		run->nr_running++;
		return;
	}
	worker->end = run->is_cancelled ? WORKER_CANCELLED : WORKER_NOT_STARTED;
	worker->status = run->is_cancelled ? 0 : err;
	run_dismiss_those_of(run, worker);
	if (run->on_end)
		run->on_end(worker);
}

/* ---- listening ---- */

static void close_fd(struct pollfd *at)
{
	if (at->fd >= 0)
		close(at->fd);
	at->fd = -1;
}

/* Reads once: how much came. At its end, which says nothing about the process, the pipe is closed. */
static size_t read_some(struct pollfd *at, char *buf, size_t size)
{
	ssize_t got;

	if (at->fd < 0)
		return 0;
	got = read(at->fd, buf, size);
	if (!got || (got < 0 && errno != EAGAIN && errno != EINTR))
		close_fd(at);
	return got > 0 ? (size_t)got : 0;
}

static void note_line(struct child *child)
{
	uint64_t now_ns = clock_now_ns(), silent_ns = now_ns - child->heard_ns;

	child->worker->longest_ns = silent_ns > child->worker->longest_ns ? silent_ns : child->worker->longest_ns;
	child->heard_ns = now_ns;
}

/* Hands over the complete lines, of which the first `scanned` bytes hold no line feed. False: one was no good. */
static bool hand_over_lines(struct child *child, size_t scanned)
{
	struct worker *worker = child->worker;
	struct strbuf *buf = &child->line;
	char *begin = buf->buf, *end = buf->buf + buf->len, *line_feed;

	for (char *from = begin + scanned; (line_feed = memchr(from, '\n', (size_t)(end - from))); from = begin) {
		size_t len = (size_t)(line_feed - begin);

		if (len > WORKER_MAX_LINE_BYTES)
			return false;
		*line_feed = '\0';
		note_line(child);
		if (worker->on_line && worker->on_line(worker, begin, len))
			return false;
		begin = line_feed + 1;
	}
	memmove(buf->buf, begin, (size_t)(end - begin));
	strbuf_setlen(buf, (size_t)(end - begin));
	return buf->len <= WORKER_MAX_LINE_BYTES;
}

/* Reads once from the frame pipe, `most` bytes or less. A garbled stream is heard no further. */
static size_t hear_frames(struct child *child, size_t most)
{
	struct strbuf *buf = &child->line;
	size_t scanned = buf->len, got;

	strbuf_grow(buf, most);
	got = read_some(&child->fds[AT_FRAMES], buf->buf + scanned, most);
	strbuf_setlen(buf, scanned + got);
	child->stream_bytes += got;
	if (child->stream_bytes > WORKER_MAX_STREAM_BYTES || !hand_over_lines(child, scanned)) {
		child->is_garbled = true;
		close_fd(&child->fds[AT_FRAMES]);
	}
	return got;
}

/* The same from the output pipe: the first of it is kept, the rest thrown away. */
static size_t hear_output(struct child *child, size_t most)
{
	struct strbuf *output = &child->worker->output;
	size_t room = WORKER_MAX_OUTPUT_BYTES - output->len;
	char buf[CHUNK_BYTES];
	size_t got = read_some(&child->fds[AT_OUTPUT], buf, most);

	strbuf_add(output, buf, got < room ? got : room);
	return got;
}

/*
 * Reads what is in a pipe now and no more: a descendant in a session of its
 * own may go on writing for ever, and the end of the file may never come.
 */
static void drain(struct child *child, int at, size_t (*hear)(struct child *child, size_t most))
{
	int waiting = 0;
	size_t left, got;

	if (child->fds[at].fd < 0 || ioctl(child->fds[at].fd, FIONREAD, &waiting))
		return;
	for (left = (size_t)waiting; left; left -= got) {
		got = hear(child, left < CHUNK_BYTES ? left : CHUNK_BYTES);
		if (!got)
			return;
	}
}

/* ---- ending ---- */

/* When this child is to be killed, or given up if it was. */
static uint64_t child_due_ns(const struct child *child)
{
	uint64_t quiet_ns = child->heard_ns + child->worker->quiet_ms * NS_PER_MS;

	if (child->is_killed)
		return child->give_up_ns;
	return child->worker->quiet_ms && quiet_ns < child->deadline_ns ? quiet_ns : child->deadline_ns;
}

static void child_kill(struct child *child, enum worker_end end)
{
	const uint64_t wait_ns = WORKER_KILL_WAIT_MS * NS_PER_MS;
	uint64_t now_ns = clock_now_ns(), due_ns = child_due_ns(child);

	if (child->is_killed)
		return;
	child->is_killed = true;
	if (end == WORKER_TIMED_OUT) {
		child->worker->was_running = worker_is_running(child->worker);
		child->worker->was_quiet = due_ns < child->deadline_ns;
	}
	child->killed_as = end;
	child->worker->silent_ns = now_ns - child->heard_ns;
	child->give_up_ns = now_ns + wait_ns;
	/* As much as we come late to a deadline we wait less, but no less than half: dying takes its time. */
	if (end == WORKER_TIMED_OUT && now_ns - due_ns < wait_ns / 2)
		child->give_up_ns = due_ns + wait_ns;
	else if (end == WORKER_TIMED_OUT)
		child->give_up_ns = now_ns + wait_ns / 2;
	kill(-child->worker->pid, SIGKILL);
}

/* Asked to end, its grace is its deadline. Only the worker itself is: what it started is its own to end. */
static void child_cancel(struct child *child)
{
	uint64_t grace_ns = clock_now_ns() + WORKER_GRACE_MS * NS_PER_MS;

	if (!child->worker->ends_on_sigterm) {
		child_kill(child, WORKER_CANCELLED);
	} else if (!child->is_asked && !child->is_killed) {
		child->is_asked = true;
		if (grace_ns < child->deadline_ns)
			child->deadline_ns = grace_ns;
		kill(child->worker->pid, SIGTERM);
	}
}

/* Has it ended? It stays a zombie, so that its number, which is its group's too, is nobody else's. */
static bool child_has_ended(const struct child *child)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)child->worker->pid, &info, WEXITED | WNOHANG | WNOWAIT))
		return errno == ECHILD;
	return info.si_pid == child->worker->pid;
}

/* How a child ended that is dead, and no zombie any more after this. */
static void child_reap(struct child *child)
{
	struct worker *worker = child->worker;
	int status;
	pid_t pid;

	do {
		pid = waitpid(worker->pid, &status, 0);
	} while (pid < 0 && errno == EINTR);
	if (child->is_killed) {
		worker->end = child->killed_as;
	} else if (child->is_asked) {
		worker->end = WORKER_CANCELLED;
	} else if (pid < 0) {
		/* Somebody else in this program reaped it: how it ended is lost. */
		worker->end = WORKER_EXITED;
		worker->status = -errno;
	} else if (WIFSIGNALED(status)) {
		worker->end = WORKER_SIGNALLED;
		worker->status = WTERMSIG(status);
	} else {
		worker->end = WORKER_EXITED;
		worker->status = WEXITSTATUS(status);
	}
	/* The last line of one that crashed may be cut; one that chose to leave had the time to finish it. */
	if (!child->is_killed && !child->is_asked &&
	    (child->is_garbled || (worker->end == WORKER_EXITED && child->line.len))) {
		worker->end = WORKER_GARBLED;
		worker->status = 0;
	}
}

/* The last of a child: dead, or left in the kernel that does not let go of it. */
static void child_finish(struct run *run, struct child *child, bool is_dead)
{
	struct worker *worker = child->worker;

	worker->elapsed_ns = clock_now_ns() - child->started_ns;
	kill(-worker->pid, SIGKILL);	/* what it started and left behind */
	drain(child, AT_FRAMES, hear_frames);
	drain(child, AT_OUTPUT, hear_output);
	if (is_dead) {
		child_reap(child);
	} else {
		worker->end = child->killed_as == WORKER_CANCELLED ? WORKER_CANCELLED : WORKER_STUCK;
		worker_read_stuck(worker);
	}
	for (int i = 0; i < NR_FDS; i++)
		close_fd(&child->fds[i]);
	strbuf_release(&child->line);
	child->is_running = false;
	run->nr_running--;
	run_dismiss_those_of(run, worker);
	if (run->on_end)
		run->on_end(worker);
}

/* ---- the loop ---- */

static void child_serve(struct run *run, struct child *child)
{
	const struct pollfd *process = &child->fds[AT_PROCESS];
	uint64_t now_ns;
	bool is_due;

	if (child->fds[AT_FRAMES].revents)
		hear_frames(child, CHUNK_BYTES);
	if (child->fds[AT_OUTPUT].revents)
		hear_output(child, CHUNK_BYTES);
	if (child->is_garbled)
		child_kill(child, WORKER_GARBLED);

	now_ns = clock_now_ns();
	is_due = now_ns >= child_due_ns(child);
	/* At the last moment we look for ourselves: this process may have been kept from running. */
	if ((is_due || process->revents || process->fd < 0) && child_has_ended(child))
		child_finish(run, child, true);
	else if (is_due && child->is_killed)
		child_finish(run, child, false);
	else if (is_due)
		child_kill(child, child->is_asked ? WORKER_CANCELLED : WORKER_TIMED_OUT);
}

static uint64_t until_next_ns(const struct run *run)
{
	uint64_t now_ns = clock_now_ns(), next_ns = now_ns + LONGEST_WAIT_MS * NS_PER_MS;

	for (size_t i = 0; i < run->nr_started; i++) {
		const struct child *child = &run->children[i];
		uint64_t due_ns = child_due_ns(child);

		if (!child->is_running)
			continue;
		if (child->fds[AT_PROCESS].fd < 0 && due_ns > now_ns + LOOK_AGAIN_MS * NS_PER_MS)
			due_ns = now_ns + LOOK_AGAIN_MS * NS_PER_MS;
		if (due_ns < next_ns)
			next_ns = due_ns;
	}
	return next_ns > now_ns ? next_ns - now_ns : 0;
}

/*
 * Stopped in a shell, or frozen with its container or machine, which stops
 * workers too: nobody listened and perhaps nobody worked, so that time is no one's.
 */
static void run_forgive(struct run *run, uint64_t late_ns)
{
	if (late_ns < STOPPED_MS * NS_PER_MS)
		return;
	for (size_t i = 0; i < run->nr_started; i++) {
		run->children[i].started_ns += late_ns;
		run->children[i].deadline_ns += late_ns;
		run->children[i].heard_ns += late_ns;
		run->children[i].give_up_ns += late_ns;
	}
}

static void run_listen(struct run *run, uint64_t wait_ns)
{
	struct timespec wait = {
		.tv_sec = (time_t)(wait_ns / NS_PER_S),
		.tv_nsec = (long)(wait_ns % NS_PER_S),
	};
	uint64_t due_ns = clock_now_ns() + wait_ns, now_ns;

	if (ppoll(run->fds, run->nr * NR_FDS, &wait, NULL) < 0) {
		/* More entries than we may have descriptors. Reads do not wait, so asking all of them does as well. */
		if (errno != EINTR)
			nanosleep(&(struct timespec){ .tv_sec = 0, .tv_nsec = LOOK_AGAIN_MS * 1000000 }, NULL);
		for (size_t i = 0; i < run->nr * NR_FDS; i++)
			run->fds[i].revents = POLLIN;
	}
	now_ns = clock_now_ns();
	run_forgive(run, now_ns > due_ns ? now_ns - due_ns : 0);
	for (size_t i = 0; i < run->nr_started; i++)
		if (run->children[i].is_running)
			child_serve(run, &run->children[i]);
}

static void run_cancel(struct run *run)
{
	run->is_cancelled = true;
	for (size_t i = 0; i < run->nr_started; i++)
		if (run->children[i].is_running)
			child_cancel(&run->children[i]);
}

static void run_init(struct run *run, struct worker *workers, size_t nr)
{
	run->nr = nr;
	run->children = xcalloc(nr, sizeof(*run->children));
	run->fds = xcalloc(nr * NR_FDS, sizeof(*run->fds));
	for (size_t i = 0; i < nr * NR_FDS; i++)
		run->fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN, .revents = 0 };
	for (size_t i = 0; i < nr; i++) {
		struct worker *worker = &workers[i];

		run->children[i] = (struct child){
			.worker = worker,
			.fds = &run->fds[i * NR_FDS],
			.line = STRBUF_INIT,
		};
		worker->output = (struct strbuf)STRBUF_INIT;
		worker->status = 0;
		worker->elapsed_ns = worker->silent_ns = worker->longest_ns = 0;
		worker->pid = 0;
		worker->was_running = worker->was_quiet = worker->was_dismissed = false;
		worker->state = worker->wchan[0] = worker->stack[0] = worker->left[0] = '\0';
	}
}

/*
 * Whoever started us may have left SIGCHLD ignored, which a program inherits:
 * the kernel then throws away how our children ended. True: *old is to be set again.
 */
static bool keep_exit_statuses(struct sigaction *old)
{
	struct sigaction keep = { .sa_handler = SIG_DFL };

	if (sigaction(SIGCHLD, NULL, old) || (old->sa_handler != SIG_IGN && !(old->sa_flags & SA_NOCLDWAIT)))
		return false;
	return !sigaction(SIGCHLD, &keep, NULL);
}

void workers_run(struct worker *workers, size_t nr, const volatile int *cancel, void (*on_end)(struct worker *worker))
{
	struct run run = { .on_end = on_end };
	struct sigaction old_action;
	bool has_old_action = keep_exit_statuses(&old_action);
	char path[PATH_MAX];
	int path_err = worker_own_path(path, sizeof(path));
	struct worker_orphans orphans;

	worker_orphans_begin(&orphans);
	run_init(&run, workers, nr);
	while (run.nr_started < nr || run.nr_running) {
		if (cancel && *cancel)
			run_cancel(&run);
		/* One at a time, and a look at the others: the first one's deadline may be shorter than all the
		 * starting. */
		if (run.nr_started < nr)
			run_start_next(&run, path, path_err);
		if (run.nr_running)
			run_listen(&run, run.nr_started < nr ? 0 : until_next_ns(&run));
	}
	worker_orphans_end(&orphans, workers, nr);
	free(run.children);
	free(run.fds);
	if (has_old_action)
		sigaction(SIGCHLD, &old_action, NULL);
}
