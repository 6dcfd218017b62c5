// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/twin_stats.h"

#include "base/alloc.h"
#include "base/text.h"
#include "eval/facts/link.h"
#include "eval/facts/models.h"
#include "eval/judge/subject.h"
#include "snapshot/gpus.h"

static bool same_text(struct val_str a, struct val_str b)
{
	return is_known(a) && is_known(b) && !strcmp(str_or(a, ""), str_or(b, ""));
}

/* NVIDIA's name for it. Of GeForce others make the boards, which differ by their makers under one name. */
static bool same_name(const struct gpu *a, const struct gpu *b)
{
	const char *name = str_or(a->nvml.name, "");

	return same_text(a->nvml.name, b->nvml.name) && !strstr(name, "GeForce") && !strstr(name, "TITAN");
}

/* Some dumps have names, and no numbers. */
static bool same_model(const struct gpu *a, const struct gpu *b)
{
	if (is_known(a->pci.device_id) || is_known(b->pci.device_id))
		return same_text(a->pci.device_id, b->pci.device_id);
	if (is_known(a->pci.model) || is_known(b->pci.model))
		return same_text(a->pci.model, b->pci.model);
	return same_name(a, b);
}

bool gpus_are_twins(const struct gpu *a, const struct gpu *b)
{
	return a != b && same_text(a->pci.vendor_id, b->pci.vendor_id) && same_model(a, b) &&
	       (same_text(a->pci.subsystem_id, b->pci.subsystem_id) ||
		(!is_known(a->pci.subsystem_id) && !is_known(b->pci.subsystem_id)));
}

uint64_t twins_widest_link(const struct snapshot *snapshot, const struct gpu *gpu, size_t place)
{
	bool was_busy = !place && is_known(gpu->use.link_width_busy);
	uint64_t widest = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *twin = &snapshot->gpus[i];
		struct link_path path;
		uint64_t width;

		if (!gpus_are_twins(gpu, twin))
			continue;
		gpu_links(twin, &path);
		if (place >= path.nr)
			continue;
		width = u64_or(path.links[place].lower->link_width, 0);
		if (width > widest)
			widest = width;
		width = was_busy ? u64_or(twin->use.link_width_busy, 0) : 0;
		if (width > widest)
			widest = width;
	}
	return widest;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What the slot's link was seen at, whoever tells it: of a dump NVIDIA's library alone may. */
static uint64_t slot_link_speed(const struct gpu *gpu)
{
	return greater(u64_or(gpu->use.link_speed_busy_mtps, 0),
		       link_generation_mtps(u64_or(gpu->nvml.link_generation, 0)));
}

uint64_t twins_fastest_link(const struct snapshot *snapshot, const struct gpu *gpu, size_t place)
{
	uint64_t fastest = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *twin = &snapshot->gpus[i];
		struct link_path path;

		if (!gpus_are_twins(gpu, twin))
			continue;
		gpu_links(twin, &path);
		if (place < path.nr)
			fastest = greater(fastest, u64_or(path.links[place].lower->link_speed_mtps, 0));
		if (!place)
			fastest = greater(fastest, slot_link_speed(twin));
	}
	return fastest;
}

const struct timing *device_timing(const struct ocl_device *device, const char *test)
{
	return list_find(device, timings, timing, test);
}

#define MOST_SAMPLE_NS 1e15

/* One sample as a figure; work is in bytes or operations, 0 for a latency. */
static double figure(double sample_ns, double work)
{
	return work > 0.0 ? work / sample_ns : sample_ns;	/* per nanosecond: already GB/s and GFLOP/s */
}

/* Nothing is done in less than a nanosecond, and no sample lasts for days: such a time is none. */
static bool is_time(double sample_ns)
{
	return sample_ns >= 1.0 && sample_ns <= MOST_SAMPLE_NS;
}

bool timing_figure(const struct timing *timing, enum unit *ret_unit, struct stats *ret)
{
	double work = 0.0, *figures;

	if (!timing->samples_ns.nr)
		return false;
	for (size_t i = 0; i < timing->samples_ns.nr; i++)
		if (!is_time(timing->samples_ns.v[i]))
			return false;
	*ret_unit = UNIT_NS;
	if (is_known(timing->moved_bytes)) {
		*ret_unit = UNIT_GBPS;
		work = (double)u64_or(timing->moved_bytes, 0);
	} else if (is_known(timing->operations)) {
		*ret_unit = UNIT_GFLOPS;
		work = (double)u64_or(timing->operations, 0);
	}
	figures = xcalloc(timing->samples_ns.nr, sizeof(*figures));
	for (size_t i = 0; i < timing->samples_ns.nr; i++)
		figures[i] = figure(timing->samples_ns.v[i], work);
	stats_of(figures, timing->samples_ns.nr, ret);
	free(figures);
	return true;
}

bool twins_figure(const struct snapshot *snapshot, const struct gpu *gpu, const char *test, double *ret)
{
	double *figures = xcalloc(snapshot->nr_ocl_devices, sizeof(*figures));
	struct stats stats;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &snapshot->ocl_devices[i];
		const struct gpu *other = ocl_device_gpu(snapshot, device);
		const struct timing *timing = device_timing(device, test);
		enum unit unit;

		if (other && timing && gpus_are_twins(gpu, other) && timing_figure(timing, &unit, &stats))
			figures[nr++] = stats.median;
	}
	stats_of(figures, nr, &stats);
	free(figures);
	*ret = stats.median;
	return nr > 0;
}

bool gpu_is_divided(const struct gpu *gpu)
{
	return bool_or(gpu->nvml.mig_enabled, false) ||
	       (is_known(gpu->amdgpu.compute_partition) && !str_is(gpu->amdgpu.compute_partition, "SPX"));
}

bool gpu_memory_peak(const struct gpu *gpu, struct peak *ret)
{
	/*
	 * The clock that NVML reports is half the rate of a bus line, for all kinds of memory: 2619 MHz and 5120 bits
	 * are the 3352 GB/s of an H100 SXM5, 10501 MHz and 384 bits the 1008 GB/s of an RTX 4090.
	 */
	const double lines_mtps = 2.0 * (double)u64_or(gpu->nvml.memory_clock_max_mhz, 0);
	const double clocked = lines_mtps * 1e6 * (double)u64_or(gpu->nvml.memory_bus_bits, 0) / 8.0 / 1e9;
	const struct gpu_model *model = gpu_model_of(gpu);

	if (gpu_is_divided(gpu))
		return false;
	*ret = (struct peak){ .figure = clocked, .how = "memory_clock_max_mhz × memory_bus_bits × 2" };
	if (clocked <= 0.0 && model)
		*ret = (struct peak){ .figure = model->memory_gbps, .how = model->source };
	return ret->figure > 0.0;
}

bool gpu_fp32_peak(const struct gpu *gpu, struct peak *ret)
{
	const struct gpu_model *model = gpu_model_of(gpu);

	if (gpu_is_divided(gpu) || !model)
		return false;
	*ret = (struct peak){ .figure = model->fp32_gflops, .how = model->source };
	return true;
}
