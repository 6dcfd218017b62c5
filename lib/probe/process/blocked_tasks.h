/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocked_tasks.h - tasks in uninterruptible sleep: where, how long, in whose driver.
 *
 * Most such sleeps last milliseconds and belong to disks. All are kept, the
 * ones in a GPU driver first and the longest next, up to a number that a node
 * whose file server died does not exceed by much.
 */
#pragma once

#include "probe/probe.h"
#include "probe/process/proc_stat.h"

enum { MAX_BLOCKED_TASKS = 256 };

/* One blocked task, as the walk over /proc found it. */
struct blocked_task {
	const char *pid, *thread;
	const struct proc_stat *stat;
	const char *held_driver;	/* of a GPU whose node its process holds, or NULL */
	int files_error;		/* why that could not be seen, or 0 */
};

struct blocked_tasks {
	struct arena arena;
	struct task *tasks;
	size_t nr;
	double now_ms;			/* on the clock of se.exec_start; 0: not known */
};

/* On zeroed memory. */
void blocked_tasks_begin(struct blocked_tasks *blocked, struct probe_env *env);
/* Reads where the task sleeps and how long. */
void blocked_tasks_add(struct blocked_tasks *blocked, struct probe_env *env, const struct blocked_task *task);
/* Does any of them wait in that driver? */
bool blocked_tasks_in(const struct blocked_tasks *blocked, const char *driver);
/* How many will be left out. */
size_t blocked_tasks_cut(const struct blocked_tasks *blocked);
/* Adds them to the facts, the most telling MAX_BLOCKED_TASKS. */
void blocked_tasks_send(struct blocked_tasks *blocked, struct sink *sink);
void blocked_tasks_release(struct blocked_tasks *blocked);
