// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * worker_orphans.c - what workers started and left behind in sessions of their own.
 *
 * A library may fork a process that calls setsid(): no signal to its worker's group reaches it. While workers run this
 * process takes in orphans (PR_SET_CHILD_SUBREAPER), so that such a process becomes our child when the one that started
 * it ends, and is ended when all workers have.
 *
 * Only what is certain to come of a worker is ended. Where this process has no other children, and would take in
 * nobody else's orphans, that is every child that is no worker; else it is one whose environment says so, as every
 * worker's does. One that began meanwhile and has another environment altogether is named and left: a daemon may have
 * cleared it. What shares some of ours without the mark is an orphan of somebody else's.
 */
#include "base/compat.h"
#include "sys/worker.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "sys/clock.h"
#include "sys/worker_internal.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

enum { LOOK_AGAIN_NS = 1000000, MOST_ENVIRONMENT_BYTES = 256 << 10 };

static bool read_file(const char *path, struct strbuf *ret, size_t most)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;

	strbuf_reset(ret);
	while (fd >= 0 && ret->len < most) {
		strbuf_grow(ret, 4096);
		got = read(fd, ret->buf + ret->len, 4096);
		if (got <= 0)
			break;
		strbuf_setlen(ret, ret->len + (size_t)got);
	}
	if (fd >= 0)
		close(fd);
	return fd >= 0 && got >= 0;
}

/* The kernel's word, whatever /proc is mounted here: a child of ours. *ret_dead: it has ended, and waits for us. */
static bool is_child(pid_t pid, bool *ret_dead)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT))
		return false;
	*ret_dead = info.si_pid == pid;
	return true;
}

static bool add(struct worker_children *children, pid_t pid)
{
	bool is_dead;

	if (pid <= 0 || !is_child(pid, &is_dead))
		return true;
	if (children->nr == ARRAY_SIZE(children->pid))
		return false;
	children->pid[children->nr++] = pid;
	return true;
}

/* Kernels without CONFIG_PROC_CHILDREN: of all processes, those that are ours. */
static bool walk_processes(struct worker_children *ret)
{
	const struct dirent *entry;
	DIR *folder = opendir("/proc");
	bool all = folder;

	while (all && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			all = add(ret, (pid_t)strtol(entry->d_name, NULL, 10));
	if (folder)
		closedir(folder);
	return all;
}

/* False: not all of them are known. */
static bool list_children(struct worker_children *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;
	char path[64];
	char *at, *end;
	bool all = true;

	ret->nr = 0;
	snprintf(path, sizeof(path), "/proc/self/task/%ld/children", syscall(SYS_gettid));
	if (!read_file(path, &text, SIZE_MAX))
		return walk_processes(ret);
	for (at = text.buf; all; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		all = add(ret, (pid_t)pid);
	}
	return all;
}

static bool has(const struct worker_children *children, pid_t pid)
{
	for (size_t i = 0; i < children->nr; i++)
		if (children->pid[i] == pid)
			return true;
	return false;
}

/* Fields of /proc/PID/stat, counted from behind the name. */
enum { FIELD_FLAGS = 7, FIELD_STARTTIME = 20 };

/* 0: not known. */
static uint64_t stat_field(pid_t pid, unsigned nr)
{
	STRBUF_AUTO text = STRBUF_INIT;
	char path[64];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	at = read_file(path, &text, 4096) ? strrchr(text.buf, ')') : NULL;
	for (unsigned field = 0; at && field < nr; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

/* Past its own end, without an environment to read, and not reaped yet: PF_EXITING of linux/sched.h. */
static bool is_exiting(pid_t pid)
{
	return stat_field(pid, FIELD_FLAGS) & 0x4;
}

enum mark {
	MARK_OURS,	/* it has the environment that one of our workers was started with */
	MARK_NONE,	/* or one not from a worker; or unknown */
	MARK_CLEARED,	/* or nothing that it got from anybody here */
};

static bool is_our_variable(const char *variable)
{
	for (char **own = environ; own && *own; own++)
		if (!strcmp(*own, variable))
			return true;
	return false;
}

static enum mark mark_of(pid_t pid)
{
	enum mark mark = MARK_CLEARED;
	STRBUF_AUTO text = STRBUF_INIT;
	char path[64], variable[64];
	size_t len;

	/* Such a read waits with a process that waits in the kernel. */
	if (worker_task_state(pid) == 'D')
		return MARK_NONE;
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	len = (size_t)snprintf(variable, sizeof(variable), WORKER_OF_VARIABLE "=%d", (int)getpid()) + 1;
	if (!read_file(path, &text, MOST_ENVIRONMENT_BYTES))
		return MARK_NONE;
	for (size_t at = 0; at < text.len; at += strlen(text.buf + at) + 1) {
		if (at + len <= text.len && !memcmp(text.buf + at, variable, len))
			return MARK_OURS;
		if (is_our_variable(text.buf + at))
			mark = MARK_NONE;
	}
	return mark;
}

static uint64_t now_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return ((uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec) / (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

void worker_orphans_begin(struct worker_orphans *orphans)
{
	int was_reaper = 0;

	orphans->can_tell = list_children(&orphans->before);
	orphans->began_ticks = now_ticks();
	if (prctl(PR_GET_CHILD_SUBREAPER, &was_reaper))
		was_reaper = 0;
	orphans->was_reaper = was_reaper;
	orphans->has_others = was_reaper || getpid() == 1 || orphans->before.nr;
	if (orphans->can_tell && prctl(PR_SET_CHILD_SUBREAPER, 1))
		orphans->can_tell = false;
}

static bool is_worker(pid_t pid, struct child *const *children, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (children[i]->worker->pid == pid)
			return true;
	return false;
}

/* Ends and reaps what there is now. True: there was some. ret_left: those that do not go; ret_unsure: may be ours. */
static bool end_some(struct worker_orphans *orphans, struct child *const *children, size_t nr,
		     struct worker_children *ret_left, struct worker_children *ret_unsure)
{
	struct worker_children now;
	bool any = false;

	ret_left->nr = ret_unsure->nr = 0;
	list_children(&now);
	for (size_t i = 0; i < now.nr; i++) {
		pid_t pid = now.pid[i];
		bool is_dead = false;
		enum mark mark;

		/* A worker stuck in the kernel is reported elsewhere. */
		if (has(&orphans->before, pid) || is_worker(pid, children, nr) || !is_child(pid, &is_dead))
			continue;
		mark = is_dead || !orphans->has_others ? MARK_OURS : mark_of(pid);
		if (is_exiting(pid))
			mark = MARK_OURS;
		if (mark == MARK_CLEARED && stat_field(pid, FIELD_STARTTIME) >= orphans->began_ticks)
			ret_unsure->pid[ret_unsure->nr++] = pid;
		if (mark != MARK_OURS)
			continue;
		any = true;
		if (is_dead) {
			waitpid(pid, NULL, WNOHANG);
			continue;
		}
		kill(pid, SIGKILL);	/* one that it does not end is named */
		ret_left->pid[ret_left->nr++] = pid;
	}
	return any;
}

/* "pid 4711 (name), pid 4712 (name)", each with what is to be said of it, behind what buf holds. */
static void name_left(const struct worker_children *left, const char *remark, char *buf, size_t size)
{
	STRBUF_AUTO name = STRBUF_INIT;
	size_t len = strlen(buf);

	for (size_t i = 0; i < left->nr && len < size; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/comm", (int)left->pid[i]);
		read_file(path, &name, 64);
		strbuf_rtrim(&name);
		len += (size_t)snprintf(buf + len, size - len, "%spid %d (%s)%s", len ? ", " : "", (int)left->pid[i],
					name.len ? name.buf : "?", remark);
	}
}

/* Is any of them killed and only waits for a CPU to die on? */
static bool any_is_dying(const struct worker_children *left)
{
	for (size_t i = 0; i < left->nr; i++)
		if (worker_is_dying(left->pid[i]))
			return true;
	return false;
}

void worker_orphans_end(struct worker_orphans *orphans, struct child *const *children, size_t nr)
{
	const uint64_t now_ns = clock_now_ns(), give_up_ns = now_ns + WORKER_KILL_WAIT_MS * NS_PER_MS;
	const uint64_t dying_until_ns = now_ns + WORKER_DYING_MS * NS_PER_MS;
	struct worker_children left = { .nr = 0 }, unsure = { .nr = 0 };
	struct worker *first = NULL;

	if (!orphans->can_tell)
		return;
	/* What one of them had started is ours when it has ended. */
	while (end_some(orphans, children, nr, &left, &unsure) &&
	       (clock_now_ns() < give_up_ns || (any_is_dying(&left) && clock_now_ns() < dying_until_ns)))
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_AGAIN_NS }, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, orphans->was_reaper);
	/* A fork that reads files starts nothing. Which of several it was is unknown by now. */
	for (size_t i = 0; i < nr && !first; i++)
		if (!children[i]->worker->main)
			first = children[i]->worker;
	if (!first)
		return;
	name_left(&left, "", first->left, sizeof(first->left));
	name_left(&unsure, ", if it is the library's", first->left, sizeof(first->left));
}
