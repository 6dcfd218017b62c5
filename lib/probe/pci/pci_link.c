// SPDX-License-Identifier: GPL-2.0-or-later
/* pci_link.c - probe "pci-link": the link of one GPU and of every bridge above it, and its slot. */
#include "base/compat.h"

#include <errno.h>

#include "probe/pci/pci_chain.h"
#include "probe/pci/pci_function.h"
#include "probe/pci/pci_gpu.h"
#include "probe/probe_table.h"
#include "snapshot/under_test.h"

/* Probe "pci" has said who the GPU is: only what this one read is added. */
static void add_touched(struct gpu *gpu, const struct pci_function *pci)
{
	gpu->pci.link_width = pci->link_width;
	gpu->pci.link_width_able = pci->link_width_able;
	gpu->pci.link_speed_mtps = pci->link_speed_mtps;
	gpu->pci.link_speed_able_mtps = pci->link_speed_able_mtps;
	gpu->pci.port_type = pci->port_type;
	gpu->pci.config_all_ones = pci->config_all_ones;
	gpu->pci.max_payload_bytes = pci->max_payload_bytes;
	gpu->pci.max_payload_able_bytes = pci->max_payload_able_bytes;
	gpu->pci.max_read_request_bytes = pci->max_read_request_bytes;
	gpu->pci.aspm = pci->aspm;
	gpu->pci.acs_redirects = pci->acs_redirects;
	gpu->pci.aer_correctable = pci->aer_correctable;
	gpu->pci.aer_nonfatal = pci->aer_nonfatal;
	gpu->pci.aer_fatal = pci->aer_fatal;
	gpu->pci.aer_unsupported = pci->aer_unsupported;
	gpu->pci.aer_kinds = pci->aer_kinds;
	gpu->pci.aer_root_fatal = pci->aer_root_fatal;
}

static void send_gpu(struct sink *sink, const char *key, const struct pci_function *pci)
{
	add_touched(list_element(&sink->facts.arena, &sink->facts, gpus, gpu, key), pci);
	sink_flush(sink);
}

/* What the bus reports beside its link. */
static void send_place(struct probe_env *env, struct sink *sink, const struct pci_chain *chain)
{
	struct arena *arena = &sink->facts.arena;
	const struct pci_member *self = &chain->members[0];
	struct gpu *gpu = list_element(arena, &sink->facts, gpus, gpu, self->address);
	const char **addresses = arena_alloc(arena, chain->nr * sizeof(*addresses));

	for (size_t i = 0; i < chain->nr; i++)
		addresses[i] = chain->members[i].address;
	pci_gpu_read(env, sink, arena, self->address, self->asleep_state, self->asleep, gpu);
	if (pci_member_is_gone(env, self))
		pci_gpu_set_unknown(gpu, VAL_LOST, PCI_GONE);
	pci_gpu_read_slot(env, sink, arena, addresses, chain->nr, gpu);
	sink_flush(sink);
}

static void send_hop(struct sink *sink, const char *gpu_key, size_t place, const struct pci_member *bridge)
{
	struct arena *arena = &sink->facts.arena;
	struct gpu *gpu = list_element(arena, &sink->facts, gpus, gpu, gpu_key);
	struct hop *hop = list_element(arena, gpu, hops, hop, arena_printf(arena, "%zu", place));

	hop->address = val_str(bridge->address);
	hop->pci = bridge->pci;
	sink_flush(sink);
}

static int gone(struct probe_env *env, struct sink *sink)
{
	struct pci_function pci = { 0 };

	pci_function_set_gone(&pci);
	pci_gpu_set_unknown(list_element(&sink->facts.arena, &sink->facts, gpus, gpu, env->target), VAL_LOST, PCI_GONE);
	send_gpu(sink, env->target, &pci);
	return sink_end(sink, PROBE_PARTIAL, PCI_GONE);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct pci_chain chain;
	int error = pci_chain_open(env, &chain, env->target, true);

	if (error == -ENOENT)
		return gone(env, sink);
	for (size_t i = 0; i < chain.nr; i++) {
		struct pci_member *member = &chain.members[i];

		pci_member_read(env, sink, &chain.arena, member);
		if (!i)
			send_gpu(sink, env->target, &member->pci);
		else
			send_hop(sink, env->target, i - 1, member);
	}
	if (!env->places_only)
		send_place(env, sink, &chain);
	/* Last: bridges that were not seen, or not all said, are not the same as none. */
	if (!error)
		list_element(&sink->facts.arena, &sink->facts, gpus, gpu, env->target)->bridges = val_u64(chain.nr - 1);
	pci_chain_release(&chain);
	if (error)
		return sink_end(sink, PROBE_PARTIAL, "the bridges above are not visible: no link in " PCI_DEVICES);
	return sink_end(sink, PROBE_OK, NULL);
}

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_role(snapshot, &snapshot->gpus[i]) != GPU_ROLE_NOT_OURS)
			strs_add(arena, ret, str_or(snapshot->gpus[i].key, ""));
}

static const char *const provides[] = {
	"gpus.pci.port_type", "gpus.pci.link_width", "gpus.pci.link_width_able", "gpus.pci.link_speed_mtps",
	"gpus.pci.link_speed_able_mtps", "gpus.pci.config_all_ones", "gpus.pci.max_payload_bytes",
	"gpus.pci.max_payload_able_bytes", "gpus.pci.max_read_request_bytes", "gpus.pci.aspm", "gpus.pci.acs_redirects",
	"gpus.pci.aer_correctable", "gpus.pci.aer_nonfatal", "gpus.pci.aer_fatal", "gpus.pci.aer_unsupported",
	"gpus.pci.aer_kinds", "gpus.pci.aer_root_fatal", "gpus.slot", "gpus.smbios_slot", "gpus.bar_bytes",
	"gpus.bar_able_bytes", "gpus.iommu_group", "gpus.iommu_type", "gpus.virtual_functions", "gpus.hops",
	"gpus.bridges",
	NULL
};

const struct probe probe_pci_link = {
	.name = "pci-link",
	.help = "PCIe link of a GPU and of every bridge above it; skips suspended devices",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 2000,
	.provides = provides,
	.targets = targets,
	.run = run,
};
