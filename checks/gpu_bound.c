// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/throttle.h"
#include "snapshot/under_test.h"

/*
 * A display can do with nouveau; a 3D controller (class 0x0302) or an accelerator has no display, but for that of a
 * laptop, which draws for another GPU's.
 */
static bool is_compute_card(const struct gpu *gpu, const char *class_code)
{
	if (gpu_is_mobile(gpu))
		return false;
	return !strncmp(class_code, "0x0302", strlen("0x0302")) || !strncmp(class_code, "0x12", strlen("0x12"));
}

/* NVIDIA's driver does not mind; amdgpu can override it (amdgpu.modeset=1). */
static bool was_refused_by_nomodeset(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const char *line = str_or(snapshot->host.kernel_command_line, "");
	const char *word = strstr(line, "nomodeset");
	bool is_word = word && (word == line || word[-1] == ' ') && strchr(" \n", word[strlen("nomodeset")]);

	return is_word && !str_is(gpu->pci.vendor_id, "0x10de") && !strstr(line, "amdgpu.modeset=1");
}

static void eval(struct judgement *j)
{
	const struct pci_function *pci = &j->gpu->pci;
	const char *driver, *class_code = need(j, pci_function, pci, class_code);

	if (pci->driver.state == VAL_ABSENT) {
		finding_add(j, was_refused_by_nomodeset(j->snapshot, j->gpu) ? GPU_BOUND_NOMODESET : GPU_BOUND_NONE);
		return;
	}
	driver = need(j, pci_function, pci, driver);
	if (gpu_is_vfio(j->gpu))
		finding_add(j, GPU_BOUND_PASSED_THROUGH);
	else if (gpu_is_kept(j->gpu))
		finding_add(j, GPU_BOUND_KEPT);
	else if (!strcmp(driver, "nouveau"))
		finding_add(j, is_compute_card(j->gpu, class_code) ? GPU_BOUND_NOUVEAU : GPU_BOUND_OPEN_DRIVER);
}

const struct check check_gpu_bound = {
	.name = "gpu-bound",
	.title = "Kernel driver bound",
	.doc = "Is a kernel driver bound to each GPU, and is it one that can compute? A GPU passed through to a "
	       "virtual machine (vfio-pci), or reserved by a placeholder driver (pci-stub, pciback, uio_pci_generic), "
	       "is a note.",
	.per = SUBJECT_GPU,
	.says = "driver {driver}",
	.may_emit = IDS(GPU_BOUND_NONE, GPU_BOUND_NOMODESET, GPU_BOUND_NOUVEAU, GPU_BOUND_OPEN_DRIVER,
			GPU_BOUND_PASSED_THROUGH, GPU_BOUND_KEPT),
	.eval = eval,
};
