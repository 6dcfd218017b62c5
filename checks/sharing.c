// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/holders.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

static void judge_tenants(struct judgement *j)
{
	size_t nr;
	const char *who = gpu_tenants(j->arena, j->users, j->gpu, &nr);

	derive(j, "tenants", UNIT_COUNT, (double)nr, "users, jobs, pods and containers of the processes that hold it");
	if (nr < 2)
		return;
	derive_str(j, "who", who, "/proc/PID/fd, cgroup and status; the driver's list of processes");
	finding_add(j, SHARING_TENANTS);
}

static void judge_mps(struct judgement *j)
{
	const struct daemon *mps = mps_daemon(j->snapshot);

	question(j);
	if (!mps || !str_is(j->gpu->pci.driver, "nvidia"))
		return;
	need(j, daemon, mps, comm);
	derive_str(j, "mps_pid", str_or(mps->key, "?"), "/proc");
	finding_add(j, SHARING_MPS);
}

/* In a container the library counts the instances that were given to it. */
static void judge_mig(struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;
	bool is_on, will_be_on;

	question(j);
	if (!is_known(nvml->mig_enabled))
		return;
	is_on = want(j, nvml_gpu, nvml, mig_enabled);
	if (is_on && is_known(nvml->mig_instances) && !want(j, nvml_gpu, nvml, mig_instances) &&
	    !is_in_container(j->snapshot))
		finding_add(j, SHARING_MIG_EMPTY);
	if (!is_known(nvml->mig_pending))
		return;
	will_be_on = want(j, nvml_gpu, nvml, mig_pending);
	if (is_on != will_be_on) {
		phrase(j, "now", is_on ? "on" : "off");
		phrase(j, "then", will_be_on ? "on" : "off");
		finding_add(j, SHARING_MIG_PENDING);
	}
}

static void judge_compute_mode(struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;

	question(j);
	want(j, nvml_gpu, nvml, compute_mode);
	if (str_is(nvml->compute_mode, "prohibited"))
		finding_add(j, SHARING_PROHIBITED);
	else if (str_is(nvml->compute_mode, "exclusive-process") || str_is(nvml->compute_mode, "exclusive-thread"))
		finding_add(j, SHARING_EXCLUSIVE);
}

/* A vGPU that no license server has answered is slowed down after a while. Of a whole GPU nobody asks for a license. */
static void judge_license(struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;

	if (!text_begins(str_or(nvml->license, ""), "Unlicensed") ||
	    !text_begins(str_or(nvml->virtualization, "vgpu"), "vgpu"))
		return;
	question(j);
	want(j, nvml_gpu, nvml, license);
	want(j, nvml_gpu, nvml, virtualization);
	finding_add(j, SHARING_UNLICENSED);
}

/* Evidence of the pass: parts of a GPU that is divided on purpose are no tenants, and "not shared" would be wrong. */
static void tell_parts(struct judgement *j)
{
	const struct gpu *gpu = j->gpu;
	const char *mode = str_or(gpu->amdgpu.compute_partition, "SPX");
	const char *words = "not shared";

	question(j);
	if (bool_or(gpu->nvml.mig_enabled, false) && is_known(gpu->nvml.mig_instances))
		words = arena_printf(j->arena, "MIG instances per GPU: %llu",
				     (unsigned long long)u64_or(gpu->nvml.mig_instances, 0));
	else if (strcmp(mode, "SPX"))
		words = arena_printf(j->arena, "divided (%s)", mode);
	phrase(j, "shared", words);
}

static void eval(struct judgement *j)
{
	const char *hidden = holders_hidden(j->arena, j->snapshot);

	if (gpu_role(j->snapshot, j->gpu) == GPU_ROLE_PASSED_THROUGH) {
		skip_check(j, "assigned to a virtual machine or another driver (gpu-bound)");
		return;
	}
	need(j, processes, &j->snapshot->processes, seen);
	judge_tenants(j);
	judge_mps(j);
	judge_mig(j);
	judge_compute_mode(j);
	judge_license(j);
	tell_parts(j);
	if (hidden)
		unknown(j, hidden);
}

const struct check check_sharing = {
	.name = "sharing",
	.title = "GPU not shared",
	.doc = "Do processes of several users, Slurm jobs, pods or containers use one GPU, does an MPS daemon share "
	       "it, or is it limited to one process (compute mode)? These are configured on purpose, and explain slow "
	       "jobs or failed starts: notes. A GPU on which nothing can run is a warning: in MIG mode without an "
	       "instance, or with compute mode Prohibited. So is a vGPU without a license, by imported dumps.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_VENDOR,
	.says = "{shared}",
	.may_emit = IDS(SHARING_MIG_EMPTY, SHARING_PROHIBITED, SHARING_TENANTS, SHARING_MPS, SHARING_MIG_PENDING,
			SHARING_EXCLUSIVE, SHARING_UNLICENSED),
	.eval = eval,
};
