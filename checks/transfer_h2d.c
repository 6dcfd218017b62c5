// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/timing/transfer.h"

static void eval(struct judgement *j)
{
	static const struct transfer_question asked = {
		.way = &transfer_to_device,
		.says = {
			[TRANSFER_NARROW_LINK] = TRANSFER_H2D_NARROW_LINK,
			[TRANSFER_BELOW_CAPABLE] = TRANSFER_H2D_BELOW_CAPABLE,
			[TRANSFER_PAGEABLE] = TRANSFER_H2D_PAGEABLE,
			[TRANSFER_LOW] = TRANSFER_H2D_LOW,
			[TRANSFER_EXCUSED] = TRANSFER_H2D_EXCUSED,
			[TRANSFER_BELOW_TWINS] = TRANSFER_H2D_BELOW_TWINS,
			[TRANSFER_BELOW_RECORDED] = TRANSFER_H2D_BELOW_BASELINE,
			[TRANSFER_NO_PINNED_PATH] = TRANSFER_H2D_NO_PINNED_PATH,
			[TRANSFER_WEAK_LINK] = TRANSFER_H2D_WEAK_LINK,
			[TRANSFER_SLOW] = TRANSFER_H2D_SLOW,
		},
		.numa_spread = TRANSFER_H2D_NUMA_SPREAD,
	};

	judge_transfer(j, &asked);
}

const struct check check_transfer_h2d = {
	.name = "transfer-h2d",
	.title = "Host to device",
	.doc = "Do copies to the device run at what its link gives, with the lanes and the speed it is trained to? "
	       "A fail needs twins that do better, or a link that was seen below what it can under this very load; "
	       "a GPU alone of its model warns below transfer.warn_ratio. What is good for a link that runs below "
	       "what both its ends can fails where twins do better, and is a note else: stage 3 tells of the link. "
	       "Where the best copies reach the link's rate, something held back the others: a note. Copies from "
	       "pageable memory give a figure and no verdict, as do pinned ones that are no faster. In a virtual "
	       "machine, through an IOMMU that translates or bounce buffers, and from a far NUMA node, slow copies "
	       "are a note. Where no twin does better, a figure that the baseline has higher, beyond its noise, fails all the "
	       "same. Where several NUMA nodes were measured from, a far one below transfer.numa_ratio of the "
	       "near one is a note.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LINKS | NEEDS_LOAD,
	.says = "host→device {h2d}",
	.may_emit = IDS(TRANSFER_H2D_BELOW_TWINS, TRANSFER_H2D_BELOW_BASELINE, TRANSFER_H2D_BELOW_CAPABLE, TRANSFER_H2D_NARROW_LINK,
			TRANSFER_H2D_WEAK_LINK, TRANSFER_H2D_SLOW, TRANSFER_H2D_LOW,
			TRANSFER_H2D_PAGEABLE, TRANSFER_H2D_NO_PINNED_PATH, TRANSFER_H2D_EXCUSED,
			TRANSFER_H2D_NUMA_SPREAD),
	.eval = eval,
};
