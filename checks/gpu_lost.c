// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

/*
 * A device that is gone still has its folder in /sys, with the identity read
 * at boot: only what is read afresh tells.
 */
static void eval(struct judgement *j)
{
	const struct pci_function *pci = &j->gpu->pci;

	if (pci->config_all_ones.state == VAL_ASLEEP) {
		skip_check(j, "the GPU is suspended, and looking would wake it");
		return;
	}
	if (need(j, pci_function, pci, config_all_ones)) {
		finding_add(j, GPU_LOST_ALL_ONES);
		return;
	}
	question(j);
	if (is_lost(j, pci_function, pci, link_width)) {
		derive_str(j, "why", pci->link_width.why ? pci->link_width.why : "the link cannot be read",
			   "current_link_width");
		finding_add(j, GPU_LOST_LINK);
	}
}

const struct check check_gpu_lost = {
	.name = "gpu-lost",
	.title = "GPU answers on the bus",
	.doc = "Does each GPU still answer? One that fell off the bus keeps its place in /sys, but its configuration "
	       "space reads as all ones and its link as 63 lanes wide. A suspended GPU is not asked.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS,
	.says = "answers on the bus",
	.may_emit = IDS(GPU_LOST_ALL_ONES, GPU_LOST_LINK),
	.eval = eval,
};
