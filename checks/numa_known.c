// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

/* Memory without CPUs (a GPU's own, an expander) is no place to run. */
static size_t nodes_with_cpus(struct judgement *j)
{
	size_t nr = 0;

	for (size_t i = 0; i < j->snapshot->nr_numa_nodes; i++) {
		const struct numa_node *node = &j->snapshot->numa_nodes[i];

		about(j, str_or(node->key, NULL));
		nr += *need(j, numa_node, node, cpus) != '\0';
	}
	about(j, NULL);
	return nr;
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t nodes = nodes_with_cpus(j);

	if (!all_known(j))
		return;
	if (nodes == 1) {
		skip_check(j, "one NUMA node");
		return;
	}
	if (!nodes) {
		unknown(j, "no NUMA node could be read");
		return;
	}
	derive(j, "numa_nodes", UNIT_COUNT, (double)nodes, "/sys/devices/system/node, those with CPUs");
	if (j->gpu->pci.numa_node.state != VAL_ABSENT) {
		need(j, pci_function, &j->gpu->pci, numa_node);
	} else if (!str_is(snapshot->host.virtualisation, "none")) {
		skip_check(j, "virtual machines show no affinity");
	} else {
		finding_add(j, NUMA_KNOWN_NO_NODE);
	}
}

const struct check check_numa_known = {
	.name = "numa-known",
	.title = "NUMA node known",
	.doc = "Does the firmware say which NUMA node each GPU is near? Only on bare metal with several nodes that "
	       "have CPUs.",
	.per = SUBJECT_GPU,
	.says = "NUMA node {numa_node}",
	.may_emit = IDS(NUMA_KNOWN_NO_NODE),
	.eval = eval,
};
