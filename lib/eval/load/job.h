/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.h - the processes behind a GPU, or those of --pid: who feeds it, who loads data for it, and what they wait for.
 *
 * The holders of a GPU are its job. Their children that do not compute on it are workers, as those of a data loader;
 * one that was forked has the GPU's files open too, and is known by its name or by not being in the driver's list.
 */
#pragma once

#include "eval/load/fold.h"

enum { MAX_WCHANS = 8 };
struct job_wchan { const char *name; size_t nr; };

struct job {
	struct watch_span span;
	bool is_seen;			/* any of its processes */
	size_t nr_holders;
	size_t nr_unseen;		/* processes on the GPU by its driver's list that are not visible here */
	uint64_t unseen_pid;
	const struct fold_process *main;	/* of its holders, the one that uses most CPU time */
	struct val_f64 main_percent;	/* of a CPU, as all below */
	struct val_f64 all_percent;	/* of main and workers, polite spinning (sched_yield) left out */
	double polite_percent;		/* what was left out */
	size_t workers, pegged;		/* processes; of them, at their limit */
	double workers_percent;		/* mean of the workers */
	const struct fold_process *worker;	/* the busiest */
	const struct fold_thread *thread;	/* of its holders, the busiest */
	struct val_f64 thread_percent, thread_switches;
	bool thread_is_polite;		/* it gives its CPU away all the time: a wait, and no work */
	size_t threads_pegged;		/* of its holders, at the limit of a CPU with work */
	struct val_f64 run_wait_percent;	/* time in the run queue, of the time on a CPU */
	struct val_f64 queued_percent;	/* the same, of the time that its threads were ready to run */
	struct val_f64 ready_percent;	/* samples of its holders in which a thread ran or was ready to */
	struct val_f64 io_wait_percent;	/* of the samples of those that read */
	/* the same of the few samples that there are before that can be told; 0: none */
	double io_seen_percent;
	struct val_f64 written, read, read_call_bytes, read_calls, major_faults;	/* a second */
	const struct track *group;	/* control group of its main process, or NULL */
	struct val_f64 io_full_percent, memory_full_percent, throttled_percent, cpu_quota, memory_ratio, memory_stalls;
	struct val_f64 refaults;	/* a second */
	bool pressure_is_of_node;	/* that of its group is not known */
	struct val_f64 cpus_allowed;
	size_t nr_wchans;
	struct job_wchan wchans[MAX_WCHANS];	/* in which its threads sleep, most of them first */
};

/* Once a tick: who is whose worker, by place among the fold's processes. */
struct job_roles {
	size_t nr;
	bool *is_client;		/* a driver counts its work on some GPU */
	size_t *owner;			/* the holder that it works for; NO_PLACE: none, it is no worker */
};
void job_roles_of(const struct fold *fold, struct job_roles *ret);
void job_roles_release(struct job_roles *roles);

/* Of the GPU at that place of the fold. */
void job_of_gpu(const struct fold *fold, const struct policy *policy, const struct job_roles *roles, size_t place,
		const struct watch_span *span, struct job *ret);
/* Of a process and its descendants. */
void job_of_pid(const struct fold *fold, const struct policy *policy, uint64_t pid, struct job *ret);

/* The process at that place computes on that GPU. */
bool job_holds(const struct fold *fold, const struct job_roles *roles, size_t process, size_t place);
/* Two processes are of one job: parent and child, ranks of one launcher, of one control group or batch job. */
bool is_one_job(const struct fold *fold, uint64_t a, uint64_t b);
/* Holders of the two GPUs are. */
bool gpus_are_of_one_job(const struct fold *fold, const struct job_roles *roles, size_t a, size_t b);
/* That process or a descendant of it. */
/* A display, or a daemon that watches GPUs: it has one open, and puts no work on it that counts. */
bool is_idle_program(const struct fold_process *process);
bool is_below(const struct fold *fold, const struct fold_process *process, uint64_t pid);
/* CPU time of all watched processes that are of one job with its main process, per cent of one CPU. */
double job_family_percent(const struct fold *fold, const struct job *job);
/* CPU use over the span, per cent of one CPU. */
struct val_f64 process_percent(const struct fold_process *process, const struct watch_span *span);
