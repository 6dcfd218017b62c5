/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collective.h - what a run of all_reduce_perf came to: on which GPUs, why not, and what the links between them can
 * carry.
 */
#pragma once

#include "eval/judge/check.h"

/*
 * Why that run has no figure that could be judged, in words: it was not started, it failed, its output was none of
 * all_reduce_perf's, it ran on other GPUs than it was given. NULL: it has one.
 */
const char *collective_why_not(struct arena *arena, const struct collective_test *test);

/* The same where there is no record of it, or it was not permitted: of the request. NULL: there is a figure. */
const char *collective_why_no_figure(struct judgement *j);

/* "All-reduce", "All-to-all": what a sentence about it begins with; "A collective" where it is not told. */
const char *collective_words(const struct collective_test *test);

/* "GPUs 0-7" */
const char *collective_gpus(struct arena *arena, const struct snapshot *snapshot, const struct collective_test *test);

/*
 * What joins its GPUs, and what that carries in one direction, for the GPU that has least. Only for what is known to
 * make a ring of full rate; else bytes_per_s is 0. NVLink: each pair is joined, and the links of a GPU to the others or
 * to switches count. xGMI: each pair of eight GPUs has a link, so that there are as many as other GPUs. PCIe: the
 * weakest link below the processor.
 */
struct collective_limit {
	const char *path;		/* "NVLink", "xGMI", "PCIe" */
	double bytes_per_s;
	bool is_pcie;			/* also where NVLink joins only some of them */
	const char *how;
};
void collective_limit_of(struct arena *arena, const struct snapshot *snapshot, const struct collective_test *test,
			 struct collective_limit *ret);

/* Values that were wrong, by its rows or its own sum. */
uint64_t collective_wrong(const struct collective_test *test);

/* "NCCL_P2P_DISABLE=1, NCCL_ALGO=Tree"; NULL: nothing was set that may limit it. */
const char *collective_settings_words(struct arena *arena, const struct collective_test *test);
