// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/probe_table.h"

/* In the order of their phases, and in each the longest first: it is started first.
 */
const struct probe *const probes[] = {
	&probe_processes,
	&probe_pci,
	&probe_kernel_log,
	&probe_host,
	&probe_system,
	&probe_upgrade,
	&probe_device_nodes,
	&probe_icds,
	&probe_io_devices,
	&probe_pci_link,
	&probe_gpu_files,
	&probe_frameworks,
	&probe_nvme,
	&probe_pci_ports,
	&probe_slots,
	&probe_nvml,
	&probe_nvml_gpu,
	&probe_window,
	&probe_storage,
	&probe_opencl,
	&probe_framework_import,
	&probe_ocl_run,
	&probe_load_watch,
	&probe_collective,
	NULL
};

const struct probe *probe_by_name(const char *name)
{
	for (size_t i = 0; probes[i]; i++) {
		if (!strcmp(probes[i]->name, name))
			return probes[i];
	}
	return NULL;
}
