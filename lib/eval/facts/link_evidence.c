// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/link_evidence.h"

#include "base/text.h"
#include "eval/facts/twin_stats.h"
#include "eval/facts/throttle.h"
#include "snapshot/gpus.h"
#include "snapshot/node.h"

bool is_virtual_machine(const struct snapshot *snapshot)
{
	return is_known(snapshot->host.virtualisation) && !str_is(snapshot->host.virtualisation, "none");
}

bool link_evidence(struct judgement *j, struct link_path *ret)
{
	const struct pci_function *pci = &j->gpu->pci;

	gpu_links(j->gpu, ret);
	if (pci->link_width.state == VAL_ASLEEP) {
		skip_check(j, "GPU suspended (--wake reads it)");
	} else if (u64_or(j->gpu->nvml.c2c_links, 0)) {
		skip_check(j, "connected by NVLink-C2C: its PCIe link is narrow by design");
	} else if (pci->link_width.state == VAL_LOST || bool_or(pci->config_all_ones, false)) {
		skip_check(j, "the GPU does not respond on the bus (gpu-lost)");
	} else if (is_virtual_machine(j->snapshot) && !is_known(pci->link_width)) {
		skip_check(j, "the hypervisor shows no link");
	} else if (pci->link_width.state == VAL_UNSUPPORTED) {
		skip_check(j, "this device has no PCIe link of its own");
	} else if (!ret->paired) {
		unknown(j, "the bridges above it are incomplete or inconsistent");
	} else {
		/* What bridges a hypervisor shows are its own invention: the endpoint alone is real. */
		if (is_virtual_machine(j->snapshot))
			*ret = (struct link_path){
				.nr = 1, .paired = true,
				.links = { { .lower = pci, .address = str_or(j->gpu->key, "?") } },
			};
		return true;
	}
	return false;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t link_width_able(struct judgement *j, const struct link *link)
{
	uint64_t upper = UINT64_MAX;

	if (link->upper) {
		about(j, "the port above");
		upper = need(j, pci_function, link->upper, link_width_able);
		about(j, NULL);
	} else if (u64_or(j->gpu->nvml.link_width_max, 0)) {
		/* What card and slot can do together. */
		upper = want(j, nvml_gpu, &j->gpu->nvml, link_width_max);
	}
	return smaller(upper, need(j, pci_function, link->lower, link_width_able));
}

uint64_t link_speed_able(struct judgement *j, const struct link *link)
{
	uint64_t upper = UINT64_MAX;

	if (link->upper) {
		about(j, "the port above");
		upper = need(j, pci_function, link->upper, link_speed_able_mtps);
		about(j, NULL);
	} else if (is_known(j->gpu->nvml.link_generation_max)) {
		upper = link_generation_mtps(want(j, nvml_gpu, &j->gpu->nvml, link_generation_max));
		upper = upper ? upper : UINT64_MAX;
	}
	return smaller(upper, need(j, pci_function, link->lower, link_speed_able_mtps));
}

const char *link_where(struct judgement *j, const struct link *link)
{
	return link->lower == &j->gpu->pci ? "" : arena_printf(j->arena, " at %s above it", link->address);
}

const char *link_above(const struct judgement *j, const struct link *link)
{
	return link->lower == &j->gpu->pci ? NULL : link->address;
}

/* ---- by what was copied over it */

static double best_copy_gbps(const struct judgement *j, const char *pinned, const char *pageable)
{
	const char *const copies[] = { pinned, pageable };
	double most = 0.0;

	for (size_t i = 0; i < j->snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &j->snapshot->ocl_devices[i];

		if (!ocl_device_is_of(device, j->gpu))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(copies); k++) {
			const struct timing *timing = device_timing(device, copies[k]);
			struct stats stats;
			enum unit unit;

			if (timing && timing_figure(timing, &unit, &stats) && stats.median > most)
				most = stats.median;
		}
	}
	return most;
}

/* Of the slower direction: where one of them is slow and the link was seen to be, the two agree. */
static double copied_gbps(const struct judgement *j)
{
	double to = best_copy_gbps(j, "h2d-pinned", "h2d-pageable");
	double from = best_copy_gbps(j, "d2h-pinned", "d2h-pageable");

	return to > 0.0 && (from <= 0.0 || to < from) ? to : from;
}

/* More than it can carry at all did not go over it. */
static bool carried(struct judgement *j, double now_gbps, double able_gbps, double *ret)
{
	*ret = copied_gbps(j);
	if (now_gbps <= 0.0 || *ret <= now_gbps || *ret > able_gbps)
		return false;
	derive(j, "copied", UNIT_GBPS, *ret, "timings: the best median of copies, of the slower direction");
	return true;
}

uint64_t link_speed_by_copies(struct judgement *j, uint64_t speed, uint64_t speed_able, uint64_t width)
{
	double gbps;

	if (!carried(j, link_bytes_per_s(speed, width) / 1e9, link_bytes_per_s(speed_able, width) / 1e9, &gbps))
		return 0;
	for (uint64_t generation = 1; link_generation_mtps(generation); generation++)
		if (link_bytes_per_s(link_generation_mtps(generation), width) / 1e9 >= gbps)
			return link_generation_mtps(generation);
	return 0;
}

uint64_t link_width_by_copies(struct judgement *j, uint64_t width, uint64_t width_able, uint64_t speed)
{
	double gbps;

	if (!carried(j, link_bytes_per_s(speed, width) / 1e9, link_bytes_per_s(speed, width_able) / 1e9, &gbps))
		return 0;
	while (width < width_able && link_bytes_per_s(speed, width) / 1e9 < gbps)
		width *= 2;
	return width;
}

/* ---- at work */

#define OF_WINDOW " while the GPU was busy"
#define OF_LOAD " under gpudiag's own load"

static void add_load(const struct judgement *j, const struct gpu *gpu, struct link_at_work *ret)
{
	struct conditions load;
	uint64_t speed, width;

	if (!gpu_under_load(j, gpu, &load))
		return;
	ret->by_load = true;
	speed = u64_or(load.link_speed_mtps, 0);
	width = u64_or(load.link_width, 0);
	if (speed > ret->speed_mtps) {
		ret->speed_mtps = speed;
		ret->speed_how = "the highest rate" OF_LOAD;
	}
	if (width > ret->width) {
		ret->width = width;
		ret->width_how = "the most lanes" OF_LOAD;
	}
}

void link_at_work(const struct judgement *j, const struct gpu *gpu, struct link_at_work *ret)
{
	struct link_at_work window = {
		.speed_mtps = u64_or(gpu->use.link_speed_busy_mtps, 0), .width = u64_or(gpu->use.link_width_busy, 0),
		.speed_how = "the highest rate" OF_WINDOW, .width_how = "the most lanes" OF_WINDOW,
	};

	*ret = (struct link_at_work){ .speed_mtps = 0 };
	add_load(j, gpu, ret);
	if (window.speed_mtps > ret->speed_mtps) {
		ret->speed_mtps = window.speed_mtps;
		ret->speed_how = window.speed_how;
	}
	if (window.width > ret->width) {
		ret->width = window.width;
		ret->width_how = window.width_how;
	}
}

void twins_link_under_load(const struct judgement *j, struct link_at_work *ret)
{
	*ret = (struct link_at_work){ .speed_mtps = 0 };
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		if (gpus_are_twins(j->gpu, &j->snapshot->gpus[i]))
			add_load(j, &j->snapshot->gpus[i], ret);
}

static bool link_was_told_under_load(const struct judgement *j)
{
	struct conditions load;

	return gpu_under_load(j, j->gpu, &load) && is_known(load.link_speed_mtps);
}

void want_link_at_work(struct judgement *j)
{
	struct conditions load;

	if (gpu_under_load(j, j->gpu, &load)) {
		derive(j, "samples_under_load", UNIT_COUNT, (double)load.nr, "load_samples at work");
		return;
	}
	if (gpu_was_busy_in_dump(j)) {
		want(j, nvml_gpu, &j->gpu->nvml, performance_state);
		want(j, gpu_use, &j->gpu->use, busy_percent);
		return;
	}
	want(j, gpu_use, &j->gpu->use, samples_busy);
	want(j, gpu_use, &j->gpu->use, busy_percent);
}

bool gpu_was_busy(const struct judgement *j)
{
	const struct gpu_use *use = &j->gpu->use;

	if (link_was_told_under_load(j))
		return true;

	/* At the low clocks of a light load a link rests as it does at idle. */
	return (double)u64_or(use->samples_busy, 0) >= j->policy->pcie_busy_samples &&
	       f64_or(use->busy_percent, 100.0) >= j->policy->pcie_busy_percent;
}

bool gpu_was_busy_in_dump(const struct judgement *j)
{
	enum { BUSY_PERCENT = 50, SLOWEST_STATE = 2 };
	unsigned source = value_from_source(j->gpu->nvml.performance_state.from);

	return is_imported(j->snapshot) && value_from_source(j->gpu->use.busy_percent.from) == source &&
	       value_from_source(j->gpu->nvml.link_generation.from) == source &&
	       u64_or(j->gpu->nvml.performance_state, 15) <= SLOWEST_STATE &&
	       f64_or(j->gpu->use.busy_percent, 0.0) >= BUSY_PERCENT;
}
