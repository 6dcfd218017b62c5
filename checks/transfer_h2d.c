// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/expect.h"
#include "eval/link_ask.h"
#include "eval/permit.h"

/*
 * The best timing there is: pinned before pageable. A pageable copy goes
 * through the driver's staging buffer and says little about the link.
 */
static const struct timing *best_timing(const struct ocl_device *device, bool *pinned)
{
	const struct timing *timing = device_timing(device, "h2d-pinned");

	*pinned = timing != NULL;
	return timing ? timing : device_timing(device, "h2d-pageable");
}

/*
 * What the narrowest link of the path carries, in GB/s; 0 where it is not
 * known. Lanes count as they are; the speed as both ends are able to, since it
 * was read at idle, where it falls by design.
 */
static double path_gbps(struct judgement *j)
{
	struct link_path path;
	double least = 0.0;

	if (!links_to_judge(j, &path))
		return 0.0;
	for (size_t i = 0; i < path.nr; i++) {
		uint64_t speed, width;
		double gbps;

		about(j, i ? path.links[i].address : NULL);
		speed = need(j, pci_function, path.links[i].lower, link_speed_able_mtps);
		if (path.links[i].upper) {
			uint64_t upper = need(j, pci_function, path.links[i].upper, link_speed_able_mtps);

			speed = upper < speed ? upper : speed;
		}
		width = need(j, pci_function, path.links[i].lower, link_width);
		gbps = link_bytes_per_s(speed, width) / 1e9;
		if (!i || gbps < least)
			least = gbps;
	}
	about(j, NULL);
	return least;
}

/* Why a transfer may be slow with nothing broken; NULL: nothing such is known. */
static const char *excuse(struct judgement *j)
{
	if (is_virtual_machine(j->snapshot))
		return "in a virtual machine";
	if (!strncmp(look(j, gpu, j->gpu, iommu_type), "DMA", strlen("DMA")))
		return "through an IOMMU that translates";
	return NULL;
}

/* Pinned copies that are no faster than pageable ones went the same way. */
static bool has_pinned_path(struct judgement *j, double pinned)
{
	const struct timing *timing = device_timing(j->device, "h2d-pageable");
	struct stats stats;
	enum unit unit;

	if (!timing || !timing_figure(timing, &unit, &stats))
		return true;
	derive(j, "h2d_pageable", UNIT_GBPS, stats.median, "moved_bytes / samples_ns, median");
	return pinned > j->policy->transfer_pinned_ratio * stats.median;
}

/* Below transfer.warn_ratio, and no twin does better. */
static void judge_slow(struct judgement *j, double gbps)
{
	const char *why = excuse(j);

	if (!has_pinned_path(j, gbps)) {
		finding_add(j, TRANSFER_H2D_NO_PINNED_PATH);
	} else if (why) {
		derive_str(j, "excuse", why, "host.virtualisation, iommu_group/type");
		finding_add(j, TRANSFER_H2D_EXCUSED);
	} else {
		finding_add(j, TRANSFER_H2D_SLOW);
	}
}

static void judge_against_link(struct judgement *j, double gbps, bool pinned)
{
	double link = path_gbps(j), twins;

	if (link <= 0.0 || !all_known(j))
		return;
	derive(j, "link_bandwidth", UNIT_GBPS, link,
	       "link_speed_able × link_width of the narrowest link, after encoding");
	expect_f64(j, "h2d", j->policy->transfer_note_ratio * link);
	if (gbps >= j->policy->transfer_note_ratio * link)
		return;
	if (!pinned) {
		finding_add(j, TRANSFER_H2D_PAGEABLE);
		return;
	}
	if (gbps >= j->policy->transfer_warn_ratio * link) {
		finding_add(j, TRANSFER_H2D_LOW);
	} else if (!is_virtual_machine(j->snapshot) && twins_figure(j->snapshot, j->gpu, "h2d-pinned", &twins) &&
		   twins >= j->policy->transfer_twin_ratio * gbps) {
		derive(j, "twin_h2d", UNIT_GBPS, twins, "median of the GPUs of this model");
		finding_add(j, TRANSFER_H2D_BELOW_TWINS);
	} else {
		judge_slow(j, gbps);
	}
}

static void eval(struct judgement *j)
{
	const char *refused = permit_load(j->arena, j->snapshot, j->policy, j->log, j->device);
	const struct timing *timing;
	struct stats stats;
	enum unit unit;
	bool pinned;

	if (refused) {
		skip_check(j, refused);
		return;
	}
	timing = best_timing(j->device, &pinned);
	need(j, ocl_device, j->device, builds_kernels);
	need(j, timing, timing, size_bytes);
	if (!timing || !timing_figure(timing, &unit, &stats))
		return;
	derive(j, "h2d", UNIT_GBPS, stats.median, "moved_bytes / samples_ns, median");
	if (!j->gpu)
		skip_check(j, "{h2d}; a device that is not on the bus has no link to compare with");
	else
		judge_against_link(j, stats.median, pinned);
}

const struct check check_transfer_h2d = {
	.name = "transfer-h2d",
	.title = "Host to device",
	.doc = "Do copies to the device run at what its link gives, with the lanes it has? A fail needs twins that "
	       "do better; a GPU alone of its model warns below transfer.warn_ratio. Copies from pageable memory "
	       "give a figure and no verdict, as do pinned ones that are no faster. In a virtual machine, and through "
	       "an IOMMU that translates, slow copies are a note.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LINKS | NEEDS_LOAD,
	.says = "host→device {h2d}",
	.may_emit = IDS(TRANSFER_H2D_BELOW_TWINS, TRANSFER_H2D_SLOW, TRANSFER_H2D_LOW, TRANSFER_H2D_PAGEABLE,
			TRANSFER_H2D_NO_PINNED_PATH, TRANSFER_H2D_EXCUSED),
	.eval = eval,
};
