// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline_lookup.h"
#include "eval/facts/empty_slot.h"
#include "eval/facts/gpu_trace.h"
#include "eval/judge/subject.h"
#include "eval/log/kernel_log.h"
#include "snapshot/gpus.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

static void judge_count(struct judgement *j, uint64_t seen, uint64_t expected, size_t not_ours)
{
	expect_f64(j, "gpus_under_test", (double)expected);
	phrase(j, "missing_at", "");
	phrase(j, "trace", "");
	if (seen < expected && not_ours)
		finding_add(j, GPU_VISIBLE_NOT_GIVEN);
	else if (seen < expected)
		finding_add(j, seen ? GPU_VISIBLE_MISSING : GPU_VISIBLE_NONE);
	else if (seen > expected)
		finding_add(j, GPU_VISIBLE_MORE);
}

static bool is_count_expected(const struct judgement *j)
{
	return is_known(j->snapshot->request.expect_gpus) || is_known(j->policy->inventory_gpus);
}

/*
 * As many as were expected, of which not one could be looked at. That a laptop's GPU sleeps is no gap of a run that
 * asked for nothing; whoever expects or requires something wants it judged. A gate reports suspended ones
 * (gate_unknown.c).
 */
static void judge_asleep(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t nr = 0, asleep = 0;

	if (bool_or(snapshot->request.gate, false) || (!is_count_expected(j) && !j->policy->require.nr))
		return;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!gpu_is_under_test(snapshot, gpu) || !gpu_is_selected(snapshot, gpu))
			continue;
		nr++;
		asleep += gpu_is_asleep(gpu) && !is_known(gpu->pci.config_all_ones);
	}
	if (!nr || asleep < nr)
		return;
	derive(j, "gpus_asleep", UNIT_COUNT, (double)asleep, "power/runtime_status, power_state");
	unknown(j, "{gpus_asleep|GPU|GPUs} suspended and not judged; --wake checks them");
}

/*
 * As many as there were when it was well; more than that is baseline-inventory's to tell. False: nothing was recorded.
 */
static bool judge_by_baseline(struct judgement *j, double seen)
{
	uint64_t recorded;
	const char *gone;

	if (!baseline_gpu_count(j, &recorded))
		return false;
	derive(j, "gpus_recorded", UNIT_COUNT, (double)recorded, "the baseline: GPUs under test");
	if ((double)recorded <= seen)
		return true;
	gone = baseline_gpu_gone(j);
	expect_f64(j, "gpus_under_test", (double)recorded);
	phrase(j, "missing_at", gone ? arena_printf(j->arena, ": the baseline has %s", gone) : "");
	phrase(j, "trace", gone ? arena_printf(j->arena, ", though the baseline has %s", gone) : "");
	finding_add(j, seen < 1.0 ? GPU_VISIBLE_NONE : GPU_VISIBLE_MISSING);
	return true;
}

/* The model that is expected, in words; NULL: any. */
static const char *expected_model(struct judgement *j, bool by_policy)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!by_policy)
		return str_or(j->snapshot->request.expect_model, NULL);
	for (size_t i = 0; i < j->policy->inventory_model.nr; i++)
		strbuf_addf(&text, "%s%s", i ? " or " : "", j->policy->inventory_model.v[i]);
	return text.len ? arena_strdup(j->arena, text.buf) : NULL;
}

static bool is_expected_model(const struct judgement *j, bool by_policy, const char *name)
{
	const struct strs *models = &j->policy->inventory_model;

	if (!by_policy)
		return strcasestr(name, str_or(j->snapshot->request.expect_model, ""));
	for (size_t i = 0; i < models->nr; i++)
		if (policy_matches(models->v[i], name))
			return true;
	return false;
}

/* As many as were expected, by NVIDIA's library; and their models, which it names. */
static void judge_wsl_models(struct judgement *j, bool by_policy, uint64_t counted)
{
	const struct strs *names = &j->snapshot->nvml.models;
	const char *model = expected_model(j, by_policy);
	const char *other = NULL;

	if (!model)
		return;
	for (size_t i = 0; i < names->nr && !other; i++)
		if (!is_expected_model(j, by_policy, names->v[i]))
			other = names->v[i];
	question(j);
	derive_str(j, "model", other ? other : names->nr ? names->v[0] : "?", "nvmlDeviceGetName");
	expect_str(j, "model", model);
	if (other)
		finding_add(j, GPU_VISIBLE_OTHER_MODEL);
	else if (names->nr < counted)
		unknown(j, "NVIDIA's library does not report all models");
}

/*
 * Under WSL Windows keeps the bus to itself and gives its GPUs through /dev/dxg. Without that there is none; with it
 * NVIDIA's library counts its own, and those of other makers may be there beside.
 */
static void judge_wsl_count(struct judgement *j, bool by_policy, uint64_t expected)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct device_node *dxg = list_find(snapshot, device_nodes, device_node, "/dev/dxg");
	uint64_t counted = want(j, nvml, &snapshot->nvml, gpus);

	need(j, listed, &snapshot->listed, device_nodes);
	if (!all_known(j))
		return;
	phrase(j, "where", "behind /dev/dxg");
	if (!dxg || !node_is_there(dxg)) {
		want(j, bus, &snapshot->bus, functions);
		want(j, bus, &snapshot->bus, gpus);
		derive(j, "gpus_under_test", UNIT_COUNT, 0.0, "/dev/dxg, which is absent");
		judge_count(j, 0, expected, 0);
	} else if (is_known(snapshot->nvml.gpus) && counted >= expected) {
		derive(j, "gpus_under_test", UNIT_COUNT, (double)counted, "nvmlDeviceGetCount");
		judge_count(j, counted, expected, 0);
		judge_wsl_models(j, by_policy, counted);
	} else if (is_known(snapshot->nvml.gpus)) {
		derive(j, "gpus_expected", UNIT_COUNT, (double)expected, "--expect-gpus, inventory.gpus");
		unknown(j,
			"NVIDIA's library lists {gpus} of {gpus_expected}; GPUs of other vendors cannot be counted under WSL; on Windows: Get-PnpDevice -Class Display");
	} else {
		unknown(j, "under WSL GPUs are behind /dev/dxg, not on the PCI bus, and cannot be counted; on Windows: "
			"Get-PnpDevice -Class Display");
	}
}

static void judge_wsl(struct judgement *j)
{
	if (is_known(j->snapshot->request.expect_gpus))
		judge_wsl_count(j, false, need(j, request, &j->snapshot->request, expect_gpus));
	else if (is_known(j->policy->inventory_gpus))
		judge_wsl_count(j, true, u64_or(j->policy->inventory_gpus, 0));
	else
		skip_check(j, "under WSL the GPU is not on the bus (/dev/dxg)");
}

/*
 * The policy's inventory is the machine's: what it has given to containers and virtual machines is there too, and a
 * virtual machine's is its own.
 */
static void judge_inventory(struct judgement *j)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		enum gpu_role role = gpu_role(j->snapshot, &j->snapshot->gpus[i]);

		seen += role == GPU_ROLE_GPU || role == GPU_ROLE_NOT_OURS || role == GPU_ROLE_PASSED_THROUGH;
	}
	derive(j, "gpus_under_test", UNIT_COUNT, (double)seen,
	       "functions of class display or processing accelerator, without management displays, integrated graphics and "
	       "virtual functions, and with what is given to others");
	derive_str(j, "expected_by", policy_origin(j->arena, j->policy, POLICY_ROW_inventory_gpus),
		   "the policy in force");
	judge_count(j, seen, u64_or(j->policy->inventory_gpus, 0), 0);
}

/*
 * The GPUs are somebody else's, and nobody knows whether this container was to have any. Nodes that were put into it,
 * each of which its device cgroup refuses, are not what anybody wanted.
 */
static void judge_none_given(struct judgement *j)
{
	size_t refused = 0;

	question(j);
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct device_node *node = gpu_compute_node(j->snapshot, &j->snapshot->gpus[i]);

		refused += node && str_is(node->refused_by, "device cgroup");
	}
	if (refused && gpu_request_of_container(j->snapshot)) {
		need(j, host, &j->snapshot->host, container);
		derive(j, "gpus_refused", UNIT_COUNT, (double)refused, "access");
		finding_add(j, GPU_VISIBLE_TAKEN_AWAY);
	}
	unknown(j,
		"none of the node's {gpus_not_ours|GPU|GPUs} is assigned to this {place}; if that is right: --expect-gpus 0");
}

static const char *missing_at(struct judgement *j, const struct empty_slots *missing)
{
	const char *port = str_or(missing->first->key, "?");

	if (!missing->first_is_plugged)
		return arena_printf(j->arena, ": port %s is empty, its neighbours have a GPU each", port);
	if (missing->first_slot)
		return arena_printf(j->arena, ": the card in slot %s (port %s) does not respond", missing->first_slot,
				    port);
	return arena_printf(j->arena, ": the card below port %s does not respond", port);
}

/* A hypervisor's ports are its own invention, and a container's GPUs those it was given. */
static bool is_bare_metal(const struct snapshot *snapshot)
{
	return str_is(snapshot->host.virtualisation, "none") && !is_in_container(snapshot);
}

/* Where nothing says how many belong here, a place for one beside its kind may. */
static bool judge_places(struct judgement *j, double seen)
{
	struct empty_slots missing;

	gpu_empty_slots(j->snapshot, &missing);
	if (!missing.nr)
		return false;
	about(j, str_or(missing.first->key, NULL));
	want(j, port, missing.first, functions);
	want(j, port, missing.first, present);
	want(j, port, missing.first, link_active);
	about(j, NULL);
	expect_f64(j, "gpus_under_test", seen + (double)missing.nr);
	if (missing.first_slot)
		derive_str(j, "missing_slot", missing.first_slot, "/sys/bus/pci/slots");
	phrase(j, "missing_at", missing_at(j, &missing));
	finding_add(j, GPU_VISIBLE_MISSING);
	return true;
}

/* Its driver spoke of it since boot. */
static bool judge_log(struct judgement *j, double seen)
{
	const char *first = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < j->log->nr; i++) {
		if (!is_newest_of_gone_gpu(j->log, i))
			continue;
		first = first ? first : j->log->incidents[i].incident->device;
		nr++;
	}
	if (!nr)
		return false;
	derive_str(j, "gone", first, "the kernel's log");
	expect_f64(j, "gpus_under_test", seen + (double)nr);
	phrase(j, "missing_at", arena_printf(j->arena, ": the kernel log of this boot has one at %s", first));
	finding_add(j, GPU_VISIBLE_MISSING);
	return true;
}

static bool judge_board(struct judgement *j, double seen)
{
	uint64_t nvswitches = want(j, bus, &j->snapshot->bus, nvswitches);

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		if (gpu_is_under_test(j->snapshot, &j->snapshot->gpus[i]) &&
		    !str_is(j->snapshot->gpus[i].pci.vendor_id, "0x10de"))
			return false;
	if (!nvswitches || (uint64_t)seen == 4 || (uint64_t)seen == 8 || (uint64_t)seen == 16)
		return false;
	finding_add(j, GPU_VISIBLE_ODD_COUNT);
	return true;
}

/*
 * Whether one belongs here only a trace of one can tell. Without any it is not judged: a head node is not to be drained
 * for a GPU that it never had, and a node whose GPU is gone is no pass. A gate is put on every node, also on those
 * without a GPU that have the same packages: only what the log tells of a machine's own bus is a fault to it.
 */
static void judge_none(struct judgement *j)
{
	const bool is_gate = bool_or(j->snapshot->request.gate, false);
	const char *trace = gpu_trace(j->arena, j->snapshot, j->log);

	if (is_gate && is_bare_metal(j->snapshot) && judge_log(j, 0.0))
		return;
	if (trace)
		phrase(j, "trace", arena_printf(j->arena, ", though %s", trace));
	if (trace && !is_gate) {
		finding_add(j, GPU_VISIBLE_NONE);
	} else if (trace) {
		unknown(j, "no GPU on the PCI bus{trace}, and no expected count (--expect-gpus)");
	} else {
		finding_add(j, GPU_VISIBLE_NO_TRACE);
		unknown(j, "no GPU on the PCI bus, and no expected count (--expect-gpus)");
	}
}

/* Was the bus read, and is every device on it identified? False: reported. */
static bool is_bus_known(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	uint64_t counted;

	need(j, bus, &snapshot->bus, functions);
	counted = need(j, bus, &snapshot->bus, gpus);
	if (!all_known(j))
		return false;
	if (counted != snapshot->nr_gpus) {
		unknown(j, "{gpus} were counted, fewer are described");
		return false;
	}
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		if (gpu_role(snapshot, &snapshot->gpus[i]) != GPU_ROLE_UNKNOWN)
			continue;
		about(j, str_or(snapshot->gpus[i].key, NULL));
		need(j, pci_function, &snapshot->gpus[i].pci, vendor_id);
	}
	about(j, NULL);
	return all_known(j);
}

/* Without a word from anybody: does the machine itself tell that one more belongs here? */
static bool judge_machine(struct judgement *j, double seen)
{
	return is_bare_metal(j->snapshot) && (judge_places(j, seen) || judge_log(j, seen) || judge_board(j, seen));
}

/* Dumps that tell no address call GPUs by number or by nothing: one that has an address, too, would count twice. */
static bool may_count_twice(const struct snapshot *snapshot)
{
	static const char by_number[] = "0123456789";
	size_t nr_addressed = 0, nr_numbered = 0, nr_others = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const char *key = str_or(snapshot->gpus[i].key, "");

		if (gpu_has_address(&snapshot->gpus[i]))
			nr_addressed++;
		else if (!strncmp(key, "gpu", 3) && key[3] && !key[3 + strspn(key + 3, by_number)])
			nr_numbered++;
		else
			nr_others++;
	}
	return (nr_addressed != 0) + (nr_numbered != 0) + (nr_others != 0) > 1;
}

/* NVIDIA's library counts its own; those of other makers stand beside. */
static uint64_t listed_by_library(const struct snapshot *snapshot, uint64_t counted)
{
	uint64_t addressed = 0, others = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!gpu_is_under_test(snapshot, gpu))
			continue;
		if (is_known(gpu->pci.vendor_id) && !str_is(gpu->pci.vendor_id, "0x10de"))
			others++;
		else
			addressed += gpu_has_address(gpu);
	}
	return (addressed > counted ? addressed : counted) + others;
}

/*
 * A dump that read no bus has a list of GPUs. Fewer than expected prove something where NVIDIA's library says how many
 * it has: a list may be a part.
 */
static void judge_listed(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const bool by_library = is_known(snapshot->nvml.gpus);
	uint64_t expected = is_known(snapshot->request.expect_gpus) ?
				    want(j, request, &snapshot->request, expect_gpus) :
				    u64_or(j->policy->inventory_gpus, 0);
	uint64_t listed = gpus_under_test(snapshot), counted = want(j, nvml, &snapshot->nvml, gpus);

	derive(j, "gpus_expected", UNIT_COUNT, (double)expected, "--expect-gpus, inventory.gpus");
	phrase(j, "where", by_library ? "listed by NVIDIA's library" : "listed in the dumps");
	listed = by_library ? listed_by_library(snapshot, counted) : listed;
	derive(j, "gpus_under_test", UNIT_COUNT, (double)listed, "the GPUs that the dumps list");
	expect_f64(j, "gpus_under_test", (double)expected);
	if (!by_library && may_count_twice(snapshot))
		unknown(j, "some dumps list GPUs by address, others do not; unknown which of them are the same");
	else if (listed > expected)
		judge_count(j, listed, expected, 0);
	else if (listed < expected && by_library)
		finding_add(j, GPU_VISIBLE_FEWER_LISTED);
	else if (listed < expected)
		unknown(j, "the dumps list {gpus_under_test} of {gpus_expected}; unknown whether they list all");
}

/*
 * Seven of eight must not pass: where nothing says how many belong here, a
 * GPU on the bus proves nothing about the one that is not.
 */
static void judge_bus(struct judgement *j)
{
	size_t not_ours;
	double seen;

	if (str_is(j->snapshot->host.virtualisation, "wsl")) {
		judge_wsl(j);
		return;
	}
	if (is_imported(j->snapshot) && !is_known(j->snapshot->bus.gpus) && is_count_expected(j)) {
		judge_listed(j);
		return;
	}
	if (!is_bus_known(j))
		return;
	phrase(j, "where", "on the bus");
	seen = derive(j, "gpus_under_test", UNIT_COUNT, (double)gpus_under_test(j->snapshot),
		      "functions of class display or processing accelerator, without management displays, "
		      "integrated graphics, virtual functions and what is given to others");
	not_ours = gpus_of_role(j->snapshot, GPU_ROLE_NOT_OURS);
	if (not_ours) {
		derive(j, "gpus_not_ours", UNIT_COUNT, (double)not_ours, "device nodes, host.container");
		derive_str(j, "place", is_in_container(j->snapshot) ? "container" : "control group", "host.container");
	}
	if (is_known(j->snapshot->request.expect_gpus))
		judge_count(j, (uint64_t)seen, need(j, request, &j->snapshot->request, expect_gpus), not_ours);
	else if (is_known(j->policy->inventory_gpus))
		judge_inventory(j);
	else if (seen < 1.0 && not_ours)
		judge_none_given(j);
	else if (!not_ours && judge_by_baseline(j, seen))
		return;
	else if (seen < 1.0)
		judge_none(j);
	else if (not_ours || !judge_machine(j, seen))
		skip_check(j, "{gpus_under_test} on the bus, no expected count (--expect-gpus)");
}

static void eval(struct judgement *j)
{
	judge_bus(j);
	question(j);
	judge_asleep(j);
}

const struct check check_gpu_visible = {
	.name = "gpu-visible",
	.title = "GPUs on the bus",
	.doc = "Are as many GPUs on the PCI bus as expected by --expect-gpus or the policy's inventory.gpus? Without "
	       "either, fewer than in the baseline are a fault. Without a baseline, these are faults: no GPU at all, "
	       "with a trace of one (a driver loaded or installed, a device node, a slot, the kernel log); "
	       "on bare metal, a card beside GPUs that does not respond or an empty port without a slot; a GPU named "
	       "in this boot's kernel log that is gone. A count that no board with NVSwitches has is a warning. "
	       "Displays of management controllers and hypervisors, integrated graphics and virtual functions do not "
	       "count, nor do host GPUs not assigned to this container or job: if it has none and no count is "
	       "expected, the check is not judged, nor is it without a trace of a GPU. It is also not judged if GPUs are expected or a check is required "
	       "and every GPU is suspended, or under WSL if the expected GPUs cannot be counted. Of a dump that did "
	       "not read the bus the GPUs that it lists are counted: too few are a fault if NVIDIA's library lists "
	       "them all.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_LINKS,
	.says = "{gpus_under_test} {where}, as expected",
	.may_emit = IDS(GPU_VISIBLE_NONE, GPU_VISIBLE_NO_TRACE, GPU_VISIBLE_MISSING, GPU_VISIBLE_ODD_COUNT,
			GPU_VISIBLE_MORE, GPU_VISIBLE_FEWER_LISTED, GPU_VISIBLE_OTHER_MODEL, GPU_VISIBLE_NOT_GIVEN,
			GPU_VISIBLE_TAKEN_AWAY),
	.eval = eval,
};
