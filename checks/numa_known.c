// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/numa.h"

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t nodes = numa_nodes_with_cpus(j);

	if (!all_known(j))
		return;
	if (nodes == 1) {
		skip_check(j, "one NUMA node");
		return;
	}
	if (!nodes) {
		unknown(j, "NUMA nodes not readable");
		return;
	}
	derive(j, "numa_nodes", UNIT_COUNT, (double)nodes, "/sys/devices/system/node, those with CPUs");
	if (j->gpu->pci.numa_node.state != VAL_ABSENT) {
		need(j, pci_function, &j->gpu->pci, numa_node);
	} else if (!str_is(snapshot->host.virtualisation, "none")) {
		skip_check(j, "virtual machines report no affinity");
	} else {
		finding_add(j, NUMA_KNOWN_NO_NODE);
	}
}

const struct check check_numa_known = {
	.name = "numa-known",
	.title = "NUMA node known",
	.doc = "Does the firmware report each GPU's NUMA node? Only on bare metal with several nodes that have CPUs.",
	.per = SUBJECT_GPU,
	.says = "NUMA node {numa_node}",
	.may_emit = IDS(NUMA_KNOWN_NO_NODE),
	.eval = eval,
};
