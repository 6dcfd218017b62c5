// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/timing/rate.h"

static void eval(struct judgement *j)
{
	judge_rate(j, &(struct rate_question){
		.test = "memory-triad", .twin_ratio = j->policy->rate_memory_twin_ratio, .peak = gpu_memory_peak,
		.below_twins = MEMORY_BANDWIDTH_BELOW_TWINS, .low = MEMORY_BANDWIDTH_LOW,
		.at_limit = MEMORY_BANDWIDTH_AT_LIMIT,
	});
}

const struct check check_memory_bandwidth = {
	.name = "memory-bandwidth",
	.title = "Memory bandwidth",
	.doc = "Does a kernel move a device's memory as fast as on the other GPUs of its model on this node? One "
	       "whose best samples stay below rate.memory_twin_ratio of their median warns; held back by its default "
	       "power limit, it is a note down to rate.limit_twin_ratio. Compared with its memory clock and bus "
	       "width, or its data sheet, it is a note at most.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD | NEEDS_VENDOR,
	.says = "memory {rate}",
	.may_emit = IDS(MEMORY_BANDWIDTH_BELOW_TWINS, MEMORY_BANDWIDTH_AT_LIMIT, MEMORY_BANDWIDTH_LOW),
	.eval = eval,
};
