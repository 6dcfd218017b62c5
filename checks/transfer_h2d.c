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
	.doc = "Do copies to the device reach the bandwidth of the link at its present width and speed? A fail "
	       "requires faster twins, or a link below its capability under this load; a GPU without twins is a "
	       "warning below transfer.warn_ratio. Copies as fast as a link that runs below its capability fail if "
	       "twins are faster, otherwise they are a note: the link checks report the link. If the best copies "
	       "reach the link's bandwidth, the others were disturbed: a note. Copies from pageable memory get no "
	       "verdict, nor do pinned ones that are no faster. In a virtual machine, through a translating IOMMU or "
	       "bounce buffers, and from a remote NUMA node, slow copies are a note. Without faster twins, a timing "
	       "below the baseline, beyond its noise, is a fail. Copies from a remote NUMA node below "
	       "transfer.numa_ratio of the local one are a note.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LINKS | NEEDS_LOAD,
	.says = "host→device {h2d}",
	.may_emit = IDS(
		TRANSFER_H2D_BELOW_TWINS, TRANSFER_H2D_BELOW_BASELINE, TRANSFER_H2D_BELOW_CAPABLE,
		TRANSFER_H2D_NARROW_LINK, TRANSFER_H2D_WEAK_LINK, TRANSFER_H2D_SLOW, TRANSFER_H2D_LOW,
		TRANSFER_H2D_PAGEABLE, TRANSFER_H2D_NO_PINNED_PATH, TRANSFER_H2D_EXCUSED, TRANSFER_H2D_NUMA_SPREAD),
	.eval = eval,
};
