// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "base/text.h"
#include "eval/facts/link_evidence.h"
#include "eval/judge/vendor.h"

#define MINUTE_MS 60000.0

/* Errors on the way to the GPU: its own and those of every bridge above, as one is counted at either end of a link. */
struct counts {
	bool any;			/* some function has counters */
	uint64_t correctable;
	uint64_t uncorrected;		/* nonfatal and fatal */
	uint64_t serious;		/* of them, not mere unsupported requests */
	const struct pci_function *worst;
	const char *worst_address;
	uint64_t worst_weight;
};

static void add_function(struct counts *counts, const struct pci_function *pci, const char *address)
{
	uint64_t correctable = u64_or(pci->aer_correctable, 0), nonfatal = u64_or(pci->aer_nonfatal, 0);
	uint64_t fatal = u64_or(pci->aer_fatal, 0) + u64_or(pci->aer_root_fatal, 0);
	uint64_t unsupported = u64_or(pci->aer_unsupported, 0);
	uint64_t serious = fatal + (nonfatal > unsupported ? nonfatal - unsupported : 0);
	/* An error that was not corrected weighs more than any number that were. */
	uint64_t weight = (serious << 40) + ((nonfatal + fatal) << 20) + correctable;

	counts->any |= is_known(pci->aer_correctable) || is_known(pci->aer_nonfatal);
	counts->correctable += correctable;
	counts->uncorrected += nonfatal + fatal;
	counts->serious += serious;
	if (counts->worst && weight <= counts->worst_weight)
		return;
	counts->worst = pci;
	counts->worst_address = address;
	counts->worst_weight = weight;
}

static void count(const struct judgement *j, struct counts *ret)
{
	*ret = (struct counts){ .any = false };
	add_function(ret, &j->gpu->pci, str_or(j->gpu->key, "?"));
	/* A hypervisor's bridges count nothing that is real. */
	for (size_t i = 0; i < j->gpu->nr_hops && !is_virtual_machine(j->snapshot); i++)
		add_function(ret, &j->gpu->hops[i].pci, str_or(j->gpu->hops[i].address, "?"));
}

static void say_worst(struct judgement *j, const struct counts *counts)
{
	const char *kinds = str_or(counts->worst->aer_kinds, "");

	about(j, counts->worst_address);
	want(j, pci_function, counts->worst, aer_correctable);
	want(j, pci_function, counts->worst, aer_nonfatal);
	want(j, pci_function, counts->worst, aer_fatal);
	want(j, pci_function, counts->worst, aer_root_fatal);
	about(j, NULL);
	/* A root port counts fatal errors of those below without their kind. */
	derive_str(j, "aer_kinds", *kinds ? kinds : "fatal, counted at the root port", "aer_dev_*, since boot");
	derive_str(j, "worst", counts->worst_address, "the function with most of them");
}

static void judge_now(struct judgement *j)
{
	question(j);
	if (want(j, gpu_use, &j->gpu->use, aer_uncorrectable))
		finding_add(j, PCIE_ERRORS_UNCORRECTED_NOW);
}

static void judge_uncorrected(struct judgement *j, const struct counts *counts)
{
	uint64_t uptime;

	question(j);
	/* Where one of its counters is there all of them are: one that could not be read is not 0. */
	if (is_known(j->gpu->pci.aer_correctable) && !counts->uncorrected) {
		need(j, pci_function, &j->gpu->pci, aer_nonfatal);
		need(j, pci_function, &j->gpu->pci, aer_fatal);
	} else {
		want(j, pci_function, &j->gpu->pci, aer_nonfatal);
	}
	derive(j, "uncorrected", UNIT_COUNT, (double)counts->uncorrected,
	       "aer_dev_nonfatal and aer_dev_fatal of the whole path");
	if (!counts->uncorrected)
		return;
	uptime = need(j, host, &j->snapshot->host, uptime_s);
	say_worst(j, counts);
	if (counts->serious && (double)uptime <= j->policy->pcie_errors_current_s)
		finding_add(j, PCIE_ERRORS_UNCORRECTED);
	else
		finding_add(j, PCIE_ERRORS_UNCORRECTED_OLD);
}

static double warn_per_min(const struct judgement *j)
{
	bool is_fast = u64_or(j->gpu->pci.link_speed_able_mtps, 0) >= 32000;

	return j->policy->pcie_correctable_per_min * (is_fast ? 2.0 : 1.0);
}

/* A minute's worth of them: over the window where it saw a burst, else since boot. */
static double rate_per_min(struct judgement *j, const struct counts *counts)
{
	double window_ms = (double)u64_or(j->snapshot->window.length_ms, 0), now, since_boot;
	double least_s = j->policy->pcie_errors_least_s, burst = (double)u64_or(j->gpu->use.aer_correctable, 0);
	double uptime = (double)need(j, host, &j->snapshot->host, uptime_s);

	since_boot = (double)counts->correctable * 60.0 / (uptime > least_s ? uptime : least_s);
	now = burst >= j->policy->pcie_correctable_burst && window_ms > 0.0 ? burst * MINUTE_MS / window_ms : 0.0;
	if (now > since_boot) {
		want(j, gpu_use, &j->gpu->use, aer_correctable);
		want(j, window, &j->snapshot->window, length_ms);
		return derive(j, "correctable_per_min", UNIT_COUNT, now, "aer_correctable of the window / its length");
	}
	return derive(j, "correctable_per_min", UNIT_COUNT, since_boot,
		      "aer_dev_correctable of the whole path / uptime");
}

/* Each GPU has its own count, kinds and port: what they have in common. */
static void phrase_many(struct judgement *j)
{
	phrase(j, "correctable_per_min.many", arena_printf(j->arena, "more than %g", warn_per_min(j)));
	phrase(j, "aer_kinds.many", "of one kind or another");
	phrase(j, "worst.many", "their links");
}

/* True if "too many" was reported. */
static bool judge_correctable(struct judgement *j, const struct counts *counts)
{
	double per_min;

	question(j);
	if (!counts->correctable)
		return false;
	per_min = rate_per_min(j, counts);
	say_worst(j, counts);
	expect_f64(j, "correctable_per_min", warn_per_min(j));
	phrase_many(j);
	if (per_min > warn_per_min(j))
		finding_add(j, PCIE_ERRORS_CORRECTABLE_HIGH);
	else if (per_min > j->policy->pcie_correctable_note_per_min)
		finding_add(j, PCIE_ERRORS_CORRECTABLE);
	return per_min > warn_per_min(j);
}

/* Faster links are allowed more: DCGM's limits double from Gen4 to Gen5, and again to Gen6. */
static double replays_per_min(const struct judgement *j)
{
	uint64_t able = u64_or(j->gpu->pci.link_speed_able_mtps, 0);

	if (!able)
		able = link_generation_mtps(u64_or(j->gpu->nvml.link_generation_max, 0));
	return j->policy->pcie_replays_per_min * (able >= 64000 ? 4.0 : able >= 32000 ? 2.0 : 1.0);
}

/* Packets that were sent again, by the count of the card itself: over the window, and since its driver was loaded. */
static void judge_replays(struct judgement *j)
{
	double window_ms = (double)u64_or(j->snapshot->window.length_ms, 0), per_min;
	uint64_t fresh = u64_or(j->gpu->nvml.pcie_new_replays, 0), all = u64_or(vendor_u64(j->gpu, "pcie_replays"), 0);
	double least_s = j->policy->pcie_errors_least_s, uptime_s = (double)u64_or(j->snapshot->host.uptime_s, 0);

	question(j);
	if ((double)fresh >= j->policy->pcie_correctable_burst && window_ms > 0.0) {
		want(j, nvml_gpu, &j->gpu->nvml, pcie_new_replays);
		want(j, window, &j->snapshot->window, length_ms);
		per_min = derive(j, "replays_per_min", UNIT_COUNT, (double)fresh * MINUTE_MS / window_ms,
				 "pcie_new_replays / length of the window");
		expect_f64(j, "replays_per_min", replays_per_min(j));
		if (per_min > replays_per_min(j)) {
			finding_add(j, PCIE_ERRORS_REPLAYS_NOW);
			return;
		}
	}
	question(j);
	if (!all || !is_known(j->snapshot->host.uptime_s))
		return;
	want_vendor_u64(j, "pcie_replays");
	want_vendor_u64(j, "pcie_recoveries");
	per_min = derive(j, "replays_per_min", UNIT_COUNT,
			 (double)all * 60.0 / (uptime_s > least_s ? uptime_s : least_s), "pcie_replays / uptime");
	if (per_min > j->policy->pcie_correctable_note_per_min)
		finding_add(j, PCIE_ERRORS_REPLAYS);
}

static void eval(struct judgement *j)
{
	struct counts counts;

	count(j, &counts);
	judge_now(j);
	if (!counts.any && !is_known(j->gpu->use.aer_correctable) && is_known(vendor_u64(j->gpu, "pcie_replays"))) {
		want_vendor_u64(j, "pcie_replays");
		phrase(j, "no_errors", "few PCIe replays; no other error counters");
		judge_replays(j);
		return;
	}
	if (!counts.any && !is_known(j->gpu->use.aer_correctable)) {
		skip_check(j, "no PCIe error counters (AER)");
		return;
	}
	want(j, pci_function, &j->gpu->pci, aer_correctable);
	phrase(j, "no_errors", "no uncorrected PCIe errors");
	judge_uncorrected(j, &counts);
	if (!judge_correctable(j, &counts))
		judge_replays(j);
}

const struct check check_pcie_errors = {
	.name = "pcie-errors",
	.title = "PCIe errors",
	.doc = "Which PCIe errors (AER) did the kernel count on the path to the GPU, at the GPU and each bridge "
	       "above? Corrected ones are judged by rate, since boot and in the window, never by number. Uncorrected "
	       "ones count on a machine booted within three days; otherwise they are a note, as are unsupported "
	       "requests. Replays of NVIDIA and AMD GPUs are judged by rate, too.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS | NEEDS_WINDOW | NEEDS_VENDOR,
	.says = "{no_errors}",
	.may_emit = IDS(PCIE_ERRORS_UNCORRECTED_NOW, PCIE_ERRORS_UNCORRECTED, PCIE_ERRORS_UNCORRECTED_OLD,
			PCIE_ERRORS_CORRECTABLE_HIGH, PCIE_ERRORS_CORRECTABLE, PCIE_ERRORS_REPLAYS_NOW,
			PCIE_ERRORS_REPLAYS),
	.eval = eval,
};
