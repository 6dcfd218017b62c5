/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rate.h - a measured rate against the twins' and against what the GPU can at
 * most: the question that the checks of memory and compute share.
 */
#pragma once

#include "eval/facts/twin_stats.h"
#include "eval/judge/check.h"

struct rate_question {
	const char *test;		/* of the timing, "memory-triad" */
	double twin_ratio;		/* share of the twins' median from which it is as fast as they are */
	bool (*peak)(const struct gpu *gpu, struct peak *ret);
	enum finding_id below_twins, low;
	enum finding_id at_limit;	/* below its twins, as far as a power limit of full height explains */
};

/*
 * Evidence: "rate" (median), "best_rate" (the 95th percentile), "twin_rate",
 * "peak_rate". Slower than its twins is a GPU whose best samples are: what is
 * fast at times is disturbed, which is timing-jitter's.
 */
void judge_rate(struct judgement *j, const struct rate_question *asked);
