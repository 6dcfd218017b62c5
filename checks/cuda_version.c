// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/judge/vendor.h"
#include "eval/nvidia/nvidia_branches.h"
#include "snapshot/node.h"

/*
 * What the driver says itself counts, else what its version is known for. is_exact: it offers no more than that.
 */
struct offer {
	const char *cuda;	/* NULL: not known */
	bool is_exact;
};

static struct offer offer_of(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = nvidia_module(snapshot);
	struct offer offer = { .cuda = NULL, .is_exact = false };

	if (is_known(snapshot->nvml.cuda_version)) {
		offer.cuda = derive_str(j, "cuda", want(j, nvml, &snapshot->nvml, cuda_version), "NVML");
		offer.is_exact = true;
	} else if (nvidia && is_known(nvidia->version)) {
		offer.cuda = nvidia_driver_cuda(want(j, module, nvidia, version), &offer.is_exact);
		derive_str(j, "cuda", offer.cuda ? offer.cuda : "?",
			   "NVIDIA's CUDA release notes, by the driver's version");
	}
	return offer;
}

static void judge_policy(struct judgement *j)
{
	const char *least = j->policy->runtime_cuda_version_min;
	struct offer offer;

	if (!least)
		return;
	question(j);
	offer = offer_of(j);
	if (offer.cuda && version_compare(offer.cuda, least) >= 0)
		return;
	if (!offer.cuda || !offer.is_exact) {
		/* The driver's own word would end it. */
		need(j, nvml, &j->snapshot->nvml, cuda_version);
		return;
	}
	expect_str(j, "cuda", least);
	derive_str(j, "asked_by", policy_origin(j->arena, j->policy, POLICY_ROW_runtime_cuda_version_min),
		   "the policy in force");
	finding_add(j, CUDA_VERSION_BELOW);
}

static unsigned major_of(const char *version)
{
	return (unsigned)strtoul(version, NULL, 10);
}

/* A package and a file may tell of the same one. */
static bool is_told_before(const struct snapshot *snapshot, const struct software *toolkit)
{
	for (const struct software *earlier = snapshot->software; earlier < toolkit; earlier++)
		if (str_is(earlier->name, "cuda-toolkit") && is_known(earlier->version) &&
		    major_of(str_or(earlier->version, "")) == major_of(str_or(toolkit->version, "")))
			return true;
	return false;
}

/*
 * Programs of a later minor version run on the driver of an earlier one; those of a later major version do not, unless
 * its forward compatibility package goes with them.
 */
static void judge_toolkits(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	struct offer offer;

	question(j);
	offer = offer_of(j);
	for (size_t i = 0; i < snapshot->nr_software && offer.cuda; i++) {
		const struct software *toolkit = &snapshot->software[i];
		const char *driver;

		if (!str_is(toolkit->name, "cuda-toolkit") || !is_known(toolkit->version) ||
		    major_of(str_or(toolkit->version, "")) <= major_of(offer.cuda) || is_told_before(snapshot, toolkit))
			continue;
		driver = nvidia_driver_for_cuda_major(major_of(str_or(toolkit->version, "")));
		if (!driver || (!offer.is_exact && !is_known(snapshot->nvml.cuda_version)))
			continue;
		question(j);
		offer = offer_of(j);
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
	if (!offer_of(j).cuda && !j->policy->runtime_cuda_version_min)
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
