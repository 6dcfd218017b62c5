/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what was judged: all a renderer gets.
 *
 * judge() makes it from a sealed snapshot; the same snapshot, playbook and
 * policy give the same report. Everything in it is const to its readers and
 * lives in the report's arena, in the snapshot or in the policy, which must
 * outlive it.
 */
#pragma once

#include "base/arena.h"
#include "eval/judge/check.h"

/* What a result or finding is about. */
struct subject {
	enum subject_kind kind;
	const struct gpu *gpu;		/* NULL where none is meant */
	size_t gpu_index;		/* its number (snapshot/under_test.h); valid with gpu */
	const struct ocl_device *device;
	const struct probe_run *probe;
	const char *name;		/* "node", "GPU 3", "opencl:pocl.icd:0", "pci-link 0000:5d:00.0" */
	/* PCI address or OpenCL key; NULL for the node, but of a GPU it has no more, and for probes */
	const char *address;
};

/*
 * One observed value. field says what, in which unit, from where, and how to
 * write it (value_write, value_format of snapshot.h); for a computed one the
 * row was made by derive(). expected.head.state is VAL_UNSET where nothing
 * was expected.
 */
struct evidence {
	const struct field *field;
	const char *of;			/* which thing, where it is not the subject; or NULL */
	union any_value observed, expected;
	bool is_phrase;			/* part of a sentence; says nothing that other evidence does not */
};

struct evidence_list {
	size_t nr;
	const struct evidence *items;
};

struct step {
	const char *text;
	const char *command;		/* or NULL */
	bool disruptive;
	bool after_change;		/* of a gate to another driver: to be done when that is there */
	const char *expect;		/* what it will show, and what that means; or NULL */
};

enum { MAX_POSSIBLE_CAUSES = 3 };

struct finding {
	enum finding_id id;
	const struct finding_def *def;
	enum outcome outcome;		/* def's, unless regraded, quiet or explained by maintenance */
	enum blame blame;		/* def's, unless its evidence points to another (question_blames()) */
	const struct policy_regrade *regraded;	/* by what; NULL: by nothing */
	const struct policy_quiet *quiet;	/* known of, and a note for that; NULL: it is not */
	/* the work under way that explains it, and a note for that; NULL: none does */
	const struct finding *maintenance;
	enum stage stage;
	const struct check *check;
	struct subject subject;
	const char *title, *why;	/* filled */
	/* hash of machine, GPU, finding and which of several: the same tomorrow, so that tickets do not double */
	char key[17];
	struct evidence_list evidence;
	size_t nr_steps;
	const struct step *steps;
	const struct finding *caused_by;	/* or NULL */
	/* Warnings of different kinds that explain it equally well, where none of them is caused_by. */
	size_t nr_possible;
	const struct finding *possible[MAX_POSSIBLE_CAUSES];
	size_t group;			/* which of the report's groups tells it */
	unsigned unfilled;		/* places of its templates that found no evidence: a bug, tests look at it */
};

struct result {
	const struct check *check;
	enum stage stage;
	bool required;
	bool gate_only;			/* of a check that gpudiag gate alone asks */
	struct subject subject;
	enum outcome outcome;
	const char *reason;		/* of skip and unknown, and what a pass says; NULL otherwise */
	/* what failed to answer and leaves it open (eval/judge/unknown.h); NULL: nothing did */
	const char *failure;
	/* work under way that explains a finding of it, and leaves it open; or NULL */
	const struct finding *maintenance;
	struct evidence_list evidence;
	const struct finding *caused_by;	/* of unknown: after which nobody could ask; or NULL */
};

struct report;
struct unanswered;		/* eval/summary/unanswered.h */
struct conditions;		/* eval/facts/conditions.h */
struct holding;			/* eval/facts/holders.h */

/* Unknown, and no pass may stand beside it: what is required, failed to answer, or is not blamed during maintenance. */
bool result_is_open(const struct result *result);
/* Was something of the node judged? That the files of a copy could be read says nothing of it. */
bool result_is_judged(const struct report *report, const struct result *result);

/* The same finding on several subjects, told once. */
struct group {
	const struct finding *first;
	size_t nr;			/* GPUs, each counted once; else 1 */
	size_t nr_members;
	const size_t *members;		/* which of the report's findings, rising; the first is `first` */
	const char *subjects;		/* "GPU 3", "GPUs 0-7", "node" */
	const char *sentence;		/* whole: with address, slot and serial where it is one GPU */
};

/* Which group tells that finding of the report. */
const struct group *group_of(const struct report *report, const struct finding *finding);

struct report_stage {
	enum outcome outcome;		/* OUTCOME_SKIP where nothing of it applied */
	bool any;			/* any check of this stage was run at all */
	const char *summary;
	const char *detail;		/* id of its worst finding, or NULL */
};

enum gpu_state { GPU_USABLE, GPU_SUSPECT, GPU_UNUSABLE, GPU_NOT_JUDGED };
const char *gpu_state_name(enum gpu_state state);

struct report_gpu {
	size_t index;
	const struct gpu *gpu;
	const char *model;		/* "NVIDIA H100 SXM5 80GB", or "10de:2330" where no list names it */
	/* "gpu", "display" (a BMC's), "integrated", "virtual-function", "not-ours", "passed-through" */
	const char *role;
	bool under_test;
	bool asleep;			/* suspended, and not judged for that */
	bool unanswered;		/* its library answers, and not for this GPU */
	enum gpu_state state;
};

struct report_timing {
	const char *test, *key;		/* "h2d-pinned", and with what it was varied by: "h2d-pinned/65536" */
	struct subject subject;
	uint64_t size_bytes;
	bool has_size;
	enum unit unit;			/* UNIT_GBPS, UNIT_GFLOPS or UNIT_NS */
	double median, p5, p95, p99, min, max, mad;
	size_t n;
	bool noisy;			/* MAD over 5 % of the median */
	const char *method;
	const struct timing *timing;	/* the rest: clock, width, group, node, settled, CPU */
	const struct conditions *conditions;	/* what its GPU was like meanwhile; NULL: no sample, or no GPU */
};

enum verdict { VERDICT_PASS, VERDICT_WARN, VERDICT_FAIL, VERDICT_UNKNOWN };
const char *verdict_name(enum verdict verdict);

struct decision {
	enum action action;
	const struct finding *finding;	/* that asks for it; NULL: none does */
	const char *reason;
	const char *schedulable;	/* "yes", "no", "after-reset", "not-judged" */
	size_t nr_unusable;
	const char **unusable;		/* PCI addresses */
	/* "GPUs 0-2 and 4-7 usable, GPU 3 unusable, held by python3 (pid 7)"; NULL: none under test */
	const char *gpus;
	size_t nr_steps;
	const struct step *steps;
};

struct report {
	struct arena arena;
	const struct snapshot *snapshot;
	const struct policy *policy;		/* as it holds for this machine */
	size_t nr_results;
	const struct result *results;		/* in playbook order */
	struct strs left_out;			/* required checks that the request leaves out (--check, --skip) */
	size_t nr_findings;
	const struct finding **findings;	/* worst first, then in playbook order */
	size_t nr_groups;
	const struct group *groups;		/* in the findings' order */
	struct report_stage stages[NR_STAGES];
	size_t nr_gpus;
	const struct report_gpu *gpus;		/* by index */
	size_t nr_unanswered;
	struct unanswered *unanswered;		/* values that failed, the node's first (eval/summary/unanswered.h) */
	size_t nr_holdings;
	const struct holding *holdings;		/* who holds GPUs, by pid (eval/facts/holders.h) */
	struct node_log *log;			/* what the kernel's log tells */
	size_t nr_timings;
	const struct report_timing *timings;
	/* work on a driver that is under way (eval/summary/maintenance.c); NULL: none */
	const struct finding *maintenance;
	enum verdict verdict;
	const char *headline;			/* one sentence */
	const struct finding *hindrance;	/* note that the headline tells where nothing is broken; NULL: none */
	/* all that is open is whether a GPU belongs here; NULL: more, or nothing */
	const struct finding *no_gpu;
	const struct finding *open;		/* whose possible causes the headline tells; NULL: it tells none */
	struct decision decision;
	const struct gate_answer *gate;		/* eval/gate/gate.h; NULL: a run, which answers nothing */
	int exit_status;			/* by exit_status.h, before an interruption is counted in */
	size_t nr_checks, nr_skipped, nr_unknown;	/* by result */
	struct strs messages;			/* what the reader should know of the run itself */
};

/* What a snapshot is judged by. Both outlive the report. */
struct judge_inputs {
	const struct policy *policy;
	const struct baseline *baseline;	/* eval/baseline/baseline.h; NULL: none */
};

/*
 * Judges a snapshot that is whole, and keeps an index of its GPUs in it (snapshot/under_test.h). report_release() frees
 * what it made; the snapshot stays the caller's.
 */
void judge(struct report *ret, struct snapshot *snapshot, const struct playbook *playbook,
	   const struct judge_inputs *basis);
void report_release(struct report *report);
