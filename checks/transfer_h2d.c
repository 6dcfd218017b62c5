// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/expect.h"
#include "eval/link.h"
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

	gpu_links(j->gpu, &path);
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

static void judge_against_link(struct judgement *j, double gbps, bool pinned)
{
	double link = path_gbps(j), twins;

	if (link <= 0.0 && all_known(j))
		unknown(j,
			"the bridges above it were not all seen, or make no sense as a path: what the link gives is not known");
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
	if (twins_figure(j->snapshot, j->gpu, "h2d-pinned", &twins) &&
	    twins >= j->policy->transfer_twin_ratio * gbps && gbps < j->policy->transfer_warn_ratio * link) {
		derive(j, "twin_h2d", UNIT_GBPS, twins, "median of the GPUs of this model");
		finding_add(j, TRANSFER_H2D_BELOW_TWINS);
	} else {
		finding_add(j, gbps < j->policy->transfer_warn_ratio * link ? TRANSFER_H2D_SLOW : TRANSFER_H2D_LOW);
	}
}

static void eval(struct judgement *j)
{
	const char *refused = permit_load(j->arena, j->snapshot, j->policy, j->device);
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
	       "give a figure and no verdict.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LINKS | NEEDS_LOAD,
	.says = "host→device {h2d}",
	.may_emit = IDS(TRANSFER_H2D_BELOW_TWINS, TRANSFER_H2D_SLOW, TRANSFER_H2D_LOW, TRANSFER_H2D_PAGEABLE),
	.eval = eval,
};
