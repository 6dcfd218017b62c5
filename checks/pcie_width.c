// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/expect.h"
#include "eval/link.h"
#include "snapshot/under_test.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A card in a slot of fewer lanes than it could use: true, worth a line, and nobody's fault. */
static void judge_slot(struct judgement *j, const struct link *link)
{
	uint64_t width, slot, card;

	question(j);
	width = look(j, pci_function, link->lower, link_width);
	slot = look(j, pci_function, link->upper, link_width_able);
	card = u64_or(link->lower->link_width_able, 0);
	if (!slot || card <= slot || width < slot)
		return;
	derive(j, "link_width_card", UNIT_LANES, (double)card, "max_link_width of the card");
	finding_add(j, PCIE_WIDTH_PLATFORM_LIMIT);
}

/* The GPU's own link is where the GPU is; another one has to be named. */
static const char *where(struct judgement *j, const struct link *link)
{
	return link->lower == &j->gpu->pci ? "" : arena_printf(j->arena, " at %s above it", link->address);
}

static uint64_t link_able(struct judgement *j, const struct link *link)
{
	uint64_t upper, lower;

	if (!link->upper)
		return need(j, pci_function, link->lower, link_width_able);
	about(j, "the port above");
	upper = need(j, pci_function, link->upper, link_width_able);
	about(j, NULL);
	lower = need(j, pci_function, link->lower, link_width_able);
	return smaller(upper, lower);
}

/* place counts the links of the path from the GPU: a twin is compared at the same one. */
static void judge_link(struct judgement *j, const struct link *link, size_t place)
{
	uint64_t width, able, twins;

	question(j);
	able = link_able(j, link);
	width = need(j, pci_function, link->lower, link_width);
	if (!all_known(j) || width >= able)
		return;
	derive(j, "link_width_able", UNIT_LANES, (double)able, "the smaller of both ends' max_link_width");
	derive_str(j, "link_address", link->address, "the lower end of the link");
	derive_str(j, "where", where(j, link), "the lower end of the link");
	expect_u64(j, "link_width", able);
	twins = twins_widest_link(j->snapshot, j->gpu, place);
	if (twins > width) {
		derive(j, "twin_link_width", UNIT_LANES, (double)twins,
		       "the widest link at the same place among GPUs of this model");
		finding_add(j, PCIE_WIDTH_BELOW_TWINS);
	} else {
		finding_add(j, PCIE_WIDTH_BELOW_ABLE);
	}
}

static bool is_virtual_machine(const struct snapshot *snapshot)
{
	return is_known(snapshot->host.virtualisation) && !str_is(snapshot->host.virtualisation, "none");
}

static void eval(struct judgement *j)
{
	struct link_path path;

	gpu_links(j->gpu, &path);
	if (j->gpu->pci.link_width.state == VAL_ASLEEP) {
		skip_check(j, "the GPU is suspended, and looking would wake it");
	} else if (j->gpu->pci.link_width.state == VAL_LOST || bool_or(j->gpu->pci.config_all_ones, false)) {
		skip_check(j, "the GPU does not answer on the bus (gpu-lost)");
	} else if (is_virtual_machine(j->snapshot) && !is_known(j->gpu->pci.link_width)) {
		skip_check(j, "the hypervisor shows no link");
	} else if (j->gpu->pci.link_width.state == VAL_UNSUPPORTED) {
		skip_check(j, "this device has no PCIe link of its own");
	} else if (!path.paired) {
		unknown(j, "the bridges above it were not all seen, or make no sense as a path of PCIe ports");
	} else if (is_virtual_machine(j->snapshot)) {
		/* What bridges a hypervisor shows are its own invention: the endpoint alone is real. */
		judge_link(j, &(struct link){ .lower = &j->gpu->pci, .address = str_or(j->gpu->key, "?") }, 0);
	} else {
		for (size_t i = 0; i < path.nr; i++)
			judge_link(j, &path.links[i], i);
		if (path.links[0].upper)
			judge_slot(j, &path.links[0]);
	}
}

const struct check check_pcie_width = {
	.name = "pcie-width",
	.title = "PCIe link width",
	.doc = "Does each link between the GPU and the root port run as wide as both of its ends allow? A fail needs "
	       "a twin that is wider; a single card is a warning, since laptops, risers and split slots are often "
	       "wired so. A slot of fewer lanes than the card is a note. In a virtual machine only the GPU's own end "
	       "is judged.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS,
	.says = "link {link_width}",
	.may_emit = IDS(PCIE_WIDTH_BELOW_TWINS, PCIE_WIDTH_BELOW_ABLE, PCIE_WIDTH_PLATFORM_LIMIT),
	.eval = eval,
};
