// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "base/text.h"
#include "eval/facts/twin_stats.h"
#include "eval/facts/link_evidence.h"
#include "eval/baseline/baseline_lookup.h"
#include "snapshot/node.h"

/*
 * What the link has been seen to run at. Only the slot's link is watched while
 * the GPU works; those above it belong to the board and do not slow down with
 * the GPU.
 */
static uint64_t speed_seen(struct judgement *j, const struct link *link, size_t place)
{
	uint64_t now = need(j, pci_function, link->lower, link_speed_mtps);
	struct link_at_work busy = { .speed_mtps = 0 };

	if (!place) {
		want(j, gpu_use, &j->gpu->use, link_speed_busy_mtps);
		link_at_work(j, j->gpu, &busy);
	}
	if (busy.speed_mtps > now)
		derive(j, "link_speed_mtps", UNIT_MTPS, (double)busy.speed_mtps, busy.speed_how);
	return busy.speed_mtps > now ? busy.speed_mtps : now;
}

/* No twin is faster: only the baseline can show it. */
static enum finding_id alone(uint64_t speed, const struct baseline_link *recorded)
{
	if (recorded->speed_mtps > speed)
		return PCIE_SPEED_BELOW_BASELINE;
	return recorded->speed_mtps == speed && recorded->speed_at_work ? PCIE_SPEED_AS_RECORDED
									: PCIE_SPEED_BELOW_ABLE;
}

/* Slower than it can be, at work. */
static void raise_slow(struct judgement *j, const struct link *link, size_t place, uint64_t speed, uint64_t able)
{
	struct link_at_work busy, loaded_twins = { .speed_mtps = 0 };
	struct baseline_link recorded;
	uint64_t twins;

	link_at_work(j, j->gpu, &busy);
	want_link_at_work(j);
	derive(j, "link_speed", UNIT_MTPS, (double)speed,
	       busy.by_load ? "the highest speed, also under gpudiag's own load" :
			      "the highest speed while the GPU was busy");
	derive(j, "link_speed_able", UNIT_MTPS, (double)able, "what both ends can do");
	derive_str(j, "link_address", link->address, "the lower end of the link");
	phrase(j, "where", link_where(j, link));
	phrase(j, "where.many", *link_where(j, link) ? " at a port above each" : "");
	expect_f64(j, "link_speed", (double)able);
	if (!place)
		twins_link_under_load(j, &loaded_twins);
	twins = twins_fastest_link(j->snapshot, j->gpu, place);
	twins = loaded_twins.speed_mtps > twins ? loaded_twins.speed_mtps : twins;
	baseline_link(j, place, &recorded);
	if (recorded.speed_mtps)
		derive(j, "recorded_link_speed", UNIT_MTPS, (double)recorded.speed_mtps,
		       "the baseline, at the same address");
	if (twins > speed) {
		derive(j, "twin_link_speed", UNIT_MTPS, (double)twins,
		       "the fastest link at the same place among GPUs of this model");
		finding_add_of(j, PCIE_SPEED_BELOW_TWINS, link_above(j, link));
	} else {
		finding_add_of(j, alone(speed, &recorded), link_above(j, link));
	}
}

/* True where the link rests below what it can do and nothing says that it should not. */
static bool judge_link(struct judgement *j, const struct link *link, size_t place)
{
	uint64_t able, speed, copied = 0;

	question(j);
	able = link_speed_able(j, link);
	speed = speed_seen(j, link, place);
	if (!all_known(j) || speed >= able)
		return false;
	if (!place) {
		copied = link_speed_by_copies(j, speed, able, u64_or(link->lower->link_width_able, 0));
		if (copied)
			derive(j, "link_speed_mtps", UNIT_MTPS, (double)copied,
			       "the slowest rate that allows the measured copies");
		if (copied >= able)
			return false;
	}
	/* Observed is not what carried the copies: it rested. */
	if (copied || !gpu_was_busy(j))
		return true;
	raise_slow(j, link, place, speed, able);
	return false;
}

/* Battlemage lowers the rate of a link with errors, and reports that to root. */
static void judge_downgrade(struct judgement *j)
{
	const struct intel_files *files = &j->gpu->intel;

	if (!is_known(files->link_downgraded))
		return;
	question(j);
	if (want(j, intel_files, files, link_downgraded))
		finding_add(j, PCIE_SPEED_DOWNGRADED);
}

/*
 * Without link files, NVIDIA's library has the link as PCIe generations. In a dump its state and use tell whether that
 * was a link at work; what another dump saw of the link at another time is what it can do at least.
 */
static bool judge_by_library(struct judgement *j)
{
	const struct link link = { .lower = &j->gpu->pci, .address = str_or(j->gpu->key, "?") };
	const struct nvml_gpu *nvml = &j->gpu->nvml;
	struct link_at_work busy;
	uint64_t able, speed, seen;

	question(j);
	able = link_generation_mtps(need(j, nvml_gpu, nvml, link_generation_max));
	speed = link_generation_mtps(need(j, nvml_gpu, nvml, link_generation));
	want(j, gpu_use, &j->gpu->use, link_speed_busy_mtps);
	link_at_work(j, j->gpu, &busy);
	seen = u64_or(j->gpu->pci.link_speed_mtps, 0);
	seen = busy.speed_mtps > seen ? busy.speed_mtps : seen;
	speed = seen > speed ? seen : speed;
	derive(j, "link_speed_mtps", UNIT_MTPS, (double)speed, "PCIe generation by NVIDIA's library");
	if (!all_known(j) || !able || !speed || speed >= able)
		return false;
	if (!gpu_was_busy(j) && !gpu_was_busy_in_dump(j))
		return true;
	raise_slow(j, &link, 0, speed, able);
	return false;
}

/* If the port above is visible, pcie-path reports it for any vendor's card. */
static void judge_slot(struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;

	question(j);
	if (want(j, nvml_gpu, nvml, link_generation_max) < want(j, nvml_gpu, nvml, link_generation_able) &&
	    is_known(nvml->link_generation_max))
		finding_add(j, PCIE_SPEED_SLOT_LIMIT);
}

static bool judge_links(struct judgement *j)
{
	struct link_path path;
	bool rests = false;

	if (!link_evidence(j, &path))
		return false;
	if (is_virtual_machine(j->snapshot) && !is_known(j->gpu->pci.link_speed_mtps)) {
		skip_check(j, "not reported by the hypervisor");
		return false;
	}
	for (size_t i = 0; i < path.nr; i++)
		rests |= judge_link(j, &path.links[i], i);
	return rests;
}

/* Does nothing else tell the speed, or nothing else one at work? */
static bool library_tells(const struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;

	if (!is_known(nvml->link_generation_max))
		return false;
	if (is_imported(j->snapshot))
		return is_known(nvml->link_generation) && !u64_or(nvml->c2c_links, 0) &&
		       (!is_known(j->gpu->pci.link_speed_mtps) || gpu_was_busy_in_dump(j));
	return is_virtual_machine(j->snapshot) && !is_known(j->gpu->pci.link_speed_mtps);
}

static bool use_is_known(const struct judgement *j)
{
	const struct gpu_use *use = &j->gpu->use;

	return is_known(use->samples_busy) || (is_imported(j->snapshot) && is_known(use->busy_percent));
}

static void eval(struct judgement *j)
{
	bool rests = library_tells(j) ? judge_by_library(j) : judge_links(j);

	if (is_virtual_machine(j->snapshot) && !u64_or(j->gpu->nvml.c2c_links, 0))
		judge_slot(j);
	judge_downgrade(j);
	if (rests)
		skip_check(j, use_is_known(j) ? "idle: an idle link may run slower" :
						"utilization not collected: an idle link may run slower");
}

const struct check check_pcie_speed = {
	.name = "pcie-speed",
	.title = "PCIe link speed",
	.doc = "Does each link between the GPU and the root port run as fast as both of its ends allow? Idle links "
	       "run slower, so a slow link counts only while the GPU is busy: under gpudiag's own load, or another "
	       "load during the window. A link that carried more than its speed allows was idle when read. A fail "
	       "requires a faster twin, or a baseline in which the link was faster; a speed as in the baseline is a "
	       "note. A card that lowered the speed itself for stability reports it (Intel's Battlemage, to root). In "
	       "a virtual machine only the GPU's own end is judged, otherwise what NVIDIA's library reports; a slot "
	       "of an older generation is a note. A dump is judged if it shows the GPU at work: performance state P0 "
	       "to P2 and a utilization of 50 % or more.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS | NEEDS_WINDOW | NEEDS_VENDOR,
	.says = "{link_speed_mtps}",
	.may_emit = IDS(PCIE_SPEED_BELOW_TWINS, PCIE_SPEED_BELOW_ABLE, PCIE_SPEED_SLOT_LIMIT, PCIE_SPEED_DOWNGRADED,
			PCIE_SPEED_BELOW_BASELINE, PCIE_SPEED_AS_RECORDED),
	.eval = eval,
};
