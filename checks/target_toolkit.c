// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/nvidia_branches.h"

static unsigned major_of(const char *version)
{
	return (unsigned)strtoul(version, NULL, 10);
}

/* A package and a file may tell of the same one. */
static bool is_told_before(const struct snapshot *snapshot, const struct software *toolkit)
{
	for (const struct software *earlier = snapshot->software; earlier < toolkit; earlier++)
		if (str_is(earlier->name, "cuda-toolkit") && is_known(earlier->version) &&
		    !version_compare(str_or(earlier->version, ""), str_or(toolkit->version, "")))
			return true;
	return false;
}

/* Does the driver that is loaded do for it? What does not work now is not lost by going elsewhere. */
static bool runs_now(const struct snapshot *snapshot, const char *driver_min)
{
	const struct module *nvidia = list_find(snapshot, modules, module, "nvidia");

	return !nvidia || !is_known(nvidia->version) ||
	       version_compare(str_or(nvidia->version, ""), driver_min) >= 0;
}

static void judge_toolkit(struct judgement *j, const struct software *toolkit)
{
	const char *version = str_or(toolkit->version, ""), *target = str_or(j->snapshot->request.to_driver, "");
	const char *own = nvidia_driver_for_cuda(version), *least = nvidia_driver_for_cuda_major(major_of(version));

	question(j);
	need(j, request, &j->snapshot->request, to_driver);
	about(j, str_or(toolkit->key, "?"));
	derive_str(j, "toolkit", look(j, software, toolkit, version), "the toolkit's own word");
	about(j, NULL);
	/* Before CUDA 11 no version ran on the driver of another. */
	least = least ? least : own;
	if (!least) {
		unknown(j, "which driver CUDA {toolkit} asks for is not known");
	} else if (version_compare(target, least) < 0 && runs_now(j->snapshot, least)) {
		derive_str(j, "driver_min", least, "NVIDIA's CUDA Compatibility");
		finding_add_of(j, TARGET_TOOLKIT_BELOW, str_or(toolkit->key, "?"));
	} else if (own && version_compare(target, own) < 0 && runs_now(j->snapshot, own)) {
		derive_str(j, "driver_min", own, "NVIDIA's CUDA release notes");
		finding_add_of(j, TARGET_TOOLKIT_LIMITED, str_or(toolkit->key, "?"));
	}
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t nr = 0;

	if (!is_known(snapshot->request.to_driver)) {
		skip_check(j, "no other driver is asked about (--to-driver)");
		return;
	}
	for (size_t i = 0; i < snapshot->nr_software; i++) {
		const struct software *toolkit = &snapshot->software[i];

		if (!str_is(toolkit->name, "cuda-toolkit") || !is_known(toolkit->version) ||
		    is_told_before(snapshot, toolkit))
			continue;
		judge_toolkit(j, toolkit);
		nr++;
	}
	if (!nr)
		skip_check(j, "no CUDA toolkit was seen; containers bring their own");
}

const struct check check_target_toolkit = {
	.name = "target-toolkit",
	.title = "CUDA toolkits and the driver to go to",
	.doc = "Is the driver that gpudiag gate was asked about (--to-driver) new enough for every CUDA toolkit that is "
	       "installed, where the loaded one is? Programs of a toolkit run on any driver from the least of its "
	       "major version on; on one older than its own they may lack what came with that, and code that has to "
	       "be compiled first does not load. Toolkits inside containers are not seen.",
	.per = SUBJECT_NODE,
	.says = "{to_driver} is new enough for CUDA {toolkit}",
	.may_emit = IDS(TARGET_TOOLKIT_BELOW, TARGET_TOOLKIT_LIMITED),
	.eval = eval,
};
