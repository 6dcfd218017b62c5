// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/field_words.h"
#include "snapshot/node.h"

#include "base/text.h"

enum { WHOLE_RECORD = -1 };

/*
 * Who fills a record, and what people call it where a field's name does not say so by itself. Rows of single fields
 * stand before that of their record; these have the words for the field itself, NULL: its name. What several probes
 * fill, each of some GPUs, has no probe.
 */
#define OF(name) .record = &record_##name, .field = WHOLE_RECORD
#define THE(name, field_) .record = &record_##name, .field = FIELD_##name##_##field_
static const struct row {
	const struct record *record;
	int field;
	const char *words, *probe;
} rows[] = {
	{ OF(host), .probe = "host" },
	{ THE(host, shm_size_bytes), .words = "size of /dev/shm", .probe = "host" },
	{ THE(host, shm_available_bytes), .words = "free space in /dev/shm", .probe = "host" },
	{ THE(host, memlock_limit_bytes), .words = "memlock limit of this run", .probe = "host" },
	{ THE(host, rdma_node_count), .words = "RDMA device nodes", .probe = "host" },
	{ OF(cpu), .words = "CPU", .probe = "host" },
	{ OF(memory), .words = "memory", .probe = "host" },
	{ OF(pressure), .words = "pressure of", .probe = "host" },
	{ THE(numa_node, package), .words = "socket of NUMA node", .probe = "host" },
	{ OF(numa_node), .words = "NUMA node", .probe = "host" },
	{ OF(swap), .words = "swap", .probe = "host" },

	{ OF(module), .words = "module", .probe = "system" },
	{ OF(user_library), .words = "library", .probe = "system" },
	{ OF(software), .words = "software", .probe = "system" },
	{ OF(cdi_spec), .words = "CDI file", .probe = "system" },
	{ OF(container_config), .words = "container configuration", .probe = "system" },
	{ OF(cgroup), .words = "control group", .probe = "system" },
	{ OF(memory_controller), .words = "memory controller", .probe = "system" },
	{ OF(disk), .words = "disk", .probe = "system" },
	{ OF(disk_array), .words = "array of disks", .probe = "system" },
	{ OF(network_interface), .words = "network interface", .probe = "system" },

	{ THE(upgrade, nouveau_kept_off_by), .words = "nouveau blacklist", .probe = "upgrade" },
	{ THE(upgrade, nvidia_in_initramfs_by), .words = "initramfs configuration for nvidia", .probe = "upgrade" },
	{ THE(upgrade, reboot_required_by), .words = "pending reboot", .probe = "upgrade" },
	{ OF(upgrade), .probe = "upgrade" },
	{ THE(installed_kernel, has_headers), .words = "headers of the installed kernel", .probe = "upgrade" },
	{ THE(installed_kernel, has_initramfs), .words = "initramfs of the installed kernel", .probe = "upgrade" },
	{ THE(installed_kernel, has_nouveau), .words = "nouveau in the installed kernel", .probe = "upgrade" },
	{ THE(installed_kernel, nvidia_file), .words = "NVIDIA's module in the installed kernel", .probe = "upgrade" },
	{ THE(installed_kernel, nvidia_is_signed), .words = "signature of NVIDIA's module", .probe = "upgrade" },
	{ OF(installed_kernel), .words = "installed kernel", .probe = "upgrade" },
	{ OF(module_build), .words = "module build", .probe = "upgrade" },
	{ OF(gpu_container), .words = "container", .probe = "upgrade" },
	{ THE(room, available_bytes), .words = "free space in the file system", .probe = "upgrade" },
	{ OF(room), .words = "file system", .probe = "upgrade" },
	{ OF(io_device), .words = "network cards and NVMe disks", .probe = "io-devices" },
	{ OF(bond), .words = "bond", .probe = "system" },
	{ OF(nvme_health), .words = "NVMe health", .probe = "nvme" },
	{ OF(nvme_controller), .words = "NVMe controller", .probe = "system" },
	{ OF(storage_path), .words = "storage", .probe = "storage" },
	{ OF(framework), .words = "framework", .probe = "frameworks" },
	{ OF(python_package), .words = "package", .probe = "frameworks" },
	{ OF(process_setup), .words = "process", .probe = "frameworks" },
	{ OF(framework_import), .words = "framework import", .probe = "framework-import" },
	{ THE(listed, frameworks), .probe = "frameworks" },
	{ OF(collective_test), .words = "all_reduce_perf", .probe = "collective" },
	{ OF(collective_rank), .words = "rank of all_reduce_perf", .probe = "collective" },
	{ OF(collective_size), .words = "size of all_reduce_perf", .probe = "collective" },
	{ OF(collective_pass), .words = "row of all_reduce_perf", .probe = "collective" },

	{ THE(listed, device_nodes), .probe = "device-nodes" },
	{ THE(listed, io_devices), .words = "network cards and NVMe disks", .probe = "io-devices" },
	{ THE(listed, slots), .probe = "slots" },
	{ THE(listed, ports), .words = "PCIe ports", .probe = "pci-ports" },
	{ THE(listed, cpu_uses), .words = "CPU use", .probe = "window" },
	{ THE(listed, installed_kernels), .probe = "upgrade" },
	{ THE(listed, module_builds), .probe = "upgrade" },
	{ THE(listed, gpu_containers), .probe = "upgrade" },
	{ THE(listed, rooms), .words = "file systems", .probe = "upgrade" },
	{ OF(listed), .probe = "system" },

	{ THE(processes, seen), .words = "processes", .probe = "processes" },
	{ OF(processes), .words = "processes", .probe = "processes" },
	{ OF(task), .words = "stuck task", .probe = "processes" },
	{ OF(holder), .words = "holder", .probe = "processes" },
	{ OF(gpu_process), .words = "process", .probe = "processes" },
	{ OF(daemon), .words = "daemon", .probe = "processes" },
	{ OF(maintenance), .words = "maintenance", .probe = "processes" },

	{ THE(kernel_log, lines_read), .words = "lines of the kernel log", .probe = "kernel-log" },
	{ THE(kernel_log, since_boot), .words = "coverage of the kernel log", .probe = "kernel-log" },
	{ OF(kernel_log), .words = "kernel log", .probe = "kernel-log" },
	{ OF(log_line), .words = "kernel log line", .probe = "kernel-log" },

	{ THE(bus, gpus), .words = "GPUs on the PCI bus", .probe = "pci" },
	{ OF(bus), .words = "PCI", .probe = "pci" },
	{ THE(pci_function, vendor_id), .probe = "pci" },
	{ THE(pci_function, device_id), .probe = "pci" },
	{ THE(pci_function, subsystem_id), .probe = "pci" },
	{ THE(pci_function, class_code), .probe = "pci" },
	{ THE(pci_function, revision), .probe = "pci" },
	{ THE(pci_function, model), .probe = "pci" },
	{ THE(pci_function, driver), .probe = "pci" },
	{ THE(pci_function, numa_node), .probe = "pci" },
	{ THE(pci_function, local_cpus), .probe = "pci" },
	{ THE(pci_function, power_state), .probe = "pci" },
	{ THE(pci_function, runtime_status), .probe = "pci" },
	{ THE(pci_function, physical_function), .probe = "pci" },
	{ THE(pci_function, config_all_ones), .words = "its configuration space", .probe = "pci-link" },
	{ OF(pci_function), .probe = "pci-link" },
	{ OF(hop), .words = "bridge above it", .probe = "pci-link" },
	{ OF(gpu), .probe = "pci-link" },
	{ THE(device_node, may_open), .words = "access to the device node", .probe = "device-nodes" },
	{ OF(device_node), .words = "device node", .probe = "device-nodes" },
	{ OF(port), .words = "port", .probe = "pci-ports" },
	{ OF(slot), .words = "slot", .probe = "slots" },

	{ THE(nvidia_files, minor), .words = "number of its /dev/nvidiaN", .probe = "gpu-files" },
	{ OF(nvidia_files), .probe = "gpu-files" },
	{ OF(amdgpu_files), .probe = "gpu-files" },
	{ OF(ras_block), .words = "RAS block", .probe = "gpu-files" },
	{ OF(intel_files), .probe = "gpu-files" },
	{ OF(intel_gt), .words = "part of the GPU", .probe = "gpu-files" },
	{ THE(nvml, init), .words = "NVIDIA's management library", .probe = "nvml" },
	{ OF(nvml), .words = "NVML", .probe = "nvml" },
	{ THE(nvml_gpu, handle), .words = "access by NVIDIA's management library", .probe = "nvml-gpu" },
	{ THE(nvml_gpu, minor), .words = "number of its /dev/nvidiaN", .probe = "nvml-gpu" },
	{ OF(nvml_gpu), .probe = "nvml-gpu" },
	{ OF(gpu_instance), .words = "MIG instance", .probe = "nvml-gpu" },
	{ OF(gpu_client), .words = "client" },
	{ OF(gpu_link), .words = "link" },

	{ OF(window), .words = "window", .probe = "window" },
	{ OF(cpu_use), .words = "CPU", .probe = "window" },
	{ OF(process_use), .words = "process", .probe = "window" },
	{ OF(disk_use), .words = "disk", .probe = "window" },
	{ OF(network_use), .words = "network", .probe = "window" },
	{ OF(rdma_use), .words = "RDMA port", .probe = "window" },
	{ OF(gpu_use), .probe = "window" },
	{ THE(throttle, samples_loaded), .words = "samples under load", .probe = "window" },
	{ OF(throttle), .words = "throttling", .probe = "window" },

	{ OF(opencl), .words = "OpenCL", .probe = "icds" },
	{ THE(icd, path), .words = "OpenCL driver path", .probe = "icds" },
	{ THE(icd, library), .words = "OpenCL driver library", .probe = "icds" },
	{ THE(icd, platforms), .words = "OpenCL platforms", .probe = "opencl" },
	{ THE(icd, devices), .words = "OpenCL devices", .probe = "opencl" },
	{ THE(ocl_device, builds_kernels), .words = "build of its kernels", .probe = "ocl-run" },
	{ THE(ocl_device, build_ns), .words = "build time", .probe = "ocl-run" },
	{ THE(ocl_device, build_log), .probe = "ocl-run" },
	{ OF(ocl_device), .words = "OpenCL", .probe = "opencl" },
	{ OF(known_answer), .words = "known answer", .probe = "ocl-run" },
	{ OF(timing), .words = "timing", .probe = "ocl-run" },
	{ OF(memory_test), .words = "memory test", .probe = "ocl-run" },
	{ OF(memory_error), .words = "memory error", .probe = "ocl-run" },
	{ THE(sustained_load, ended), .words = "its end", .probe = "ocl-run" },
	{ OF(sustained_load), .words = "sustained load", .probe = "ocl-run" },
	{ OF(load_slice), .words = "part of the sustained load", .probe = "ocl-run" },
	{ OF(load_sample), .probe = "load-watch" },
};
#undef OF
#undef THE

static bool is_of(const struct row *row, const struct field *field)
{
	if (row->field != WHOLE_RECORD)
		return field == &row->record->fields[row->field];
	for (size_t i = 0; i < row->record->nr; i++)
		if (field == &row->record->fields[i])
			return true;
	return false;
}

static const struct row *row_of(const struct field *field)
{
	const struct row *of_record = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!is_of(&rows[i], field))
			continue;
		if (rows[i].field != WHOLE_RECORD)
			return &rows[i];
		of_record = &rows[i];
	}
	return of_record;
}

/* What names write small and people do not. */
static const char *spelled(const char *word, size_t len)
{
	static const char *const spellings[] = {
		"ACS", "AER", "ASPM", "BAR", "BAR1", "CDI", "CPU", "CPUs", "CUDA", "DRAM", "ECC", "GPU", "GPUs", "GSP",
		"GTT", "ICDs", "IO", "IOMMU", "KFD", "MIG", "NUMA", "NVIDIA", "NVLinks", "NVSwitches", "OOM", "OS",
		"PCI", "PCIe", "RAS", "RDMA", "SRAM", "UUID", "VBIOS", "VRAM", "xGMI",
	};

	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
		if (strlen(spellings[i]) == len && !strncasecmp(spellings[i], word, len))
			return spellings[i];
	return NULL;
}

/* The unit that ends a name is no word of it: where the value is not known it has none. */
static size_t len_without_unit(const char *name)
{
	static const char *const units[] = {
		"_bytes_per_s", "_per_s", "_bytes", "_percent", "_mtps", "_mbps", "_gbps", "_mhz", "_rpm", "_mw", "_mj",
		"_ms", "_ns", "_s", "_c",
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t unit = strlen(units[i]);

		if (len > unit && !strcmp(name + len - unit, units[i]))
			return len - unit;
	}
	return len;
}

static void add_name(struct strbuf *out, const char *name)
{
	const char *end = name + len_without_unit(name);

	while (name < end) {
		size_t len = strcspn(name, "_");
		const char *word;

		len = name + len > end ? (size_t)(end - name) : len;
		word = spelled(name, len);
		strbuf_addf(out, "%s%.*s", out->len ? " " : "", (int)len, word ? word : name);
		name += len + (name + len < end);
	}
}

const char *field_words(struct arena *arena, const struct field *field)
{
	const struct row *row = row_of(field);
	STRBUF_AUTO words = STRBUF_INIT;

	if (row && row->words)
		strbuf_addstr(&words, row->words);
	if (!row || !row->words || row->field == WHOLE_RECORD)
		add_name(&words, field->name);
	return arena_strdup(arena, words.buf);
}

const char *field_probe(const struct field *field)
{
	const struct row *row = row_of(field);

	return row ? row->probe : NULL;
}

/* Did it look at the subject? A probe with a worker per GPU may have been asked about others alone. */
static bool has_run(const struct snapshot *snapshot, const struct subject *subject, const char *probe)
{
	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *run = &snapshot->probes[i];
		struct pci_address address;

		if (!str_is(run->probe, probe))
			continue;
		if (!subject->gpu || !is_known(run->target) || parse_pci_address(str_or(run->target, ""), &address) ||
		    str_is(run->target, str_or(subject->gpu->key, "")))
			return true;
	}
	return false;
}

const char *unset_words(struct arena *arena, const struct snapshot *snapshot, const struct subject *subject,
			const struct field *field)
{
	const char *probe = field_probe(field);

	if (is_imported(snapshot))
		return "not in these dumps";
	if (!probe)
		return val_state_name(VAL_UNSET);
	if (has_run(snapshot, subject, probe))
		return arena_printf(arena, "not reported by probe %s", probe);
	if (!strcmp(probe, "upgrade"))
		return "not collected (probe upgrade runs in gpudiag gate only)";
	return arena_printf(arena, "not collected (probe %s)", probe);
}
