// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/holders.h"
#include "snapshot/under_test.h"

/* True, with what the policy says as evidence, where a team wants to be warned of so much. */
static bool is_above_limit(struct judgement *j, uint64_t used, uint64_t total)
{
	double limit = j->policy->vram_warn_ratio * (double)total;

	if (limit <= 0.0 || (double)used < limit)
		return false;
	derive(j, "vram_limit_bytes", UNIT_BYTES, limit, "vram.warn_ratio × vram_total_bytes");
	derive_str(j, "limited_by", policy_place(j->arena, j->policy, POLICY_ROW_vram_warn_ratio), "the policy in force");
	return true;
}

static enum finding_id finding_of(struct judgement *j, uint64_t used, uint64_t total)
{
	double share = (double)used / (double)total;

	if (is_above_limit(j, used, total))
		return VRAM_HEADROOM_LIMIT;
	if (share >= j->policy->vram_full_ratio)
		return VRAM_HEADROOM_NONE;
	return share >= j->policy->vram_note_ratio ? VRAM_HEADROOM_LOW : NO_FINDING;
}

static void judge(struct judgement *j)
{
	const struct amdgpu_files *files = &j->gpu->amdgpu;
	uint64_t total = need(j, amdgpu_files, files, vram_total_bytes);
	uint64_t used = need(j, amdgpu_files, files, vram_used_bytes);
	const char *holders = gpu_holders(j->arena, j->snapshot, j->gpu);
	enum finding_id id;

	if (!all_known(j))
		return;
	if (!total) {
		skip_check(j, "it has no memory of its own");
		return;
	}
	id = finding_of(j, used, total);
	if (id == NO_FINDING)
		return;
	phrase(j, "held", holders ? arena_printf(j->arena, ", held by %s", holders) : "");
	finding_add(j, id);
}

/* Used memory is an application's affair: frameworks take nearly all of it and share it out themselves. */
static void eval(struct judgement *j)
{
	if (gpu_role(j->snapshot, j->gpu) == GPU_ROLE_PASSED_THROUGH)
		skip_check(j, "it is given away (gpu-bound)");
	else if (str_is(j->gpu->pci.driver, "nvidia"))
		skip_check(j, "NVIDIA's driver tells the memory in use to its own library only (NVML)");
	else if (is_known(j->gpu->pci.driver) && !str_is(j->gpu->pci.driver, "amdgpu"))
		skip_check(j, "its driver tells no file how much memory is in use");
	else if (j->gpu->pci.driver.state == VAL_ABSENT)
		skip_check(j, "no driver is bound (gpu-bound)");
	else if (j->gpu->amdgpu.vram_used_bytes.state == VAL_ASLEEP)
		skip_check(j, "the GPU is suspended, and looking would wake it");
	else
		judge(j);
}

const struct check check_vram_headroom = {
	.name = "vram-headroom",
	.title = "GPU memory in use",
	.doc = "How much of each GPU's memory is in use, and who holds it? Frameworks take nearly all of it in advance, "
	       "so a full GPU is a note and no fault; a team that wants to be warned sets vram.warn_ratio.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS,
	.says = "{vram_used_bytes} of {vram_total_bytes} memory in use per GPU",
	.may_emit = IDS(VRAM_HEADROOM_LOW, VRAM_HEADROOM_NONE, VRAM_HEADROOM_LIMIT),
	.eval = eval,
};
