// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch_child.c - the command that is watched. It stays in our process group, with our standard input, output and
 * error, as with time(1): keys and signals of the terminal reach it by themselves. Its orphans become our children
 * (PR_SET_CHILD_SUBREAPER), so that its whole tree can be followed.
 */
#include "base/compat.h"
#include "cmd/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/inherited_signals.h"
#include "cmd/watch_signals.h"
#include "sys/worker.h"

NORETURN static void become(char **command, int error_fd)
{
	int err;

	inherited_signals_restore();
	execvp(command[0], command);
	err = errno;
	if (write(error_fd, &err, sizeof(err)) < 0)
		_exit(EXIT_CANNOT_RUN);
	_exit(err == ENOENT ? EXIT_NO_COMMAND : EXIT_CANNOT_RUN);
}

/* The errno of its exec; 0: it runs. */
static int wait_for_exec(int fd)
{
	int err = 0;
	ssize_t got;

	do {
		got = read(fd, &err, sizeof(err));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(err) ? err : 0;
}

int watch_child_start(struct watch *watch)
{
	int fds[2], err;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (pipe2(fds, O_CLOEXEC))
		die(EXIT_INTERNAL, "watch: %s", strerror(errno));
	watch->child = fork();
	if (watch->child < 0)
		die(EXIT_INTERNAL, "watch: %s: cannot be started: %s", watch->command[0], strerror(errno));
	if (!watch->child)
		become(watch->command, fds[1]);
	close(fds[1]);
	err = wait_for_exec(fds[0]);
	close(fds[0]);
	if (!err) {
		watch_signals_pass_to(watch->child);
		return 0;
	}
	watch_child_wait(watch);
	complain("%s: %s", watch->command[0], err == ENOENT ? "command not found" : strerror(err));
	return err == ENOENT ? EXIT_NO_COMMAND : EXIT_CANNOT_RUN;
}

static void note_end(struct watch *watch, int status)
{
	/* Its number may be another's from now on. */
	watch_signals_without_command();
	watch->child = 0;
	watch->child_status = WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A child that has ended, in whatever session; it stays a zombie. 0: there is none. */
static pid_t next_ended(void)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) ? 0 : info.si_pid;
}

bool watch_child_has_ended(struct watch *watch)
{
	pid_t pid;
	int status;

	if (watch->child && waitpid(watch->child, &status, WNOHANG) == watch->child)
		note_end(watch, status);
	/*
	 * Orphans, which a command may have put in sessions of their own. A worker is not ours to reap; those behind it
	 * wait until it was.
	 */
	while ((pid = next_ended()) > 0 && !worker_is_awaited(pid) && waitpid(pid, &status, WNOHANG) == pid)
		if (pid == watch->child)
			note_end(watch, status);
	return !watch->child;
}

int watch_child_wait(struct watch *watch)
{
	int status;

	while (watch->child) {
		pid_t pid = waitpid(watch->child, &status, 0);

		if (pid == watch->child)
			note_end(watch, status);
		else if (pid < 0 && errno != EINTR)
			watch->child = 0;
	}
	return watch->child_status;
}
