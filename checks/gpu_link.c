// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/twin_stats.h"
#include "eval/facts/fabric.h"
#include "eval/facts/link_evidence.h"
#include "eval/facts/models.h"
#include "eval/facts/throttle.h"
#include "eval/judge/vendor.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

enum {
	MAX_NAMED = 6, MAX_NVLINKS = 64, MIN_TWINS = 3,
	BOARD_LINKS = 6,	/* bridges between two cards have no more than four */
};

/* The links from a GPU to others, by what they do. */
struct counts {
	size_t nr, up, asleep, down, to_switch;
};

/* "3, 7 and 9", "3, 7, 9, 11, 12, 14 and 4 more": numbers of the links that `wanted` picks. */
static const char *link_numbers(struct judgement *j, const struct gpu *gpu, bool (*wanted)(const struct gpu_link *))
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t nr = 0, all = 0;

	for (size_t i = 0; i < gpu->nr_links; i++)
		all += wanted(&gpu->links[i]);
	for (size_t i = 0; i < gpu->nr_links && nr < MAX_NAMED; i++) {
		if (!wanted(&gpu->links[i]))
			continue;
		if (nr++)
			strbuf_addstr(&text, nr == all ? " and " : ", ");
		strbuf_addstr(&text, str_or(gpu->links[i].key, "?"));
	}
	if (all > nr)
		strbuf_addf(&text, " and %zu more", all - nr);
	return arena_strdup(j->arena, text.buf);
}

static bool is_down(const struct gpu_link *link)
{
	return str_is(link->state, "inactive");
}

static bool has_new_errors(const struct gpu_link *link)
{
	return u64_or(link->new_errors, 0) > 0;
}

static bool has_failed_to_recover(const struct gpu_link *link)
{
	return u64_or(link->failed_recoveries, 0) > 0;
}

static uint64_t past_errors(const struct gpu_link *link)
{
	return u64_or(link->crc_errors, 0) + u64_or(link->replays, 0) + u64_or(link->recoveries, 0);
}

static bool has_past_errors(const struct gpu_link *link)
{
	return past_errors(link) > 0;
}

/* A link that is asleep is well: it wakes when there is something to send. */
static void count_links(const struct gpu *gpu, struct counts *ret)
{
	*ret = (struct counts){ .nr = gpu->nr_links };
	for (size_t i = 0; i < gpu->nr_links; i++) {
		ret->up += str_is(gpu->links[i].state, "active");
		ret->asleep += str_is(gpu->links[i].state, "sleep");
		ret->down += is_down(&gpu->links[i]);
		ret->to_switch += str_is(gpu->links[i].remote_kind, "switch");
	}
}

/* By dumps of nvidia-smi nvlink nothing is known of a GPU but its name, and its name tells how many links it has. */
static bool are_twins(const struct judgement *j, const struct gpu *twin)
{
	const char *name = str_or(j->gpu->nvml.name, NULL);

	if (gpus_are_twins(j->gpu, twin))
		return true;
	/* dcgmi names none: boards with so many links carry GPUs of one model. */
	if (is_imported(j->snapshot) && twin != j->gpu && j->gpu->nr_links >= BOARD_LINKS &&
	    twin->nr_links == j->gpu->nr_links && !name && !is_known(twin->nvml.name) &&
	    !is_known(j->gpu->pci.device_id))
		return true;
	return is_imported(j->snapshot) && name && twin != j->gpu && str_is(twin->nvml.name, name) &&
	       !is_known(j->gpu->pci.device_id) && !is_known(twin->pci.device_id);
}

/* Most links that any of its twins has up; 0 where it has none. */
static size_t twins_up(const struct judgement *j)
{
	size_t most = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		struct counts twin;

		if (!are_twins(j, &j->snapshot->gpus[i]) ||
		    !gpu_is_under_test(j->snapshot, &j->snapshot->gpus[i]))
			continue;
		count_links(&j->snapshot->gpus[i], &twin);
		if (twin.up + twin.asleep > most)
			most = twin.up + twin.asleep;
	}
	return most;
}

/*
 * A GPU that was given its place in a fabric, and whose switches are on no bus of this node: those of HGX B200 are
 * managed over InfiniBand, those of GB200 stand in trays of their own.
 */
static bool has_place_in_fabric(const struct gpu *gpu)
{
	static const char *const models[] = { "0x2901", "0x2941" };

	return text_is_any(str_or(gpu->pci.device_id, ""), models, ARRAY_SIZE(models)) &&
	       str_is(gpu->nvml.fabric_state, "completed");
}

/* By a dump that has no more than names: modules are on a board that joins them, cards need bridges. */
static bool is_module_by_name(const struct judgement *j)
{
	return is_imported(j->snapshot) && gpu_is_module_by_name(j->gpu);
}

/* On a board with NVSwitches every GPU is joined to all others; cards are joined by bridges, or are not. */
static bool is_on_switches(const struct judgement *j, const struct counts *counts)
{
	bool any = counts->to_switch || has_place_in_fabric(j->gpu) || is_module_by_name(j);

	for (size_t i = 0; i < j->snapshot->nr_gpus && !any; i++) {
		struct counts twin;

		if (!gpus_are_twins(j->gpu, &j->snapshot->gpus[i]))
			continue;
		count_links(&j->snapshot->gpus[i], &twin);
		any = twin.to_switch;
	}
	return any || u64_or(j->snapshot->bus.nvswitches, 0);
}

static const char *kind_words(const struct gpu *gpu)
{
	return gpu_vendor(gpu) == VENDOR_AMD ? "xGMI links" : "NVLinks";
}

/* A rack of several nodes may run with fewer switches, and its fabric reports that itself. */
static bool is_degraded_rack(const struct judgement *j)
{
	return is_in_nvlink_domain(j->snapshot, j->gpu) && is_known(j->gpu->nvml.fabric_health) &&
	       !str_is(j->gpu->nvml.fabric_health, "healthy");
}

static bool has_switches(const struct judgement *j)
{
	return is_fabric_managed(j->snapshot) ||
	       (has_place_in_fabric(j->gpu) && !module_has_parameter(nvidia_module(j->snapshot), "NvLinkDisable=1"));
}

/*
 * NVLinks that a GPU of this model has up on a board with NVSwitches; 0: that is not known here. A host that gives GPUs
 * to virtual machines trains the links of a partition when one is started.
 */
static size_t model_links(const struct judgement *j)
{
	const struct gpu_model *model = gpu_model_of(j->gpu);

	if (!model || !has_switches(j) || is_virtual_machine(j->snapshot) ||
	    !str_is(j->gpu->nvml.virtualization, "none"))
		return 0;
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		if (gpu_role(j->snapshot, &j->snapshot->gpus[i]) == GPU_ROLE_PASSED_THROUGH)
			return 0;
	return model->nvlinks;
}

static bool is_getting_ready(const struct nvml_gpu *nvml)
{
	return str_is(nvml->fabric_state, "in-progress") || str_is(nvml->fabric_state, "not-started");
}

/* Before Hopper the fabric manager trains the links, and no fabric state is reported. */
static bool may_be_training(const struct judgement *j)
{
	return !str_is(j->gpu->nvml.fabric_state, "completed") &&
	       (double)u64_or(j->snapshot->host.uptime_s, UINT64_MAX) < j->policy->fabric_settle_s;
}

/* What all of its twins lack too shows beside the model alone. */
static void judge_beside_model(struct judgement *j, const struct counts *counts)
{
	size_t usable = counts->up + counts->asleep, of_model = model_links(j);

	if (usable >= of_model || usable < twins_up(j) || is_getting_ready(&j->gpu->nvml) ||
	    (usable && is_degraded_rack(j)))
		return;
	question(j);
	derive(j, "links_up", UNIT_COUNT, (double)usable, "links that are active or in sleep state");
	for (size_t i = 0; i < j->gpu->nr_links; i++)
		if (!is_known(j->gpu->links[i].state))
			need(j, gpu_link, &j->gpu->links[i], state);
	want(j, nvml_gpu, &j->gpu->nvml, fabric_state);
	want(j, bus, &j->snapshot->bus, nvswitches);
	expect_f64(j, "links_up", (double)of_model);
	derive(j, "model_links", UNIT_COUNT, (double)of_model, gpu_model_of(j->gpu)->source);
	phrase(j, "model", gpu_model_of(j->gpu)->name);
	phrase_address(j);
	if (may_be_training(j)) {
		want(j, host, &j->snapshot->host, uptime_s);
		unknown(j, "NVLinks may still be in training, {uptime_s} after boot");
	} else {
		finding_add(j, GPU_LINK_BELOW_MODEL);
	}
}

/* A dump told that no link is up, and not how many there are. */
static bool says_none_up(const struct gpu *gpu)
{
	return !is_known(gpu->nvml.nvlinks) && !u64_or(gpu->nvml.nvlinks_active, 1);
}

/*
 * Modules on a board, none of which has a link up: the fabric manager set up no switch, or the board's links are off.
 * One or two may be what a virtual machine was given, and GPUs divided by MIG use none.
 */
static bool is_board_without_links(const struct judgement *j, const struct counts *counts)
{
	enum { LEAST_OF_BOARD = 4 };
	size_t nr = 0;

	if (!is_module_by_name(j) || counts->up + counts->asleep || is_virtual_machine(j->snapshot))
		return false;
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		struct counts other;

		count_links(&j->snapshot->gpus[i], &other);
		if (other.up + other.asleep || bool_or(j->snapshot->gpus[i].nvml.mig_enabled, false))
			return false;
		nr += other.down > 0 || says_none_up(&j->snapshot->gpus[i]);
	}
	return nr >= LEAST_OF_BOARD;
}

/*
 * By a dump of nvidia-smi nvlink or dcgmi alone: a module whose board joins all its links, of a node that has others.
 * Which board it is of only its name tells; one GPU by itself may be a virtual machine's, which then has no link up.
 */
static bool is_of_full_board(const struct judgement *j, const struct counts *counts)
{
	return is_imported(j->snapshot) && gpu_is_on_full_board_by_name(j->gpu) && !is_virtual_machine(j->snapshot) &&
	       !is_known(j->gpu->pci.device_id) &&
	       (j->snapshot->nr_gpus > 1 || u64_or(j->gpu->nvml.index, 0) > 0 ||
		counts->up + counts->asleep > counts->down);
}

/* Of a GPU whose twins, if it has any, are no better. */
static void judge_down(struct judgement *j, const struct counts *counts)
{
	size_t usable = counts->up + counts->asleep;

	if (is_of_full_board(j, counts)) {
		finding_add(j, GPU_LINK_MODULE_DOWN);
	} else if (usable && !model_links(j)) {
		derive(j, "links", UNIT_COUNT, (double)counts->nr, "links it has");
		finding_add(j, GPU_LINK_SOME_DOWN);
	}
}

static void judge_state(struct judgement *j, const struct counts *counts)
{
	size_t usable = counts->up + counts->asleep, twins = twins_up(j);

	question(j);
	derive(j, "links_up", UNIT_COUNT, (double)usable, "links that are active or in sleep state");
	phrase(j, "kind", kind_words(j->gpu));
	phrase_address(j);
	for (size_t i = 0; i < j->gpu->nr_links; i++)
		if (!is_known(j->gpu->links[i].state))
			need(j, gpu_link, &j->gpu->links[i], state);
	if (!counts->down || !all_known(j))
		return;
	derive_str(j, "which", link_numbers(j, j->gpu, is_down), "links that are inactive");
	if (usable < twins && (usable || is_on_switches(j, counts))) {
		expect_f64(j, "links_up", (double)twins);
		derive(j, "twin_links_up", UNIT_COUNT, (double)twins, "most links up among GPUs of this model");
		finding_add(j, GPU_LINK_DOWN);
	} else if (is_board_without_links(j, counts)) {
		finding_add(j, GPU_LINK_ALL_DOWN);
	} else if (usable >= twins && !twins) {
		judge_down(j, counts);
	}
}

/* Cards without a bridge have none up, and nothing but the sentence is known of them. */
static void judge_none_up(struct judgement *j, const struct counts *counts)
{
	question(j);
	want(j, nvml_gpu, &j->gpu->nvml, nvlinks_active);
	phrase(j, "kind", kind_words(j->gpu));
	phrase(j, "which", "all");
	phrase_address(j);
	if (is_board_without_links(j, counts))
		finding_add(j, GPU_LINK_ALL_DOWN);
	else if (is_of_full_board(j, counts))
		finding_add(j, GPU_LINK_MODULE_DOWN);
	else
		finding_add(j, GPU_LINK_NONE_UP);
}

static void judge_errors(struct judgement *j)
{
	uint64_t errors = 0, failed = 0;

	for (size_t i = 0; i < j->gpu->nr_links; i++) {
		errors += u64_or(j->gpu->links[i].new_errors, 0);
		failed += u64_or(j->gpu->links[i].failed_recoveries, 0);
	}
	question(j);
	phrase(j, "kind", kind_words(j->gpu));
	phrase_address(j);
	if (errors) {
		derive(j, "link_errors", UNIT_COUNT, (double)errors, "errors counted during the window, all links");
		derive_str(j, "which", link_numbers(j, j->gpu, has_new_errors), "links that counted errors");
		finding_add(j, GPU_LINK_ERRORS);
	}
	question(j);
	phrase(j, "kind", kind_words(j->gpu));
	phrase_address(j);
	if (failed) {
		derive(j, "failed", UNIT_COUNT, (double)failed, "failed_recoveries of all links");
		derive_str(j, "which", link_numbers(j, j->gpu, has_failed_to_recover), "links that failed to recover");
		finding_add(j, GPU_LINK_RECOVERY_FAILED);
	}
}

/* A dump has no window: who pasted these counters has no others. */
static void judge_past_errors(struct judgement *j)
{
	uint64_t errors = 0;

	for (size_t i = 0; i < j->gpu->nr_links; i++)
		errors += past_errors(&j->gpu->links[i]);
	question(j);
	if (!errors)
		return;
	phrase(j, "kind", kind_words(j->gpu));
	phrase_address(j);
	derive(j, "link_errors", UNIT_COUNT, (double)errors, "crc_errors, replays and recoveries of all links");
	derive_str(j, "which", link_numbers(j, j->gpu, has_past_errors), "links that counted errors");
	finding_add(j, GPU_LINK_PAST_ERRORS);
	question(j);
}

/* A dump tells it by the GPU. */
static bool may_be_virtual(const struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;
	size_t nr_modules = 0;

	if (is_virtual_machine(j->snapshot) || !is_imported(j->snapshot) || str_is(nvml->virtualization, "none"))
		return is_virtual_machine(j->snapshot);
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		nr_modules += is_known(j->snapshot->gpus[i].nvml.fabric_state);
	/*
	 * Part of an output does not tell. With several GPUs of such boards it is hardly of a machine that was given
	 * one.
	 */
	return is_known(nvml->virtualization) || (nr_modules < 2 && u64_or(j->snapshot->nvml.gpus, 0) < 2);
}

/*
 * Since Hopper a GPU has a place in its board's fabric, which the fabric
 * manager gives it; without one no program can start on it (CUDA error 802). A
 * single GPU of such a board, given to a virtual machine, never gets one and
 * works without.
 */
static void judge_fabric(struct judgement *j, const struct counts *counts)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;
	const char *health = str_or(nvml->fabric_health, "healthy");
	bool has_failed = str_is(nvml->fabric_state, "completed") && is_known(nvml->fabric_status) &&
			  !str_is(nvml->fabric_status, "SUCCESS");

	question(j);
	if (is_getting_ready(nvml) && !(may_be_virtual(j) && !counts->up)) {
		want(j, nvml_gpu, nvml, fabric_state);
		want(j, host, &j->snapshot->host, uptime_s);
		if ((double)u64_or(j->snapshot->host.uptime_s, UINT64_MAX) < j->policy->fabric_settle_s)
			unknown(j, "the fabric is still being set up, {uptime_s} after boot");
		else if (is_fabric_manager_missing(j->snapshot))
			skip_check(j, "the fabric manager is not running (daemons)");
		else
			finding_add(j, GPU_LINK_FABRIC_NOT_READY);
	} else if (is_getting_ready(nvml) && is_imported(j->snapshot) && !is_virtual_machine(j->snapshot)) {
		want(j, nvml_gpu, nvml, fabric_state);
		finding_add(j, GPU_LINK_FABRIC_ALONE);
	} else if (has_failed) {
		want(j, nvml_gpu, nvml, fabric_status);
		finding_add(j, GPU_LINK_FABRIC_FAILED);
	}
	question(j);
	if (strcmp(health, "healthy") != 0) {
		want(j, nvml_gpu, nvml, fabric_health);
		finding_add(j, GPU_LINK_FABRIC_UNHEALTHY);
	}
}

/* NVLinks that join two GPUs by the matrix of nvidia-smi topo -m; -1: it does not tell. */
static int pair_links(const struct gpu *from, const struct gpu *to)
{
	for (size_t i = 0; is_known(to->nvml.index) && i < from->nr_paths; i++) {
		const char *name = str_or(from->paths[i].key, ""), *word = str_or(from->paths[i].link, "");
		uint64_t number;

		if (strncmp(name, "GPU", 3) != 0 || parse_u64(name + 3, &number) || number != u64_or(to->nvml.index, 0))
			continue;
		if (strncmp(word, "NV", 2) != 0)
			return 0;
		return parse_u64(word + 2, &number) || number > MAX_NVLINKS ? -1 : (int)number;
	}
	return -1;
}

/* nvidia-smi numbers NVIDIA's GPUs alone. */
static bool is_other_of_vendor(const struct judgement *j, const struct gpu *gpu)
{
	return gpu != j->gpu && str_is(gpu->pci.vendor_id, str_or(j->gpu->pci.vendor_id, "?"));
}

/* A matrix alone names no model. */
static bool has_same_name(const struct gpu *a, const struct gpu *b)
{
	return !strcmp(str_or(a->nvml.name, ""), str_or(b->nvml.name, ""));
}

/* As many join any two of the others; 0: not all alike, or of some it is not told. */
static int links_of_others(const struct judgement *j, size_t *ret_nr)
{
	const struct snapshot *snapshot = j->snapshot;
	int all = -1;

	*ret_nr = 0;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		if (!is_other_of_vendor(j, &snapshot->gpus[i]))
			continue;
		++*ret_nr;
		for (size_t k = i + 1; k < snapshot->nr_gpus; k++) {
			int links;

			if (!is_other_of_vendor(j, &snapshot->gpus[k]))
				continue;
			links = pair_links(&snapshot->gpus[i], &snapshot->gpus[k]);
			if (links <= 0 || (all > 0 && links != all) || !has_same_name(&snapshot->gpus[k], j->gpu))
				return 0;
			all = links;
		}
	}
	return all > 0 ? all : 0;
}

/* Where no name tells what they are: no bridges join so many cards by so many links each. */
static bool is_board_by_pairs(const struct judgement *j, int links)
{
	return is_known(j->gpu->nvml.name) ? is_module_by_name(j) : links >= BOARD_LINKS;
}

/*
 * As many GPUs as boards have: one more is a card of its own beside them, and where some are missing the matrix was
 * cut.
 */
static bool is_full_board(size_t nr)
{
	return nr == 4 || nr == 8 || nr == 16;
}

/*
 * A GPU of a board whose others are joined to each other by more links than it is to any. In MIG mode a GPU uses none,
 * which a matrix alone does not tell; what is no module of a board may have a bridge or not.
 */
static void judge_pairs(struct judgement *j)
{
	size_t nr;
	int others = links_of_others(j, &nr), most = 0;

	if (!others || nr < MIN_TWINS || !is_board_by_pairs(j, others) || bool_or(j->gpu->nvml.mig_enabled, false))
		return;
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *other = &j->snapshot->gpus[i];
		int links = is_other_of_vendor(j, other) ? pair_links(j->gpu, other) : 0;

		if (links < 0)
			return;
		most = links > most ? links : most;
	}
	if (most >= others)
		return;
	question(j);
	derive(j, "pair_links", UNIT_COUNT, most, "the most NVLinks to another GPU, nvidia-smi topo -m");
	if (j->gpu->nr_paths)
		cite(j, j->gpu->paths[0].link.from);
	expect_f64(j, "pair_links", others);
	derive(j, "twin_pair_links", UNIT_COUNT, others, "NVLinks between any two of the other GPUs");
	want(j, nvml_gpu, &j->gpu->nvml, mig_enabled);
	phrase_address(j);
	finding_add(j, is_known(j->gpu->nvml.mig_enabled) || most || is_full_board(nr + 1) ? GPU_LINK_BELOW_TWINS_PAIRS
											   : GPU_LINK_NOT_JOINED);
}

static const char *count_name(const struct gpu *gpu)
{
	switch (gpu_vendor(gpu)) {
	case VENDOR_NVIDIA:
		return "nvlinks";
	case VENDOR_AMD:
		return "xgmi_links";
	default:
		return NULL;
	}
}

/* Links that are not joined to anything are no fault of any. */
static bool is_joined(const struct judgement *j, const struct counts *counts)
{
	return counts->up || counts->asleep ||
	       (counts->nr && is_on_switches(j, counts) && (twins_up(j) || model_links(j)));
}

static bool is_divided(const struct gpu *gpu)
{
	return bool_or(gpu->nvml.mig_enabled, false) || u64_or(gpu->nvml.mig_instances, 0);
}

static void eval(struct judgement *j)
{
	static const char in_mig_mode[] = "in MIG mode, which does not use NVLink";
	const char *name = count_name(j->gpu);
	struct counts counts;

	count_links(j->gpu, &counts);
	if (!name) {
		skip_check(j, "GPU links not supported by its driver");
		return;
	}
	if (is_imported(j->snapshot))
		judge_past_errors(j);
	/* nvidia-smi -q tells of the fabric and not of links. */
	if (is_imported(j->snapshot) && !is_known(j->gpu->nvml.nvlinks) && is_known(j->gpu->nvml.fabric_state)) {
		judge_fabric(j, &counts);
		question(j);
	}
	if (is_imported(j->snapshot) && says_none_up(j->gpu)) {
		if (is_divided(j->gpu))
			skip_check(j, in_mig_mode);
		else
			judge_none_up(j, &counts);
		return;
	}
	if (is_imported(j->snapshot) && !is_known(j->gpu->nvml.nvlinks)) {
		judge_pairs(j);
		question(j);
	}
	if (!vendor_reports(j, name))
		return;
	if (is_divided(j->gpu)) {
		skip_check(j, in_mig_mode);
		return;
	}
	if (!need_vendor_u64(j, name) && all_known(j)) {
		skip_check(j, "no links to other GPUs");
		return;
	}
	if (!all_known(j))
		return;
	judge_fabric(j, &counts);
	if (is_imported(j->snapshot) && counts.down && counts.down == counts.nr && !is_joined(j, &counts)) {
		judge_none_up(j, &counts);
		return;
	}
	if (!is_joined(j, &counts)) {
		skip_check(j, counts.nr ? "no link connected to another GPU" : "link states not reported");
		return;
	}
	judge_state(j, &counts);
	judge_beside_model(j, &counts);
	judge_errors(j);
}

const struct check check_gpu_link = {
	.name = "gpu-link",
	.title = "Links between GPUs",
	.doc = "Are the links between GPUs up (NVLink, xGMI), as many as on its twins, are there errors during the "
	       "window, and is the GPU registered in the NVSwitch fabric? On a bare-metal node with NVSwitches on its "
	       "bus, or if a B200 or GB200 is registered in a fabric, the model sets the expected number. A card "
	       "without a bridge has no active links, and a link in sleep state is healthy. Earlier errors are not "
	       "reported, of imported output in a note. Of imported output of nvidia-smi topo -m a module whose others are "
	       "joined to each other by more links than it is to any is a warning, and a note where it may be in MIG mode or no module of "
	       "their board; a module whose "
	       "board joins all its links and that has some down is a warning.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS | NEEDS_WINDOW | NEEDS_VENDOR,
	.says = "{links_up} {kind} up on each GPU",
	.may_emit = IDS(GPU_LINK_DOWN, GPU_LINK_ALL_DOWN, GPU_LINK_BELOW_TWINS_PAIRS, GPU_LINK_NOT_JOINED,
			GPU_LINK_BELOW_MODEL, GPU_LINK_SOME_DOWN, GPU_LINK_MODULE_DOWN, GPU_LINK_NONE_UP,
			GPU_LINK_ERRORS, GPU_LINK_PAST_ERRORS, GPU_LINK_RECOVERY_FAILED, GPU_LINK_FABRIC_NOT_READY,
			GPU_LINK_FABRIC_ALONE, GPU_LINK_FABRIC_FAILED, GPU_LINK_FABRIC_UNHEALTHY),
	.eval = eval,
};
