// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/numa.h"

#include "base/text.h"
#include "snapshot/gpus.h"

enum {
	LOCAL_DISTANCE = 10,	/* ACPI, SLIT */
	MAX_SHOWN_CHARS = 32,	/* of a list of CPUs */
	MAX_PACKAGES = 64,
};

size_t numa_nodes_with_cpus(struct judgement *j)
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

static bool has_cpus(const struct numa_node *node)
{
	return *str_or(node->cpus, "") != '\0';
}

/* Is each node as near to the others as to itself? That is so with numa=fake. */
static bool is_flat(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_numa_nodes; i++) {
		const struct f64s *distances = &snapshot->numa_nodes[i].distances;

		if (!distances->nr)
			return false;
		for (size_t k = 0; k < distances->nr; k++)
			if (distances->v[k] > LOCAL_DISTANCE)
				return false;
	}
	return true;
}

bool numa_matters(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t nodes = numa_nodes_with_cpus(j);
	uint64_t packages;

	for (size_t i = 0; i < snapshot->nr_numa_nodes && nodes > 1; i++) {
		if (!has_cpus(&snapshot->numa_nodes[i]))
			continue;
		about(j, str_or(snapshot->numa_nodes[i].key, NULL));
		need(j, numa_node, &snapshot->numa_nodes[i], package);
	}
	about(j, NULL);
	packages = packages_of_all(snapshot);
	if (!all_known(j))
		return false;
	if (!nodes)
		unknown(j, "NUMA nodes not readable");
	else if (nodes == 1)
		skip_check(j, "one NUMA node");
	else if (!packages)
		unknown(j, "more NUMA nodes than supported");
	else if (!(packages & (packages - 1)))
		skip_check(j, "one socket: every CPU is near");
	else if (is_flat(snapshot))
		skip_check(j, "all NUMA nodes are at equal distance");
	else
		return true;
	return false;
}

const struct numa_node *numa_node_at(const struct snapshot *snapshot, uint64_t number)
{
	for (size_t i = 0; i < snapshot->nr_numa_nodes; i++) {
		uint64_t key;

		if (!parse_u64(str_or(snapshot->numa_nodes[i].key, ""), &key) && key == number)
			return &snapshot->numa_nodes[i];
	}
	return NULL;
}

/* A socket's bit is that of its first node. */
uint64_t packages_of_node(const struct snapshot *snapshot, const struct numa_node *node)
{
	for (size_t i = 0; i < snapshot->nr_numa_nodes && i < MAX_PACKAGES && is_known(node->package); i++) {
		const struct val_u64 *package = &snapshot->numa_nodes[i].package;

		if (is_known(*package) && package->v_ == node->package.v_)
			return UINT64_C(1) << i;
	}
	return 0;
}

uint64_t packages_of_all(const struct snapshot *snapshot)
{
	uint64_t packages = 0;

	for (size_t i = 0; i < snapshot->nr_numa_nodes; i++)
		packages |= packages_of_node(snapshot, &snapshot->numa_nodes[i]);
	return packages;
}

uint64_t packages_of_gpu(const struct snapshot *snapshot, const char *address)
{
	const struct gpu *gpu = gpu_at(snapshot, address);
	const struct numa_node *node = gpu && is_known(gpu->pci.numa_node) ?
		numa_node_at(snapshot, u64_or(gpu->pci.numa_node, 0)) : NULL;

	return node ? packages_of_node(snapshot, node) : 0;
}

uint64_t packages_of_cpus(const struct snapshot *snapshot, const char *cpulist)
{
	uint64_t packages = 0;

	for (size_t i = 0; i < snapshot->nr_numa_nodes; i++) {
		const struct numa_node *node = &snapshot->numa_nodes[i];
		bool overlaps;

		if (!cpulist_overlap(cpulist, str_or(node->cpus, ""), &overlaps) && overlaps)
			packages |= packages_of_node(snapshot, node);
	}
	return packages;
}

const char *cpus_of_packages(struct arena *arena, const struct snapshot *snapshot, uint64_t packages)
{
	STRBUF_AUTO list = STRBUF_INIT;
	STRBUF_AUTO joined = STRBUF_INIT;

	for (size_t i = 0; i < snapshot->nr_numa_nodes; i++) {
		const struct numa_node *node = &snapshot->numa_nodes[i];

		if (!(packages_of_node(snapshot, node) & packages) || !has_cpus(node))
			continue;
		if (list.len)
			strbuf_addch(&list, ',');
		strbuf_addstr(&list, str_or(node->cpus, ""));
	}
	/* Nodes of one socket (SNC, NPS) lie beside each other as a rule. */
	if (cpulist_join(list.buf, &joined))
		return arena_strdup(arena, list.buf);
	return arena_strdup(arena, joined.buf);
}

const char *short_cpulist(struct arena *arena, const char *cpulist)
{
	size_t len = strlen(cpulist);
	uint64_t count;

	if (len <= MAX_SHOWN_CHARS || cpulist_count(cpulist, &count))
		return arena_strndup(arena, cpulist, len);
	len = MAX_SHOWN_CHARS / 2;
	while (len && cpulist[len - 1] != ',')
		len--;
	return arena_printf(arena, "%.*s… (%llu CPUs)", (int)len, cpulist, (unsigned long long)count);
}
