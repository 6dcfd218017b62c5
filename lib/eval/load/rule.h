/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - does a word fit a GPU, how near it is to fitting, and what is missing to tell. A condition whose figure is
 * not known excludes nothing: it leaves the rule open, with the reason.
 */
#pragma once

#include "eval/load/gpu_figures.h"
#include "eval/load/job.h"
#include "eval/load/load.h"
#include "eval/load/node_figures.h"

struct rule {
	bool is_excluded;		/* by a known figure */
	const char *missing;		/* name of the first figure that is not known; NULL: all are */
	struct val_head missing_head;
	double near;			/* 1: all that is known fits; else how near the furthest condition is */
	const char *key;		/* which of several reasons; "" */
};

#define RULE_FITS ((struct rule){ .near = 1.0, .key = "" })
static inline bool rule_fits(const struct rule *rule)
{
	return !rule->is_excluded && !rule->missing;
}
/* Nothing known is against it, and something is missing. */
static inline bool rule_is_open(const struct rule *rule)
{
	return !rule->is_excluded && rule->missing;
}

void rule_at_least(struct rule *rule, const char *what, struct val_f64 value, double least);
void rule_below(struct rule *rule, const char *what, struct val_f64 value, double limit);
/* The same of a figure that the rule can do without. */
void rule_below_if_known(struct rule *rule, struct val_f64 value, double limit);
void rule_requires(struct rule *rule, bool holds);
/* One of both: that which fits, else the open one, else the nearer one. */
struct rule rule_either(struct rule a, struct rule b);

/* What is judged: a GPU with its job and its node; or, where place is NO_PLACE, the process of --pid alone. */
struct scene {
	const struct policy *policy;
	const struct fold *fold;
	const struct job_roles *roles;
	size_t place;			/* of the GPU in the fold */
	struct gpu_figures gpu;
	struct job job;
	struct node_figures node;
	double worked_s;		/* how long its job did real work before */
	double spun_s;			/* how long it has been spinning */
	const struct scene *others;	/* all scenes of this tick, itself among them */
	size_t nr_others;
	const char *fault;		/* what is broken, or NULL */
	char fault_text[200];
	const struct scene *peer;	/* of a GPU that spins: one of its job that does not; or NULL */
	const struct scene *hardest;	/* of one that waits in a collective: the one of its job that works; or NULL */
	/* ranks that the others of its job waited for, each for some seconds; 0: none */
	size_t stragglers;
	const struct scene *straggler;	/* the newest of them */
	struct rule rules[NR_BOTTLENECKS];
};

static inline bool is_of_process(const struct scene *scene)
{
	return scene->place == NO_PLACE;
}
/* The GPU does not do what it could for a good part of the time; a process alone always may wait. */
static inline bool is_starved(const struct scene *scene)
{
	return is_of_process(scene) || scene->gpu.is_low;
}

/* Whoever uses it is visible here: not in another pid namespace, and not hidden by the driver. */
bool sees_processes(const struct scene *scene);
bool is_held(const struct scene *scene);

/* Each fills its part of scene->rules. */
void judge_gpu(struct scene *scene);		/* rules_gpu.c */
void judge_links(struct scene *scene);		/* rules_links.c */
void judge_host(struct scene *scene);		/* rules_host.c */
void judge_waits(struct scene *scene);		/* rules_waits.c */
void find_fault(struct scene *scene);		/* fault.c */

/* Before the others: whether the rank that a job waits for is another one every few seconds. */
void find_straggler(struct scene *scene);	/* straggler.c */

/* ---- what several of them need */

/* Threads at their limit that feed a GPU, one that works and one that spins until it is done: more share their work. */
enum { FEEDING_THREADS = 2 };

/* Activity that a kernel which only waits in a collective stays below, while its GPU is this busy. */
#define WAITS_TENSOR_PERCENT 10.0
#define WAITS_MEMORY_PERCENT 20.0
#define WAITS_BUSY_PERCENT 95.0

/* Those of the GPU with watch.share_percent or more of it, most first; at most max. */
size_t sharers_of(const struct scene *scene, const struct track **ret, size_t max);
enum { MAX_SHARERS = 4 };
/* All tasks of the job wait for I/O, or half of the samples of those that read do. */
struct rule rule_of_io_stall(const struct scene *scene);
