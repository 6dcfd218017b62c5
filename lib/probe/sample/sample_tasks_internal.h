/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_tasks_internal.h - source "sample-tasks" by its parts. Private to sample_tasks*.c.
 *
 * Watched is whoever holds a GPU open, whom --pid or the command names, and their descendants. A family are those who
 * are watched for one reason: a holder's children, or the tree of the command; its members stay in it when their
 * parents exit. What would cost more than a few milliseconds is spread over ticks.
 */
#pragma once

#include <sched.h>

#include "probe/device/gpu_nodes.h"
#include "probe/process/proc_stat.h"
#include "probe/sample/proc_numbers.h"
#include "probe/sample/sample.h"

enum {
	TASKS_MAX_PROCESSES = 512,
	TASKS_MAX_THREADS = 1 << 17,	/* that are remembered, of all processes */
	TASKS_MAX_GROUPS = 64,
	TASKS_MAX_GPUS = 256,
	TASKS_NR_BUSIEST = 20,
	TASKS_TEXT_BYTES = 16384,	/* of a file of a task that is read at once */
};
#define TASKS_BUDGET_NS UINT64_C(5000000)
#define TASKS_ROUND_NS UINT64_C(5000000000)	/* from one walk over all of /proc to the next */
#define TASKS_TICK_NS (UINT64_C(1000000000) / PROC_TICKS_A_SECOND)

/* ---- sample_tasks_file.c: files of tasks, kept open while there is room */

/* Live, a file that is kept open fails with -ESRCH when its task has exited, whoever has the number by then. */
struct task_file { int fd; };
#define TASK_FILE_NONE { .fd = -1 }

struct task_files {
	const struct root *root;
	size_t kept, most;
};

/* How many this process may keep open; raises its own limit as far as it may. */
void task_files_begin(struct task_files *files, const struct root *root);
/* The file's text, cut at size. file: NULL: it is not kept. 0 or -errno. */
int task_file_read(struct task_files *files, struct task_file *file, char *text, size_t size, const char *path_format,
		   ...) PRINTF_LIKE(5, 6) MUST_CHECK;
void task_file_close(struct task_files *files, struct task_file *file);

/* ---- watched processes */

struct task_thread {
	uint32_t tid;
	bool was_busiest;		/* in the last tick: it is read in this one too */
	uint64_t tick;			/* in which it was read last; 0: never */
	uint64_t at_ns, run_ns, wait_ns;	/* as it was then; of wait_ns see watch->has_schedstat */
	double rate;			/* of a CPU, used and waited for, between its last two readings */
	struct task_file schedstat;
	struct task_file stat, wchan;	/* of the busiest */
};

struct task_process {
	uint64_t pid, family;
	bool is_asked, is_requested;	/* the process of --pid itself; it or a descendant */
	bool is_holder, is_founder;	/* has a GPU open; its family is watched for that */
	bool has_own_session, has_own_group;	/* made by one of its family: whoever is in it belongs to them */
	bool is_gone;
	bool may_trace;			/* the kernel lets us know all of it */
	uint64_t gpus[TASKS_MAX_GPUS / 64];	/* bits of task_watch.gpus */
	struct proc_stat stat;
	struct task_file stat_file, io_file;
	struct val_u64 cpus_allowed;	/* its reason is static */
	const struct task_group *group;	/* NULL: not known */
	uint64_t attributes_tick;	/* when the last two were read */
	struct task_thread *threads;	/* by tid */
	size_t nr_threads;
	bool list_is_stale;		/* threads came or went */
	uint64_t ticks_of_lone;		/* CPU time of the process as its only thread was read last */
};

/* A GPU that was told, and the number of its /dev/nvidiaN. */
struct task_gpu {
	char address[32];
	bool is_nvidia, is_amd, has_minor;
	uint64_t minor;
};

/* A process as the last walk over /proc found it. */
struct task_seen {
	uint32_t pid, parent, group, session;
	uint64_t started_ticks, activity;
	bool is_kernel_thread, is_denied;
};

struct task_seen_list {
	struct task_seen *items;	/* by pid */
	size_t nr, room;
};

struct task_walk {
	struct proc_numbers numbers;
	bool is_under_way;
	uint64_t round, began_ns;
	struct task_seen_list before, now;
	size_t before_at;
	bool may_be_gpus;
	struct gpu_nodes nodes;
	uint64_t denied, left_out;	/* of the round that is under way */
	size_t per_tick;		/* so that a round ends in time */
};

/* "UVM GPU3 BH": a thread of NVIDIA's driver that serves page faults of a GPU. */
struct task_fault_thread {
	uint64_t pid, started_ticks;
	struct task_file stat_file;
};

struct task_births {
	struct task_file loadavg;
	bool has_last;
	uint64_t last;			/* numbers up to this one were looked at */
};

struct task_turn { uint64_t pid, tid; };	/* whose turn it is */

struct task_watch {
	struct sample_env *env;
	struct probe_env probe;
	struct task_files files;
	uint64_t tick;			/* counted from 1 */
	uint64_t now_ns;
	uint64_t budget_ns;		/* CPU time in a tick, of each: births, the walk, threads, groups */
	const char *hidden_why;		/* processes are hidden, however many; NULL: none are by design */
	struct task_gpu *gpus;
	size_t nr_gpus;
	uint64_t asked, own_pid, parent_pid;
	bool asked_was_seen;		/* its number may be another's once it exited */
	uint64_t asked_parent, asked_ticks;	/* whose child it was, and since when */
	char *asked_group;		/* the asked process's control group where nobody else is in it; NULL */
	uint64_t families;		/* numbered so far */
	struct task_process **processes;	/* by pid */
	size_t nr;
	struct task_walk walk;
	struct task_births births;
	struct task_fault_thread *fault_threads;
	size_t nr_fault_threads;
	uint64_t left_out;		/* processes, as of the last round */
	struct val_u64 hidden;
	size_t nr_threads;		/* remembered, of all processes */
	struct proc_numbers listing;	/* the threads of the process listing_pid, while they are listed */
	uint64_t listing_pid;
	uint64_t *listed;
	size_t nr_listed;
	bool has_schedstat;
	struct task_turn turn;
	struct task_groups *groups;
	bool has_cpus;			/* the next three are known */
	cpu_set_t may_use, uses, busy;	/* CPUs of this worker at first and now; those of busy threads in this tick */
	char text[TASKS_TEXT_BYTES];
};

static inline bool task_has_gpu(const struct task_process *process, size_t gpu)
{
	return process->gpus[gpu / 64] >> gpu % 64 & 1;
}

/* ---- sample_tasks_set.c: who is watched */

struct task_process *task_find(const struct task_watch *watch, uint64_t pid);
/* The watched process that makes this one one of its family, by parentage, session or process group; NULL: none. */
struct task_process *task_relative(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat);
/* Watches it too, as one of that family (0: one of its own). NULL: there is no room, which is counted. */
struct task_process *task_join(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat, uint64_t family);
/* Looks at a process that was not known: it joins where it belongs to somebody. */
void task_consider(struct task_watch *watch, uint64_t pid, const struct proc_stat *stat);
/* A holder that was met before those it descends from: it and its family become theirs. False: it is nobody's. */
bool task_adopt(struct task_watch *watch, uint64_t pid);
/* It has closed its GPUs: it and its family are not watched any longer, but for those who hold some themselves. */
void task_dissolve(struct task_watch *watch, struct task_process *founder);
void task_remove_gone(struct task_watch *watch);
void task_remove_all(struct task_watch *watch);
/* gpudiag, its workers, and what they are before they have their names. */
bool task_is_ours(const struct task_watch *watch, uint64_t pid, const struct proc_stat *stat);
/* Of sample_tasks_free.c: closes its files. */
void task_thread_close(struct task_watch *watch, struct task_thread *thread);
void task_free(struct task_watch *watch, struct task_process *process);
int task_read_stat(struct task_watch *watch, uint64_t pid, struct proc_stat *ret) MUST_CHECK;

/* ---- sample_tasks_walk.c: all of /proc, a piece in each tick; sample_tasks_gpus.c: the GPUs among open files */

void task_walk_step(struct task_watch *watch);
/* All of it at once. */
void task_walk_whole(struct task_watch *watch);
void task_walk_release(struct task_watch *watch);
struct val_u64 task_faults_ns(struct task_watch *watch);

/* Which GPUs the process has open. False: it holds none. error: of reading its list. */
bool task_gpus_of(struct task_watch *watch, uint64_t pid, uint64_t ret_gpus[TASKS_MAX_GPUS / 64], int *error);

/* ---- sample_tasks_births.c: processes that are new since the last tick */

void task_births_begin(struct task_watch *watch);
void task_births_read(struct task_watch *watch);

/* ---- sample_tasks_process.c, sample_tasks_threads.c */

/* Reads all watched processes; the gone are taken out. */
void task_processes_read(struct task_watch *watch);
void task_processes_fill(struct task_watch *watch, struct tick *ret);
/* On top: their threads. */
void task_threads_fill(struct task_watch *watch, struct tick *ret);

/* ---- sample_tasks_cpus.c: this worker keeps off the CPUs of the threads that it watches */

void task_cpus_begin(struct task_watch *watch);
/* In each tick: a busy thread ran there; then this worker moves. */
void task_cpus_note(struct task_watch *watch, uint64_t cpu);
void task_cpus_keep_off(struct task_watch *watch);
void task_cpus_end(struct task_watch *watch);

/* ---- sample_tasks_groups.c: control groups */

struct task_groups *task_groups_open(struct task_watch *watch);
/* The group of a process, by the text of its cgroup file; NULL: none, or there is no room. */
const struct task_group *task_group_of(struct task_watch *watch, const char *text);
const char *task_group_key(const struct task_group *group);
/* Those of watched processes; others are forgotten. */
void task_groups_fill(struct task_watch *watch, struct tick *ret);
void task_groups_close(struct task_groups *groups);
