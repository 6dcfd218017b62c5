// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/cuda_offer.h"
#include "eval/judge/vendor.h"

static void judge_policy(struct judgement *j)
{
	const char *least = j->policy->runtime_cuda_version_min;
	struct cuda_offer offer;

	if (!least)
		return;
	question(j);
	offer = cuda_offer_of(j);
	if (offer.version && version_compare(offer.version, least) >= 0)
		return;
	if (!offer.version || !offer.is_exact) {
		/* The driver's own word would end it. */
		need(j, nvml, &j->snapshot->nvml, cuda_version);
		return;
	}
	expect_str(j, "cuda", least);
	derive_str(j, "asked_by", policy_origin(j->arena, j->policy, POLICY_ROW_runtime_cuda_version_min),
		   "the policy in force");
	finding_add(j, CUDA_VERSION_BELOW);
}

/* A package and a file may tell of the same one. */
static bool is_told_before(const struct snapshot *snapshot, const struct software *toolkit)
{
	for (const struct software *earlier = snapshot->software; earlier < toolkit; earlier++)
		if (str_is(earlier->name, "cuda-toolkit") && is_known(earlier->version) &&
		    cuda_major(str_or(earlier->version, "")) == cuda_major(str_or(toolkit->version, "")))
			return true;
	return false;
}

static void judge_toolkits(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	struct cuda_offer offer;

	question(j);
	offer = cuda_offer_of(j);
	for (size_t i = 0; i < snapshot->nr_software; i++) {
		const struct software *toolkit = &snapshot->software[i];
		const char *driver;

		if (!str_is(toolkit->name, "cuda-toolkit") || !is_known(toolkit->version) ||
		    is_told_before(snapshot, toolkit))
			continue;
		driver = cuda_driver_needed(j, offer, str_or(toolkit->version, ""));
		if (!driver)
			continue;
		question(j);
		offer = cuda_offer_of(j);
		about(j, str_or(toolkit->key, "?"));
		derive_str(j, "toolkit", want(j, software, toolkit, version), "the toolkit's own version file");
		about(j, NULL);
		derive_str(j, "driver_min", driver, "NVIDIA's CUDA Compatibility");
		finding_add_of(j, CUDA_VERSION_TOOLKIT_NEWER, str_or(toolkit->key, "?"));
	}
}

static void eval(struct judgement *j)
{
	if (!nvidia_drives_any(j->snapshot)) {
		skip_check(j, "no GPU of NVIDIA's driver");
		return;
	}
	judge_policy(j);
	judge_toolkits(j);
	if (!cuda_offer_of(j).version && !j->policy->runtime_cuda_version_min)
		skip_check(j, "the driver's CUDA version is unknown");
}

const struct check check_cuda_version = {
	.name = "cuda-version",
	.title = "CUDA version",
	.doc = "Does NVIDIA's driver support the CUDA version that the policy requires (runtime.cuda_version_min; "
	       "none by default), and that of the installed toolkits? Taken from the driver's library, otherwise from "
	       "its version and NVIDIA's release notes. A toolkit of a later major version is a note: containers "
	       "bring their own, and its forward compatibility package may go with it. Within a major version "
	       "programs run on older drivers too.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_VENDOR,
	.says = "CUDA {cuda}",
	.may_emit = IDS(CUDA_VERSION_BELOW, CUDA_VERSION_TOOLKIT_NEWER),
	.eval = eval,
};
