// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

/* The file is there in that mode alone; only root may read which it is. */
static bool is_for_repair_only(struct judgement *j)
{
	const struct intel_files *files = &j->gpu->intel;

	if (!is_known(files->survivability) && files->survivability.state != VAL_DENIED)
		return false;
	question(j);
	need(j, intel_files, files, survivability);
	look(j, intel_files, files, survivability_info);
	if (is_known(files->survivability))
		finding_add(j, GPU_LOST_SURVIVABILITY);
	return true;
}

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
	if (is_for_repair_only(j))
		return;
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
	       "space reads as all ones and its link as 63 lanes wide. One of Intel's whose firmware is damaged answers "
	       "for repair only. A suspended GPU is not asked.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS,
	.says = "answers on the bus",
	.may_emit = IDS(GPU_LOST_ALL_ONES, GPU_LOST_LINK, GPU_LOST_SURVIVABILITY),
	.eval = eval,
};
