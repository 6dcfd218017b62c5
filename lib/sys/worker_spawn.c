// SPDX-License-Identifier: GPL-2.0-or-later
/* worker_spawn.c - starting one worker: its pipes, its environment, its session. */
#include "base/compat.h"
#include "sys/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio_ext.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/worker_internal.h"

enum { FIRST_FD = 10 };	/* of our pipes: above all that a child gets by number */

/* Environment of every worker. */
struct own_variables {
	char parent[64], deadline[64], quiet[64], worker_of[64], shared[64];
};

static void say_own(const struct worker *worker, struct own_variables *ret)
{
	snprintf(ret->parent, sizeof(ret->parent), WORKER_PARENT_VARIABLE "=%d", (int)getpid());
	snprintf(ret->worker_of, sizeof(ret->worker_of), WORKER_OF_VARIABLE "=%d", (int)getpid());
	snprintf(ret->deadline, sizeof(ret->deadline), WORKER_DEADLINE_VARIABLE "=%u",
		 worker->deadline_ms == WORKER_NO_DEADLINE ? 0 : worker->deadline_ms);
	snprintf(ret->shared, sizeof(ret->shared), WORKER_SHARED_VARIABLE "=%d",
		 worker->shared_fd > 0 ? WORKER_SHARED_FD : 0);
	snprintf(ret->quiet, sizeof(ret->quiet), WORKER_QUIET_VARIABLE "=%u", worker->quiet_ms);
}

static void close_pipe(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

/*
 * A pipe whose ends are no standard descriptor, even where our caller started
 * us without any: dup2() in the child must not close one that it still needs.
 */
static int make_pipe(int ret[2])
{
	int low[2], err = 0;

	if (pipe2(low, O_CLOEXEC))
		return -errno;
	for (int i = 0; i < 2; i++) {
		ret[i] = fcntl(low[i], F_DUPFD_CLOEXEC, FIRST_FD);
		/* EINVAL: not even that many may be open. */
		if (ret[i] < 0)
			err = errno == EINVAL ? -EMFILE : -errno;
	}
	close_pipe(low);
	if (!err && fcntl(ret[0], F_SETFL, O_NONBLOCK))
		err = -errno;
	for (int i = 0; i < 2 && err; i++)
		if (ret[i] >= 0)
			close(ret[i]);
	return err;
}

/* exec() does not write there, but its prototype lacks const. */
static char *const *exec_list(const char *const *list)
{
	return (char *const *)(uintptr_t)list;
}

static bool is_named_in(const char *const *list, const char *variable)
{
	size_t len = strcspn(variable, "=") + 1;

	for (; list && *list; list++)
		if (!strncmp(*list, variable, len))
			return true;
	return false;
}

/* Our environment with this worker's changes and those of every worker. The caller frees the list. */
static const char **make_environment(const char *const *replacements, const struct own_variables *told)
{
	const char *const own[] = {
		told->parent, told->deadline, told->quiet, told->worker_of, told->shared, NULL
	};
	const char **list;
	size_t nr = 0, nr_most = ARRAY_SIZE(own);

	for (char **variable = environ; variable && *variable; variable++)
		nr_most++;
	for (const char *const *variable = replacements; variable && *variable; variable++)
		nr_most++;
	list = xcalloc(nr_most, sizeof(*list));
	for (char **variable = environ; variable && *variable; variable++)
		if (!is_named_in(replacements, *variable) && !is_named_in(own, *variable))
			list[nr++] = *variable;
	for (const char *const *variable = replacements; variable && *variable; variable++)
		list[nr++] = *variable;
	for (const char *const *variable = own; *variable; variable++)
		list[nr++] = *variable;
	return list;
}

static int spawn(struct worker *worker, const char *path, int frame_fd, int output_fd)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t every, none;
	struct own_variables told = { 0 };
	const char **environment;
	int err;

	say_own(worker, &told);
	environment = make_environment(worker->environment, &told);
	sigfillset(&every);
	sigemptyset(&none);

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&attributes, &every);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawn_file_actions_init(&actions);
	if (posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ||
	    posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO) ||
	    posix_spawn_file_actions_adddup2(&actions, output_fd, STDERR_FILENO) ||
	    posix_spawn_file_actions_adddup2(&actions, frame_fd, WORKER_FRAME_FD) ||
	    (worker->shared_fd > 0 && posix_spawn_file_actions_adddup2(&actions, worker->shared_fd, WORKER_SHARED_FD)))
		err = ENOMEM;
	else
		err = posix_spawn(&worker->pid, path, &actions, &attributes, exec_list(worker->argv),
				  exec_list(environment));
	/* Replaced by an update since the path was read: the link still leads to the binary that runs. */
	if (err == ENOENT)
		err = posix_spawn(&worker->pid, "/proc/self/exe", &actions, &attributes, exec_list(worker->argv),
				  exec_list(environment));
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(environment);
	return -err;
}

/* Actions of posix_spawn() in the child. */
static int become_worker(const struct worker *worker, struct own_variables *told, int frame_fd, int output_fd)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* A handler of ours must not run in the child: signals are blocked until it has none. */
	for (int i = 1; i <= SIGRTMAX; i++)
		signal(i, SIG_DFL);
	/* What our stdout still holds is ours to write. */
	__fpurge(stdout);
	if (setsid() < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output_fd, STDOUT_FILENO) < 0 ||
	    dup2(output_fd, STDERR_FILENO) < 0 || dup2(frame_fd, WORKER_FRAME_FD) < 0 ||
	    (worker->shared_fd > 0 && dup2(worker->shared_fd, WORKER_SHARED_FD) < 0))
		return -errno;
	for (const char *const *variable = worker->environment; variable && *variable; variable++)
		if (putenv((char *)(uintptr_t)*variable))
			return -errno;
	return putenv(told->parent) || putenv(told->deadline) || putenv(told->quiet) || putenv(told->shared) ? -errno
													     : 0;
}

static int fork_worker(struct worker *worker, int frame_fd, int output_fd)
{
	struct own_variables told = { 0 };
	sigset_t every, before;
	int argc = 0, err;

	while (worker->argv[argc])
		argc++;
	say_own(worker, &told);
	sigfillset(&every);
	sigprocmask(SIG_SETMASK, &every, &before);
	worker->pid = fork();
	err = worker->pid < 0 ? -errno : 0;
	if (!worker->pid) {
		int status = EXIT_FAILURE;

		if (!become_worker(worker, &told, frame_fd, output_fd))
			status = worker->main(argc, (char **)(uintptr_t)worker->argv);
		_exit(status);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

int worker_spawn(struct worker *worker, const char *path, int *ret_frame_fd, int *ret_output_fd)
{
	int frames[2], output[2], err;

	err = make_pipe(frames);
	if (err)
		return err;
	err = make_pipe(output);
	if (err) {
		close_pipe(frames);
		return err;
	}
	err = worker->main ? fork_worker(worker, frames[1], output[1]) : spawn(worker, path, frames[1], output[1]);
	if (err) {
		close_pipe(frames);
		close_pipe(output);
		return err;
	}
	close(frames[1]);
	close(output[1]);
	*ret_frame_fd = frames[0];
	*ret_output_fd = output[0];
	return 0;
}
