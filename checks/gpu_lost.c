// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/judge/vendor.h"
#include "eval/nvidia/nvml_error.h"

/* Files of its driver, or calls of its library, that say that the device is not there any more. */
static const char *lost_field(const struct gpu *gpu, const char **ret_why)
{
	/* A record is read by any of its fields. */
	struct vendor_field told = vendor_field_of(gpu, "vram_total_bytes");
	const struct record *record = gpu_vendor(gpu) == VENDOR_AMD ? &record_amdgpu_files : &record_intel_files;

	if (gpu_vendor(gpu) == VENDOR_NVIDIA || !told.record)
		return NULL;
	for (size_t i = 0; i < record->nr; i++) {
		struct val_head head = vendor_head(gpu, record->fields[i].name);

		if (head.state != VAL_LOST)
			continue;
		*ret_why = head.why ? head.why : "it is gone";
		return record->fields[i].source;
	}
	return NULL;
}

static void judge_driver(struct judgement *j)
{
	const char *error = nvml_gpu_error(j->gpu), *why = NULL, *source;

	question(j);
	if (gpu_vendor(j->gpu) == VENDOR_NVIDIA && nvml_error_is(error, "GPU_IS_LOST")) {
		derive_str(j, "call", nvml_gpu_error_call(j->gpu), "NVIDIA's management library");
		derive_str(j, "error", "GPU_IS_LOST", "NVIDIA's management library");
		finding_add(j, GPU_LOST_BY_DRIVER);
		return;
	}
	source = lost_field(j->gpu, &why);
	if (!source)
		return;
	derive_str(j, "call", source, "files of its driver");
	derive_str(j, "error", why, "files of its driver");
	finding_add(j, GPU_LOST_BY_DRIVER);
}

/* The file is there in that mode alone; only root may read which it is. */
static bool is_for_repair_only(struct judgement *j)
{
	const struct intel_files *files = &j->gpu->intel;

	if (!is_known(files->survivability) && files->survivability.state != VAL_DENIED)
		return false;
	question(j);
	need(j, intel_files, files, survivability);
	want(j, intel_files, files, survivability_info);
	if (is_known(files->survivability))
		finding_add(j, GPU_LOST_SURVIVABILITY);
	return true;
}

/*
 * A device that is gone still has its folder in /sys, with the identity read
 * at boot: only what is read afresh counts.
 */
static void eval(struct judgement *j)
{
	const struct pci_function *pci = &j->gpu->pci;
	const char *why;

	if (pci->config_all_ones.state == VAL_ASLEEP) {
		skip_check(j, "GPU suspended (--wake reads it)");
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
		why = pci->link_width.why ? pci->link_width.why : "the link cannot be read";
		derive_str(j, "why", why, "current_link_width");
		phrase(j, "answer", arena_strndup(j->arena, why, strcspn(why, ":")));
		finding_add(j, GPU_LOST_LINK);
		return;
	}
	judge_driver(j);
}

const struct check check_gpu_lost = {
	.name = "gpu-lost",
	.title = "GPU responds on the bus",
	.doc = "Does each GPU still respond? One that fell off the bus stays listed in /sys, but its configuration "
	       "space reads as all ones and its link width as 63; the driver may also have given it up while the bus "
	       "still responds (GPU_IS_LOST). An Intel GPU with damaged firmware is in firmware recovery. A suspended "
	       "GPU is not read.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS | NEEDS_VENDOR,
	.says = "responds on the bus",
	.may_emit = IDS(GPU_LOST_ALL_ONES, GPU_LOST_LINK, GPU_LOST_BY_DRIVER, GPU_LOST_SURVIVABILITY),
	.eval = eval,
};
