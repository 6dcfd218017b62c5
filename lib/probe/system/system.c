// SPDX-License-Identifier: GPL-2.0-or-later
/* system.c - probe "system": what belongs to the machine beside its GPUs, their buses and its processes. */
#include "base/compat.h"
#include "probe/probe_table.h"
#include "probe/system/system_internal.h"

static int run(struct probe_env *env, struct sink *sink)
{
	struct snapshot *facts = &sink->facts;

	sink_step(sink, "read /sys/module and /proc/driver/nvidia/version");
	system_modules_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read /sys/fs/cgroup");
	system_cgroup_read(env, &facts->arena, &facts->cgroup);
	sink_flush(sink);
	sink_step(sink, "read /sys/devices/system/edac");
	system_memory_controllers_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read /sys/block");
	system_disks_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read /proc/mdstat");
	system_disk_arrays_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read /sys/class/nvme");
	system_nvme_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read /sys/class/net and /sys/class/infiniband");
	system_network_read(env, facts);
	system_bonds_read(env, facts);
	sink_flush(sink);
	/* Last: a path of the loader may lead to a file server that does not answer. */
	sink_step(sink, "look into library folders");
	system_libraries_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read /var/lib/dpkg/status");
	system_packages_read(env, facts);
	sink_step(sink, "look into software folders");
	system_software_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read CDI files");
	system_cdi_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read the configuration of container runtimes");
	system_container_config_read(env, facts);
	return sink_end(sink, PROBE_OK, NULL);
}

/* Disks and interfaces field by field: what they did over the window is another probe's. */
static const char *const provides[] = {
	"modules", "user_libraries", "software", "cdi_specs", "container_configs", "cgroup", "memory_controllers",
	"disks.model", "disks.rotational", "disks.size_bytes", "disks.scheduler", "disks.state",
	"disk_arrays", "listed.disk_arrays", "nvme_controllers.model", "nvme_controllers.serial",
	"nvme_controllers.firmware", "nvme_controllers.state",
	"nvme_controllers.transport", "nvme_controllers.address", "listed.nvme_controllers",
	"network_interfaces.rdma_device", "network_interfaces.address", "network_interfaces.numa_node",
	"network_interfaces.state", "network_interfaces.speed_mbps", "network_interfaces.speed_able_mbps",
	"network_interfaces.receive_errors", "network_interfaces.receive_drops", "network_interfaces.transmit_errors",
	"network_interfaces.carrier_changes", "network_interfaces.rdma_type", "network_interfaces.rdma_link_layer",
	"network_interfaces.rdma_state", "network_interfaces.rdma_software",
	"network_interfaces.rdma_physical_state", "network_interfaces.rdma_rate_mbps",
	"network_interfaces.roce_v2_gids", "network_interfaces.rdma_manager_lid",
	"network_interfaces.link_recoveries", "network_interfaces.rdma_port", "network_interfaces.rdma_receive_errors",
	"network_interfaces.integrity_errors", "network_interfaces.receive_crc_errors", "bonds",
	"network_interfaces.symbol_errors", "network_interfaces.link_downed",
	"listed.modules", "listed.user_libraries", "listed.memory_controllers", "listed.disks",
	"listed.network_interfaces", "listed.network_interfaces_left_out", "listed.software", "listed.cdi_specs",
	"listed.container_configs",
	NULL
};

const struct probe probe_system = {
	.name = "system",
	.help = "kernel modules, driver libraries, software versions, container configuration, control group, memory "
	       "errors, disks and network interfaces",
	.phase = PHASE_NODE,
	.touches = TOUCHES_FILES,
	.deadline_ms = 5000,
	.provides = provides,
	.run = run,
};
