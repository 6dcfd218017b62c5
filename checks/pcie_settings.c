// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/link_evidence.h"
#include "eval/facts/near_network.h"
#include "eval/facts/twin_stats.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

/* Payloads: the largest that everything on the path could take, against what the GPU uses. */
static void judge_payload(struct judgement *j)
{
	const struct gpu *gpu = j->gpu;
	uint64_t payload, path;

	question(j);
	payload = want(j, pci_function, &gpu->pci, max_payload_bytes);
	path = u64_or(gpu->pci.max_payload_able_bytes, 0);
	if (!payload || !path || u64_or(gpu->bridges, UINT64_MAX) != gpu->nr_hops)
		return;
	for (size_t i = 0; i < gpu->nr_hops; i++) {
		uint64_t able = u64_or(gpu->hops[i].pci.max_payload_able_bytes, 0);

		if (!able)
			return;
		if (able < path)
			path = able;
	}
	derive(j, "payload_path", UNIT_BYTES, (double)path,
	       "the least MaxPayload able of the GPU and the bridges above it");
	if (payload < path)
		finding_add(j, PCIE_SETTINGS_PAYLOAD);
}

/* A port takes no larger payload than it is set to, whoever sends it. */
static void judge_payload_above(struct judgement *j)
{
	uint64_t payload, above;

	question(j);
	if (!j->gpu->nr_hops)
		return;
	payload = want(j, pci_function, &j->gpu->pci, max_payload_bytes);
	above = u64_or(j->gpu->hops[0].pci.max_payload_bytes, 0);
	if (!payload || !above || payload <= above)
		return;
	derive(j, "payload_above", UNIT_BYTES, (double)above, "MaxPayload of the port above");
	finding_add(j, PCIE_SETTINGS_PAYLOAD_ABOVE);
}

static void judge_read_request(struct judgement *j)
{
	uint64_t own, most = 0;

	question(j);
	own = want(j, pci_function, &j->gpu->pci, max_read_request_bytes);
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *twin = &j->snapshot->gpus[i];
		uint64_t bytes = u64_or(twin->pci.max_read_request_bytes, 0);

		if (gpus_are_twins(j->gpu, twin) && bytes > most)
			most = bytes;
	}
	if (!own || own >= most)
		return;
	derive(j, "twin_read_request", UNIT_BYTES, (double)most, "the largest MaxReadReq among GPUs of this model");
	finding_add(j, PCIE_SETTINGS_READ_REQUEST);
}

/* Power saving takes both ends; at idle it is welcome. */
static void judge_power_saving(struct judgement *j, const struct link *link)
{
	const char *aspm;

	question(j);
	aspm = want(j, pci_function, link->lower, aspm);
	if (!*aspm || !strcmp(aspm, "off") || !gpu_was_busy(j))
		return;
	if (link->upper && (!is_known(link->upper->aspm) || str_is(link->upper->aspm, "off")))
		return;
	want(j, gpu_use, &j->gpu->use, busy_percent);
	finding_add(j, PCIE_SETTINGS_POWER_SAVING);
}

static size_t gpus_below(const struct snapshot *snapshot, const char *address)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += gpu_is_under_test(snapshot, &snapshot->gpus[i]) && gpu_is_below(&snapshot->gpus[i], address);
	return nr;
}

/* Virtual machines that are given a GPU each need the redirect. */
static bool any_is_passed_through(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_role(snapshot, &snapshot->gpus[i]) == GPU_ROLE_PASSED_THROUGH)
			return true;
	return false;
}

/* The downstream port of a switch that other GPUs are below as well. */
static void judge_redirect(struct judgement *j)
{
	const struct gpu *gpu = j->gpu;

	question(j);
	if (!str_is(j->snapshot->host.virtualisation, "none") || any_is_passed_through(j->snapshot))
		return;
	for (size_t i = 0; i + 1 < gpu->nr_hops; i++) {
		const struct hop *port = &gpu->hops[i];
		size_t below;

		if (!str_is(port->pci.port_type, "downstream-port") || !bool_or(port->pci.acs_redirects, false))
			continue;
		below = gpus_below(j->snapshot, str_or(gpu->hops[i + 1].address, "?"));
		if (below < 2)
			continue;
		about(j, str_or(port->address, NULL));
		want(j, pci_function, &port->pci, acs_redirects);
		about(j, NULL);
		derive(j, "gpus_below", UNIT_COUNT, (double)below, "GPUs below the same switch");
		finding_add(j, PCIE_SETTINGS_REDIRECT);
		return;
	}
}

/* What keeps a GPU's traffic from the RDMA card below its own switch from taking the short way. */
static void judge_network(struct judgement *j)
{
	const struct io_device *card = near_network_card(j->snapshot, j->gpu);
	const struct hop *port;
	const char *type;

	if (!card || !str_is(j->snapshot->host.virtualisation, "none") || any_is_passed_through(j->snapshot))
		return;
	port = near_network_redirect(j->gpu, card);
	if (port) {
		question(j);
		about(j, str_or(port->address, NULL));
		want(j, pci_function, &port->pci, acs_redirects);
		about(j, NULL);
		derive_str(j, "card", near_network_name(j->snapshot, card), "the nearest below the GPU's own switch");
		finding_add(j, PCIE_SETTINGS_REDIRECT_NETWORK);
	}
	question(j);
	type = want(j, gpu, j->gpu, iommu_type);
	if (strncmp(type, "DMA", strlen("DMA")) != 0)
		return;
	derive_str(j, "card", near_network_name(j->snapshot, card), "the nearest below the GPU's own switch");
	finding_add(j, PCIE_SETTINGS_TRANSLATED);
}

/* A twin with a larger one makes it a difference among twins, and twins-differ reports it. */
static bool twin_has_larger_bar(const struct judgement *j, uint64_t bytes)
{
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		if (gpus_are_twins(j->gpu, &j->snapshot->gpus[i]) &&
		    u64_or(j->snapshot->gpus[i].bar_bytes, 0) > bytes)
			return true;
	return false;
}

static void judge_bar(struct judgement *j)
{
	uint64_t bytes, able;

	question(j);
	bytes = want(j, gpu, j->gpu, bar_bytes);
	able = want(j, gpu, j->gpu, bar_able_bytes);
	if (bytes && bytes < able && !twin_has_larger_bar(j, bytes))
		finding_add(j, PCIE_SETTINGS_SMALL_BAR);
}

static void eval(struct judgement *j)
{
	struct link_path path;

	if (!link_evidence(j, &path))
		return;
	judge_bar(j);
	if (is_virtual_machine(j->snapshot)) {
		skip_check(j, "the hypervisor emulates these settings");
		return;
	}
	judge_payload(j);
	judge_payload_above(j);
	judge_read_request(j);
	judge_power_saving(j, &path.links[0]);
	judge_redirect(j);
	judge_network(j);
	if (j->gpu->pci.max_payload_bytes.state == VAL_DENIED)
		skip_check(j, "permission denied (run as root: configuration space)");
	else if (!is_known(j->gpu->pci.max_payload_bytes))
		skip_check(j, "not in its configuration space");
}

const struct check check_pcie_settings = {
	.name = "pcie-settings",
	.title = "PCIe settings",
	.doc = "Is the bus configured for full speed: max payload and read request, link power saving under load, ACS "
	       "redirection between GPUs below one switch, or of a GPU and an RDMA card, which an IOMMU that translates causes "
	       "as well, BAR size? Notes only: they cost some speed and break "
	       "nothing. Needs root, except for the BAR.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS | NEEDS_WINDOW,
	.says = "max payload {max_payload_bytes}",
	.may_emit = IDS(PCIE_SETTINGS_PAYLOAD, PCIE_SETTINGS_PAYLOAD_ABOVE, PCIE_SETTINGS_READ_REQUEST,
			PCIE_SETTINGS_POWER_SAVING, PCIE_SETTINGS_REDIRECT, PCIE_SETTINGS_REDIRECT_NETWORK,
			PCIE_SETTINGS_TRANSLATED, PCIE_SETTINGS_SMALL_BAR),
	.eval = eval,
};
