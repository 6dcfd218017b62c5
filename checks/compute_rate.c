// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/timing/rate.h"

static void eval(struct judgement *j)
{
	judge_rate(j, &(struct rate_question){
		.test = "fp32", .twin_ratio = j->policy->rate_compute_twin_ratio, .peak = gpu_fp32_peak,
		.below_twins = COMPUTE_RATE_BELOW_TWINS, .low = COMPUTE_RATE_LOW,
		.at_limit = COMPUTE_RATE_AT_LIMIT,
	});
}

const struct check check_compute_rate = {
	.name = "compute-rate",
	.title = "Compute rate",
	.doc = "Does a device compute, in single precision, as fast as the other GPUs of its model on this node? One "
	       "whose best samples stay below rate.compute_twin_ratio of their median warns: chips of one model "
	       "differ in their clocks. One held back by its default power limit is a note down to "
	       "rate.limit_twin_ratio. Compared with the data sheet it is a note at most.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD | NEEDS_VENDOR,
	.says = "FP32 {rate}",
	.may_emit = IDS(COMPUTE_RATE_BELOW_TWINS, COMPUTE_RATE_AT_LIMIT, COMPUTE_RATE_LOW),
	.eval = eval,
};
