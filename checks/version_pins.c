// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/judge/subject.h"
#include "eval/policy/pins.h"
#include "snapshot/node.h"

/* One pin: where the policy says it, and as what. */
struct pin {
	const struct strs *patterns;
	unsigned row;			/* of the policy */
	const struct policy *policy;	/* of the GPU that is asked; NULL: the machine's */
};

static bool fits(const struct strs *patterns, const char *version)
{
	for (size_t i = 0; i < patterns->nr; i++)
		if (pin_met(patterns->v[i], version))
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
	derive_str(j, "pinned_by", policy_origin(j->arena, pin->policy ? pin->policy : j->policy, pin->row),
		   "the policy in force");
	finding_add_of(j, id, which);
}

static size_t judge_kernel(struct judgement *j)
{
	struct pin pin = { &j->policy->pins_kernel, POLICY_ROW_pins_kernel, NULL };
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
	want(j, module, module, key);
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
	struct pin pin = { &j->policy->pins_opencl_driver, POLICY_ROW_pins_opencl_driver, NULL };
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

/* NULL: no file has this GPU's VBIOS. */
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

/* GPUs of different models may have different pins. */
static struct pin vbios_pin(const struct judgement *j, const struct gpu *gpu)
{
	const struct policy *policy = policy_of_gpu(j, gpu);

	return (struct pin){ &policy->pins_vbios, POLICY_ROW_pins_vbios, policy };
}

static bool has_wrong_vbios(const struct judgement *j, const struct gpu *gpu, const char *vbios)
{
	struct pin pin;

	if (!vbios_of(j, gpu) || !str_is(*vbios_of(j, gpu), vbios))
		return false;
	pin = vbios_pin(j, gpu);
	return pin.patterns->nr && !fits(pin.patterns, vbios);
}

/* Every GPU from this one on with the same disallowed VBIOS: they are reported together. */
static const char *gpus_with(struct judgement *j, const struct gpu *first, const char *vbios)
{
	const struct gpu *end = j->snapshot->gpus + j->snapshot->nr_gpus;
	size_t *indexes = NULL, nr = 0;

	for (const struct gpu *gpu = first; gpu < end; gpu++) {
		if (!has_wrong_vbios(j, gpu, vbios))
			continue;
		indexes = arena_grow(j->arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = gpu_number(j->snapshot, gpu);
	}
	return nr == 1 ? arena_printf(j->arena, "GPU %zu (%s) has", indexes[0], str_or(first->key, "?")) :
			 arena_printf(j->arena, "%s have", gpu_ranges(j->arena, indexes, nr));
}

static bool was_told_before(const struct judgement *j, const struct gpu *gpu, const char *vbios)
{
	for (const struct gpu *earlier = j->snapshot->gpus; earlier < gpu; earlier++)
		if (has_wrong_vbios(j, earlier, vbios))
			return true;
	return false;
}

static size_t judge_vbios(struct judgement *j)
{
	size_t nr = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];
		struct pin pin;
		const char *vbios;

		if (!vbios_of(j, gpu))
			continue;
		pin = vbios_pin(j, gpu);
		if (!pin.patterns->nr)
			continue;
		question(j);
		vbios = need_vbios(j, gpu);
		nr++;
		if (!all_known(j) || fits(pin.patterns, vbios) || was_told_before(j, gpu, vbios))
			continue;
		derive_str(j, "gpus_have", gpus_with(j, gpu, vbios), "every GPU under test with this VBIOS");
		violated(j, &pin, "vbios", VERSION_PINS_VBIOS, vbios);
	}
	return nr;
}

static size_t judge_flavour(struct judgement *j)
{
	const struct module *nvidia = nvidia_module(j->snapshot);
	struct pin pin = { &j->policy->pins_nvidia_flavour, POLICY_ROW_pins_nvidia_flavour, NULL };

	if (!pin.patterns->nr || !nvidia)
		return 0;
	question(j);
	if (!fits(pin.patterns, need(j, module, nvidia, flavour)))
		violated(j, &pin, "flavour", VERSION_PINS_FLAVOUR, NULL);
	return 1;
}

static bool has_gsp(const struct judgement *j, const struct gpu *gpu)
{
	enum val_state state = gpu->nvml.gsp_firmware.state;

	return gpu_role(j->snapshot, gpu) == GPU_ROLE_GPU && str_is(gpu->pci.driver, "nvidia") &&
	       state != VAL_UNSUPPORTED && state != VAL_ABSENT;
}

/* One driver brings one firmware for all of them: the first that differs is reported, with the number. */
static size_t judge_gsp_firmware(struct judgement *j)
{
	struct pin pin = { &j->policy->pins_gsp_firmware, POLICY_ROW_pins_gsp_firmware, NULL };
	const struct gpu *first = NULL;
	size_t nr = 0, *indexes = NULL, nr_wrong = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpus && pin.patterns->nr; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];

		if (!has_gsp(j, gpu))
			continue;
		if (!nr++)
			question(j);
		about(j, str_or(gpu->key, "?"));
		if (fits(pin.patterns, need(j, nvml_gpu, &gpu->nvml, gsp_firmware)))
			continue;
		if (!first)
			first = gpu;
		if (!str_is(gpu->nvml.gsp_firmware, str_or(first->nvml.gsp_firmware, "")))
			continue;
		indexes = arena_grow(j->arena, indexes, nr_wrong, sizeof(*indexes));
		indexes[nr_wrong++] = gpu_number(j->snapshot, gpu);
	}
	about(j, NULL);
	if (!first || !all_known(j))
		return nr;
	derive_str(j, "gpus_run", arena_printf(j->arena, "%s %s", gpu_ranges(j->arena, indexes, nr_wrong),
					       nr_wrong == 1 ? "runs" : "run"), "GPUs with this firmware");
	derive_str(j, "gsp_firmware", str_or(first->nvml.gsp_firmware, "?"), "NVML");
	violated(j, &pin, "gsp_firmware", VERSION_PINS_GSP_FIRMWARE, NULL);
	return nr;
}

/* A package and a file may tell of the same installation. */
static bool was_said_before(const struct snapshot *snapshot, const struct software *software)
{
	for (const struct software *earlier = snapshot->software; earlier < software; earlier++)
		if (str_is(earlier->name, str_or(software->name, "?")) &&
		    str_is(earlier->version, str_or(software->version, "?")))
			return true;
	return false;
}

static size_t judge_software(struct judgement *j, const char *name, struct pin pin)
{
	size_t nr = 0;

	for (size_t i = 0; i < j->snapshot->nr_software && pin.patterns->nr; i++) {
		const struct software *software = &j->snapshot->software[i];

		/* Without a version in the file, the package has it. */
		if (!str_is(software->name, name) || software->version.state == VAL_ABSENT)
			continue;
		question(j);
		about(j, str_or(software->key, "?"));
		want(j, software, software, name);
		nr++;
		if (fits(pin.patterns, need(j, software, software, version)) ||
		    was_said_before(j->snapshot, software))
			continue;
		derive_str(j, "where", str_or(software->key, "?"), "package or file");
		violated(j, &pin, "version", VERSION_PINS_SOFTWARE, str_or(software->key, "?"));
	}
	about(j, NULL);
	return nr;
}

static size_t judge_all_software(struct judgement *j)
{
	const struct policy *policy = j->policy;

	return judge_software(j, "fabric-manager",
			      (struct pin){ &policy->pins_fabric_manager, POLICY_ROW_pins_fabric_manager, NULL }) +
	       judge_software(
		       j, "container-toolkit",
		       (struct pin){ &policy->pins_container_toolkit, POLICY_ROW_pins_container_toolkit, NULL }) +
	       judge_software(j, "cuda-toolkit",
			      (struct pin){ &policy->pins_cuda_toolkit, POLICY_ROW_pins_cuda_toolkit, NULL }) +
	       judge_software(j, "nccl", (struct pin){ &policy->pins_nccl, POLICY_ROW_pins_nccl, NULL }) +
	       judge_software(j, "rocm", (struct pin){ &policy->pins_rocm, POLICY_ROW_pins_rocm, NULL });
}

static bool pins_nothing(const struct policy *policy)
{
	return !policy->pins_kernel.nr && !policy->pins_nvidia_driver.nr && !policy->pins_amdgpu_driver.nr &&
	       !policy->pins_opencl_driver.nr && !policy->pins_vbios.nr && !policy->pins_nvidia_flavour.nr &&
	       !policy->pins_gsp_firmware.nr && !policy->pins_fabric_manager.nr &&
	       !policy->pins_container_toolkit.nr && !policy->pins_cuda_toolkit.nr && !policy->pins_nccl.nr &&
	       !policy->pins_rocm.nr;
}

static void eval(struct judgement *j)
{
	const struct policy *policy = j->policy;
	size_t nr = judge_vbios(j);

	if (pins_nothing(policy) && !nr) {
		skip_check(j, "no version pinned");
		return;
	}
	nr += judge_kernel(j);
	nr += judge_module(j, "nvidia",
			   (struct pin){ &policy->pins_nvidia_driver, POLICY_ROW_pins_nvidia_driver, NULL });
	nr += judge_module(j, "amdgpu",
			   (struct pin){ &policy->pins_amdgpu_driver, POLICY_ROW_pins_amdgpu_driver, NULL });
	nr += judge_opencl(j);
	nr += judge_flavour(j);
	nr += judge_gsp_firmware(j);
	nr += judge_all_software(j);
	if (!nr)
		skip_check(j, "nothing pinned is installed");
}

const struct check check_version_pins = {
	.name = "version-pins",
	.title = "Pinned versions",
	.doc = "Do kernel, GPU drivers, firmware and the software beside them have the versions that the policy pins "
	       "(pins.kernel, pins.nvidia_driver, pins.nvidia_flavour, pins.amdgpu_driver, pins.opencl_driver, "
	       "pins.vbios, pins.gsp_firmware, pins.fabric_manager, pins.container_toolkit, pins.cuda_toolkit, "
	       "pins.nccl, pins.rocm)? Only what is pinned and installed is checked; a driver that is not loaded is "
	       "reported by other checks. Nothing is pinned by default.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_VENDOR,
	.says = "versions as pinned",
	.may_emit = IDS(VERSION_PINS_KERNEL, VERSION_PINS_DRIVER, VERSION_PINS_OPENCL_DRIVER, VERSION_PINS_VBIOS,
			VERSION_PINS_FLAVOUR, VERSION_PINS_GSP_FIRMWARE, VERSION_PINS_SOFTWARE),
	.eval = eval,
};
