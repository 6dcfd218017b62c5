// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/timing/concurrent_transfer.h"

#include "eval/facts/twin_stats.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

#define BYTES_PER_GB 1e9

static const struct timing *timing_of_device(const struct ocl_device *device)
{
	const struct timing *pinned = device_timing(device, "h2d-pinned");

	return pinned ? pinned : device_timing(device, "h2d-pageable");
}

/* Of the first OpenCL device on it that has one. */
static const struct timing *timing_of(const struct snapshot *snapshot, const struct gpu *gpu)
{
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &snapshot->ocl_devices[i];
		const struct timing *timing = timing_of_device(device);

		if (timing && ocl_device_is_of(device, gpu))
			return timing;
	}
	return NULL;
}

static bool at_once(const struct timing *a, const struct timing *b)
{
	return is_known(a->begin_ms) && is_known(b->begin_ms) && is_known(a->end_ms) && is_known(b->end_ms) &&
	       u64_or(a->begin_ms, 0) <= u64_or(b->end_ms, 0) && u64_or(b->begin_ms, 0) <= u64_or(a->end_ms, 0);
}

/* Speed as both ends are able to, since at idle it falls by design; lanes as they are. 0.0: not known. */
static double carries_gbps(const struct link *link)
{
	uint64_t speed = u64_or(link->lower->link_speed_able_mtps, 0), upper = 0;

	if (link->upper)
		upper = u64_or(link->upper->link_speed_able_mtps, 0);
	if (upper && upper < speed)
		speed = upper;
	return link_bytes_per_s(speed, u64_or(link->lower->link_width, 0)) / BYTES_PER_GB;
}

/* What its own links carry up to the shared one, which is at that place. */
static double alone_gbps(const struct link_path *path, size_t place)
{
	double least = carries_gbps(&path->links[0]);

	for (size_t i = 1; i < place; i++) {
		double gbps = carries_gbps(&path->links[i]);

		least = gbps < least ? gbps : least;
	}
	return least;
}

/* Adds a GPU whose path has that link and which was measured at the time. False: it cannot be reckoned with. */
static bool add_gpu(const struct snapshot *snapshot, const struct gpu *gpu, const struct timing *beside,
		    struct shared_uplink *ret)
{
	const struct timing *timing = timing_of(snapshot, gpu);
	struct link_path path;
	struct stats stats;
	enum unit unit;

	gpu_links(gpu, &path);
	for (size_t place = 1; place < path.nr; place++) {
		double alone = alone_gbps(&path, place);

		if (strcmp(path.links[place].address, ret->address) != 0)
			continue;
		if (!timing || !at_once(timing, beside))
			return true;
		if (alone <= 0.0 || !timing_figure(timing, &unit, &stats) || ret->nr == MAX_CONCURRENT)
			return false;
		ret->gpus[ret->nr++] = gpu_index(snapshot, gpu);
		ret->alone_gbps += alone;
		ret->together_gbps += stats.median;
	}
	return true;
}

static bool is_contended(const struct judgement *j, const struct gpu *gpu, const struct link *link,
			 struct shared_uplink *ret)
{
	const struct timing *timing = timing_of(j->snapshot, gpu);

	*ret = (struct shared_uplink){ .address = link->address, .carries_gbps = carries_gbps(link) };
	if (!timing || ret->carries_gbps <= 0.0)
		return false;
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		if (gpu_is_under_test(j->snapshot, &j->snapshot->gpus[i]) &&
		    !add_gpu(j->snapshot, &j->snapshot->gpus[i], timing, ret))
			return false;
	return ret->nr > 1 && ret->alone_gbps > ret->carries_gbps && ret->together_gbps <= ret->carries_gbps &&
	       ret->together_gbps >= j->policy->transfer_warn_ratio * ret->carries_gbps &&
	       ret->together_gbps < j->policy->transfer_note_ratio * ret->alone_gbps;
}

bool shared_uplink_of(const struct judgement *j, const struct gpu *gpu, struct shared_uplink *ret)
{
	struct link_path path;

	*ret = (struct shared_uplink){ .nr = 0 };
	if (!bool_or(j->snapshot->request.together, false))
		return false;
	gpu_links(gpu, &path);
	for (size_t i = 1; i < path.nr; i++)
		if (is_contended(j, gpu, &path.links[i], ret))
			return true;
	return false;
}
