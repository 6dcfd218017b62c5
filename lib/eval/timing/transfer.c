// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/timing/transfer.h"

#include "eval/baseline/baseline_lookup.h"
#include "eval/facts/link_evidence.h"
#include "eval/facts/numa.h"
#include "eval/timing/timing_precondition.h"
#include "eval/timing/concurrent_transfer.h"

const struct transfer_way transfer_to_device = {
	.pinned = "h2d-pinned", .pageable = "h2d-pageable",
	.figure = "h2d", .figure_best = "h2d_p95", .figure_pageable = "h2d_pageable", .figure_twins = "twin_h2d",
	.figure_recorded = "recorded_h2d",
	.figure_share = "h2d_of_able_link", .near = "h2d_near", .far = "h2d_far",
};

const struct transfer_way transfer_to_host = {
	.pinned = "d2h-pinned", .pageable = "d2h-pageable",
	.figure = "d2h", .figure_best = "d2h_p95", .figure_pageable = "d2h_pageable", .figure_twins = "twin_d2h",
	.figure_recorded = "recorded_d2h",
	.figure_share = "d2h_of_able_link", .near = "d2h_near", .far = "d2h_far",
};

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- the link */

/* The narrowest of the path, in GB/s. */
struct transfer_link {
	double trained_gbps;		/* 0: not known */
	double able_gbps;		/* 0: not known */
	bool seen;			/* while the transfer was measured */
	bool both_ends;			/* can be seen: what one end could do, the other may not */
	bool is_weak;			/* seen to run below what both its ends can */
};

/*
 * The most that was seen of the GPU's own slot from the timing's first sample to its last; 0: nobody looked, or looked
 * between the copies only, as more came over it than what was seen could carry.
 */
static void link_seen(struct judgement *j, const struct timing *timing, double gbps, uint64_t *ret_speed,
		      uint64_t *ret_width)
{
	const uint64_t begin_ms = u64_or(timing->begin_ms, 0), end_ms = u64_or(timing->end_ms, 0);

	*ret_speed = *ret_width = 0;
	for (size_t i = 0; i < j->gpu->nr_load_samples; i++) {
		const struct load_sample *sample = &j->gpu->load_samples[i];
		uint64_t at_ms = u64_or(sample->at_ms, 0);

		if (!at_ms || at_ms < begin_ms || at_ms > end_ms)
			continue;
		*ret_speed = larger(*ret_speed, u64_or(sample->link_speed_mtps, 0));
		*ret_width = larger(*ret_width, u64_or(sample->link_width, 0));
	}
	if (*ret_speed && *ret_width && link_bytes_per_s(*ret_speed, *ret_width) / 1e9 < gbps)
		*ret_speed = *ret_width = 0;
	if (*ret_speed)
		derive(j, "link_speed_loaded", UNIT_MTPS, (double)*ret_speed,
		       "the fastest of load_samples while this was measured");
	if (*ret_width)
		derive(j, "link_width_loaded", UNIT_LANES, (double)*ret_width,
		       "the widest of load_samples while this was measured");
}

/* 0: an end does not say. */
static uint64_t width_able_if_known(struct judgement *j, const struct link *link)
{
	uint64_t lower = want(j, pci_function, link->lower, link_width_able), upper = UINT64_MAX;

	if (link->upper) {
		about(j, "the port above");
		upper = want(j, pci_function, link->upper, link_width_able);
		about(j, NULL);
	}
	return smaller(lower, upper);
}

static struct transfer_link link_of(struct judgement *j, const struct link *link, uint64_t seen_speed,
				    uint64_t seen_width)
{
	uint64_t speed = link_speed_able(j, link), width = need(j, pci_function, link->lower, link_width);
	uint64_t able = width_able_if_known(j, link);
	struct transfer_link result = {
		.able_gbps = link_bytes_per_s(larger(speed, seen_speed), larger(able, seen_width)) / 1e9,
		.seen = seen_speed && seen_width,
		.both_ends = link->upper,
	};

	/* Lanes of a link that only bridges are on were read at idle too, but do not change with the load. */
	result.is_weak = (seen_speed && seen_speed < speed) || (seen_width && seen_width < able) ||
			 (link->lower != &j->gpu->pci && width < able);
	result.trained_gbps = link_bytes_per_s(seen_speed ? seen_speed : speed, seen_width ? seen_width : width) / 1e9;
	return result;
}

static bool narrowest_link(struct judgement *j, const struct timing *timing, double gbps, struct transfer_link *ret)
{
	uint64_t seen_speed, seen_width;
	struct link_path path;
	double able_gbps = 0.0;

	*ret = (struct transfer_link){ .trained_gbps = 0.0 };
	if (!link_evidence(j, &path))
		return false;
	link_seen(j, timing, gbps, &seen_speed, &seen_width);
	for (size_t i = 0; i < path.nr; i++) {
		struct transfer_link link = link_of(j, &path.links[i], i ? 0 : seen_speed, i ? 0 : seen_width);

		if (!i || link.trained_gbps < ret->trained_gbps)
			*ret = link;
		able_gbps = !i || link.able_gbps < able_gbps ? link.able_gbps : able_gbps;
	}
	ret->able_gbps = able_gbps;
	return all_known(j) && ret->trained_gbps > 0.0;
}

/* By both its ends: where one is not seen, as in a virtual machine, its slot may be what is narrow. */
static bool is_below_able(const struct transfer_link *link)
{
	return link->both_ends && link->able_gbps > link->trained_gbps;
}

static void note_link(struct judgement *j, const struct transfer_way *way, const struct transfer_link *link,
		      double gbps)
{
	derive(j, "link_bandwidth", UNIT_GBPS, link->trained_gbps,
	       link->seen ? "trained link: speed × width while it was measured, the narrowest's, after encoding" :
			    "trained link: width now × speed both ends can do, the narrowest's, after encoding");
	if (link->able_gbps <= 0.0)
		return;
	derive(j, "link_able_bandwidth", UNIT_GBPS, link->able_gbps,
	       "capable link: speed × width both ends can do, the narrowest's, after encoding");
	derive(j, way->figure_share, UNIT_RATIO, gbps / link->able_gbps, "the figure / link_able_bandwidth");
}

/* Of several GPUs, whose figures differ a little, in one sentence. */
static void phrase_many(struct judgement *j, const struct transfer_way *way, double share)
{
	const double warn = j->policy->transfer_warn_ratio, note = j->policy->transfer_note_ratio;

	phrase(j, arena_printf(j->arena, "%s.many", way->figure),
	       arena_printf(j->arena, "less than %.0f %%%s", 100.0 * (share >= note || share < warn ? warn : note),
			    share >= note ? " of what they could" : ""));
}

/* ---- what else there is */

/*
 * The best timing there is: pinned before pageable. A pageable copy goes
 * through the driver's staging buffer and says little about the link.
 */
static const struct timing *best_timing(const struct judgement *j, const struct transfer_way *way, bool *ret_pinned)
{
	const struct timing *pinned = device_timing(j->device, way->pinned);
	const struct timing *pageable = device_timing(j->device, way->pageable);

	*ret_pinned = pinned && (pinned->samples_ns.nr || !pageable);
	return *ret_pinned ? pinned : pageable;
}

/* Sockets of a node; a bit of its own for each node where sockets are not known. */
static bool is_far(const struct judgement *j, uint64_t node)
{
	const struct numa_node *there = numa_node_at(j->snapshot, node);
	uint64_t near = packages_of_gpu(j->snapshot, str_or(j->gpu->key, ""));
	uint64_t packages = there ? packages_of_node(j->snapshot, there) : 0;

	if (near && packages)
		return !(near & packages);
	return is_known(j->gpu->pci.numa_node) && u64_or(j->gpu->pci.numa_node, node) != node;
}

/* Why a transfer may be slow with nothing broken, for all GPUs of the node alike; NULL: nothing such is known. */
static const char *excuse(struct judgement *j)
{
	if (is_virtual_machine(j->snapshot))
		return "in a virtual machine";
	if (!strncmp(want(j, gpu, j->gpu, iommu_type), "DMA", strlen("DMA")))
		return "through an IOMMU that translates";
	if (strstr(str_or(j->snapshot->host.kernel_command_line, ""), "swiotlb=force"))
		return "through bounce buffers (swiotlb=force)";
	return NULL;
}

static bool is_from_afar(struct judgement *j, const struct timing *timing)
{
	if (!is_known(timing->numa_node) || !is_far(j, u64_or(timing->numa_node, 0)))
		return false;
	want(j, timing, timing, numa_node);
	want(j, pci_function, &j->gpu->pci, numa_node);
	derive_str(j, "excuse",
		   arena_printf(j->arena, "with memory of the remote NUMA node %llu",
				(unsigned long long)u64_or(timing->numa_node, 0)),
		   "timings numa_node, CPUs this run may use");
	return true;
}

static bool is_below_twins(struct judgement *j, const struct transfer_way *way, double gbps)
{
	double twins;

	if (is_virtual_machine(j->snapshot) || !twins_figure(j->snapshot, j->gpu, way->pinned, &twins) ||
	    twins < j->policy->transfer_twin_ratio * gbps)
		return false;
	derive(j, way->figure_twins, UNIT_GBPS, twins, "twins: median of the GPUs of this model");
	return true;
}

static bool is_below_baseline(struct judgement *j, const struct transfer_way *way)
{
	double recorded;

	if (!figure_is_below_baseline(j, way->pinned, &recorded))
		return false;
	derive(j, way->figure_recorded, UNIT_GBPS, recorded, "the baseline: median of its runs");
	phrase(j, arena_printf(j->arena, "%s.many", way->figure_recorded), "it was more");
	return true;
}

/* Pinned copies that are no faster than pageable ones went the same way. */
static bool has_pinned_path(struct judgement *j, const struct transfer_way *way, double gbps)
{
	const struct timing *timing = device_timing(j->device, way->pageable);
	struct stats stats;
	enum unit unit;

	if (!timing || !timing_figure(timing, &unit, &stats))
		return true;
	derive(j, way->figure_pageable, UNIT_GBPS, stats.median, "moved_bytes / samples_ns, median");
	return gbps > j->policy->transfer_pinned_ratio * stats.median;
}

/*
 * Where the twins' pinned copies are no faster than their pageable ones either, that is the stack's way: all figures
 * are those of the host's memory then, and one GPU's being lower is the host's doing.
 */
static bool twins_have_pinned_path(const struct judgement *j, const struct transfer_way *way)
{
	double pinned, pageable;

	return !twins_figure(j->snapshot, j->gpu, way->pinned, &pinned) ||
	       !twins_figure(j->snapshot, j->gpu, way->pageable, &pageable) ||
	       pinned > j->policy->transfer_pinned_ratio * pageable;
}

/* GPUs that were measured at once shared a link above them: none of them had it. */
static bool had_to_share(struct judgement *j)
{
	struct shared_uplink uplink;

	if (!shared_uplink_of(j, j->gpu, &uplink))
		return false;
	derive_str(j, "excuse", "while others shared the link above it (--together)", "request.together, gpus.hops");
	return true;
}

/* ---- the verdict */

/* Below transfer.warn_ratio, pinned. */
static enum transfer_verdict judge_slow(struct judgement *j, const struct transfer_way *way,
					const struct timing *timing, const struct transfer_link *link, double gbps)
{
	bool pinned_path;
	const char *why;

	if (is_from_afar(j, timing) || had_to_share(j))
		return TRANSFER_EXCUSED;
	pinned_path = has_pinned_path(j, way, gbps);
	/* A link that is narrow enough makes both kinds of copies equal too: the twins decide. */
	if ((pinned_path || twins_have_pinned_path(j, way)) && is_below_twins(j, way, gbps))
		return TRANSFER_BELOW_TWINS;
	if (!pinned_path)
		return TRANSFER_NO_PINNED_PATH;
	why = excuse(j);
	if (why) {
		derive_str(j, "excuse", why, "host.virtualisation, iommu_group/type, /proc/cmdline");
		return TRANSFER_EXCUSED;
	}
	if (link->is_weak && is_below_able(link))
		return TRANSFER_WEAK_LINK;
	return is_below_baseline(j, way) ? TRANSFER_BELOW_RECORDED : TRANSFER_SLOW;
}

/* Not below transfer.warn_ratio of the trained link, pinned: the link itself may be what is slow. */
static enum transfer_verdict judge_link(struct judgement *j, const struct transfer_way *way,
					const struct timing *timing, const struct transfer_link *link, double gbps)
{
	const bool good = gbps >= j->policy->transfer_note_ratio * link->trained_gbps;

	if (is_below_able(link) && !is_from_afar(j, timing) && !had_to_share(j)) {
		if (is_below_twins(j, way, gbps))
			return TRANSFER_BELOW_CAPABLE;
		if (good && gbps < j->policy->transfer_warn_ratio * link->able_gbps)
			return TRANSFER_NARROW_LINK;
	}
	return good ? TRANSFER_GOOD : TRANSFER_LOW;
}

static enum transfer_verdict judge_against_link(struct judgement *j, const struct transfer_way *way,
						const struct timing *timing, bool pinned, const struct stats *stats)
{
	const double gbps = stats->median;
	struct transfer_link link;

	if (!narrowest_link(j, timing, gbps, &link))
		return TRANSFER_NOT_JUDGED;
	note_link(j, way, &link, gbps);
	phrase_many(j, way, gbps / link.trained_gbps);
	expect_f64(j, way->figure, j->policy->transfer_note_ratio * link.trained_gbps);
	if (!pinned)
		return gbps >= j->policy->transfer_note_ratio * link.trained_gbps ? TRANSFER_GOOD : TRANSFER_PAGEABLE;
	if (gbps >= j->policy->transfer_warn_ratio * link.trained_gbps)
		return judge_link(j, way, timing, &link, gbps);
	/* A link that some copies came over at its full rate is not what held back the others. */
	if (stats->p95 >= j->policy->transfer_note_ratio * link.trained_gbps) {
		derive(j, way->figure_best, UNIT_GBPS, stats->p95, "moved_bytes / samples_ns, 95th percentile");
		return TRANSFER_LOW;
	}
	return judge_slow(j, way, timing, &link, gbps);
}

static enum transfer_verdict judge_best(struct judgement *j, const struct transfer_way *way)
{
	const struct timing *timing;
	struct stats stats;
	enum unit unit;
	bool pinned;

	if (!load_is_permitted(j))
		return TRANSFER_NOT_JUDGED;
	timing = best_timing(j, way, &pinned);
	need(j, ocl_device, j->device, builds_kernels);
	if (timing && !timing->samples_ns.nr)
		need(j, timing, timing, method);	/* why there is none */
	need(j, timing, timing, size_bytes);
	if (!timing || !measured_figure_of(j, timing, &unit, &stats))
		return TRANSFER_NOT_JUDGED;
	derive(j, way->figure, UNIT_GBPS, stats.median, "moved_bytes / samples_ns, median");
	if (j->gpu)
		return judge_against_link(j, way, timing, pinned, &stats);
	skip_check(j, arena_printf(j->arena, "{%s}; not a PCI device, no link to compare with",
				   way->figure));
	return TRANSFER_NOT_JUDGED;
}

/* ---- near and far */

static bool is_slow_from_afar(struct judgement *j, const struct transfer_way *way)
{
	double near = 0.0, far = 0.0;
	uint64_t far_node = 0;

	if (!j->gpu || !is_known(j->gpu->pci.numa_node))
		return false;
	for (size_t i = 0; i < j->device->nr_timings; i++) {
		const struct timing *timing = &j->device->timings[i];
		uint64_t node = u64_or(timing->numa_node, 0);
		struct stats stats;
		enum unit unit;

		if (!str_is(timing->test, way->pinned) || !strstr(str_or(timing->key, ""), "/node") ||
		    !is_known(timing->numa_node) || !timing_figure(timing, &unit, &stats))
			continue;
		if (!is_far(j, node)) {
			near = stats.median > near ? stats.median : near;
		} else if (far <= 0.0 || stats.median < far) {
			far = stats.median;
			far_node = node;
		}
	}
	if (near <= 0.0 || far <= 0.0)
		return false;
	question(j);
	want(j, pci_function, &j->gpu->pci, numa_node);
	derive(j, way->near, UNIT_GBPS, near, "timings with host memory on a node of its socket: the best median");
	derive(j, way->far, UNIT_GBPS, far, "timings with host memory on a node of another socket: the worst median");
	derive(j, "far_node", UNIT_NONE, (double)far_node, "the node of that one");
	expect_f64(j, way->far, j->policy->transfer_numa_ratio * near);
	return far < j->policy->transfer_numa_ratio * near;
}

void judge_transfer(struct judgement *j, const struct transfer_question *asked)
{
	enum transfer_verdict verdict = judge_best(j, asked->way);

	if (asked->says[verdict])
		finding_add(j, asked->says[verdict]);
	if (verdict != TRANSFER_NOT_JUDGED && is_slow_from_afar(j, asked->way))
		finding_add(j, asked->numa_spread);
}
