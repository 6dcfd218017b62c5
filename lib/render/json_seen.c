// SPDX-License-Identifier: GPL-2.0-or-later
/* json_seen.c - what the JSON report takes over from the snapshot: machine, request, devices, probes. */
#include "base/compat.h"
#include "eval/facts/key_figures.h"
#include "eval/judge/subject.h"
#include "render/json_internal.h"

static void put_object(struct json_writer *w, const struct pick *picks, size_t nr)
{
	json_object_begin(w);
	json_picks(w, picks, nr);
	json_pick_reasons(w, picks, nr);
	json_object_end(w);
}

void json_host(struct json_writer *w, const struct snapshot *snapshot)
{
	const struct host *host = &snapshot->host;
	const struct pick picks[] = {
		PICK("name", host, host, name),
		PICK("product", host, host, product),
		PICK("machine_serial", host, host, machine_serial),
		PICK("machine_id", host, host, machine_id),
		PICK("boot_id", host, host, boot_id),
		PICK("kernel", host, host, kernel),
		PICK("os", host, host, os),
		PICK("architecture", host, host, architecture),
		PICK("virtualisation", host, host, virtualisation),
		PICK("container", host, host, container),
	};

	json_key(w, "host");
	put_object(w, picks, ARRAY_SIZE(picks));
}

void json_sources(struct json_writer *w, const struct snapshot *snapshot)
{
	if (!snapshot->nr_sources)
		return;
	json_array_member(w, "sources");
	for (size_t i = 0; i < snapshot->nr_sources; i++)
		record_write(w, &record_import_source, &snapshot->sources[i]);
	json_array_end(w);
}

void json_request(struct json_writer *w, const struct snapshot *snapshot)
{
	const struct request *request = &snapshot->request;
	const struct pick picks[] = {
		PICK("level", request, request, level),
		PICK("run_id", request, request, run_id),
		PICK("opencl_type", request, request, opencl_type),
		PICK("expect_gpus", request, request, expect_gpus),
		PICK("expect_model", request, request, expect_model),
		PICK("even_if_busy", request, request, even_if_busy),
		PICK("touch_hung", request, request, touch_hung),
		PICK("wake", request, request, wake),
		PICK("window_ms", request, request, window_ms),
		PICK("pid", request, request, pid),
		PICK("pid_is_self", request, request, pid_is_self),
		PICK("measure_ms", request, request, measure_ms),
		PICK("memory_share_percent", request, request, memory_share_percent),
		PICK("sustain_ms", request, request, sustain_ms),
		PICK("together", request, request, together),
		PICK("per_numa_node", request, request, per_numa_node),
		PICK("framework", request, request, framework),
		PICK("collective", request, request, collective),
		PICK("collective_ms", request, request, collective_ms),
	};

	json_object_member(w, "request");
	json_picks(w, picks, ARRAY_SIZE(picks));
	json_texts(w, "gpus", request->gpus.v, request->gpus.nr);
	json_texts(w, "python", request->python.v, request->python.nr);
	json_texts(w, "storage", request->storage.v, request->storage.nr);
	json_texts(w, "tests", request->tests.v, request->tests.nr);
	json_array_member(w, "sizes_bytes");
	for (size_t i = 0; i < request->sizes_bytes.nr; i++)
		json_put_u64(w, (uint64_t)request->sizes_bytes.v[i]);
	json_array_end(w);
	json_texts(w, "only_checks", request->only_checks.v, request->only_checks.nr);
	json_texts(w, "skip_checks", request->skip_checks.v, request->skip_checks.nr);
	json_object_end(w);
}

/* Of a module of the kernel's own tree there is none: the kernel's release is its version. */
static struct val_str driver_version(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const char *driver = str_or(gpu->pci.driver, NULL);
	const struct module *module = driver ? list_find(snapshot, modules, module, driver) : NULL;

	return module ? module->version : no_str(VAL_UNSET, NULL);
}

/* What of the GPU a program gets, and so what its figures may be compared with: "MIG", "none", "SPX". */
static struct val_str partition_of(const struct gpu *gpu)
{
	if (is_known(gpu->nvml.mig_enabled))
		return val_str(bool_or(gpu->nvml.mig_enabled, false) ? "MIG" : "none");
	return gpu->amdgpu.compute_partition;
}

static void put_gpu(struct json_writer *w, const struct snapshot *snapshot, const struct report_gpu *gpu)
{
	const struct pci_function *pci = &gpu->gpu->pci;
	const struct val_str serial = gpu_serial(gpu->gpu), uuid = gpu_uuid(snapshot, gpu->gpu);
	const struct val_str vbios = gpu_vbios(gpu->gpu);
	const struct val_str version = driver_version(snapshot, gpu->gpu), partition = partition_of(gpu->gpu);
	const struct val_u64 minor = gpu_minor(gpu->gpu);
	const struct key_figures figures = key_figures_of(gpu->gpu);
	const struct val_str slot = is_known(gpu->gpu->smbios_slot) ? gpu->gpu->smbios_slot : gpu->gpu->slot;
	const struct pick picks[] = {
		PICK_VALUE("serial", amdgpu_files, serial, &serial),
		PICK_VALUE("uuid", nvidia_files, uuid, &uuid),
		PICK_VALUE("vbios", nvidia_files, vbios, &vbios),
		PICK_VALUE("slot", gpu, slot, &slot),
		PICK("module_id", nvml_gpu, &gpu->gpu->nvml, module_id),
		PICK_VALUE("minor", nvidia_files, minor, &minor),
		PICK("vendor_id", pci_function, pci, vendor_id),
		PICK("device_id", pci_function, pci, device_id),
		PICK("driver", pci_function, pci, driver),
		PICK_VALUE("driver_version", module, version, &version),
		PICK_VALUE("partition", amdgpu_files, compute_partition, &partition),
		PICK("clock_application_mhz", nvml_gpu, &gpu->gpu->nvml, clock_application_mhz),
		PICK("clock_max_mhz", nvml_gpu, &figures, clock_max_mhz),
		PICK("numa_node", pci_function, pci, numa_node),
		PICK("temperature_c", nvml_gpu, &figures, temperature_c),
		PICK("power_mw", nvml_gpu, &figures, power_mw),
		PICK("power_limit_mw", nvml_gpu, &figures, power_limit_mw),
		PICK("busy_percent", gpu_use, &figures, busy_percent),
		PICK("vram_used_bytes", nvml_gpu, &figures, vram_used_bytes),
		PICK("vram_total_bytes", nvml_gpu, &figures, vram_total_bytes),
		PICK("link_width", pci_function, &figures, link_width),
		PICK("link_width_able", pci_function, &figures, link_width_able),
		PICK("link_speed_mtps", pci_function, &figures, link_speed_mtps),
		PICK("link_speed_able_mtps", pci_function, &figures, link_speed_able_mtps),
		PICK("ecc_corrected", nvml_gpu, &figures, ecc_corrected),
		PICK("ecc_uncorrected", nvml_gpu, &figures, ecc_uncorrected),
	};

	json_object_begin(w);
	json_u64_member(w, "index", gpu->index);
	json_str(w, "pci", str_or(gpu->gpu->key, NULL));
	json_str(w, "model", gpu->model);
	json_picks(w, picks, ARRAY_SIZE(picks));
	json_str(w, "role", gpu->role);
	json_bool_member(w, "under_test", gpu->under_test);
	json_str(w, "state", gpu_state_name(gpu->state));
	json_pick_reasons(w, picks, ARRAY_SIZE(picks));
	json_object_end(w);
}

void json_gpus(struct json_writer *w, const struct report *report)
{
	json_array_member(w, "gpus");
	for (size_t i = 0; i < report->nr_gpus; i++)
		put_gpu(w, report->snapshot, &report->gpus[i]);
	json_array_end(w);
}

void json_probes(struct json_writer *w, const struct snapshot *snapshot, bool is_compact)
{
	json_array_member(w, "probes");
	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *probe = &snapshot->probes[i];
		const struct pick picks[] = {
			PICK("probe", probe_run, probe, probe),
			PICK("target", probe_run, probe, target),
			PICK("touches", probe_run, probe, touches),
			PICK("outcome", probe_run, probe, outcome),
			PICK("why", probe_run, probe, why),
			PICK("call", probe_run, probe, call),
			PICK("pid", probe_run, probe, pid),
			PICK("wchan", probe_run, probe, wchan),
			PICK("stack", probe_run, probe, stack),
			PICK("output", probe_run, probe, output),
			PICK("deadline_ms", probe_run, probe, deadline_ms),
			PICK("elapsed_ms", probe_run, probe, elapsed_ms),
		};

		if (!is_compact || !str_is(probe->outcome, "ok"))
			put_object(w, picks, ARRAY_SIZE(picks));
	}
	json_array_end(w);
}
