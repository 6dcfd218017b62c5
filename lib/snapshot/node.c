// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/node.h"

bool is_imported(const struct snapshot *snapshot)
{
	return str_is(snapshot->run.source, "import");
}

bool lists_gpu_if_there(const struct snapshot *snapshot, const struct gpu *of_another)
{
	uint64_t listed = 0;

	if (is_known(snapshot->bus.gpus))
		return true;
	if (!is_known(of_another->nvml.handle) || !is_known(snapshot->nvml.gpus))
		return false;
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		listed += is_known(snapshot->gpus[i].nvml.handle);
	return listed == u64_or(snapshot->nvml.gpus, 0);
}

const struct module *nvidia_module(const struct snapshot *snapshot)
{
	return list_find(snapshot, modules, module, "nvidia");
}

bool module_has_parameter(const struct module *module, const char *assignment)
{
	return module && strs_has(&module->parameters, assignment);
}

const struct probe_run *find_probe_run(const struct snapshot *snapshot, const char *probe, const char *target)
{
	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *run = &snapshot->probes[i];

		if (str_is(run->probe, probe) && (!target || str_is(run->target, target)))
			return run;
	}
	return NULL;
}

const struct daemon *find_daemon_of(const struct snapshot *snapshot, const char *const *programs)
{
	for (size_t i = 0; i < snapshot->nr_daemons; i++)
		for (const char *const *program = programs; *program; program++)
			if (str_is(snapshot->daemons[i].comm, *program))
				return &snapshot->daemons[i];
	return NULL;
}

const struct daemon *find_daemon(const struct snapshot *snapshot, const char *program)
{
	return find_daemon_of(snapshot, (const char *const[]){ program, NULL });
}

/* What the kernel's cut leaves of nvidia-cuda-mps-control and nvidia-cuda-mps-server. */
const struct daemon *mps_daemon(const struct snapshot *snapshot)
{
	return find_daemon(snapshot, "nvidia-cuda-mps");
}

bool persistenced_runs(const struct snapshot *snapshot)
{
	return find_daemon(snapshot, "nvidia-persistenced");
}

bool port_is_listed_before(const struct snapshot *snapshot, size_t at)
{
	const struct network_interface *interface = &snapshot->network_interfaces[at];

	for (size_t i = 0; i < at; i++)
		if ((is_known(snapshot->network_interfaces[i].rdma_state) || !is_known(interface->rdma_state)) &&
		    str_is(snapshot->network_interfaces[i].rdma_device, str_or(interface->rdma_device, "?")) &&
		    u64_or(snapshot->network_interfaces[i].rdma_port, 1) == u64_or(interface->rdma_port, 1))
			return true;
	return false;
}
