// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/timing/transfer.h"

static void eval(struct judgement *j)
{
	static const struct transfer_question asked = {
		.way = &transfer_to_host,
		.says = {
			[TRANSFER_NARROW_LINK] = TRANSFER_D2H_NARROW_LINK,
			[TRANSFER_BELOW_CAPABLE] = TRANSFER_D2H_BELOW_CAPABLE,
			[TRANSFER_PAGEABLE] = TRANSFER_D2H_PAGEABLE,
			[TRANSFER_LOW] = TRANSFER_D2H_LOW,
			[TRANSFER_EXCUSED] = TRANSFER_D2H_EXCUSED,
			[TRANSFER_BELOW_TWINS] = TRANSFER_D2H_BELOW_TWINS,
			[TRANSFER_BELOW_RECORDED] = TRANSFER_D2H_BELOW_BASELINE,
			[TRANSFER_NO_PINNED_PATH] = TRANSFER_D2H_NO_PINNED_PATH,
			[TRANSFER_WEAK_LINK] = TRANSFER_D2H_WEAK_LINK,
			[TRANSFER_SLOW] = TRANSFER_D2H_SLOW,
		},
		.numa_spread = TRANSFER_D2H_NUMA_SPREAD,
	};

	judge_transfer(j, &asked);
}

const struct check check_transfer_d2h = {
	.name = "transfer-d2h",
	.title = "Device to host",
	.doc = "Do copies from the device reach the link's bandwidth? Judged like transfer-h2d. Here the device "
	       "writes, there it reads: with other packets, credits and settings, so one direction may be slow alone.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LINKS | NEEDS_LOAD,
	.says = "device→host {d2h}",
	.may_emit = IDS(
		TRANSFER_D2H_BELOW_TWINS, TRANSFER_D2H_BELOW_BASELINE, TRANSFER_D2H_BELOW_CAPABLE,
		TRANSFER_D2H_NARROW_LINK, TRANSFER_D2H_WEAK_LINK, TRANSFER_D2H_SLOW, TRANSFER_D2H_LOW,
		TRANSFER_D2H_PAGEABLE, TRANSFER_D2H_NO_PINNED_PATH, TRANSFER_D2H_EXCUSED, TRANSFER_D2H_NUMA_SPREAD),
	.eval = eval,
};
