// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "bench/collective_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/collective_tool.h"
#include "sys/clock.h"
#include "sys/descriptors.h"

enum {
	LOOK_MS = 20,			/* between two looks at whether it has ended */
	KILL_WAIT_MS = 2000,		/* a driver that tears down the memory of eight GPUs takes its time */
	MAX_CHILDREN = 256,
};
#define MS_NS UINT64_C(1000000)

/* ---- the child's side */

NORETURN static void become(const struct child *child, pid_t parent, int output, int failure)
{
	int error;

	/* A group of its own is what is ended; the worker must not be in it. */
	if (setpgid(0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent ||
	    dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
		_exit(127);
	/* Locks and pipes of ours are not for it: one that hangs would hold them. */
	failure = dup2(failure, STDERR_FILENO + 1);
	if (failure < 0 || fcntl(failure, F_SETFD, FD_CLOEXEC))
		_exit(127);
	descriptors_close_from(failure + 1);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	collective_child_environment(child->mask);
	execv(child->path, (char *const *)(uintptr_t)child->argv);
	error = errno;
	(void)!write(failure, &error, sizeof(error));
	_exit(127);
}

/* ---- the worker's */

/*
 * True: it could not be started, for that reason. The pipe is closed by exec(), which waits where the server of the
 * program's file is gone: then it is as with a program that does not end.
 */
static bool wait_for_start(const struct child *child, int failure, int *ret_error)
{
	struct pollfd poll_fd = { .fd = failure, .events = POLLIN };

	while (clock_now_ns() < child->deadline_ns && !*child->please_end)
		if (poll(&poll_fd, 1, LOOK_MS) > 0)
			return read(failure, ret_error, sizeof(*ret_error)) == (ssize_t)sizeof(*ret_error);
	return false;
}

static bool start(struct child *child, pid_t *ret_pid, int *ret_output)
{
	int output[2], failure[2], error = 0;
	const pid_t own = getpid();

	if (pipe2(output, O_CLOEXEC)) {
		child->status = -errno;
		return false;
	}
	if (pipe2(failure, O_CLOEXEC)) {
		child->status = -errno;
		close(output[0]);
		close(output[1]);
		return false;
	}
	*ret_pid = fork();
	if (!*ret_pid)
		become(child, own, output[1], failure[1]);
	child->status = *ret_pid < 0 ? -errno : 0;
	close(output[1]);
	close(failure[1]);
	if (*ret_pid > 0 && wait_for_start(child, failure[0], &error)) {
		waitpid(*ret_pid, NULL, 0);
		child->status = -error;
	}
	close(failure[0]);
	if (child->status) {
		close(output[0]);
		return false;
	}
	fcntl(output[0], F_SETFL, O_NONBLOCK);
	*ret_output = output[0];
	return true;
}

/* What there is, and no more than is kept. False: more than that. */
static bool drain(struct child *child, int *fd)
{
	while (*fd >= 0) {
		char chunk[16384];
		ssize_t got = read(*fd, chunk, sizeof(chunk));

		if (got < 0)
			return true;
		if (!got) {
			close(*fd);
			*fd = -1;
			return true;
		}
		if (child->output.len + (size_t)got > COLLECTIVE_MAX_OUTPUT_BYTES)
			return false;
		strbuf_add(&child->output, chunk, (size_t)got);
	}
	return true;
}

static bool has_ended(struct child *child, pid_t pid)
{
	int status;

	if (waitpid(pid, &status, WNOHANG) != pid)
		return false;
	child->end = WIFEXITED(status) ? CHILD_EXITED : CHILD_SIGNALLED;
	child->status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	return true;
}

/* True: it has ended by itself. */
static bool listen_to(struct child *child, pid_t pid, int *fd)
{
	for (;;) {
		struct pollfd poll_fd = { .fd = *fd, .events = POLLIN };
		bool ended;

		poll(&poll_fd, 1, LOOK_MS);
		ended = has_ended(child, pid);
		if (!drain(child, fd)) {
			child->end = CHILD_TOO_MUCH_OUTPUT;
			return ended;
		}
		if (ended)
			return true;
		child->end = *child->please_end ? CHILD_CANCELLED : CHILD_TIMED_OUT;
		if (*child->please_end || clock_now_ns() >= child->deadline_ns)
			return false;
	}
}

/* ---- nothing of it is left */

struct children {
	size_t nr;
	pid_t pids[MAX_CHILDREN];
};

static void list_children(struct children *ret)
{
	char path[64], text[4096];
	ssize_t len = 0;
	int fd;

	ret->nr = 0;
	snprintf(path, sizeof(path), "/proc/self/task/%ld/children", syscall(SYS_gettid));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[len > 0 ? len : 0] = '\0';
	for (char *at = text, *end; ret->nr < MAX_CHILDREN; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		ret->pids[ret->nr++] = (pid_t)pid;
	}
}

static bool is_new(const struct children *known, pid_t pid)
{
	for (size_t i = 0; i < known->nr; i++)
		if (known->pids[i] == pid)
			return false;
	return true;
}

/* Ends what there is now. What one of them had started becomes a child when it has ended. */
static bool end_children(struct child *child, struct children *known)
{
	struct children now;
	siginfo_t info;
	pid_t pid;

	list_children(&now);
	for (size_t i = 0; i < now.nr; i++) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)now.pids[i], &info, WEXITED | WNOHANG) || info.si_pid)
			continue;
		kill(now.pids[i], SIGKILL);
		if (is_new(known, now.pids[i]) && known->nr < MAX_CHILDREN) {
			known->pids[known->nr++] = now.pids[i];
			child->nr_ended++;
		}
	}
	/* Kernels without CONFIG_PROC_CHILDREN list none: those of the group were ended before. */
	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0);
	return !pid;
}

static void end_all(struct child *child, pid_t pid, bool has_ended_itself)
{
	const uint64_t give_up_ns = clock_now_ns() + KILL_WAIT_MS * MS_NS;
	/* The program itself is no process that it left. */
	struct children known = { .nr = 1, .pids = { pid } };
	bool any;

	/* Its number is another's as soon as it was waited for, its group's only with the last of the group. */
	if (!has_ended_itself) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);	/* where it has not come to make its group */
	}
	do {
		any = end_children(child, &known);
		if (any)
			clock_sleep_ns(MS_NS);
	} while (any && clock_now_ns() < give_up_ns);
	child->is_left = any;
}

void child_run(struct child *child)
{
	const uint64_t begin_ns = clock_now_ns();
	pid_t pid = -1;
	int fd = -1;
	bool ended;

	child->end = CHILD_NOT_STARTED;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!start(child, &pid, &fd))
		return;
	ended = listen_to(child, pid, &fd);
	child->elapsed_ns = clock_now_ns() - begin_ns;
	end_all(child, pid, ended);
	if (child->end != CHILD_TOO_MUCH_OUTPUT)
		(void)drain(child, &fd);
	if (fd >= 0)
		close(fd);
}
