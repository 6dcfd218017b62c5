// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_tasks_births.c - processes that are new since the last tick.
 *
 * /proc/loadavg has the newest number of this pid namespace: whoever is new has a number between the last tick's and
 * that, whichever thread forked it and whether its parent still lives. Where that is too many to look at, or the numbers
 * began anew, the kernel's lists of children are read.
 */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

#include "base/alloc.h"
#include "base/text_scan.h"
#include "sys/clock.h"

enum { MOST_WAITING = 4096 };		/* numbers that wait for their turn: 4 ticks at the least */

/* The fifth word. */
static bool read_newest(struct task_watch *watch, uint64_t *ret)
{
	const char *at = watch->text;
	bool fits = true;
	size_t len;

	if (task_file_read(&watch->files, &watch->births.loadavg, watch->text, sizeof(watch->text), "/proc/loadavg"))
		return false;
	for (int word = 0; word < 4; word++)
		scan_word(&at, &len);
	at += strspn(at, " ");
	return scan_u64(&at, 10, ret, &fits) && fits;
}

void task_births_begin(struct task_watch *watch)
{
	watch->births = (struct task_births){ .loadavg = TASK_FILE_NONE };
	watch->births.has_last = read_newest(watch, &watch->births.last);
}

static void look_at_number(struct task_watch *watch, uint64_t pid)
{
	struct proc_stat stat;

	if (!task_find(watch, pid) && !task_read_stat(watch, pid, &stat))
		task_consider(watch, pid, &stat);
}

static void look_at_children(struct task_watch *watch, uint64_t pid, uint64_t tid)
{
	char text[TASKS_TEXT_BYTES];
	const char *at = text;
	uint64_t child;
	bool fits = true;

	if (task_file_read(&watch->files, NULL, text, sizeof(text), "/proc/%llu/task/%llu/children", (unsigned long long)pid,
			   (unsigned long long)tid))
		return;
	while (at += strspn(at, " "), scan_u64(&at, 10, &child, &fits) && fits)
		look_at_number(watch, child);
}

/* By their numbers, as some join, and others move, while this goes on. */
static void look_at_all_children(struct task_watch *watch, uint64_t end_ns)
{
	size_t nr = watch->nr;
	uint64_t *pids = xcalloc(nr + 1, sizeof(*pids));

	for (size_t i = 0; i < nr; i++)
		pids[i] = watch->processes[i]->pid;
	for (size_t i = 0; i < nr && clock_cpu_ns() < end_ns; i++) {
		const struct task_process *process = task_find(watch, pids[i]);

		look_at_children(watch, pids[i], pids[i]);
		for (size_t k = 0; process && k < process->nr_threads && clock_cpu_ns() < end_ns; k++) {
			if (process->threads[k].tid != pids[i])
				look_at_children(watch, pids[i], process->threads[k].tid);
			process = task_find(watch, pids[i]);	/* it may have made room */
		}
	}
	free(pids);
}

void task_births_read(struct task_watch *watch)
{
	struct task_births *births = &watch->births;
	uint64_t end_ns = clock_cpu_ns() + watch->budget_ns, newest;

	if (!watch->nr)
		births->has_last = read_newest(watch, &births->last);	/* nobody could be a parent */
	if (!watch->nr || !read_newest(watch, &newest))
		return;
	if (!births->has_last || newest < births->last || newest - births->last > MOST_WAITING) {
		look_at_all_children(watch, end_ns);
		births->last = newest;
		births->has_last = true;
		return;
	}
	while (births->last < newest) {
		look_at_number(watch, ++births->last);
		if (clock_cpu_ns() >= end_ns)
			return;
	}
}
