// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/nvidia/nvidia_branches.h"
#include "eval/nvidia/nvidia_targets.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

static bool is_nvidia(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return str_is(gpu->pci.vendor_id, "0x10de") && gpu_is_under_test(snapshot, gpu) &&
	       gpu_role(snapshot, gpu) != GPU_ROLE_PASSED_THROUGH;
}

static bool any_nvidia(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (is_nvidia(snapshot, &snapshot->gpus[i]))
			return true;
	return false;
}

static void judge_same(struct judgement *j)
{
	const struct module *nvidia = nvidia_module(j->snapshot);

	if (!nvidia || !is_known(nvidia->version))
		return;
	question(j);
	need(j, request, &j->snapshot->request, to_driver);
	if (nvidia_version_is(need(j, module, nvidia, version), str_or(j->snapshot->request.to_driver, "")))
		finding_add(j, TARGET_DRIVER_SAME);
}

static void judge_end_of_life(struct judgement *j)
{
	const char *target = str_or(j->snapshot->request.to_driver, "");
	const char *end = nvidia_branch_end_of_life(target);

	/* The age of a recorded tree is unknown. */
	if (!end || !snapshot_is_live(j->snapshot))
		return;
	question(j);
	need(j, request, &j->snapshot->request, to_driver);
	derive_str(j, "end_of_life", end, "NVIDIA's list of supported drivers, as of September 2026");
	if (nvidia_end_of_life_is_over(end, need(j, run, &j->snapshot->run, taken_at)))
		finding_add(j, TARGET_DRIVER_END_OF_LIFE);
}

/* Packages have the flavour in their names: the one that is there does not turn into the other by an update. */
static void judge_open_only(struct judgement *j)
{
	const struct module *nvidia = nvidia_module(j->snapshot);

	if (!nvidia || !str_is(nvidia->flavour, "proprietary") ||
	    nvidia_branch_of(str_or(j->snapshot->request.to_driver, "")) < NVIDIA_OPEN_ONLY_BRANCH)
		return;
	question(j);
	need(j, request, &j->snapshot->request, to_driver);
	need(j, module, nvidia, flavour);
	derive(j, "open_branch", UNIT_NONE, NVIDIA_OPEN_ONLY_BRANCH, "NVIDIA's Driver Installation Guide, release 620");
	finding_add(j, TARGET_DRIVER_OPEN_ONLY);
}

static void judge_node(struct judgement *j, const char *target)
{
	if (!nvidia_branch_of(target)) {
		derive(j, "newest", UNIT_NONE, (double)nvidia_newest_branch(),
		       "NVIDIA's releases, as of November 2026");
		unknown(j, "the branch of {to_driver} is unknown; the newest known is {newest}");
		return;
	}
	judge_same(j);
	judge_end_of_life(j);
	judge_open_only(j);
}

/* The packages of the target come in both flavours, and one of them leaves this GPU without a driver. */
static void judge_flavour(struct judgement *j, const struct nvidia_architecture *architecture, unsigned branch)
{
	if (architecture->flavours == FLAVOURS_BOTH || branch >= NVIDIA_OPEN_ONLY_BRANCH)
		return;
	derive_str(j, "flavour", architecture->flavours == FLAVOURS_OPEN ? "open" : "proprietary",
		   architecture->source);
	finding_add(j, TARGET_DRIVER_FLAVOUR);
}

static void judge_gpu(struct judgement *j, const char *target)
{
	const struct nvidia_architecture *architecture = nvidia_architecture_of(j->gpu);
	const unsigned branch = nvidia_branch_of(target);

	want(j, nvml_gpu, &j->gpu->nvml, architecture);
	if (architecture)
		want(j, pci_function, &j->gpu->pci, device_id);
	else
		need(j, pci_function, &j->gpu->pci, device_id);
	if (!all_known(j))
		return;
	if (!architecture) {
		unknown(j, "its architecture is unknown (PCI device {device_id})");
		return;
	}
	derive_str(j, "kind", architecture->name, architecture->source);
	derive(j, "branch", UNIT_NONE, (double)branch, "the version's first number");
	if (architecture->last_branch && branch > architecture->last_branch) {
		derive(j, "last_branch", UNIT_NONE, (double)architecture->last_branch, architecture->source);
		finding_add(j, TARGET_DRIVER_DROPPED);
	} else if (branch < architecture->first_branch) {
		derive(j, "first_branch", UNIT_NONE, (double)architecture->first_branch, architecture->source);
		finding_add(j, TARGET_DRIVER_TOO_OLD);
	} else {
		judge_flavour(j, architecture, branch);
	}
}

static void eval(struct judgement *j)
{
	const struct request *request = &j->snapshot->request;
	const char *target;

	if (!is_known(request->to_driver)) {
		skip_check(j, "no other driver requested (--to-driver)");
		return;
	}
	target = need(j, request, request, to_driver);
	if (!j->gpu && is_in_container(j->snapshot))
		unknown(j, "the host's driver is not fully visible in a container: run on the host");
	else if (!j->gpu && any_nvidia(j->snapshot))
		judge_node(j, target);
	else if (!j->gpu)
		skip_check(j, "no NVIDIA GPU under test");
	else if (!is_nvidia(j->snapshot, j->gpu))
		skip_check(j, "not of NVIDIA's driver");
	else if (!nvidia_branch_of(target))
		skip_check(j, "unknown driver branch");
	else
		judge_gpu(j, target);
}

const struct check check_target_driver = {
	.name = "target-driver",
	.title = "GPUs supported by the requested driver",
	.doc = "Does the requested driver (--to-driver) support every NVIDIA GPU here: is its branch new enough for "
	       "the architecture, and not too new? Requiring one flavour of the kernel module is a note, as is a "
	       "branch with the open module only (R620 and later) while the proprietary one is loaded. Architectures "
	       "are taken from NVML, otherwise from the PCI device id; branches from NVIDIA's documents of November "
	       "2026. An unknown branch cannot be decided. A branch past its end of life is a warning; a branch "
	       "without a published date (R590) is skipped.",
	.per = SUBJECT_NODE_AND_GPUS,
	.says = "{to_driver} supports the GPU",
	.may_emit = IDS(TARGET_DRIVER_SAME, TARGET_DRIVER_END_OF_LIFE, TARGET_DRIVER_DROPPED, TARGET_DRIVER_TOO_OLD,
			TARGET_DRIVER_FLAVOUR, TARGET_DRIVER_OPEN_ONLY),
	.eval = eval,
};
