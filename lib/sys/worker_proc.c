// SPDX-License-Identifier: GPL-2.0-or-later
/* worker_proc.c - what /proc has of a process that does not answer. */
#include "base/compat.h"
#include "sys/worker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sys/worker_internal.h"

/*
 * Reads a small file of one thread, as much as fits; "" when it can't be
 * read. None of the three files we ask for takes a lock of the process: these
 * reads do not hang with it, as one of its cmdline would.
 */
static void read_task(pid_t pid, pid_t task, const char *name, char *buf, size_t size)
{
	char path[64];
	size_t have = 0;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)task, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && have < size - 1) {
		got = read(fd, buf + have, size - 1 - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
	while (have && buf[have - 1] == '\n')
		have--;
	buf[have] = '\0';
}

static char task_state(pid_t pid, pid_t task)
{
	static const char label[] = "\nState:\t";
	char status[512];
	const char *at;

	read_task(pid, task, "status", status, sizeof(status));
	at = strstr(status, label);
	return at ? at[strlen(label)] : '\0';
}

/* The thread that holds the process up. A killed process whose main thread is dead already shows a zombie first. */
static pid_t find_stuck_task(pid_t pid, char *ret_state)
{
	const struct dirent *entry;
	pid_t found = pid;
	char path[64];
	DIR *tasks;

	*ret_state = task_state(pid, pid);
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = *ret_state == 'D' ? NULL : opendir(path);
	if (!tasks)
		return pid;
	while (found == pid && (entry = readdir(tasks))) {
		pid_t task = (pid_t)strtol(entry->d_name, NULL, 10);

		if (task > 0 && task_state(pid, task) == 'D') {
			*ret_state = 'D';
			found = task;
		}
	}
	closedir(tasks);
	return found;
}

bool process_is_stopped(pid_t pid)
{
	char state = task_state(pid, pid);

	return state == 'T' || state == 't';
}

char worker_task_state(pid_t pid)
{
	return task_state(pid, pid);
}

bool worker_is_running(const struct worker *worker)
{
	return task_state(worker->pid, worker->pid) == 'R';
}

bool worker_is_dying(pid_t pid)
{
	char state;

	find_stuck_task(pid, &state);
	return state == 'R' || state == 'Z' || state == 'X';
}

void worker_read_stuck(struct worker *worker)
{
	pid_t task = find_stuck_task(worker->pid, &worker->state);

	read_task(worker->pid, task, "wchan", worker->wchan, sizeof(worker->wchan));
	if (!strcmp(worker->wchan, "0"))	/* so it says to those who may not know */
		worker->wchan[0] = '\0';
	read_task(worker->pid, task, "stack", worker->stack, sizeof(worker->stack));
}
