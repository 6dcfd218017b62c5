// SPDX-License-Identifier: GPL-2.0-or-later
/* worker_child.c - the child's side: what a worker does before anything else. */
#include "base/compat.h"
#include "sys/worker.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "sys/descriptors.h"
#include "sys/worker_internal.h"

int worker_shared_fd(void)
{
	return strcmp(worker_told(WORKER_SHARED_VARIABLE), "4") ? -1 : WORKER_SHARED_FD;
}

/*
 * What is ignored stays ignored over exec. A handler that is there at this
 * moment belongs to this process (a sanitizer's) and stays.
 */
static void reset_signals(void)
{
	struct sigaction action;
	sigset_t none;

	for (int i = 1; i <= SIGRTMAX; i++) {
		if (sigaction(i, NULL, &action) || action.sa_handler != SIG_IGN)
			continue;
		action.sa_handler = SIG_DFL;
		sigaction(i, &action, NULL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int worker_child_setup(void)
{
	/*
	 * 1 and not 0: a dump to a pipe (systemd-coredump) is taken at 0 as well,
	 * which for a process with a GPU mapped lasts longer than any deadline.
	 */
	struct rlimit core = { .rlim_cur = 1, .rlim_max = 1 };
	const char *parent = getenv(WORKER_PARENT_VARIABLE);

	if (setrlimit(RLIMIT_CORE, &core)) {
		core.rlim_cur = core.rlim_max = 0;
		if (setrlimit(RLIMIT_CORE, &core))
			return -errno;
	}
	reset_signals();
	descriptors_close_from((worker_shared_fd() < 0 ? WORKER_FRAME_FD : WORKER_SHARED_FD) + 1);

	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	/*
	 * A parent that died before this line sends no signal. getppid() == 1
	 * does not tell: orphans may go to a subreaper, and in a container 1 may
	 * be the parent itself. So the parent says who it is. No variable: a
	 * person started this worker by hand.
	 */
	if (parent && strtol(parent, NULL, 10) != getppid())
		return -ESRCH;
	unsetenv(WORKER_PARENT_VARIABLE);
	return 0;
}

static volatile int asked_to_end;	/* a signal's handler can reach nothing else */

static void on_sigterm(int signal_number)
{
	(void)signal_number;
	asked_to_end = 1;
}

const volatile int *worker_child_catch_sigterm(void)
{
	/* Restarted: what a driver waits for is not to fail because of us. */
	struct sigaction action = { .sa_handler = on_sigterm, .sa_flags = SA_RESTART };

	sigaction(SIGTERM, &action, NULL);
	return &asked_to_end;
}

static unsigned told_ms(const char *variable)
{
	const char *told = getenv(variable);
	uint64_t ms;

	return told && !parse_u64(told, &ms) && ms <= UINT_MAX ? (unsigned)ms : 0;
}

unsigned worker_child_deadline_ms(void)
{
	return told_ms(WORKER_DEADLINE_VARIABLE);
}

unsigned worker_child_quiet_ms(void)
{
	return told_ms(WORKER_QUIET_VARIABLE);
}

const char *worker_told(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

int worker_own_path(char *buf, size_t size)
{
	static const char self[] = "/proc/self/exe";
	ssize_t len = readlink(self, buf, size);

	if (len < 0)
		return -errno;
	if ((size_t)len >= size)
		return -ENAMETOOLONG;
	buf[len] = '\0';
	/* Replaced by an update while it runs: the link still leads to it, its text no longer does. */
	if (access(buf, X_OK) && sizeof(self) <= size)
		memcpy(buf, self, sizeof(self));
	return 0;
}
