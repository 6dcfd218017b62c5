/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_table.h - the probes there are; each stands at the end of its file. */
#pragma once

#include "probe/probe.h"

extern const struct probe probe_host;
extern const struct probe probe_system;
extern const struct probe probe_upgrade;
extern const struct probe probe_processes;
extern const struct probe probe_kernel_log;
extern const struct probe probe_pci;
extern const struct probe probe_device_nodes;
extern const struct probe probe_icds;
extern const struct probe probe_pci_link;
extern const struct probe probe_gpu_files;
extern const struct probe probe_nvml;
extern const struct probe probe_nvml_gpu;
extern const struct probe probe_window;
extern const struct probe probe_pci_ports;
extern const struct probe probe_slots;
extern const struct probe probe_opencl;
extern const struct probe probe_ocl_run;
extern const struct probe probe_load_watch;
extern const struct probe probe_collective;
extern const struct probe probe_storage;
extern const struct probe probe_nvme;
extern const struct probe probe_io_devices;
extern const struct probe probe_frameworks;
extern const struct probe probe_framework_import;
