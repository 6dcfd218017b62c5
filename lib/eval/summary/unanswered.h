/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unanswered.h - the values of a snapshot that were asked for and failed, and
 * what those weigh on the results.
 *
 * All values of the GPUs that are judged and of the node's own records are walked by
 * the tables: none is passed by because a check read it in a way that does not
 * tell. Elements of the node's lists (disks, processes …) are left to the checks
 * that need them.
 */
#pragma once

#include "eval/judge/report.h"
#include "eval/judge/unknown.h"

/* Values of one GPU, or of the node, that failed alike: in the order of GPUs (the node first), worst kind first. */
struct unanswered {
	const struct gpu *gpu;		/* NULL: the node */
	size_t gpu_index;		/* valid with gpu */
	enum unknown_kind kind;		/* LISTED or BY_FAILURE */
	enum val_state state;
	const char *why;		/* may be NULL */
	const char *check;		/* which a failure leaves open */
	const struct policy_quiet *quiet;	/* that a policy keeps from weighing; NULL: nothing does */
	bool weighed;				/* a result has it */
	const struct finding *told_by;		/* the fault that it follows from; NULL: none is known */
	size_t nr_values;
	/* "power_mw", "links.3.state": as the snapshot has them below the GPU or the node */
	const char **values;
	const struct field *first;	/* the row of the first */
};

/* A fault of the node by which no program can begin to use a GPU of NVIDIA's driver, however well the GPUs are. */
bool finding_closes_nvidia(const struct finding *finding);

/* of_gpus: the policy as it holds for each GPU, in the snapshot's order. */
void unanswered_find(struct report *report, const struct policy *const *of_gpus);

/*
 * Results of checks that a failure leaves open, and of those that needed the value: what passed, was skipped or
 * noted something is unknown now, and each has its failure told. A failure that
 * follows from a fault of that GPU or of the driver is told by its finding alone.
 */
void unanswered_weigh(struct report *report, struct result *results, size_t nr, struct finding *const *findings,
		      size_t nr_findings);

/*
 * Codes that speak of a GPU weigh also where the check that tells of them was
 * not asked (--check, --skip): is it such a failure, and has no result it?
 */
bool unanswered_lacks_result(const struct unanswered *unanswered);
/* Its result for that check: unknown, with the failure as its reason. */
void unanswered_fill_result(struct arena *arena, struct result *result, const struct unanswered *unanswered);

/* "GPUs 0-7: power, fan and 3 more values: failed: NVML_ERROR_UNKNOWN": of all GPUs alike, once; NULL: not here. */
const char *unanswered_sentence(struct arena *arena, const struct report *report, size_t at);

/* The first that weighs and that no finding tells; NULL: there is none. */
const struct unanswered *unanswered_first_failure(const struct report *report);

/* Did anything fail to answer that speaks of this GPU, or of all of its driver's? */
bool gpu_failed_to_answer(const struct report *report, const struct gpu *gpu);
