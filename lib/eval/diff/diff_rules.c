// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_rules.c - what a change of a field means where its class is too coarse.
 *
 * Without a row here: a gauge is not compared; an identity or a capability is
 * hardware, a version is of what its record is about, a setting is a setting,
 * and a counter is health, reported when it grew, which by itself is not worse.
 */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"

#define R(record, field, ...) [FIELD_##record##_##field] = { __VA_ARGS__ }
#define IGNORE .how = HOW_IGNORE
#define COMPARE .how = HOW_COMPARE
#define GROUP(name) .has_group = true, .group = DIFF_##name
#define MORE .side = MORE_IS_BETTER
#define LESS .side = LESS_IS_BETTER
#define EVER .since = SINCE_EVER
#define BOOT .since = SINCE_BOOT
#define PLACE .is_place = true
#define ABSENT_IS_A_VALUE .absence_counts = true
/* A flag or a count that is a fault of the hardware as such. */
#define FAULT COMPARE, GROUP(HEALTH), LESS
/* A counter of errors that were not corrected: any growth is worse. */
#define GRAVE LESS

/* ---- the machine */

static const struct diff_rule host_rules[NR_FIELDS_host] = {
	/* The machine is compared by diff_machine.c; who ran gpudiag is no fact of the node. */
	R(host, name, IGNORE), R(host, machine_serial, IGNORE), R(host, boot_id, IGNORE), R(host, user_id, IGNORE),
	R(host, machine_id, IGNORE),
	R(host, sees_all_processes, IGNORE), R(host, sees_all_devices, IGNORE),
	/* What one run was given is told where a host is compared with its container. */
	R(host, memlock_limit_bytes, IGNORE), R(host, rdma_node_count, IGNORE), R(host, rdma_nodes, IGNORE),
	R(host, kernel_command_line, .how = HOW_WORDS, GROUP(KERNEL)),
	/* Half the memory by default, which differs by what the kernel keeps. */
	R(host, shm_size_bytes, .tolerance = 0.02),
	R(host, virtualisation, GROUP(HARDWARE)),
};

static const struct diff_rule cpu_rules[NR_FIELDS_cpu] = {
	R(cpu, allowed, IGNORE),	/* of this run's shell */
	R(cpu, package_count, MORE),
	R(cpu, core_throttle_count, BOOT), R(cpu, package_throttle_count, BOOT),
};

/* A module of memory is a 24th of a large node's or more; kernels differ by less in what they keep for themselves. */
#define MEMORY_TOLERANCE 0.02

static const struct diff_rule memory_rules[NR_FIELDS_memory] = {
	R(memory, total_bytes, MORE, .tolerance = MEMORY_TOLERANCE),
	/* These grow on every node at work. */
	R(memory, swapped_in_pages, IGNORE), R(memory, swapped_out_pages, IGNORE), R(memory, major_faults, IGNORE),
	R(memory, oom_kills, BOOT),
};

static const struct diff_rule numa_node_rules[NR_FIELDS_numa_node] = {
	R(numa_node, memory_total_bytes, MORE, .tolerance = MEMORY_TOLERANCE),
};

static const struct diff_rule cgroup_rules[NR_FIELDS_cgroup] = {
	/* Of the session or the pod that the run was in. */
	R(cgroup, path, IGNORE), R(cgroup, oom_kills, IGNORE), R(cgroup, cpu_throttled_periods, IGNORE),
	R(cgroup, cpu_periods, IGNORE),
	R(cgroup, memory_limit_bytes, ABSENT_IS_A_VALUE), R(cgroup, swap_limit_bytes, ABSENT_IS_A_VALUE),
	R(cgroup, cpu_limit, ABSENT_IS_A_VALUE),
};

static const struct diff_rule memory_controller_rules[NR_FIELDS_memory_controller] = {
	R(memory_controller, corrected_errors, BOOT), R(memory_controller, uncorrected_errors, BOOT, GRAVE),
	R(memory_controller, worst_module, IGNORE),
};

static const struct diff_rule disk_rules[NR_FIELDS_disk] = {
	R(disk, state, COMPARE, GROUP(HEALTH)),
};

static const struct diff_rule nvme_controller_rules[NR_FIELDS_nvme_controller] = {
	R(nvme_controller, state, COMPARE, GROUP(HEALTH)),
};

static const struct diff_rule nvme_health_rules[NR_FIELDS_nvme_health] = {
	R(nvme_health, critical_warning, FAULT), R(nvme_health, media_errors, COMPARE, GROUP(HEALTH), GRAVE),
	/* These grow on every disk at work. */
	R(nvme_health, power_on_hours, IGNORE), R(nvme_health, unsafe_shutdowns, IGNORE),
	R(nvme_health, hot_minutes, IGNORE), R(nvme_health, too_hot_minutes, IGNORE),
	R(nvme_health, used_percent, IGNORE),
};

static const struct diff_rule framework_rules[NR_FIELDS_framework] = {
	R(framework, found_by, IGNORE), R(framework, named_by, IGNORE), R(framework, interpreter, IGNORE),
};

static const struct diff_rule network_interface_rules[NR_FIELDS_network_interface] = {
	R(network_interface, state, COMPARE, GROUP(HARDWARE), .best = "up"),
	R(network_interface, speed_mbps, COMPARE, GROUP(HARDWARE), MORE),
	R(network_interface, speed_able_mbps, COMPARE, GROUP(HARDWARE), MORE),
	R(network_interface, rdma_state, COMPARE, GROUP(HARDWARE), .best = "active"),
	R(network_interface, receive_errors, BOOT), R(network_interface, transmit_errors, BOOT),
	R(network_interface, symbol_errors, BOOT), R(network_interface, link_downed, BOOT),
	R(network_interface, receive_crc_errors, BOOT), R(network_interface, rdma_receive_errors, BOOT),
	R(network_interface, integrity_errors, BOOT),
	/* Drops and coming up are everyday. */
	R(network_interface, receive_drops, IGNORE), R(network_interface, carrier_changes, IGNORE),
};

/* ---- the stack */

static const struct diff_rule module_rules[NR_FIELDS_module] = {
	R(module, taint, GROUP(DRIVER)), R(module, flavour, GROUP(DRIVER)),
	R(module, source_version, IGNORE),	/* follows the version, and the kernel */
};

static const struct diff_rule user_library_rules[NR_FIELDS_user_library] = {
	R(user_library, is_loaded_first, GROUP(DRIVER), PLACE),
};

static const struct diff_rule nvml_rules[NR_FIELDS_nvml] = {
	R(nvml, library, GROUP(DRIVER), PLACE),
	R(nvml, init, COMPARE, GROUP(HEALTH)),
};

/* Told by a finding. */
static const struct diff_rule cdi_spec_rules[NR_FIELDS_cdi_spec] = {
	R(cdi_spec, broken, IGNORE), R(cdi_spec, broken_line, IGNORE), R(cdi_spec, paths, IGNORE),
	R(cdi_spec, paths_gone, IGNORE),
};

static const struct diff_rule opencl_rules[NR_FIELDS_opencl] = { R(opencl, vendors, GROUP(DRIVER), PLACE) };
static const struct diff_rule icd_rules[NR_FIELDS_icd] = {
	R(icd, path, GROUP(DRIVER), PLACE), R(icd, library, GROUP(DRIVER), PLACE),
};

static const struct diff_rule ocl_device_rules[NR_FIELDS_ocl_device] = {
	/* Told of the GPU itself. */
	R(ocl_device, pci_address, IGNORE), R(ocl_device, uuid, IGNORE), R(ocl_device, place, IGNORE),
	R(ocl_device, compute_units, MORE),
	/* Drivers differ in what they keep of it. */
	R(ocl_device, global_memory_bytes, MORE, .tolerance = 0.05),
	R(ocl_device, largest_buffer_bytes, GROUP(DRIVER)), R(ocl_device, timer_resolution_ns, GROUP(DRIVER)),
	R(ocl_device, name, GROUP(DRIVER)), R(ocl_device, platform, GROUP(DRIVER)),
	R(ocl_device, available, COMPARE, GROUP(HEALTH), MORE),
	R(ocl_device, builds_kernels, COMPARE, GROUP(HEALTH), MORE),
};

static const struct diff_rule known_answer_rules[NR_FIELDS_known_answer] = {
	R(known_answer, words_wrong, FAULT), R(known_answer, words_unstable, FAULT),
};
static const struct diff_rule memory_test_rules[NR_FIELDS_memory_test] = {
	R(memory_test, asked_bytes, IGNORE), R(memory_test, patterns, IGNORE), R(memory_test, words_wrong, FAULT),
};

static const struct diff_rule device_node_rules[NR_FIELDS_device_node] = {
	R(device_node, gpu, IGNORE),	/* follows the address, which is compared with the GPU */
	R(device_node, mode, ABSENT_IS_A_VALUE),
};

/* ---- GPUs */

static const struct diff_rule pci_function_rules[NR_FIELDS_pci_function] = {
	R(pci_function, link_width_able, MORE), R(pci_function, link_speed_able_mtps, MORE),
	R(pci_function, revision, GROUP(HARDWARE)),
	R(pci_function, model, IGNORE),		/* from a list of names; the ids are compared */
	R(pci_function, driver, GROUP(DRIVER), ABSENT_IS_A_VALUE),
	R(pci_function, config_all_ones, FAULT),
	R(pci_function, aer_correctable, BOOT), R(pci_function, aer_unsupported, IGNORE),
	R(pci_function, aer_nonfatal, BOOT, GRAVE), R(pci_function, aer_fatal, BOOT, GRAVE),
	R(pci_function, aer_root_fatal, BOOT, GRAVE), R(pci_function, aer_kinds, IGNORE),
	R(pci_function, physical_function, ABSENT_IS_A_VALUE),
};

static const struct diff_rule gpu_rules[NR_FIELDS_gpu] = {
	R(gpu, iommu_group, IGNORE),	/* a number given at boot */
	R(gpu, iommu_type, ABSENT_IS_A_VALUE), R(gpu, bar_able_bytes, MORE),
};

static const struct diff_rule hop_rules[NR_FIELDS_hop] = { R(hop, address, IGNORE) };

static const struct diff_rule nvidia_files_rules[NR_FIELDS_nvidia_files] = {
	R(nvidia_files, uuid, IGNORE), R(nvidia_files, minor, IGNORE),
	R(nvidia_files, firmware, .what = "gsp_firmware"),	/* the library's name for it: reported once */
	R(nvidia_files, model, IGNORE),
};

static const struct diff_rule ras_block_rules[NR_FIELDS_ras_block] = { R(ras_block, uncorrected, GRAVE) };

static const struct diff_rule amdgpu_rules[NR_FIELDS_amdgpu_files] = {
	R(amdgpu_files, serial, IGNORE), R(amdgpu_files, unique_id, IGNORE), R(amdgpu_files, hive, IGNORE),
	R(amdgpu_files, vram_total_bytes, MORE, .tolerance = 0.05),
	R(amdgpu_files, gtt_total_bytes, .tolerance = 0.02),
	R(amdgpu_files, metrics_version, GROUP(DRIVER)),
	R(amdgpu_files, bad_pages, EVER, GRAVE), R(amdgpu_files, pending_bad_pages, FAULT),
	R(amdgpu_files, unretired_bad_pages, FAULT),
	R(amdgpu_files, hive_gpus, COMPARE, GROUP(HARDWARE), MORE),
	R(amdgpu_files, xgmi_links, MORE), R(amdgpu_files, xgmi_links_active, COMPARE, GROUP(HARDWARE), MORE),
};

static const struct diff_rule intel_rules[NR_FIELDS_intel_files] = {
	R(intel_files, tiles, MORE), R(intel_files, survivability, COMPARE, GROUP(HEALTH)),
	R(intel_files, link_downgraded, FAULT), R(intel_files, has_card, COMPARE, GROUP(HEALTH), MORE),
};

static const struct diff_rule nvml_gpu_rules[NR_FIELDS_nvml_gpu] = {
	/* Told of the card as a whole; numbers that are given at start. */
	R(nvml_gpu, uuid, IGNORE), R(nvml_gpu, serial, IGNORE), R(nvml_gpu, index, IGNORE), R(nvml_gpu, minor, IGNORE),
	R(nvml_gpu, board_id, IGNORE), R(nvml_gpu, name, IGNORE), R(nvml_gpu, local_cpus, IGNORE),
	R(nvml_gpu, fabric_cluster, IGNORE),
	R(nvml_gpu, handle, COMPARE, GROUP(HEALTH)), R(nvml_gpu, trouble, COMPARE, GROUP(HEALTH)),
	R(nvml_gpu, inforom_valid, COMPARE, GROUP(HEALTH), MORE),
	R(nvml_gpu, link_generation_max, MORE), R(nvml_gpu, link_generation_able, MORE),
	R(nvml_gpu, link_width_max, MORE), R(nvml_gpu, cores, MORE), R(nvml_gpu, memory_bus_bits, MORE),
	R(nvml_gpu, vram_total_bytes, MORE, .tolerance = 0.05),
	R(nvml_gpu, energy_mj, IGNORE),
	R(nvml_gpu, pcie_nonfatal, GRAVE), R(nvml_gpu, pcie_fatal, GRAVE),
	R(nvml_gpu, ecc_uncorrected, GRAVE), R(nvml_gpu, ecc_corrected_lifetime, EVER),
	R(nvml_gpu, ecc_uncorrected_lifetime, EVER, GRAVE), R(nvml_gpu, dram_uncorrected, GRAVE),
	R(nvml_gpu, sram_uncorrected, GRAVE), R(nvml_gpu, sram_uncorrected_lifetime, EVER, GRAVE),
	R(nvml_gpu, sram_threshold_exceeded, FAULT),
	R(nvml_gpu, rows_remapped_corrected, EVER, GRAVE), R(nvml_gpu, rows_remapped_uncorrected, EVER, GRAVE),
	R(nvml_gpu, remap_pending, FAULT), R(nvml_gpu, remap_failed, FAULT), R(nvml_gpu, banks_no_spares, FAULT),
	R(nvml_gpu, pages_retired_single_bit, EVER, GRAVE), R(nvml_gpu, pages_retired_double_bit, EVER, GRAVE),
	R(nvml_gpu, retirement_pending, FAULT), R(nvml_gpu, channel_repair_pending, FAULT),
	R(nvml_gpu, tpc_repair_pending, FAULT), R(nvml_gpu, memory_unrepairable, FAULT),
	R(nvml_gpu, recovery_action, COMPARE, GROUP(HEALTH), .best = "none"),
	R(nvml_gpu, nvlinks, MORE), R(nvml_gpu, nvlinks_active, COMPARE, GROUP(HARDWARE), MORE),
	R(nvml_gpu, fabric_health, COMPARE, GROUP(HEALTH), .best = "healthy"),
	R(nvml_gpu, fabric_state, COMPARE, GROUP(HEALTH), .best = "completed"),
	R(nvml_gpu, c2c_links, MORE),
	R(nvml_gpu, compute_capability, GROUP(DRIVER)),
};

static const struct diff_rule gpu_link_rules[NR_FIELDS_gpu_link] = {
	R(gpu_link, remote, IGNORE),	/* an address: compared with the GPUs */
	R(gpu_link, failed_recoveries, GRAVE),
};

/* What grows on every GPU that works, and is no loss. */
static const struct diff_rule throttle_rules[NR_FIELDS_throttle] = {
	R(throttle, power_cap_total_s, IGNORE), R(throttle, low_use_total_s, IGNORE),
	R(throttle, reliability_total_s, IGNORE), R(throttle, sync_boost_total_s, IGNORE),
	R(throttle, application_clocks_total_s, IGNORE), R(throttle, base_clocks_total_s, IGNORE),
};

static const struct diff_rule gpu_instance_rules[NR_FIELDS_gpu_instance] = {
	R(gpu_instance, uuid, IGNORE),
	R(gpu_instance, vram_total_bytes, .tolerance = 0.05),
};

/* ---- what stays where a key changes */

/* "/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14" is its folder's libcuda. */
static const char *library_alias(struct arena *arena, const void *element)
{
	const struct user_library *library = element;
	const char *key = str_or(library->key, ""), *slash = strrchr(key, '/');

	return arena_printf(arena, "%.*s/%s", slash ? (int)(slash - key) : 0, key, str_or(library->name, ""));
}

static const char *software_alias(struct arena *arena, const void *element)
{
	(void)arena;
	return str_or(((const struct software *)element)->name, "");
}

/* A process number is another after every start. */
static const char *daemon_alias(struct arena *arena, const void *element)
{
	(void)arena;
	return str_or(((const struct daemon *)element)->comm, "");
}

#define RULES(name, ...) { .record = &record_##name, __VA_ARGS__ }
#define LISTED(name) .is_listed = true, .listed = FIELD_listed_##name
#define TOLD(group) .presence = true, .presence_group = DIFF_##group
#define VERSIONS(group) .version_group = DIFF_##group
static const struct record_rules record_rules[] = {
	/* Most frequent first. */
	RULES(pci_function, .rules = pci_function_rules),
	RULES(gpu_link, .rules = gpu_link_rules, .word = "link"),
	RULES(hop, .rules = hop_rules, .word = "bridge"),
	RULES(ras_block, .rules = ras_block_rules, .word = "block"),
	RULES(gpu, .rules = gpu_rules, VERSIONS(FIRMWARE)),
	RULES(nvidia_files, .rules = nvidia_files_rules, VERSIONS(FIRMWARE)),
	RULES(amdgpu_files, .rules = amdgpu_rules, VERSIONS(FIRMWARE)),
	RULES(intel_files, .rules = intel_rules, VERSIONS(FIRMWARE)),
	RULES(intel_gt, .word = "part"),
	RULES(nvml_gpu, .rules = nvml_gpu_rules, VERSIONS(FIRMWARE)),
	RULES(throttle, .rules = throttle_rules),
	RULES(gpu_instance, .rules = gpu_instance_rules, .word = "instance", TOLD(SETTINGS)),
	RULES(device_node, .rules = device_node_rules, .word = "device node", TOLD(SETTINGS), LISTED(device_nodes)),
	RULES(user_library, .rules = user_library_rules, .word = "library", TOLD(DRIVER), VERSIONS(DRIVER),
	      LISTED(user_libraries), .alias = library_alias, .is_of_search = diff_is_library_of_search),
	RULES(ocl_device, .rules = ocl_device_rules, .word = "OpenCL device", VERSIONS(DRIVER)),
	RULES(known_answer, .rules = known_answer_rules),
	RULES(memory_test, .rules = memory_test_rules),
	RULES(port, .word = "port"),
	RULES(slot, .word = "slot", TOLD(HARDWARE), LISTED(slots)),
	RULES(module, .rules = module_rules, .word = "module", TOLD(DRIVER), VERSIONS(DRIVER), LISTED(modules)),
	RULES(software, .word = "software", TOLD(DRIVER), VERSIONS(DRIVER), LISTED(software), .alias = software_alias),
	RULES(cdi_spec, .rules = cdi_spec_rules, .word = "CDI file", TOLD(DRIVER), VERSIONS(DRIVER), LISTED(cdi_specs)),
	RULES(container_config, .word = "container configuration", TOLD(SETTINGS), LISTED(container_configs)),
	RULES(icd, .rules = icd_rules, .word = "OpenCL driver", TOLD(DRIVER), .is_of_search = diff_is_icd_of_search),
	RULES(host, .rules = host_rules, .word = "host", VERSIONS(KERNEL)),
	RULES(cpu, .rules = cpu_rules, .word = "CPU"),
	RULES(memory, .rules = memory_rules, .word = "memory"),
	RULES(numa_node, .rules = numa_node_rules, .word = "NUMA node", TOLD(HARDWARE), .gone = DIFF_WORSE),
	RULES(swap, .word = "swap", TOLD(SETTINGS)),
	RULES(cgroup, .rules = cgroup_rules, .word = "control group"),
	RULES(memory_controller, .rules = memory_controller_rules, .word = "memory controller", TOLD(HARDWARE),
	      LISTED(memory_controllers)),
	RULES(disk, .rules = disk_rules, .word = "disk", TOLD(HARDWARE), LISTED(disks)),
	RULES(nvme_controller, .rules = nvme_controller_rules, .word = "NVMe disk", TOLD(HARDWARE),
	      LISTED(nvme_controllers)),
	RULES(nvme_health, .rules = nvme_health_rules, .word = "NVMe health"),
	RULES(storage_path, .ignored = true),
	/* Which are found depends on who runs at the time: those in both are compared. */
	RULES(framework, .rules = framework_rules, .word = "framework", VERSIONS(DRIVER)),
	RULES(python_package, .word = "package", VERSIONS(DRIVER)),
	RULES(process_setup, .ignored = true), RULES(framework_import, .ignored = true),
	RULES(collective_test, .ignored = true),
	RULES(collective_rank, .ignored = true),
	RULES(collective_size, .ignored = true),
	RULES(collective_pass, .ignored = true),
	RULES(tool_test, .ignored = true), RULES(tool_figure, .ignored = true), RULES(gpu_path, .ignored = true),
	RULES(bond, .word = "bond", TOLD(SETTINGS)),
	RULES(io_device, .word = "I/O device", TOLD(HARDWARE), LISTED(io_devices)),
	RULES(network_interface, .rules = network_interface_rules, .word = "network", TOLD(HARDWARE),
	      LISTED(network_interfaces)),
	RULES(daemon, .word = "daemon", TOLD(SETTINGS), .alias = daemon_alias, .alias_only = true),
	RULES(bus, .word = "PCI bus"),
	RULES(nvml, .rules = nvml_rules, .word = "NVML", VERSIONS(DRIVER)),
	RULES(opencl, .rules = opencl_rules, .word = "OpenCL"),
	/* Of the moment, or of the run; the log is compared by its findings. */
	RULES(run, .ignored = true), RULES(request, .ignored = true), RULES(listed, .ignored = true),
	RULES(pressure, .ignored = true), RULES(processes, .ignored = true), RULES(task, .ignored = true),
	RULES(holder, .ignored = true), RULES(gpu_process, .ignored = true), RULES(kernel_log, .ignored = true),
	RULES(log_line, .ignored = true), RULES(window, .ignored = true), RULES(cpu_use, .ignored = true),
	RULES(disk_use, .ignored = true), RULES(network_use, .ignored = true),
	RULES(rdma_use, .ignored = true), RULES(process_use, .ignored = true),
	RULES(probe_run, .ignored = true), RULES(gpu_use, .ignored = true), RULES(gpu_client, .ignored = true),
	RULES(load_sample, .ignored = true), RULES(sustained_load, .ignored = true), RULES(timing, .ignored = true),
	RULES(memory_error, .ignored = true), RULES(maintenance, .ignored = true),
};

const struct record_rules *rules_of_record(const struct record *record)
{
	static const struct record_rules by_class = { .word = NULL };

	for (size_t i = 0; i < ARRAY_SIZE(record_rules); i++)
		if (record_rules[i].record == record)
			return &record_rules[i];
	return &by_class;
}
