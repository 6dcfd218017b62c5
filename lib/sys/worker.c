// SPDX-License-Identifier: GPL-2.0-or-later
/* worker.c - starting workers, listening to them all, and getting rid of them. */
#include "base/compat.h"
#include "sys/worker.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
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

#define NS_PER_S UINT64_C(1000000000)

enum {
	/*
	 * The longest wait. The kernel rounds long ones up by a thousandth (15 ms
	 * for a deadline of 15 s), and a signal between a look at *cancel and the
	 * wait is noticed no later than this. Shorter ones are a tenth of what it
	 * costs to watch a node.
	 */
	LONGEST_WAIT_MS = 250,
	LOOK_AGAIN_MS = 5,	/* if no descriptor reports the end of a process */
	/* Later than that after its wait, this process was stopped or frozen, and did not merely lack a CPU. */
	STOPPED_MS = 1000,
};

struct worker_set {
	struct worker_set *next;	/* in the list of those that are open */
	struct child **children;	/* also those that have ended */
	size_t nr, nr_allocated, nr_running;
	struct pollfd *polled;		/* of one wait: of those that run, then the caller's */
	size_t nr_allocated_polled;
	uint64_t polled_ns;		/* when the last wait was over; 0: there was none */
	bool is_cancelled;
	void (*on_end)(struct worker *worker);
	char path[PATH_MAX];		/* of this binary */
	int path_err;
	struct sigaction old_action;
	bool has_old_action;
	bool takes_orphans;
	struct worker_orphans orphans;
};

static struct worker_set *open_sets;

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

static void dismiss_those_of(struct worker_set *set, const struct worker *ended)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->children[i]->is_running && set->children[i]->worker->ends_with == ended)
			child_dismiss(set->children[i]);
}

/* ---- starting ---- */

static int child_start(struct child *child, const char *path)
{
	struct worker *worker = child->worker;
	int err;

	child->started_ns = clock_now_ns();
	child->deadline_ns = worker_due_ns(worker, child->started_ns);
	child->heard_ns = child->started_ns;
	err = worker_spawn(worker, path, &child->fds[WORKER_AT_FRAMES].fd, &child->fds[WORKER_AT_OUTPUT].fd);
	if (err)
		return err;
	/* -1 on older kernels, and where a filter forbids it. */
	child->fds[WORKER_AT_PROCESS].fd = (int)syscall(SYS_pidfd_open, worker->pid, 0U);
	child->is_running = true;
	return 0;
}

static struct child *add_child(struct worker_set *set, struct worker *worker)
{
	struct child *child = xcalloc(1, sizeof(*child));

	*child = (struct child){ .worker = worker, .line = STRBUF_INIT };
	for (int i = 0; i < WORKER_NR_FDS; i++)
		child->fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	if (set->nr == set->nr_allocated) {
		set->nr_allocated = 2 * set->nr_allocated + 8;
		set->children = xrealloc(set->children, set->nr_allocated * sizeof(*set->children));
	}
	set->children[set->nr++] = child;
	return child;
}

static void clear_result(struct worker *worker)
{
	worker->output = (struct strbuf)STRBUF_INIT;
	worker->status = 0;
	worker->elapsed_ns = worker->silent_ns = worker->longest_ns = 0;
	worker->stream_bytes = 0;
	worker->pid = 0;
	worker->was_running = worker->was_quiet = worker->was_dismissed = false;
	worker->state = worker->wchan[0] = worker->stack[0] = worker->left[0] = '\0';
}

void workers_start(struct worker_set *set, struct worker *worker)
{
	struct child *child = add_child(set, worker);
	int err = set->path_err;

	clear_result(worker);
	if (!err && !set->is_cancelled)
		err = child_start(child, set->path);
	if (child->is_running) {
		set->nr_running++;
		return;
	}
	worker->end = set->is_cancelled ? WORKER_CANCELLED : WORKER_NOT_STARTED;
	worker->status = set->is_cancelled ? 0 : err;
	dismiss_those_of(set, worker);
	if (set->on_end)
		set->on_end(worker);
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
	child->dying_until_ns = now_ns + WORKER_DYING_MS * NS_PER_MS;
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

/*
 * Killed, and late: on a busy machine it waits for a CPU to die on, or has much
 * memory to free. It is not stuck, as one is that sleeps in the kernel, and
 * left alone it would be a zombie of whoever started us.
 */
static bool child_is_dying(struct child *child)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns >= child->dying_until_ns || !worker_is_dying(child->worker->pid))
		return false;
	child->give_up_ns = now_ns + LOOK_AGAIN_MS * NS_PER_MS;
	return true;
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
static void child_finish(struct worker_set *set, struct child *child, bool is_dead)
{
	struct worker *worker = child->worker;

	worker->elapsed_ns = clock_now_ns() - child->started_ns;
	kill(-worker->pid, SIGKILL);	/* what it started and left behind */
	worker_drain(child, WORKER_AT_FRAMES, worker_hear_frames);
	worker_drain(child, WORKER_AT_OUTPUT, worker_hear_output);
	if (is_dead) {
		child_reap(child);
	} else {
		worker->end = child->killed_as == WORKER_CANCELLED ? WORKER_CANCELLED : WORKER_STUCK;
		worker_read_stuck(worker);
	}
	for (int i = 0; i < WORKER_NR_FDS; i++)
		worker_close_fd(&child->fds[i]);
	strbuf_release(&child->line);
	child->is_running = false;
	set->nr_running--;
	dismiss_those_of(set, worker);
	if (set->on_end)
		set->on_end(worker);
}

/* ---- the loop ---- */

/* Silent for as long as it may be, and yet at work: is it given more time? */
static bool child_gets_more(struct child *child)
{
	struct worker *worker = child->worker;

	if (child->is_killed || child->is_asked || worker->quiet_ms >= worker->quiet_at_work_ms ||
	    child_due_ns(child) >= child->deadline_ns || !worker_is_running(worker))
		return false;
	worker->quiet_ms = worker->quiet_at_work_ms;
	return true;
}

static void child_serve(struct worker_set *set, struct child *child)
{
	const struct pollfd *process = &child->fds[WORKER_AT_PROCESS];
	uint64_t now_ns;
	bool is_due;

	if (child->fds[WORKER_AT_FRAMES].revents)
		worker_hear_frames(child, WORKER_CHUNK_BYTES);
	if (child->fds[WORKER_AT_OUTPUT].revents)
		worker_hear_output(child, WORKER_CHUNK_BYTES);
	if (child->is_garbled)
		child_kill(child, WORKER_GARBLED);

	now_ns = clock_now_ns();
	is_due = now_ns >= child_due_ns(child);
	/* At the last moment we look for ourselves: this process may have been kept from running. */
	if ((is_due || process->revents || process->fd < 0) && child_has_ended(child))
		child_finish(set, child, true);
	else if (is_due && child->is_killed && !child_is_dying(child))
		child_finish(set, child, false);
	else if (is_due && !child->is_killed && !child_gets_more(child))
		child_kill(child, child->is_asked ? WORKER_CANCELLED : WORKER_TIMED_OUT);
}

/* How long there is nothing to do but listen. */
static uint64_t until_next_ns(const struct worker_set *set, uint64_t most_ns)
{
	uint64_t now_ns = clock_now_ns(), next_ns = now_ns + LONGEST_WAIT_MS * NS_PER_MS;

	if (most_ns < LONGEST_WAIT_MS * NS_PER_MS)
		next_ns = now_ns + most_ns;
	for (size_t i = 0; i < set->nr; i++) {
		const struct child *child = set->children[i];
		uint64_t due_ns = child_due_ns(child);

		if (!child->is_running)
			continue;
		if (child->fds[WORKER_AT_PROCESS].fd < 0 && due_ns > now_ns + LOOK_AGAIN_MS * NS_PER_MS)
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
static void forgive(struct worker_set *set, uint64_t late_ns)
{
	if (late_ns < STOPPED_MS * NS_PER_MS)
		return;
	for (size_t i = 0; i < set->nr; i++) {
		struct child *child = set->children[i];

		child->started_ns += late_ns;
		if (child->deadline_ns != UINT64_MAX)
			child->deadline_ns += late_ns;
		child->heard_ns += late_ns;
		child->give_up_ns += late_ns;
		child->dying_until_ns += late_ns;
	}
}

/* All that is waited for, in one array: how many. */
static size_t gather_polled(struct worker_set *set, const struct pollfd *fds, size_t nr_fds)
{
	size_t most = set->nr_running * WORKER_NR_FDS + nr_fds, nr = 0;

	if (most > set->nr_allocated_polled) {
		set->polled = xrealloc(set->polled, most * sizeof(*set->polled));
		set->nr_allocated_polled = most;
	}
	for (size_t i = 0; i < set->nr; i++)
		for (int j = 0; set->children[i]->is_running && j < WORKER_NR_FDS; j++)
			set->polled[nr++] = set->children[i]->fds[j];
	for (size_t i = 0; i < nr_fds; i++)
		set->polled[nr++] = fds[i];
	return nr;
}

/* What came of it. is_all: reads do not wait, so asking all workers does as well as knowing. */
static void spread_polled(struct worker_set *set, bool is_all, struct pollfd *fds, size_t nr_fds)
{
	size_t nr = 0;

	for (size_t i = 0; i < set->nr; i++)
		for (int j = 0; set->children[i]->is_running && j < WORKER_NR_FDS; j++)
			set->children[i]->fds[j].revents = is_all ? POLLIN : set->polled[nr++].revents;
	for (size_t i = 0; i < nr_fds; i++)
		fds[i].revents = is_all ? 0 : set->polled[nr++].revents;
	if (is_all && nr_fds)
		poll(fds, nr_fds, 0);
}

/* False: nothing came. */
static bool wait_for_any(struct worker_set *set, uint64_t wait_ns, struct pollfd *fds, size_t nr_fds)
{
	struct timespec wait = {
		.tv_sec = (time_t)(wait_ns / NS_PER_S),
		.tv_nsec = (long)(wait_ns % NS_PER_S),
	};
	size_t nr = gather_polled(set, fds, nr_fds);
	int nr_ready = ppoll(set->polled, nr, &wait, NULL);

	/* More entries than we may have descriptors. */
	if (nr_ready < 0 && errno != EINTR)
		nanosleep(&(struct timespec){ .tv_sec = 0, .tv_nsec = LOOK_AGAIN_MS * 1000000 }, NULL);
	spread_polled(set, nr_ready < 0, fds, nr_fds);
	return nr_ready > 0;
}

bool workers_poll(struct worker_set *set, uint64_t most_ns, struct pollfd *fds, size_t nr_fds)
{
	uint64_t now_ns = clock_now_ns(), wait_ns, due_ns;
	bool is_any;

	forgive(set, set->polled_ns ? now_ns - set->polled_ns : 0);
	wait_ns = until_next_ns(set, most_ns);
	due_ns = clock_now_ns() + wait_ns;
	is_any = wait_for_any(set, wait_ns, fds, nr_fds);
	now_ns = clock_now_ns();
	forgive(set, now_ns > due_ns ? now_ns - due_ns : 0);
	for (size_t i = 0; i < set->nr; i++)
		if (set->children[i]->is_running)
			child_serve(set, set->children[i]);
	set->polled_ns = clock_now_ns();
	return is_any;
}

bool worker_is_awaited(pid_t pid)
{
	for (const struct worker_set *set = open_sets; set; set = set->next)
		for (size_t i = 0; i < set->nr; i++)
			if (set->children[i]->is_running && set->children[i]->worker->pid == pid)
				return true;
	return false;
}

size_t workers_running(const struct worker_set *set)
{
	return set->nr_running;
}

static struct child *running_child(const struct worker_set *set, const struct worker *worker)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->children[i]->worker == worker && set->children[i]->is_running)
			return set->children[i];
	return NULL;
}

void workers_heard(struct worker_set *set, const struct worker *worker)
{
	struct child *child = running_child(set, worker);

	if (child)
		child->heard_ns = clock_now_ns();
}

void workers_stop(struct worker_set *set, const struct worker *worker)
{
	struct child *child = running_child(set, worker);

	if (child)
		child_cancel(child);
}

void workers_cancel(struct worker_set *set)
{
	set->is_cancelled = true;
	for (size_t i = 0; i < set->nr; i++)
		if (set->children[i]->is_running)
			child_cancel(set->children[i]);
}

/* ---- from the first to the last ---- */

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

struct worker_set *workers_open(void (*on_end)(struct worker *worker), bool takes_orphans)
{
	struct worker_set *set = xcalloc(1, sizeof(*set));

	set->on_end = on_end;
	set->has_old_action = keep_exit_statuses(&set->old_action);
	set->path_err = worker_own_path(set->path, sizeof(set->path));
	set->takes_orphans = takes_orphans;
	if (takes_orphans)
		worker_orphans_begin(&set->orphans);
	set->next = open_sets;
	open_sets = set;
	return set;
}

static void forget_set(const struct worker_set *set)
{
	struct worker_set **at = &open_sets;

	while (*at && *at != set)
		at = &(*at)->next;
	if (*at)
		*at = set->next;
}

void workers_close(struct worker_set *set)
{
	while (set->nr_running) {
		workers_cancel(set);
		workers_poll(set, UINT64_MAX, NULL, 0);
	}
	forget_set(set);
	if (set->takes_orphans)
		worker_orphans_end(&set->orphans, set->children, set->nr);
	for (size_t i = 0; i < set->nr; i++)
		free(set->children[i]);
	free(set->children);
	free(set->polled);
	if (set->has_old_action)
		sigaction(SIGCHLD, &set->old_action, NULL);
	free(set);
}

/* NULL: none is to be started now; *wait_ns is no longer than until one may be. */
static struct worker *another(const struct workers_run *run, uint64_t *wait_ns)
{
	uint64_t until_ns = UINT64_MAX;
	struct worker *next = run->more ? run->more(run->data, &until_ns) : NULL;

	*wait_ns = until_ns < *wait_ns ? until_ns : *wait_ns;
	return next;
}

void workers_run(struct worker *workers, size_t nr, const struct workers_run *run)
{
	const uint64_t second_ns = run->second ? NS_PER_S : UINT64_MAX;
	struct worker_set *set = workers_open(run->on_end, true);
	uint64_t told_ns = clock_now_ns(), wait_ns;
	struct worker *next;
	size_t nr_started = 0;
	bool is_any;

	do {
		if (run->cancel && *run->cancel)
			workers_cancel(set);
		wait_ns = second_ns;
		is_any = set->nr_running;
		next = nr_started < nr ? &workers[nr_started++] : another(run, &wait_ns);
		/*
		 * One at a time, and a look at the others: the first one's deadline may be shorter than all the
		 * starting.
		 */
		if (next)
			workers_start(set, next);
		if (set->nr_running)
			workers_poll(set, next ? 0 : wait_ns, NULL, 0);
		if (run->second && clock_now_ns() - told_ns >= second_ns) {
			told_ns = clock_now_ns();
			run->second(run->data);
		}
	} while (next || is_any);
	workers_close(set);
}
