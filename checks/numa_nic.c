// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline.h"
#include "eval/facts/near_network.h"
#include "eval/facts/twin_stats.h"
#include "snapshot/under_test.h"

/* NUMA nodes as places: those that have CPUs, which are near each other where they are one package. */
struct places {
	const struct snapshot *snapshot;
	size_t nr;		/* with CPUs */
	size_t nr_in_package;
};

static bool has_cpus(const struct numa_node *node)
{
	return *str_or(node->cpus, "") != '\0';
}

static const struct numa_node *node_of(const struct snapshot *snapshot, uint64_t number, size_t *ret_place)
{
	for (size_t i = 0; i < snapshot->nr_numa_nodes; i++) {
		uint64_t key;

		if (!parse_u64(str_or(snapshot->numa_nodes[i].key, ""), &key) && key == number) {
			*ret_place = i;
			return &snapshot->numa_nodes[i];
		}
	}
	return NULL;
}

/*
 * Near: in the same package. Firmware may cut a package into several nodes
 * (SNC, NPS): then near are as many of the nearest nodes as a package has.
 */
static bool is_near(const struct places *places, uint64_t from, uint64_t to)
{
	size_t from_place, to_place, nearer = 0;
	const struct numa_node *node = node_of(places->snapshot, from, &from_place);

	if (from == to)
		return true;
	if (!node || !node_of(places->snapshot, to, &to_place) || to_place >= node->distances.nr)
		return false;
	for (size_t i = 0; i < places->snapshot->nr_numa_nodes && i < node->distances.nr; i++)
		nearer += has_cpus(&places->snapshot->numa_nodes[i]) &&
			  node->distances.v[i] < node->distances.v[to_place];
	return nearer < places->nr_in_package;
}

static size_t near_interfaces(const struct places *places, uint64_t gpu_node)
{
	size_t nr = 0;

	for (size_t i = 0; i < places->snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &places->snapshot->network_interfaces[i];

		nr += is_known(interface->rdma_device) && is_known(interface->numa_node) &&
		      is_near(places, gpu_node, u64_or(interface->numa_node, 0));
	}
	return nr;
}

/* RDMA interfaces whose node is known. */
static size_t placed_interfaces(const struct snapshot *snapshot)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++)
		nr += is_known(snapshot->network_interfaces[i].rdma_device) &&
		      is_known(snapshot->network_interfaces[i].numa_node);
	return nr;
}

static size_t gpus_with_near_interface(const struct places *places)
{
	size_t nr = 0;

	for (size_t i = 0; i < places->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &places->snapshot->gpus[i];

		nr += gpu_is_under_test(places->snapshot, gpu) && is_known(gpu->pci.numa_node) &&
		      near_interfaces(places, u64_or(gpu->pci.numa_node, 0));
	}
	return nr;
}

static struct places places_of(const struct snapshot *snapshot)
{
	struct places places = { .snapshot = snapshot, .nr = 0, .nr_in_package = 1 };
	uint64_t packages = u64_or(snapshot->cpu.package_count, 0);

	for (size_t i = 0; i < snapshot->nr_numa_nodes; i++)
		places.nr += has_cpus(&snapshot->numa_nodes[i]);
	if (packages && places.nr > packages)
		places.nr_in_package = places.nr / packages;
	return places;
}

static void judge(struct judgement *j, const struct places *places)
{
	uint64_t node = need(j, pci_function, &j->gpu->pci, numa_node);
	size_t near, others = 0;

	if (!all_known(j))
		return;
	near = near_interfaces(places, node);
	derive(j, "near_interfaces", UNIT_COUNT, (double)near, "RDMA interfaces on NUMA nodes of the GPU's package");
	if (!near)
		others = gpus_with_near_interface(places);
	if (!others)
		return;
	derive(j, "others", UNIT_COUNT, (double)others, "GPUs with an RDMA interface on a NUMA node of their package");
	finding_add(j, NUMA_NIC_NONE);
}

/* ---- below the GPU's own switch */

enum { MIN_TWINS = 3 };		/* two others may be one of a machine's several designs */

/* Does the baseline have such a card for this GPU (1), none (0), or say nothing of it (-1)? */
static int had_card(const struct judgement *j)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);
	const struct gpu *gpu = baseline ? list_find(&baseline->snapshot, gpus, gpu, str_or(j->gpu->key, "?")) : NULL;

	if (!gpu || !gpu->nr_hops || !baseline->snapshot.nr_io_devices)
		return -1;
	return near_network_card(&baseline->snapshot, gpu) != NULL;
}

static bool has_rdma(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++)
		if (is_known(snapshot->network_interfaces[i].rdma_device))
			return true;
	return false;
}

/* All is seen, and no card is: a container has the RDMA devices that it was given. */
static bool may_miss_card(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return str_is(snapshot->host.virtualisation, "none") && !is_in_container(snapshot) &&
	       is_known(snapshot->listed.io_devices) && is_known(snapshot->listed.network_interfaces) &&
	       !u64_or(snapshot->listed.network_interfaces_left_out, 0) &&
	       has_rdma(snapshot) && u64_or(gpu->bridges, UINT64_MAX) == gpu->nr_hops &&
	       !near_network_card(snapshot, gpu) && !near_network_card_is_given_away(snapshot, gpu);
}

/*
 * All of its kind have a card below their switch, and this one has none: it is gone. Where only some have one, or the
 * baseline has it so, the machine is built that way.
 */
static void judge_switch(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t twins = 0, with = 0;
	int had;

	if (!may_miss_card(snapshot, j->gpu))
		return;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!gpu_is_under_test(snapshot, gpu) || !gpus_are_twins(j->gpu, gpu))
			continue;
		twins++;
		with += near_network_card(snapshot, gpu) != NULL;
	}
	had = had_card(j);
	if (!with && had != 1)
		return;
	question(j);
	want(j, gpu, j->gpu, bridges);
	derive(j, "twins_with_card", UNIT_COUNT, (double)with,
	       "GPUs of its model with an RDMA card below their own PCIe switch");
	finding_add(j, had == 1 || (had < 0 && twins >= MIN_TWINS && with == twins) ? NUMA_NIC_CARD_MISSING :
										       NUMA_NIC_NO_CARD_BELOW_SWITCH);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	struct places places = places_of(snapshot);

	judge_switch(j);
	question(j);
	if (places.nr == 1)
		skip_check(j, "one NUMA node");
	else if (!places.nr)
		unknown(j, "NUMA nodes not readable");
	else if (j->gpu->pci.numa_node.state == VAL_ABSENT)
		skip_check(j, "the GPU reports no NUMA node (numa-known)");
	else if (snapshot->listed.network_interfaces.state != VAL_ABSENT &&
		 (need(j, listed, &snapshot->listed, network_interfaces), !all_known(j)))
		return;
	else if (!placed_interfaces(snapshot))
		skip_check(j, "no RDMA interface with a known NUMA node");
	else
		judge(j, &places);
}

const struct check check_numa_nic = {
	.name = "numa-nic",
	.title = "RDMA interface near the GPU",
	.doc = "Does each GPU have an RDMA interface on its own socket, if others do? Otherwise its network traffic "
	       "crosses between sockets. And has it one below its own PCIe switch, if others of its model do? None where all of "
	       "them or the baseline have one is a warning; the machine's design is no fault: a note.",
	.per = SUBJECT_GPU,
	.says = "RDMA interfaces on the GPU's own socket: {near_interfaces}",
	.may_emit = IDS(NUMA_NIC_NONE, NUMA_NIC_CARD_MISSING, NUMA_NIC_NO_CARD_BELOW_SWITCH),
	.eval = eval,
};
