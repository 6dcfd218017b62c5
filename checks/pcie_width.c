// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline_lookup.h"
#include "eval/facts/models.h"
#include "eval/facts/twin_stats.h"
#include "eval/facts/link_evidence.h"
#include "eval/facts/throttle.h"
#include "snapshot/node.h"

/*
 * AMD's Polaris and older have at rest half their lanes and the lowest speed. A dump of that moment does not tell what
 * they have at work.
 */
static bool may_rest(const struct judgement *j, const struct link *link, uint64_t now)
{
	const struct pci_function *card = link->lower;

	return is_imported(j->snapshot) && card == &j->gpu->pci && str_is(card->vendor_id, "0x1002") &&
	       now * 2 >= u64_or(card->link_width_able, 0) &&
	       u64_or(card->link_speed_mtps, UINT64_MAX) < u64_or(card->link_speed_able_mtps, 0);
}

/*
 * Slots of a desktop differ, and a twin in a wider one says nothing of a slot that is not in the dump; those of compute
 * cards, which have no display, are alike.
 */
static bool may_be_narrow_slot(const struct judgement *j, const struct link *link)
{
	return is_imported(j->snapshot) && !link->upper && !is_known(j->gpu->nvml.link_width_max) &&
	       !strncmp(str_or(j->gpu->pci.class_code, ""), "0x0300", strlen("0x0300"));
}

/*
 * The most lanes the link has been seen to run, where it should run able: below
 * that at the first look, it counts what the window saw while the GPU worked, as
 * some narrow their link at idle. Only the slot's link is watched so.
 */
static uint64_t width_seen(struct judgement *j, const struct link *link, size_t place, uint64_t able)
{
	uint64_t now = need(j, pci_function, link->lower, link_width), copied;
	struct link_at_work busy = { .width = 0 };

	if (!all_known(j) || now >= able)
		return now;
	expect_u64(j, "link_width", able);
	if (!place) {
		want(j, gpu_use, &j->gpu->use, link_width_busy);
		link_at_work(j, j->gpu, &busy);
	}
	expect_u64(j, "link_width_busy", able);
	if (busy.width > now)
		derive(j, "link_width", UNIT_LANES, (double)busy.width, busy.width_how);
	else if (busy.by_load && busy.width)
		derive(j, "link_width_under_load", UNIT_LANES, (double)busy.width, busy.width_how);
	now = busy.width > now ? busy.width : now;
	copied = place ? 0 : link_width_by_copies(j, now, able, u64_or(link->lower->link_speed_able_mtps, 0));
	if (copied > now)
		derive(j, "link_width", UNIT_LANES, (double)copied, "the fewest lanes that allow the measured copies");
	return copied > now ? copied : now;
}

/*
 * Lines of lspci that were searched for may lack the maximum; that the link is below it stands there all the same.
 * AMD's are so at rest, at the lowest speeds.
 */
static bool is_below_untold(const struct judgement *j, const struct link *link)
{
	enum { SPEED_AT_REST_MTPS = 5000 };
	const struct pci_function *card = link->lower;

	if (!is_imported(j->snapshot) || !bool_or(card->link_is_narrowed, false) || !is_known(card->link_width) ||
	    card->link_width_able.state != VAL_UNSET)
		return false;
	return !str_is(card->vendor_id, "0x1002") || u64_or(card->link_speed_mtps, 0) > SPEED_AT_REST_MTPS;
}

/* A card in a slot of fewer lanes than it could use: worth a line, and no fault. */
static void judge_slot(struct judgement *j, const struct link *link)
{
	uint64_t slot = u64_or(link->upper->link_width_able, 0), card = u64_or(link->lower->link_width_able, 0), width;

	question(j);
	width = width_seen(j, link, 0, card < slot ? card : slot);
	want(j, pci_function, link->upper, link_width_able);
	if (!slot || card <= slot || width < slot)
		return;
	derive(j, "link_width_card", UNIT_LANES, (double)card, "max_link_width of the card");
	finding_add(j, PCIE_WIDTH_PLATFORM_LIMIT);
}

/* 0: not in the baseline. */
static uint64_t recorded_width(struct judgement *j, size_t place)
{
	struct baseline_link recorded;

	baseline_link(j, place, &recorded);
	if (recorded.width)
		derive(j, "recorded_link_width", UNIT_LANES, (double)recorded.width,
		       "the baseline, at the same address");
	return recorded.width;
}

/*
 * A virtual machine has what its host gave it. Lines of lspci do not tell of one, but a card in a slot or on a board is
 * behind a port: on bus 0, "00:1e.0", there is none.
 */
static bool may_be_guest(const struct judgement *j)
{
	struct pci_address address;

	if (is_known(j->snapshot->host.virtualisation))
		return is_virtual_machine(j->snapshot);
	return is_virtual_machine(j->snapshot) ||
	       (!parse_pci_address(str_or(j->gpu->key, ""), &address) && !address.bus);
}

/* Modules have no slot: the board that they are made for gives each all its lanes. */
enum { LANES_OF_MODULES = 16 };

static bool is_module(const struct gpu *gpu)
{
	static const char *const names[] = { "SXM4", "SXM5", "SXM6", "H100 80GB HBM3", "H200 SXM", "B200 SXM", "MI300X",
					     "MI325X", "MI350X", "MI355X" };
	const struct gpu_model *model = gpu_model_of(gpu);

	return text_has_any(str_or(gpu->pci.model, ""), names, ARRAY_SIZE(names)) ||
	       text_has_any(str_or(gpu->nvml.name, ""), names, ARRAY_SIZE(names)) ||
	       (model && text_has_any(model->name, names, ARRAY_SIZE(names)));
}

/*
 * Of servers, whose slots have eight lanes or more; with a part of its name others have, which may be built narrower.
 */
static bool is_server_card(const struct gpu *gpu)
{
	static const char *const names[] = {
		"[Tesla ", "[A10]", "[A16]", "[A30", "[A40]", "[A100", "[A800", "[H100", "[H800", "[H200", "[H20]",
		"[L4]", "[L20]",
		"[L40", "[Instinct MI",
	};
	const char *model = str_or(gpu->pci.model, "");

	/* Beside NVLink to the processor a module of that age may have a narrow link. */
	return !strstr(model, "SXM2") && text_has_any(model, names, ARRAY_SIZE(names));
}

/*
 * The slot is not told: is it a link that no slot of such a card has? At the lowest speed it may save lanes, at rest.
 */
static bool is_far_below(const struct judgement *j, const struct link *link, uint64_t width)
{
	enum { FEWEST_OF_SERVERS = 8, SPEED_AT_REST_MTPS = 2500 };
	const struct pci_function *card = link->lower;
	bool may_save_power = u64_or(card->link_speed_mtps, UINT64_MAX) <= SPEED_AT_REST_MTPS;

	return width < FEWEST_OF_SERVERS && is_server_card(j->gpu) && !may_save_power && !may_be_guest(j);
}

/* No twin is wider: only the baseline can show it. */
static enum finding_id alone(const struct judgement *j, const struct link *link, uint64_t width, uint64_t recorded)
{
	if (recorded > width)
		return PCIE_WIDTH_BELOW_BASELINE;
	if (recorded == width && link->upper)
		return PCIE_WIDTH_AS_RECORDED;
	if (link->upper && gpu_is_mobile(j->gpu))
		return PCIE_WIDTH_LAPTOP;
	if (link->upper || (is_module(j->gpu) && !may_be_guest(j)))
		return PCIE_WIDTH_BELOW_ABLE;
	return is_far_below(j, link, width) ? PCIE_WIDTH_FAR_BELOW : PCIE_WIDTH_ONE_END;
}

static void judge_untold(struct judgement *j, const struct link *link, size_t place)
{
	uint64_t width = need(j, pci_function, link->lower, link_width);
	uint64_t twins = twins_widest_link(j->snapshot, j->gpu, place);

	want(j, pci_function, link->lower, link_is_narrowed);
	derive_str(j, "link_address", link->address, "the lower end of the link");
	phrase(j, "where", "");
	phrase(j, "where.many", "");
	if (twins > width && !may_be_narrow_slot(j, link)) {
		derive(j, "twin_link_width", UNIT_LANES, (double)twins,
		       "the widest link at the same place among GPUs of this model");
		derive(j, "link_width_able", UNIT_LANES, (double)twins, "a twin's width");
		finding_add(j, PCIE_WIDTH_BELOW_TWINS);
	} else if (is_module(j->gpu) && !may_be_guest(j)) {
		derive(j, "link_width_able", UNIT_LANES, LANES_OF_MODULES, "modules of this form");
		finding_add(j, PCIE_WIDTH_BELOW_ABLE);
	} else {
		derive_str(j, "link_width_able", "more", "lspci: downgraded");
		finding_add(j, is_far_below(j, link, width) ? PCIE_WIDTH_FAR_BELOW : PCIE_WIDTH_ONE_END);
	}
}

/* place counts the links of the path from the GPU: a twin is compared at the same one. */
static void judge_link(struct judgement *j, const struct link *link, size_t place)
{
	struct link_at_work loaded_twins = { .width = 0 };
	uint64_t width, able, twins, recorded;

	question(j);
	if (is_below_untold(j, link)) {
		judge_untold(j, link, place);
		return;
	}
	able = link_width_able(j, link);
	width = width_seen(j, link, place, able);
	if (!all_known(j) || width >= able)
		return;
	if (may_rest(j, link, width)) {
		unknown(j, "an AMD GPU at rest may use fewer lanes than under load");
		return;
	}
	derive(j, "link_width_able", UNIT_LANES, (double)able, "the smaller of both ends' max_link_width");
	derive_str(j, "link_address", link->address, "the lower end of the link");
	phrase(j, "where", link_where(j, link));
	phrase(j, "where.many", *link_where(j, link) ? " at a port above each" : "");
	if (!place)
		twins_link_under_load(j, &loaded_twins);
	twins = twins_widest_link(j->snapshot, j->gpu, place);
	twins = loaded_twins.width > twins ? loaded_twins.width : twins;
	recorded = recorded_width(j, place);
	if (twins > width && !may_be_narrow_slot(j, link)) {
		derive(j, "twin_link_width", UNIT_LANES, (double)twins,
		       "the widest link at the same place among GPUs of this model");
		finding_add_of(j, PCIE_WIDTH_BELOW_TWINS, link_above(j, link));
	} else {
		finding_add_of(j, alone(j, link, width, recorded), link_above(j, link));
	}
}

/*
 * NVIDIA's library reports what card and slot can do together (nvml.h), and of some slots what the card can; any other
 * width is of neither.
 */
static void judge_library(struct judgement *j, const struct link *link)
{
	uint64_t told = u64_or(j->gpu->nvml.link_width_max, 0), card = u64_or(link->lower->link_width_able, 0);
	uint64_t port = link->upper ? u64_or(link->upper->link_width_able, 0) : 0;

	if (!told || !card || !port || is_virtual_machine(j->snapshot) || link->lower != &j->gpu->pci ||
	    told == card || told == port)
		return;
	question(j);
	want(j, nvml_gpu, &j->gpu->nvml, link_width_max);
	derive(j, "link_width_able", UNIT_LANES, (double)link_width_able(j, link),
	       "the smaller of both ends' max_link_width");
	finding_add(j, PCIE_WIDTH_LIBRARY_DIFFERS);
}

static void eval(struct judgement *j)
{
	struct link_path path;

	if (!link_evidence(j, &path))
		return;
	for (size_t i = 0; i < path.nr; i++)
		judge_link(j, &path.links[i], i);
	if (path.links[0].upper && is_known(path.links[0].lower->link_width))
		judge_slot(j, &path.links[0]);
	judge_library(j, &path.links[0]);
}

const struct check check_pcie_width = {
	.name = "pcie-width",
	.title = "PCIe link width",
	.doc = "Does each link between the GPU and the root port run as wide as both of its ends allow? The width "
	       "under load counts too, and the measured copies: some GPUs narrow their link at idle. A fail requires "
	       "a wider twin, or a baseline in which the link was wider. A single card is a warning, since risers "
	       "and split slots are often wired this way, and a note in a laptop or if the baseline has the same "
	       "width. A "
	       "slot with fewer lanes than the card is a note, as is a maximum from NVIDIA's library that neither end "
	       "of the link has. Where only the GPU's own end is seen, as in a virtual machine or a dump, that is a note "
	       "too without a wider twin, and a warning for a server's card with fewer than eight lanes and for a module, "
	       "which has no slot.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS | NEEDS_WINDOW,
	.says = "link {link_width}",
	.may_emit = IDS(PCIE_WIDTH_BELOW_TWINS, PCIE_WIDTH_BELOW_ABLE, PCIE_WIDTH_LAPTOP, PCIE_WIDTH_ONE_END,
			PCIE_WIDTH_FAR_BELOW, PCIE_WIDTH_PLATFORM_LIMIT, PCIE_WIDTH_BELOW_BASELINE,
			PCIE_WIDTH_AS_RECORDED, PCIE_WIDTH_LIBRARY_DIFFERS),
	.eval = eval,
};
