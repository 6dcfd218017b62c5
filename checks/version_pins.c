// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/subject.h"

/* One pin: where the policy says it, and as what. */
struct pin {
	const struct strs *patterns;
	unsigned row;			/* of the policy */
};

static bool fits(const struct strs *patterns, const char *version)
{
	for (size_t i = 0; i < patterns->nr; i++)
		if (glob_match(patterns->v[i], version))
			return true;
	return false;
}

/* "550.54.* or 560.35.03" */
static const char *patterns_in_words(struct arena *arena, const struct strs *patterns)
{
	STRBUF_AUTO words = STRBUF_INIT;

	for (size_t i = 0; i < patterns->nr; i++)
		strbuf_addf(&words, "%s%s", i ? " or " : "", patterns->v[i]);
	return arena_strdup(arena, words.buf);
}

/* Notes what was pinned for the evidence of that name, and where it stands, and raises the finding. */
static void violated(struct judgement *j, const struct pin *pin, const char *name, enum finding_id id,
		     const char *which)
{
	expect_str(j, name, patterns_in_words(j->arena, pin->patterns));
	derive_str(j, "pinned_by", policy_place(j->arena, j->policy, pin->row), "the policy in force");
	finding_add_of(j, id, which);
}

static size_t judge_kernel(struct judgement *j)
{
	struct pin pin = { &j->policy->pins_kernel, POLICY_ROW_pins_kernel };
	const char *kernel;

	if (!pin.patterns->nr)
		return 0;
	question(j);
	kernel = need(j, host, &j->snapshot->host, kernel);
	if (!fits(pin.patterns, kernel))
		violated(j, &pin, "kernel", VERSION_PINS_KERNEL, NULL);
	return 1;
}

/* A module of the kernel's own tree has no version of its own, and is pinned by the name "in-tree". */
static const char *module_version(struct judgement *j, const struct module *module)
{
	if (module->version.state == VAL_ABSENT)
		return derive_str(j, "version", "in-tree", "/sys/module/NAME/version is absent");
	return need(j, module, module, version);
}

/* How many were compared: a driver that is not loaded has no version, and gpu-bound says so where it should be. */
static size_t judge_module(struct judgement *j, const char *name, struct pin pin)
{
	const struct module *module;

	if (!pin.patterns->nr)
		return 0;
	question(j);
	need(j, listed, &j->snapshot->listed, modules);
	module = list_find(j->snapshot, modules, module, name);
	if (!module)
		return !all_known(j);
	look(j, module, module, key);
	if (!fits(pin.patterns, module_version(j, module)))
		violated(j, &pin, "version", VERSION_PINS_DRIVER, name);
	return 1;
}

/* A driver that shows eight devices has one version. */
static bool is_told_before(const struct snapshot *snapshot, const struct ocl_device *device)
{
	for (const struct ocl_device *earlier = snapshot->ocl_devices; earlier < device; earlier++)
		if (ocl_device_is_under_test(snapshot, earlier) && str_is(device->icd, str_or(earlier->icd, "")) &&
		    str_is(device->driver_version, str_or(earlier->driver_version, "")))
			return true;
	return false;
}

static size_t judge_opencl(struct judgement *j)
{
	struct pin pin = { &j->policy->pins_opencl_driver, POLICY_ROW_pins_opencl_driver };
	size_t nr = 0;

	for (size_t i = 0; i < j->snapshot->nr_ocl_devices && pin.patterns->nr; i++) {
		const struct ocl_device *device = &j->snapshot->ocl_devices[i];

		if (!ocl_device_is_under_test(j->snapshot, device))
			continue;
		question(j);
		about(j, str_or(device->key, "?"));
		nr++;
		need(j, ocl_device, device, icd);
		if (!fits(pin.patterns, need(j, ocl_device, device, driver_version)) &&
		    !is_told_before(j->snapshot, device))
			violated(j, &pin, "driver_version", VERSION_PINS_OPENCL_DRIVER, str_or(device->icd, "?"));
	}
	return nr;
}

/* NULL: no file tells this GPU's VBIOS. */
static const struct val_str *vbios_of(const struct judgement *j, const struct gpu *gpu)
{
	if (gpu_role(j->snapshot, gpu) != GPU_ROLE_GPU)
		return NULL;
	if (str_is(gpu->pci.vendor_id, "0x10de"))
		return &gpu->nvidia.vbios;
	if (str_is(gpu->pci.vendor_id, "0x1002"))
		return &gpu->amdgpu.vbios;
	return NULL;
}

static const char *need_vbios(struct judgement *j, const struct gpu *gpu)
{
	about(j, str_or(gpu->key, "?"));
	return vbios_of(j, gpu) == &gpu->nvidia.vbios ? need(j, nvidia_files, &gpu->nvidia, vbios) :
						     need(j, amdgpu_files, &gpu->amdgpu, vbios);
}

/* Every GPU from this one on that has the same VBIOS: they are told together. */
static const char *gpus_with(struct judgement *j, const struct gpu *first, const char *vbios)
{
	const struct gpu *end = j->snapshot->gpus + j->snapshot->nr_gpus;
	size_t *indexes = NULL, nr = 0;

	for (const struct gpu *gpu = first; gpu < end; gpu++) {
		if (!vbios_of(j, gpu) || !str_is(*vbios_of(j, gpu), vbios))
			continue;
		indexes = arena_grow(j->arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = gpu_index(j->snapshot, gpu);
	}
	return nr == 1 ? arena_printf(j->arena, "GPU %zu (%s) has", indexes[0], str_or(first->key, "?")) :
			 arena_printf(j->arena, "%s have", gpu_ranges(j->arena, indexes, nr));
}

static bool was_told_before(const struct judgement *j, const struct gpu *gpu)
{
	for (const struct gpu *earlier = j->snapshot->gpus; earlier < gpu; earlier++)
		if (vbios_of(j, earlier) && is_known(*vbios_of(j, earlier)) &&
		    str_is(*vbios_of(j, gpu), str_or(*vbios_of(j, earlier), "")))
			return true;
	return false;
}

static size_t judge_vbios(struct judgement *j)
{
	struct pin pin = { &j->policy->pins_vbios, POLICY_ROW_pins_vbios };
	size_t nr = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpus && pin.patterns->nr; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];
		const char *vbios;

		if (!vbios_of(j, gpu))
			continue;
		question(j);
		vbios = need_vbios(j, gpu);
		nr++;
		if (!all_known(j) || fits(pin.patterns, vbios) || was_told_before(j, gpu))
			continue;
		derive_str(j, "gpus_have", gpus_with(j, gpu, vbios), "every GPU under test with this VBIOS");
		violated(j, &pin, "vbios", VERSION_PINS_VBIOS, vbios);
	}
	return nr;
}

static bool pins_nothing(const struct policy *policy)
{
	return !policy->pins_kernel.nr && !policy->pins_nvidia_driver.nr && !policy->pins_amdgpu_driver.nr &&
	       !policy->pins_opencl_driver.nr && !policy->pins_vbios.nr;
}

static void eval(struct judgement *j)
{
	const struct policy *policy = j->policy;
	size_t nr = 0;

	if (pins_nothing(policy)) {
		skip_check(j, "the policy pins no version");
		return;
	}
	nr += judge_kernel(j);
	nr += judge_module(j, "nvidia", (struct pin){ &policy->pins_nvidia_driver, POLICY_ROW_pins_nvidia_driver });
	nr += judge_module(j, "amdgpu", (struct pin){ &policy->pins_amdgpu_driver, POLICY_ROW_pins_amdgpu_driver });
	nr += judge_opencl(j);
	nr += judge_vbios(j);
	if (!nr)
		skip_check(j, "nothing that the policy pins is here");
}

const struct check check_version_pins = {
	.name = "version-pins",
	.title = "Pinned versions",
	.doc = "Do kernel, GPU drivers and VBIOS have the versions that the policy pins (pins.kernel, "
	       "pins.nvidia_driver, pins.amdgpu_driver, pins.opencl_driver, pins.vbios)? Only what is pinned and here is "
	       "asked: a driver that is not loaded is another check's affair. Nothing is pinned by default.",
	.per = SUBJECT_NODE,
	.says = "versions as pinned",
	.may_emit = IDS(VERSION_PINS_KERNEL, VERSION_PINS_DRIVER, VERSION_PINS_OPENCL_DRIVER, VERSION_PINS_VBIOS),
	.eval = eval,
};
