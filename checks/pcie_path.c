// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/link_evidence.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

struct ability {
	const struct link *link;
	uint64_t width, speed;
	double bytes_per_s;
};

static double card_bytes_per_s(const struct pci_function *card)
{
	return link_bytes_per_s(u64_or(card->link_speed_able_mtps, 0), u64_or(card->link_width_able, 0));
}

static struct ability ability_of(struct judgement *j, const struct link *link)
{
	struct ability ability = { .link = link };

	ability.width = link_width_able(j, link);
	ability.speed = link_speed_able(j, link);
	ability.bytes_per_s = link_bytes_per_s(ability.speed, ability.width);
	return ability;
}

/* The link that can carry least; of equal ones the upper, as the kernel has it (K7.2 pcie_bandwidth_available()). */
static struct ability narrowest(struct judgement *j, const struct link_path *path)
{
	struct ability least = ability_of(j, &path->links[0]);

	for (size_t i = 1; i < path->nr; i++) {
		struct ability ability = ability_of(j, &path->links[i]);

		if (ability.bytes_per_s <= least.bytes_per_s)
			least = ability;
	}
	return least;
}

/* Fewer lanes at the card's own speed, in its own slot: pcie-width.platform-limit says that. */
static bool only_lanes_of_slot(const struct link_path *path, const struct ability *least)
{
	return least->link == &path->links[0] && least->speed == u64_or(least->link->lower->link_speed_able_mtps, 0);
}

static void judge_narrowest(struct judgement *j, const struct link_path *path)
{
	double card = card_bytes_per_s(path->links[0].lower);
	struct ability least;

	question(j);
	least = narrowest(j, path);
	if (!all_known(j))
		return;
	derive(j, "path_bandwidth", UNIT_BYTES_PER_S, least.bytes_per_s,
	       "lanes × rate of the narrowest link, before packets");
	if (least.bytes_per_s >= card || only_lanes_of_slot(path, &least))
		return;
	derive(j, "path_link_width", UNIT_LANES, (double)least.width, "the smaller of both ends' max_link_width");
	derive(j, "path_link_speed", UNIT_MTPS, (double)least.speed, "the smaller of both ends' max_link_speed");
	derive(j, "card_bandwidth", UNIT_BYTES_PER_S, card, "lanes × rate of the card, before packets");
	derive_str(j, "link_address", least.link->address, "the lower end of the narrowest link");
	phrase(j, "where", link_where(j, least.link));
	finding_add(j, PCIE_PATH_PLATFORM_LIMIT);
}

static bool goes_through(const struct gpu *gpu, const char *address, double *ret_card)
{
	struct link_path path;

	/* Each GPU is asked of each: what most are not below is found out first. */
	if (!gpu_is_below(gpu, address))
		return false;
	gpu_links(gpu, &path);
	for (size_t i = 1; i < path.nr; i++) {
		if (strcmp(path.links[i].address, address) != 0)
			continue;
		*ret_card = card_bytes_per_s(path.links[0].lower);
		return true;
	}
	return false;
}

/* The link that most GPUs share, where all of them at once want more than it carries. */
static void judge_sharing(struct judgement *j, const struct link *link)
{
	double all = 0.0, card = 0.0, carries;
	uint64_t width;
	size_t nr = 0;

	question(j);
	/* One after the other: compilers differ in which argument comes first, and evidence is kept in this order. */
	width = link_width_able(j, link);
	carries = link_bytes_per_s(link_speed_able(j, link), width);
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];

		if (!gpu_is_under_test(j->snapshot, gpu) || !goes_through(gpu, link->address, &card))
			continue;
		all += card;
		nr++;
	}
	if (!all_known(j) || nr < 2 || carries >= all)
		return;
	derive(j, "shared_bandwidth", UNIT_BYTES_PER_S, carries, "lanes × rate of the link above the switch");
	derive(j, "gpus_below", UNIT_COUNT, (double)nr, "GPUs whose path has that link");
	finding_add(j, PCIE_PATH_SHARED);
}

static void eval(struct judgement *j)
{
	struct link_path path;

	if (!link_evidence(j, &path))
		return;
	if (!path.links[0].upper) {
		skip_check(j, "no physical bridge above it");
		return;
	}
	judge_narrowest(j, &path);
	if (path.nr > 1)
		judge_sharing(j, &path.links[path.nr - 1]);
}

const struct check check_pcie_path = {
	.name = "pcie-path",
	.title = "PCIe path to the root port",
	.doc = "How much can the narrowest link between the GPU and the root port carry? Less than the card supports, "
	       "and a link that several GPUs share, are limits of the platform and notes: they explain a slow "
	       "transfer and are no fault. A slot with fewer lanes is reported by pcie-width.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS,
	.says = "{path_bandwidth} to the processor",
	.may_emit = IDS(PCIE_PATH_PLATFORM_LIMIT, PCIE_PATH_SHARED),
	.eval = eval,
};
