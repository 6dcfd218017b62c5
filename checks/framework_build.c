// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/cuda_offer.h"
#include "eval/facts/framework.h"
#include "eval/judge/subject.h"
#include "eval/judge/vendor.h"
#include "snapshot/under_test.h"

/* As the next question, with what every finding of it says. */
static void ask(struct judgement *j, const struct framework *framework)
{
	question(j);
	about(j, str_or(framework->key, "?"));
	derive_str(j, "framework", framework_words(j->arena, framework), "its files");
	derive_str(j, "folder", str_or(framework->key, "?"), "site-packages");
	need(j, framework, framework, built_for);
}

/* What nobody asked about may be there for programs that use no GPU. */
static void raise(struct judgement *j, const struct framework *framework, enum finding_id id, const char *misfit)
{
	derive_str(j, "misfit", misfit, "its files, and the GPUs' driver");
	finding_add_of(j, framework_is_asked(j->snapshot, framework) ? id : FRAMEWORK_BUILD_UNUSABLE,
		       str_or(framework->key, "?"));
}

static bool intel_drives_any(const struct snapshot *snapshot)
{
	return gpus_bound_to(snapshot, "i915") || gpus_bound_to(snapshot, "xe");
}

/* "NVIDIA's": of the GPUs that have a driver here. */
static const char *whose_gpus(const struct snapshot *snapshot)
{
	return nvidia_drives_any(snapshot) ? "NVIDIA's" : gpus_bound_to(snapshot, "amdgpu") ? "AMD's" : "Intel's";
}

/* False: no GPU here is of the kind it was built for, and that was said. */
static bool judge_vendor(struct judgement *j, const struct framework *framework)
{
	static const struct { const char *built_for, *words; } kinds[] = {
		{ "cuda", "CUDA" }, { "rocm", "ROCm" }, { "xpu", "Intel GPUs (XPU)" },
	};
	const char *driver = framework_driver(framework);

	if (str_is(framework->built_for, "cpu")) {
		raise(j, framework, FRAMEWORK_BUILD_CPU_ONLY, "was built without GPU support");
		return false;
	}
	if (driver ? gpus_bound_to(j->snapshot, driver) > 0 : intel_drives_any(j->snapshot))
		return true;
	want(j, framework, framework, toolkit_version);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_is(framework->built_for, kinds[i].built_for))
			raise(j, framework, FRAMEWORK_BUILD_OTHER_VENDOR,
			      arena_printf(j->arena, "was built for %s, and the GPUs are %s", kinds[i].words,
					   whose_gpus(j->snapshot)));
	return false;
}

/* A compatibility library that its process has loaded brings a later CUDA than the driver's. */
static bool has_compatibility(const struct snapshot *snapshot, const struct framework *framework)
{
	for (size_t i = 0; i < snapshot->nr_process_setups; i++) {
		const struct process_setup *setup = &snapshot->process_setups[i];

		if (u64_or(framework->pid, 0) == u64_or(setup->pid, 1) &&
		    strstr(str_or(setup->libcuda, ""), "/compat/"))
			return true;
	}
	return false;
}

static void judge_driver(struct judgement *j, const struct framework *framework)
{
	const char *version = str_or(framework->toolkit_version, NULL), *driver;
	struct cuda_offer offer;

	if (!str_is(framework->built_for, "cuda") || !version || has_compatibility(j->snapshot, framework))
		return;
	ask(j, framework);
	need(j, framework, framework, toolkit_version);
	about(j, NULL);
	offer = cuda_offer_of(j);
	driver = cuda_driver_needed(j, offer, version);
	if (!driver)
		return;
	derive_str(j, "driver_min", driver, "NVIDIA's CUDA Compatibility");
	raise(j, framework, FRAMEWORK_BUILD_NEWER_THAN_DRIVER,
	      arena_printf(j->arena, "was built for CUDA %s, and the driver supports CUDA %s", version, offer.version));
}

/* "GPUs 0-7" whose answer is that one; NULL: none. */
static const char *gpus_with(struct judgement *j, const struct framework *framework, enum code_answer answer)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t *indexes = arena_alloc(j->arena, (snapshot->nr_gpus + 1) * sizeof(*indexes)), nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (gpu_is_under_test(snapshot, gpu) && str_is(gpu->pci.driver, framework_driver(framework)) &&
		    framework_runs_on(str_or(framework->gpu_code, ""), gpu) == answer)
			indexes[nr++] = gpu_number(snapshot, gpu);
	}
	return nr ? gpu_ranges(j->arena, indexes, nr) : NULL;
}

static void want_architectures(struct judgement *j)
{
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];

		if (!gpu_is_under_test(j->snapshot, gpu))
			continue;
		about(j, arena_printf(j->arena, "GPU %zu", gpu_number(j->snapshot, gpu)));
		if (gpu_vendor(gpu) == VENDOR_NVIDIA)
			want(j, nvml_gpu, &gpu->nvml, compute_capability);
		else
			want(j, amdgpu_files, &gpu->amdgpu, gfx_version);
	}
	about(j, NULL);
}

static void judge_code(struct judgement *j, const struct framework *framework)
{
	const char *gpus;

	if (framework->gpu_code.state == VAL_ABSENT || !framework_driver(framework))
		return;
	ask(j, framework);
	if (framework_is_asked(j->snapshot, framework))
		need(j, framework, framework, gpu_code);
	else
		want(j, framework, framework, gpu_code);
	if (!is_known(framework->gpu_code))
		return;
	want_architectures(j);
	gpus = gpus_with(j, framework, CODE_MISSING);
	if (gpus) {
		raise(j, framework, FRAMEWORK_BUILD_NO_CODE, arena_printf(j->arena, "has no code for %s", gpus));
		return;
	}
	gpus = gpus_with(j, framework, CODE_AFTER_COMPILING);
	if (gpus) {
		derive_str(j, "gpus_without_code", gpus, "the library's code and the GPUs' compute capability");
		finding_add_of(j, FRAMEWORK_BUILD_COMPILES, str_or(framework->key, "?"));
	}
}

/* Whoever names a path wants to know of it. */
static void judge_named(struct judgement *j, const char *path)
{
	for (size_t i = 0; i < j->snapshot->nr_frameworks; i++)
		if (str_is(j->snapshot->frameworks[i].named_by, path))
			return;
	question(j);
	phrase(j, "path", path);
	unknown_by_failure(j, "{path}: no Python with PyTorch, JAX or TensorFlow");
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	for (size_t i = 0; i < snapshot->request.python.nr; i++)
		judge_named(j, snapshot->request.python.v[i]);
	if (!nvidia_drives_any(snapshot) && !gpus_bound_to(snapshot, "amdgpu") && !intel_drives_any(snapshot))
		skip_check(j, "no GPU of NVIDIA's, AMD's or Intel's driver");
	else if (!snapshot->nr_frameworks)
		skip_check(j, is_known(snapshot->listed.frameworks) ? "no framework found (--python PATH names one)" :
								      "not collected");
	else
		for (size_t i = 0; i < snapshot->nr_frameworks; i++) {
			const struct framework *framework = &snapshot->frameworks[i];

			ask(j, framework);
			if (all_known(j) && judge_vendor(j, framework)) {
				judge_driver(j, framework);
				judge_code(j, framework);
			}
		}
}

const struct check check_framework_build = {
	.name = "framework-build",
	.title = "Frameworks",
	.doc = "Were PyTorch, JAX and TensorFlow built for these GPUs and this driver? Read from their files, nothing is "
	       "imported: a build without GPU support, or for another vendor; the CUDA version it was built for against "
	       "that of the driver (of a later major version it does not run); the GPUs that its libraries have code for. "
	       "Frameworks of --python and --pid are judged; what processes on the GPUs have loaded or is found at usual "
	       "places is a note. Whether a build for one ROCm version runs on another is not judged.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_LINKS | NEEDS_VENDOR,
	.says = NULL,
	.may_emit = IDS(FRAMEWORK_BUILD_CPU_ONLY, FRAMEWORK_BUILD_OTHER_VENDOR, FRAMEWORK_BUILD_NEWER_THAN_DRIVER,
			FRAMEWORK_BUILD_NO_CODE, FRAMEWORK_BUILD_COMPILES, FRAMEWORK_BUILD_UNUSABLE),
	.eval = eval,
};
