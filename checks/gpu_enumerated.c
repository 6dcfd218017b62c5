// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/device_node_expected.h"
#include "eval/facts/library_start.h"
#include "eval/facts/sources.h"
#include "eval/judge/vendor.h"
#include "eval/log/kernel_log.h"
#include "eval/nvidia/nvml_error.h"
#include "snapshot/gpus.h"
#include "snapshot/node.h"
#include "snapshot/rocm.h"
#include "snapshot/under_test.h"

/* Variables by which a user hides GPUs from a vendor's library. */
static const struct mask {
	const char *vendor;
	const char *name;
} masks[] = {
	{ .vendor = "0x10de", .name = "CUDA_VISIBLE_DEVICES=" },
	{ .vendor = "0x1002", .name = "ROCR_VISIBLE_DEVICES=" },
	{ .vendor = "0x1002", .name = "GPU_DEVICE_ORDINAL=" },
	{ .vendor = "0x1002", .name = "HIP_VISIBLE_DEVICES=" },
	{ .vendor = "0x8086", .name = "ZE_AFFINITY_MASK=" },
	{ .vendor = "0x8086", .name = "ONEAPI_DEVICE_SELECTOR=" },
};

static const char *mask_in_force(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct strs *environment = &snapshot->host.environment;

	for (size_t i = 0; i < ARRAY_SIZE(masks); i++)
		for (size_t k = 0; k < environment->nr; k++)
			if (str_is(gpu->pci.vendor_id, masks[i].vendor) &&
			    !strncmp(environment->v[k], masks[i].name, strlen(masks[i].name)))
				return environment->v[k];
	return NULL;
}

static bool is_listed(const struct gpu *gpu)
{
	return is_known(gpu->nvidia.model) || is_known(gpu->nvidia.minor);
}

static bool driver_lists_any(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (is_listed(&snapshot->gpus[i]))
			return true;
	return false;
}

/* No list at all. A recording and a container need not have it; elsewhere it is where the driver is. */
static void no_list(struct judgement *j)
{
	if (!snapshot_is_live(j->snapshot) || is_in_container(j->snapshot))
		skip_check(j, "the GPU list of {driver} is not available here");
	else
		unknown(j, "bound to {driver}, which lists no GPUs");
}

/*
 * A container's GPUs are those whose nodes it may open; a driver may list them alone. A recording without any node does
 * not tell whose the others are.
 */
static bool may_be_of_others(const struct judgement *j)
{
	return !snapshot_is_live(j->snapshot) && is_in_container(j->snapshot) &&
	       !is_known(j->snapshot->listed.device_nodes);
}

/* NVIDIA's driver has its list in /proc. */
static void judge_nvidia(struct judgement *j)
{
	const struct nvidia_files *files = &j->gpu->nvidia;

	if (gpu_is_asleep(j->gpu) && !bool_or(j->snapshot->request.wake, false)) {
		skip_check(j, "GPU suspended (--wake reads it)");
	} else if (want(j, nvidia_files, files, excluded)) {
		finding_add(j, GPU_ENUMERATED_EXCLUDED);
	} else if (files->model.state != VAL_ABSENT || files->minor.state != VAL_ABSENT) {
		need(j, nvidia_files, files, minor);
	} else if (driver_lists_any(j->snapshot) && may_be_of_others(j)) {
		skip_check(j, "whether the container has this GPU is not recorded");
	} else if (driver_lists_any(j->snapshot)) {
		finding_add(j, GPU_ENUMERATED_NOT_IN_DRIVER);
	} else {
		no_list(j);
	}
}

/* The list of every other is DRM's, where the driver enters a GPU when all of its start went well. */
static const char *drm_node(const struct snapshot *snapshot, const struct gpu *gpu)
{
	for (size_t i = 0; i < snapshot->nr_device_nodes; i++) {
		const struct device_node *node = &snapshot->device_nodes[i];

		if (!strncmp(str_or(node->key, ""), "/dev/dri/", strlen("/dev/dri/")) && is_known(node->gpu) &&
		    str_is(node->gpu, str_or(gpu->key, "")))
			return str_or(node->key, NULL);
	}
	return NULL;
}

static bool is_drm_driver(const struct gpu *gpu)
{
	static const char *const drivers[] = { "amdgpu", "i915", "xe", "radeon" };

	return text_is_any(str_or(gpu->pci.driver, ""), drivers, ARRAY_SIZE(drivers));
}

/* i915 and xe make one of each GPU they have started. One that is held for repair has none (gpu-lost). */
static bool has_no_card(struct judgement *j)
{
	const struct intel_files *files = &j->gpu->intel;

	if (!is_known(files->has_card) || want(j, intel_files, files, has_card))
		return false;
	if (is_known(files->survivability))
		skip_check(j, "in firmware recovery (gpu-lost)");
	else
		finding_add(j, GPU_ENUMERATED_NO_DEVICE);
	return true;
}

static void judge_drm(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *own = drm_node(snapshot, j->gpu);
	bool others = false;

	for (size_t i = 0; i < snapshot->nr_gpus && is_drm_driver(j->gpu); i++)
		others |= str_is(snapshot->gpus[i].pci.driver, str_or(j->gpu->pci.driver, "")) &&
			  drm_node(snapshot, &snapshot->gpus[i]);
	if (has_no_card(j))
		return;
	if (own)
		derive_str(j, "drm_node", own, "/sys/class/drm");
	else if (others)
		finding_add(j, GPU_ENUMERATED_NOT_IN_DRIVER);
	else if (is_drm_driver(j->gpu) && is_known(snapshot->listed.device_nodes))
		no_list(j);
	else
		skip_check(j, "the GPU list of {driver} is not available here");
}

/* The kernel links a driver before its probe function runs; that it drives the device is in its own list. */
static void judge_driver(struct judgement *j)
{
	if (!is_known(j->gpu->pci.driver))
		return;
	if (str_is(j->gpu->pci.driver, "nvidia"))
		judge_nvidia(j);
	else
		judge_drm(j);
}

/* A GPU that a registered driver shows, which is of this one's vendor and kernel driver. */
static bool is_sibling(const struct gpu *gpu, const struct gpu *other)
{
	return is_known(gpu->pci.vendor_id) && is_known(gpu->pci.driver) &&
	       str_is(other->pci.vendor_id, str_or(gpu->pci.vendor_id, "")) &&
	       str_is(other->pci.driver, str_or(gpu->pci.driver, ""));
}

static void judge_opencl(struct judgement *j)
{
	const struct ocl_device *sibling = NULL;
	const char *mask = mask_in_force(j->snapshot, j->gpu);
	const struct icd *icd;

	for (size_t i = 0; i < j->snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &j->snapshot->ocl_devices[i];
		const struct gpu *gpu = ocl_device_gpu(j->snapshot, device);

		if (gpu == j->gpu)
			return;
		if (gpu && is_sibling(j->gpu, gpu))
			sibling = device;
	}
	if (!sibling)
		return;
	question(j);
	need(j, ocl_device, sibling, icd);
	icd = list_find(j->snapshot, icds, icd, str_or(sibling->icd, ""));
	if (icd && is_known(icd->path))
		derive_str(j, "icd_path", str_or(icd->path, ""), "the vendors folder");
	if (mask) {
		derive_str(j, "mask", mask, "environ");
		finding_add(j, GPU_ENUMERATED_MASKED);
	} else {
		finding_add(j, GPU_ENUMERATED_NOT_IN_OPENCL);
	}
}

/* ---- NVIDIA's management library */

/* What its errors mean for a GPU; other errors are reported elsewhere, or mean nothing. */
static const struct library_error {
	const char *name;
	enum finding_id finding;
} library_errors[] = {
	{ "RESET_REQUIRED", GPU_ENUMERATED_RESET_REQUIRED },
	{ "INSUFFICIENT_POWER", GPU_ENUMERATED_NO_POWER },
	{ "IRQ_ISSUE", GPU_ENUMERATED_NO_INTERRUPTS },
	{ "GPU_IS_LOST", NO_FINDING },			/* gpu-lost */
	{ "LIB_RM_VERSION_MISMATCH", NO_FINDING },	/* driver-match */
	{ "CORRUPTED_INFOROM", NO_FINDING },		/* it works, and says nothing of the list */
	{ "NO_PERMISSION", GPU_ENUMERATED_NO_PERMISSION },
	{ "UNKNOWN", GPU_ENUMERATED_NOT_IN_LIBRARY },
	{ "INVALID_ARGUMENT", GPU_ENUMERATED_NOT_IN_LIBRARY },
	{ "NOT_FOUND", GPU_ENUMERATED_NOT_IN_LIBRARY },
	{ "GPU_NOT_FOUND", GPU_ENUMERATED_NOT_IN_LIBRARY },
};

static const struct library_error *library_error(const char *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(library_errors); i++)
		if (nvml_error_is(error, library_errors[i].name))
			return &library_errors[i];
	return NULL;
}

/* True if this user may not open the GPU's compute node; what follows from that is reported once, for the node. */
static bool is_closed(const struct judgement *j)
{
	const struct device_node *node = gpu_compute_node(j->snapshot, j->gpu);

	return node && !bool_or(node->may_open, true);
}

/* Without its node the library cannot open it: the cause is reported (gpu-access), not the effect. */
static bool has_lost_its_node(const struct judgement *j)
{
	const struct device_node *node = gpu_compute_node(j->snapshot, j->gpu);

	return node && !node_is_there(node) && device_node_is_expected(j->snapshot, j->gpu);
}

/* An error that the library had a name for; not one of a worker that was ended. */
#define IS_LIBRARY_ERROR(value) \
	((value).state == VAL_ERROR && (value).why && !strncmp((value).why, "NVML", strlen("NVML")))

/* It was opened, and reports nothing: identity, memory and temperature come from different parts. */
static bool judge_errors_only(struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;

	if (!is_known(nvml->handle) || !IS_LIBRARY_ERROR(nvml->uuid) || !IS_LIBRARY_ERROR(nvml->vram_total_bytes) ||
	    !IS_LIBRARY_ERROR(nvml->temperature_c))
		return false;
	derive_str(j, "call", "nvmlDeviceGetMemoryInfo", "NVIDIA's management library");
	derive_str(j, "error", nvml->vram_total_bytes.why, "NVIDIA's management library");
	finding_add(j, GPU_ENUMERATED_ERRORS_ONLY);
	return true;
}

/* By a dump, of a GPU that answers otherwise: which of its readings failed. */
static void judge_value(struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;
	bool no_fan = IS_LIBRARY_ERROR(nvml->fan_percent), no_power = IS_LIBRARY_ERROR(nvml->power_mw);

	if (!is_imported(j->snapshot) || !is_known(nvml->handle) || (!no_fan && !no_power))
		return;
	phrase(j, "which", no_fan && no_power ? "fan speed and power draw" : no_fan ? "fan speed" : "power draw");
	cite(j, no_fan ? nvml->fan_percent.from : nvml->power_mw.from);
	finding_add(j, GPU_ENUMERATED_VALUE_ERROR);
}

/*
 * One driver runs them all: one GPU that it cannot open is to blame itself, all of several are not. A paste shows some.
 */
static bool opens_none(const struct snapshot *snapshot)
{
	size_t nr = 0;

	if (is_imported(snapshot) && !is_known(snapshot->bus.gpus))
		return false;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];
		const struct library_error *error = library_error(nvml_gpu_error(gpu));

		if (gpu_vendor(gpu) != VENDOR_NVIDIA)
			continue;
		if (!error || error->finding != GPU_ENUMERATED_NOT_IN_LIBRARY || is_known(gpu->nvml.handle))
			return false;
		nr++;
	}
	return nr > 1;
}

static void judge_library(struct judgement *j)
{
	const char *error = nvml_gpu_error(j->gpu);
	const struct library_error *known = library_error(error);
	bool is_open = is_known(j->gpu->nvml.handle);

	if (gpu_vendor(j->gpu) != VENDOR_NVIDIA)
		return;
	question(j);
	if (nvml_did_not_start(j->gpu) && !is_known(j->snapshot->nvml.init))
		skip_check(j, "NVIDIA's management library does not start (reported for the node)");
	else if (nvml_did_not_start(j->gpu))
		need(j, nvml_gpu, &j->gpu->nvml, handle);
	if ((!known || known->finding == GPU_ENUMERATED_NOT_IN_LIBRARY) && judge_errors_only(j))
		return;
	judge_value(j);
	if (!error)
		return;
	derive_str(j, "call", nvml_gpu_error_call(j->gpu), "NVIDIA's management library");
	derive_str(j, "error", error, "NVIDIA's management library");
	if (!known && !is_open)
		need(j, nvml_gpu, &j->gpu->nvml, handle);
	if (!known || known->finding == NO_FINDING)
		return;
	if (known->finding == GPU_ENUMERATED_NOT_IN_LIBRARY && !is_open && has_lost_its_node(j))
		return;
	if (known->finding == GPU_ENUMERATED_NOT_IN_LIBRARY && is_open)
		finding_add(j, GPU_ENUMERATED_LIBRARY_ERROR);
	else if (known->finding == GPU_ENUMERATED_NOT_IN_LIBRARY && opens_none(j->snapshot))
		finding_add(j, GPU_ENUMERATED_LIBRARY_OPENS_NONE);
	else if (known->finding != GPU_ENUMERATED_NO_PERMISSION || !is_closed(j))
		finding_add(j, known->finding);
}

/* A user who may not open or create the driver's node (nvidia-modprobe) gets "driver not loaded". */
static bool may_not_reach_driver(const struct snapshot *snapshot)
{
	const struct device_node *node = list_find(snapshot, device_nodes, device_node, "/dev/nvidiactl");

	if (!u64_or(snapshot->host.user_id, 0) || !is_known(snapshot->listed.device_nodes))
		return false;
	return !node || !node_is_there(node) || !bool_or(node->may_open, true);
}

/* What the start says that is true of a GPU and not of the library. */
static const char *gpu_fault_of(const char *why)
{
	static const struct {
		const char *error, *meaning;
	} faults[] = {
		{ "GPU_IS_LOST", "a GPU has fallen off the bus" },
		{ "RESET_REQUIRED", "a GPU must be reset first" },
		{ "INSUFFICIENT_POWER", "a GPU has too little power" },
		{ "IRQ_ISSUE", "a GPU gets no interrupts through" },
		{ "CORRUPTED_INFOROM", "a GPU's infoROM is corrupted" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (nvml_error_is(why, faults[i].error))
			return faults[i].meaning;
	return NULL;
}

/* Its worker came to its end, and not as far as the start: the file is there and is of no use. */
static bool is_unusable(const struct snapshot *snapshot)
{
	const struct probe_run *run = find_probe_run(snapshot, "nvml", NULL);

	return run && str_is(run->outcome, "partial") &&
	       strncmp(snapshot->nvml.init.why, "nvmlInit", strlen("nvmlInit")) != 0;
}

/* nvidia-smi's own words, by a dump: the library was not there. */
static bool is_not_installed(const struct snapshot *snapshot)
{
	return is_imported(snapshot) && nvml_error_is(snapshot->nvml.init.why, "LIBRARY_NOT_FOUND");
}

/* By a dump: it started and then failed, for whatever reason but that it is of another version than the program. */
static bool has_not_started(const struct snapshot *snapshot)
{
	static const char *const errors[] = { "NOT_FOUND", "GPU_NOT_FOUND", "TIMEOUT", "NOT_READY", "MEMORY",
					      "INSUFFICIENT_RESOURCES" };

	for (size_t i = 0; is_imported(snapshot) && i < ARRAY_SIZE(errors); i++)
		if (nvml_error_is(snapshot->nvml.init.why, errors[i]))
			return true;
	return false;
}

/* What is known of the driver whose library does not start. */
static const char *driver_state(const struct snapshot *snapshot)
{
	return is_imported(snapshot) ? "The module is loaded, but" : "The module is loaded and the GPUs are bound, but";
}

/* By a dump: another output lists GPUs. Where that is the older one, the failure is of now. */
static bool started_elsewhere(struct judgement *j)
{
	const struct gpu *opened = library_opened_gpu(j->snapshot);
	enum library_start start = library_start(j->snapshot);

	if (start == START_FAILED)
		return false;
	phrase(j, "failed_at", source_place(j->arena, j->snapshot, j->snapshot->nvml.init.from));
	phrase(j, "opened_at", source_place(j->arena, j->snapshot, opened->nvml.handle.from));
	finding_add(j, start == START_UNORDERED ? GPU_ENUMERATED_STARTED_ELSEWHERE : GPU_ENUMERATED_STARTED_LATER);
	return true;
}

/* A fault of a GPU in the log, as one that is lost, may keep the library from its start. */
static bool log_has_gpu_fault(const struct judgement *j)
{
	for (size_t i = 0; i < j->log->nr; i++) {
		const struct log_incident *incident = &j->log->incidents[i];

		if (incident->is_current && incident->outcome == OUTCOME_FAIL && incident->place != INCIDENT_OF_OTHER)
			return true;
	}
	return false;
}

/* The library reached no device node. On a host that is rare, in a container its device rules are the usual cause. */
static bool is_of_container(const struct judgement *j)
{
	const char *why = j->snapshot->nvml.init.why;

	return is_in_container(j->snapshot) || (is_imported(j->snapshot) && why &&
						!strcmp(why, "nvmlInit: NVML_ERROR_UNKNOWN") && !log_has_gpu_fault(j));
}

/* By a dump: nvidia-smi was refused. Where another output lists GPUs, another user was not. */
static void judge_denied(struct judgement *j)
{
	const struct nvml *nvml = &j->snapshot->nvml;

	if (library_opened_gpu(j->snapshot)) {
		skip_check(j, "permission denied for NVIDIA's library, by another output it was not");
		return;
	}
	derive_str(j, "error", nvml->init.why ? nvml->init.why : "permission denied", "nvmlInit");
	cite(j, nvml->init.from);
	finding_add(j, GPU_ENUMERATED_LIBRARY_DENIED);
	unknown(j, "permission denied for NVIDIA's library");
}

/* The library as a whole: an error of its start is of no one GPU. */
static void judge_start(struct judgement *j)
{
	const struct nvml *nvml = &j->snapshot->nvml;
	const char *why = nvml->init.why, *meaning = gpu_fault_of(why);

	if (nvml_error_is(why, "LIB_RM_VERSION_MISMATCH") && !library_mismatch_is_over(j->snapshot)) {
		skip_check(j, "library and module versions differ (driver-match)");
		return;
	}
	if (nvml->init.state == VAL_DENIED && is_imported(j->snapshot)) {
		judge_denied(j);
		return;
	}
	if (nvml->init.state == VAL_DENIED ||
	    (nvml_error_is(why, "DRIVER_NOT_LOADED") && may_not_reach_driver(j->snapshot))) {
		skip_check(j, "permission denied for NVIDIA's library (gpu-access)");
		return;
	}
	derive_str(j, "error", why ? why : "an error", "nvmlInit");
	cite(j, nvml->init.from);
	if (!meaning && !is_of_container(j) && started_elsewhere(j))
		return;
	if (meaning)
		derive_str(j, "meaning", meaning, "nvml.h");
	phrase(j, "driver_state", driver_state(j->snapshot));
	phrase(j, "cannot", is_not_installed(j->snapshot) ? "was not found" : "is installed but cannot be loaded");
	phrase(j, "who", is_in_container(j->snapshot) ? "This container has" : "A container, or this machine, has");
	if (nvml_error_is(why, "OPERATING_SYSTEM"))
		question_blames(j, BLAME_CONFIG,
				"The system, its control groups or its host keep the driver from the GPU.");
	if (meaning)
		finding_add(j, GPU_ENUMERATED_START_GPU_FAULT);
	else if (is_not_installed(j->snapshot))
		finding_add(j, GPU_ENUMERATED_LIBRARY_UNUSABLE);
	else if (why && nvml->init.state == VAL_ERROR && is_unusable(j->snapshot) && !is_in_container(j->snapshot))
		finding_add(j, GPU_ENUMERATED_LIBRARY_UNUSABLE);
	else if (is_imported(j->snapshot) && !is_in_container(j->snapshot) && nvml_error_is(why, "DRIVER_NOT_LOADED"))
		finding_add(j, GPU_ENUMERATED_DRIVER_NOT_LOADED);
	else if (nvml_error_is(why, "UNKNOWN") || nvml_error_is(why, "OPERATING_SYSTEM") ||
		 nvml_error_is(why, "DRIVER_NOT_LOADED") || has_not_started(j->snapshot))
		finding_add(j, is_of_container(j) ? GPU_ENUMERATED_LOST_ACCESS : GPU_ENUMERATED_LIBRARY_FAILS);
	else
		need(j, nvml, nvml, init);
}

/* GPUs bound to NVIDIA's driver, as far as they are this run's; 0 where one of them is known not to be well. */
static size_t nr_well_bound(const struct snapshot *snapshot)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!gpu_is_under_test(snapshot, gpu) || gpu_vendor(gpu) != VENDOR_NVIDIA ||
		    bool_or(gpu->nvidia.excluded, false) || !str_is(gpu->pci.driver, "nvidia") ||
		    !gpu_has_address(gpu))
			continue;
		if (nvml_gpu_error(gpu) || bool_or(gpu->pci.config_all_ones, false) ||
		    gpu->pci.link_width.state == VAL_LOST || gpu->nvidia.minor.state == VAL_ABSENT)
			return 0;
		nr++;
	}
	return nr;
}

/* By a dump: the library started, so that a driver is loaded, and it lists no GPU. */
static bool lists_none(const struct snapshot *snapshot)
{
	return is_imported(snapshot) && is_known(snapshot->nvml.gpus) && !u64_or(snapshot->nvml.gpus, 0) &&
	       !library_opened_gpu(snapshot);
}

/* Of NVIDIA's GPUs none is known to have another driver, or none at all; who drives them the dumps do not tell. */
static bool may_drive_those_of_nvidia(const struct snapshot *snapshot)
{
	bool any = false;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		if (!str_is(snapshot->gpus[i].pci.vendor_id, "0x10de"))
			continue;
		if (snapshot->gpus[i].pci.driver.state != VAL_UNSET)
			return false;
		any = true;
	}
	return any;
}

/*
 * Of those words alone: a driver that is loaded lists none in a container without GPUs, or where others have them, too.
 * Beside NVIDIA's GPUs on the bus, whose driver no dump tells, the others that may have them are left.
 */
static bool judge_none_listed(struct judgement *j)
{
	const struct nvml *nvml = &j->snapshot->nvml;
	bool drives_any = nvidia_drives_any(j->snapshot),
	     may_drive = may_drive_those_of_nvidia(j->snapshot) && !is_in_container(j->snapshot);

	if (!lists_none(j->snapshot) ||
	    (!drives_any && !may_drive_those_of_nvidia(j->snapshot) && j->snapshot->nr_gpus))
		return false;
	need(j, nvml, nvml, gpus);
	phrase(j, "fewer", "no GPU");
	if (drives_any)
		finding_add(j, GPU_ENUMERATED_FEWER_IN_LIBRARY);
	else
		finding_add(j, may_drive ? GPU_ENUMERATED_NONE_OF_BUS : GPU_ENUMERATED_NONE_LISTED);
	if (!drives_any)
		need(j, bus, &j->snapshot->bus, gpus);
	return true;
}

/* By a dump: nvidia-smi's words where the library does not start. */
static bool did_not_start(const struct snapshot *snapshot)
{
	enum val_state state = snapshot->nvml.init.state;

	return is_imported(snapshot) && (state == VAL_ERROR || state == VAL_LOST || state == VAL_DENIED);
}

/* By a dump: the GPUs that ROCm should have reached, by their places on the bus. */
static void derive_on_bus(struct judgement *j)
{
	enum { MOST_NAMED = 16 };
	STRBUF_AUTO gpus = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; is_imported(j->snapshot) && i < j->snapshot->nr_gpus && nr < MOST_NAMED; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];

		if (str_is(gpu->pci.vendor_id, "0x1002") && gpu_has_address(gpu))
			strbuf_addf(&gpus, "%s%s", nr++ ? ", " : "", str_or(gpu->key, "?"));
	}
	if (nr)
		derive_str(j, "gpus_on_the_bus", arena_strdup(j->arena, gpus.buf), "lspci");
}

/* Another output names the driver of an AMD GPU, or rocminfo lists GPUs: what a program did not find is there. */
static bool amdgpu_is_loaded(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_vendor(&snapshot->gpus[i]) == VENDOR_AMD && str_is(snapshot->gpus[i].pci.driver, "amdgpu"))
			return true;
	return u64_or(snapshot->rocm.gpus, 0);
}

/* By a dump: GPUs of which rocm-smi or amd-smi got no sensor, as evidence that they are what does not answer. */
static void derive_silent(struct judgement *j)
{
	STRBUF_AUTO gpus = STRBUF_INIT;

	for (size_t i = 0; is_imported(j->snapshot) && i < j->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];

		if (gpu_vendor(gpu) == VENDOR_AMD && gpu->amdgpu.power_mw.state == VAL_ERROR &&
		    gpu->amdgpu.hotspot_c.state == VAL_ERROR)
			strbuf_addf(&gpus, "%s%s", gpus.len ? ", " : "", str_or(gpu->key, "?"));
	}
	if (gpus.len)
		derive_str(j, "gpus_without_sensors", arena_strdup(j->arena, gpus.buf), "the vendor's tool");
}

/* By a dump: the words of ROCm's programs where they find no driver, or may not use it. */
static void judge_rocm(struct judgement *j)
{
	const struct rocm *rocm = &j->snapshot->rocm;
	const char *why = rocm->init.why;
	bool is_not_loaded = why && strstr(why, ROCM_NOT_LOADED);

	if (!why || is_known(rocm->init) || u64_or(rocm->gpus, 0) || (is_not_loaded && amdgpu_is_loaded(j->snapshot)))
		return;
	question(j);
	derive_str(j, "error", why, "ROCm");
	cite(j, rocm->init.from);
	derive_on_bus(j);
	if (rocm->init.state == VAL_DENIED) {
		finding_add(j, GPU_ENUMERATED_KFD_DENIED);
		unknown(j, "permission denied for ROCm");
		return;
	}
	if (rocm->init.state == VAL_ABSENT) {
		finding_add(j, GPU_ENUMERATED_OPENCL_LISTS_NONE);
		unknown(j, "ROCm's OpenCL lists no GPU");
		return;
	}
	derive_silent(j);
	if (strstr(why, "kfd: cannot allocate memory"))
		question_blames(j, BLAME_DRIVER, "Its file is there, and the driver could not serve it.");
	finding_add(j, is_not_loaded ? GPU_ENUMERATED_AMDGPU_NOT_LOADED : GPU_ENUMERATED_KFD_FAILS);
}

static bool is_start_without_gpu(enum klog_row_id row)
{
	return row == KLOG_ROW_NVIDIA_NOT_PROBED || row == KLOG_ROW_NVIDIA_NO_GPU ||
	       row == KLOG_ROW_NVIDIA_MODULE_REFUSED || row == KLOG_ROW_NVIDIA_OTHER_KERNEL;
}

/*
 * The last that the log says of NVIDIA's driver, if that is that it did not start or found no GPU; NULL: it does not.
 */
static const struct klog_event *failed_start_in_log(const struct node_log *log)
{
	const struct klog_event *ret = NULL;

	for (size_t i = 0; i < log->log->nr_events; i++) {
		const struct klog_event *event = &log->log->events[i];

		if (event->currency == KLOG_BEFORE_BOOT)
			continue;
		if (is_start_without_gpu(event->row))
			ret = event;
		else if (event->has_code && event->code && klog_rows[event->row].kind == KLOG_NVIDIA_XID)
			ret = NULL;
	}
	return ret;
}

static size_t events_of(const struct klog_log *log, enum klog_row_id row)
{
	size_t ret = 0;

	for (size_t i = 0; i < log->nr_events; i++)
		ret += log->events[i].currency != KLOG_BEFORE_BOOT && log->events[i].row == row ? 1 : 0;
	return ret;
}

/* "… was not called for 3 device(s)": vfio-pci has all of them. Where nothing tells how many, those that are named. */
static bool are_given_to_guests(const struct klog_log *log, const struct klog_event *failed)
{
	static const char not_called[] = "was not called for ";
	size_t nr = events_of(log, KLOG_ROW_NVIDIA_VFIO_HOLDS);
	uint64_t told = 0;

	if (failed->row != KLOG_ROW_NVIDIA_NOT_PROBED && failed->row != KLOG_ROW_NVIDIA_NO_GPU)
		return false;
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *event = &log->events[i];
		const char *at = event->row == KLOG_ROW_NVIDIA_NOT_PROBED ? strstr(event->text, not_called) : NULL;
		bool fits = true;

		if (!at)
			continue;
		at += strlen(not_called);
		if (event->currency != KLOG_BEFORE_BOOT && (!scan_u64(&at, 10, &told, &fits) || !fits))
			return false;
	}
	return nr && nr >= told;
}

/* On a node drivers and bus tell; of a paste that has neither the log is all there is. */
static bool judge_log(struct judgement *j)
{
	const struct klog_event *event = NULL;

	if (is_imported(j->snapshot) && j->snapshot->nvml.init.state == VAL_UNSET && !nvidia_drives_any(j->snapshot) &&
	    !is_known(j->snapshot->bus.gpus))
		event = failed_start_in_log(j->log);
	if (!event || are_given_to_guests(j->log->log, event))
		return false;
	question(j);
	if (events_of(j->log->log, KLOG_ROW_NVIDIA_LEGACY_GPU))
		question_blames(j, BLAME_CONFIG, "A GPU is too old for this release, by the log: it needs the legacy driver of "
				"its branch.");
	if (event->row == KLOG_ROW_NVIDIA_MODULE_REFUSED || event->row == KLOG_ROW_NVIDIA_OTHER_KERNEL)
		question_blames(j, BLAME_DRIVER, "The module does not fit this kernel, or is not accepted by it.");
	derive_str(j, "line", event->text, str_or(j->snapshot->kernel_log.source, "the kernel's log"));
	cite(j, log_line_from(j->snapshot, event->first_line));
	finding_add(j, GPU_ENUMERATED_START_LOGGED);
	return true;
}

/*
 * By a dump: NVIDIA's list is of some of its GPUs. Fewer of them follow than the count above them, or all are of those
 * that are given away in parts (MIG), to jobs and containers that see no other.
 */
static bool may_list_some(const struct snapshot *snapshot)
{
	size_t nr = 0, nr_mig = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct nvml_gpu *nvml = &snapshot->gpus[i].nvml;

		nr += nvml->handle.state != VAL_UNSET ? 1 : 0;
		nr_mig += bool_or(nvml->mig_enabled, false) ? 1 : 0;
	}
	return nr < u64_or(snapshot->nvml.gpus, 0) || nr == nr_mig;
}

/* By a dump: where each that is listed has its address, those that are bound and not listed are known, too. */
static const char *which_unlisted(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *first = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus && is_imported(snapshot); i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!gpu_has_address(gpu))
			return "";
		if (!gpu_is_under_test(snapshot, gpu) || !str_is(gpu->pci.driver, "nvidia") ||
		    gpu->nvml.handle.state != VAL_UNSET)
			continue;
		first = first ? first : str_or(gpu->key, "");
		nr++;
	}
	if (nr < 2)
		return nr ? arena_printf(j->arena, ", without %s", first) : "";
	return arena_printf(j->arena, ", without %s and %zu more", first, nr - 1);
}

/* GPUs that are bound and not listed, of which the log tells why: they are reported by their addresses. */
static size_t nr_faulty_in_log(const struct judgement *j)
{
	size_t nr = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];
		bool is_faulty = false;

		for (size_t k = 0; k < j->log->nr && gpu->nvml.handle.state == VAL_UNSET; k++)
			is_faulty |= j->log->incidents[k].gpu == gpu && j->log->incidents[k].is_current &&
				     j->log->incidents[k].outcome == OUTCOME_FAIL;
		nr += is_faulty && str_is(gpu->pci.driver, "nvidia") ? 1 : 0;
	}
	return nr;
}

static bool judge_fewer_listed(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t bound = nr_well_bound(snapshot);
	uint64_t counted = u64_or(snapshot->nvml.gpus, 0);

	if (!is_known(snapshot->nvml.gpus) || !bound || counted >= bound || is_in_container(snapshot))
		return false;
	need(j, nvml, &snapshot->nvml, gpus);
	if (is_imported(snapshot) && may_list_some(snapshot)) {
		unknown(j, "NVIDIA's list may be of some GPUs");
		return true;
	}
	if (is_imported(snapshot) && counted + nr_faulty_in_log(j) >= bound) {
		skip_check(j, "the log has a fault of each GPU that is not listed (klog-errors)");
		return true;
	}
	derive(j, "bound", UNIT_COUNT, (double)bound, "GPUs bound to nvidia");
	phrase(j, "fewer",
	       arena_printf(j->arena, "%llu of %zu %s bound to its driver%s", (unsigned long long)counted, bound,
			    bound == 1 ? "GPU" : "GPUs", which_unlisted(j)));
	if (is_known(snapshot->nvml.list_apart)) {
		need(j, nvml, &snapshot->nvml, list_apart);
		finding_add(j, GPU_ENUMERATED_LISTS_DIFFER);
	} else {
		finding_add(j, GPU_ENUMERATED_FEWER_IN_LIBRARY);
	}
	return true;
}

/*
 * By a dump: how many GPUs of NVIDIA the bus has, all of one model; 0: of several, one of which may be too old for the
 * driver, or one has another driver.
 */
static size_t nr_twins_on_bus(const struct snapshot *snapshot)
{
	const char *model = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!gpu_has_address(gpu) || !str_is(gpu->pci.vendor_id, "0x10de") ||
		    bool_or(gpu->nvidia.excluded, false))
			continue;
		if (!is_known(gpu->pci.model) || (model && !str_is(gpu->pci.model, model)) ||
		    !gpu_is_under_test(snapshot, gpu) || nvml_gpu_error(gpu) ||
		    (gpu->pci.driver.state != VAL_UNSET && !str_is(gpu->pci.driver, "nvidia")))
			return 0;
		model = str_or(gpu->pci.model, "");
		nr++;
	}
	return nr;
}

/* ", without ADDRESS": which of the bus is not listed, where each that is has its address. */
static const char *which_of_bus(struct judgement *j)
{
	const char *ret = "";

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];

		if (!str_is(gpu->pci.vendor_id, "0x10de"))
			continue;
		if (!gpu_has_address(gpu))
			return "";
		if (gpu->nvml.handle.state == VAL_UNSET)
			ret = arena_printf(j->arena, ", without %s", str_or(gpu->key, ""));
	}
	return ret;
}

/*
 * By a dump: lspci without -k does not tell whether the driver has those that are not listed. One out of several twins
 * is lost, as a rule; a container or a job is given some of them.
 */
static bool judge_fewer_than_bus(struct judgement *j)
{
	enum { LEAST_LISTED = 3 };
	const struct snapshot *snapshot = j->snapshot;
	uint64_t counted = u64_or(snapshot->nvml.gpus, 0);
	size_t nr = nr_twins_on_bus(snapshot);
	bool is_one = nr == counted + 1 && counted >= LEAST_LISTED && !is_known(snapshot->nvml.list_apart);

	if (!counted || counted >= nr || is_in_container(snapshot) || may_list_some(snapshot) ||
	    counted + nr_faulty_in_log(j) >= nr)
		return false;
	need(j, nvml, &snapshot->nvml, gpus);
	derive(j, "bound", UNIT_COUNT, (double)nr, "GPUs of NVIDIA on the bus");
	phrase(j, "fewer",
	       arena_printf(j->arena, "%llu of %zu GPUs that are on the bus%s", (unsigned long long)counted, nr,
			    is_one ? which_of_bus(j) : ""));
	finding_add(j, is_one ? GPU_ENUMERATED_FEWER_THAN_BUS : GPU_ENUMERATED_SOME_OF_BUS);
	return true;
}

static void judge_node(struct judgement *j)
{
	const struct nvml *nvml = &j->snapshot->nvml;

	if (judge_log(j))
		return;
	if (j->snapshot->rocm.init.why) {
		judge_rocm(j);
		if (nvml->init.state == VAL_UNSET)
			return;
		question(j);
	}
	if (judge_none_listed(j))
		return;
	if (did_not_start(j->snapshot) && (!j->snapshot->nr_gpus || nvidia_drives_any(j->snapshot) ||
					   may_drive_those_of_nvidia(j->snapshot))) {
		judge_start(j);
	} else if (!j->snapshot->nr_gpus && !is_known(j->snapshot->bus.gpus)) {
		need(j, bus, &j->snapshot->bus, gpus);
	} else if (!nvidia_drives_any(j->snapshot)) {
		skip_check(j, "no GPU of NVIDIA's driver under test");
	} else if (is_imported(j->snapshot) && (judge_fewer_listed(j) || judge_fewer_than_bus(j))) {
		return;
	} else if (is_imported(j->snapshot) && nvml->init.state == VAL_UNSET) {
		need(j, nvml, nvml, init);
	} else if (is_imported(j->snapshot) && is_known(nvml->init) && !is_known(j->snapshot->bus.gpus)) {
		/* Its dumps list what the driver knows: what else is on the bus they cannot tell. */
		need(j, bus, &j->snapshot->bus, gpus);
	} else if (nvml->init.state == VAL_UNSET || nvml->init.state == VAL_ABSENT) {
		skip_check(j, "not collected (NVIDIA's management library)");
	} else if (nvml->init.state == VAL_TIMEOUT) {
		skip_check(j, "NVIDIA's management library did not respond (probe-health)");
	} else if (!is_known(nvml->init)) {
		judge_start(j);
	} else {
		need(j, nvml, nvml, gpus);
		judge_fewer_listed(j);
	}
}

static void eval(struct judgement *j)
{
	if (!j->gpu) {
		judge_node(j);
		return;
	}
	if (gpu_role(j->snapshot, j->gpu) == GPU_ROLE_PASSED_THROUGH) {
		skip_check(j, "assigned to a virtual machine or another driver (gpu-bound)");
		return;
	}
	if (j->gpu->pci.driver.state == VAL_ABSENT) {
		skip_check(j, "no driver bound (gpu-bound)");
		return;
	}
	need(j, pci_function, &j->gpu->pci, driver);
	judge_driver(j);
	judge_library(j);
	judge_opencl(j);
	if (is_imported(j->snapshot)) {
		/* That its driver lists it is all that the dumps know of it. */
		question(j);
		need(j, bus, &j->snapshot->bus, gpus);
	}
}

const struct check check_gpu_enumerated = {
	.name = "gpu-enumerated",
	.title = "Listed by its driver",
	.doc = "Does every GPU on the bus appear in its driver's own list (/proc/driver/nvidia/gpus, DRM), does its "
	       "vendor's management library open it and list as many, and does OpenCL list it, if it lists others of "
	       "its kind? OpenCL is often missing on healthy nodes, so a GPU missing there is a note; the caller's "
	       "own mask (CUDA_VISIBLE_DEVICES and similar) is reported and is no fault.",
	.per = SUBJECT_NODE_AND_GPUS,
	.needs = NEEDS_LINKS | NEEDS_OPENCL | NEEDS_VENDOR,
	.says = "drivers list every GPU on the bus",
	.may_emit = IDS(
		GPU_ENUMERATED_NOT_IN_DRIVER, GPU_ENUMERATED_EXCLUDED, GPU_ENUMERATED_NOT_IN_OPENCL,
		GPU_ENUMERATED_MASKED, GPU_ENUMERATED_NO_DEVICE, GPU_ENUMERATED_NOT_IN_LIBRARY,
		GPU_ENUMERATED_LIBRARY_OPENS_NONE, GPU_ENUMERATED_NO_POWER, GPU_ENUMERATED_NO_INTERRUPTS,
		GPU_ENUMERATED_RESET_REQUIRED, GPU_ENUMERATED_NO_PERMISSION, GPU_ENUMERATED_LIBRARY_ERROR,
		GPU_ENUMERATED_VALUE_ERROR, GPU_ENUMERATED_ERRORS_ONLY, GPU_ENUMERATED_LIBRARY_FAILS,
		GPU_ENUMERATED_START_GPU_FAULT, GPU_ENUMERATED_LIBRARY_UNUSABLE, GPU_ENUMERATED_LOST_ACCESS,
		GPU_ENUMERATED_FEWER_IN_LIBRARY, GPU_ENUMERATED_FEWER_THAN_BUS, GPU_ENUMERATED_SOME_OF_BUS,
		GPU_ENUMERATED_LISTS_DIFFER, GPU_ENUMERATED_NONE_OF_BUS,
		GPU_ENUMERATED_NONE_LISTED, GPU_ENUMERATED_STARTED_ELSEWHERE, GPU_ENUMERATED_STARTED_LATER,
		GPU_ENUMERATED_DRIVER_NOT_LOADED, GPU_ENUMERATED_START_LOGGED, GPU_ENUMERATED_AMDGPU_NOT_LOADED,
		GPU_ENUMERATED_KFD_FAILS, GPU_ENUMERATED_KFD_DENIED, GPU_ENUMERATED_OPENCL_LISTS_NONE,
		GPU_ENUMERATED_LIBRARY_DENIED),
	.eval = eval,
};
