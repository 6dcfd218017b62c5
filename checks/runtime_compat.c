// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

/* "3.0" of "OpenCL 3.0 CUDA", as OpenCL's specification words it; NULL: that is not known. */
static const char *version_of(struct arena *arena, const struct ocl_device *device)
{
	static const char prefix[] = "OpenCL ";
	const char *text = str_or(device->version, ""), *version;

	if (strncmp(text, prefix, strlen(prefix)))
		return NULL;
	text += strlen(prefix);
	version = arena_strndup(arena, text, strcspn(text, " "));
	return version_valid(version) ? version : NULL;
}

/* Several drivers may show one GPU: a program takes the one it needs. */
static const struct ocl_device *newest_device(struct judgement *j)
{
	const struct ocl_device *newest = NULL;
	const char *version = NULL;

	for (size_t i = 0; i < j->snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &j->snapshot->ocl_devices[i];
		const char *its = version_of(j->arena, device);

		if (!ocl_device_is_of(device, j->gpu) || (newest && !its) ||
		    (version && version_compare(its, version) <= 0))
			continue;
		newest = device;
		version = its;
	}
	return newest;
}

/*
 * The GPU may be one of those that drivers show without saying where it sits, or of a driver that could not be asked.
 */
static void judge_not_shown(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	bool any = false;

	for (size_t i = 0; i < snapshot->nr_icds; i++) {
		/* Without a loader nothing can be read; that is "no OpenCL" (opencl-runtime). */
		if (snapshot->icds[i].devices.state == VAL_ABSENT)
			continue;
		any = true;
		about(j, str_or(snapshot->icds[i].key, "?"));
		need(j, icd, &snapshot->icds[i], devices);
	}
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++) {
		about(j, str_or(snapshot->ocl_devices[i].key, "?"));
		if (str_is(snapshot->ocl_devices[i].kind, "gpu"))
			need(j, ocl_device, &snapshot->ocl_devices[i], pci_address);
	}
	if (all_known(j))
		skip_check(j, any ? "not listed by any OpenCL driver" : "no OpenCL (opencl-runtime)");
}

/* A driver whose version is not worded as it must be may still be new enough. */
static bool all_are_told(struct judgement *j)
{
	for (size_t i = 0; i < j->snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &j->snapshot->ocl_devices[i];

		if (!ocl_device_is_of(device, j->gpu) || version_of(j->arena, device))
			continue;
		about(j, str_or(device->key, "?"));
		need(j, ocl_device, device, version);
		if (all_known(j))
			unknown(j, "unknown version format \"{version}\"");
		return false;
	}
	return true;
}

static void judge(struct judgement *j)
{
	const char *least = j->policy->runtime_opencl_version_min, *version;
	const struct ocl_device *device;

	need(j, opencl, &j->snapshot->opencl, icds);
	device = newest_device(j);
	if (!device) {
		judge_not_shown(j);
		return;
	}
	about(j, str_or(device->key, "?"));
	version = version_of(j->arena, device);
	if ((!version || version_compare(version, least) < 0) && !all_are_told(j))
		return;
	need(j, ocl_device, device, icd);
	derive_str(j, "opencl_version", version, "CL_DEVICE_VERSION");
	expect_str(j, "opencl_version", least);
	if (version_compare(version, least) >= 0)
		return;
	derive_str(j, "asked_by", policy_origin(j->arena, j->policy, POLICY_ROW_runtime_opencl_version_min),
		   "the policy in force");
	finding_add(j, RUNTIME_COMPAT_OPENCL_BELOW);
}

static void eval(struct judgement *j)
{
	if (!j->policy->runtime_opencl_version_min)
		skip_check(j, "no version required");
	else if (!snapshot_asks_opencl(j->snapshot))
		skip_check(j, "not possible on a recording");
	else if (gpu_role(j->snapshot, j->gpu) == GPU_ROLE_PASSED_THROUGH)
		skip_check(j, "passed through to a virtual machine");
	else if (j->gpu->pci.driver.state == VAL_ABSENT)
		skip_check(j, "no driver bound (gpu-bound)");
	else if (j->gpu->pci.config_all_ones.state == VAL_ASLEEP)
		skip_check(j, "GPU suspended (--wake reads it)");
	else
		judge(j);
}

const struct check check_runtime_compat = {
	.name = "runtime-compat",
	.title = "OpenCL version",
	.doc = "Does each GPU's driver support the OpenCL version that the policy requires "
	       "(runtime.opencl_version_min; none by default)? If several drivers list a GPU, the newest counts. A "
	       "GPU missing in OpenCL is not judged, unless the check is required.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS | NEEDS_OPENCL,
	.says = "OpenCL {opencl_version}",
	.may_emit = IDS(RUNTIME_COMPAT_OPENCL_BELOW),
	.eval = eval,
};
