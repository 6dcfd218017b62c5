// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/fabric.h"

#include "eval/judge/subject.h"
#include "eval/nvidia/nvidia_targets.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* Units are started while the machine still boots: before that nothing is missing. */
enum { BOOT_S = 180 };

bool is_fabric_managed(const struct snapshot *snapshot)
{
	return u64_or(snapshot->bus.nvswitches, 0) &&
	       !module_has_parameter(nvidia_module(snapshot), "NvLinkDisable=1");
}

bool has_fabric_manager(const struct snapshot *snapshot)
{
	return is_fabric_managed(snapshot) || find_daemon(snapshot, "nv-fabricmanager");
}

const struct software *find_fabric_part(const struct snapshot *snapshot, const char *name, const char *version)
{
	const struct software *found = NULL;

	for (size_t i = 0; i < snapshot->nr_software; i++) {
		const struct software *software = &snapshot->software[i];

		if (str_is(software->name, name) && is_known(software->version) &&
		    (!found || nvidia_version_is(str_or(software->version, ""), version)))
			found = software;
	}
	return found;
}

bool is_in_nvlink_domain(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return is_known(gpu->nvml.fabric_cluster) && !u64_or(snapshot->bus.nvswitches, 0);
}

const char *daemon_excuse(const struct snapshot *snapshot)
{
	if (!is_known(snapshot->processes.seen))
		return "the process list is incomplete";
	if (snapshot_is_live(snapshot) && !bool_or(snapshot->host.sees_all_processes, false))
		return "processes of other users may be hidden (run as root)";
	if (u64_or(snapshot->host.uptime_s, BOOT_S) < BOOT_S)
		return "the node has just booted and is starting its daemons";
	return NULL;
}

bool is_fabric_manager_missing(const struct snapshot *snapshot)
{
	return is_fabric_managed(snapshot) && !is_in_container(snapshot) && !daemon_excuse(snapshot) &&
	       !find_daemon(snapshot, "nv-fabricmanager");
}
