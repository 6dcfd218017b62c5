// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline_make.c - the figures of several runs, and how much they vary. */
#include "base/compat.h"
#include "eval/baseline/baseline.h"

#include "base/alloc.h"
#include "base/stats.h"
#include "eval/facts/twin_stats.h"
#include "eval/judge/report.h"
#include "snapshot/gpus.h"

/* Of a normal distribution the standard deviation is that many times the median absolute distance. */
#define SIGMA_OF_MAD 1.4826

/*
 * Mean range of n samples of a normal distribution, in standard deviations: factor d2 of control charts (W. A.
 * Shewhart; ASTM STP 15D, table of factors).
 */
static const double range_sigmas[] = { [2] = 1.128, [3] = 1.693, [4] = 2.059 };

static double spread_of(const struct stats *medians, double noise)
{
	if (medians->n < 2)
		return noise;
	if (medians->n < ARRAY_SIZE(range_sigmas))
		return (medians->max - medians->min) / range_sigmas[medians->n];
	return SIGMA_OF_MAD * medians->mad;
}

/* The same device in another run. */
static const struct ocl_device *device_in(const struct snapshot *run, const struct ocl_device *device)
{
	return list_find(run, ocl_devices, ocl_device, str_or(device->key, ""));
}

/* What of a timing must be alike for its figures to be of one kind. */
static bool is_same_test(const struct timing *a, const struct timing *b)
{
	return !strcmp(str_or(a->method, ""), str_or(b->method, "")) &&
	       u64_or(a->size_bytes, 0) == u64_or(b->size_bytes, 0) && u64_or(a->numa_node, 0) == u64_or(b->numa_node, 0);
}

static void take_figure(struct baseline *baseline, const struct snapshot *runs, size_t nr,
			const struct ocl_device *device, const struct timing *timing)
{
	const struct snapshot *newest = &runs[nr - 1];
	const struct gpu *gpu = ocl_device_gpu(newest, device);
	double *medians = xcalloc(nr, sizeof(*medians)), *noises = xcalloc(nr, sizeof(*noises));
	struct baseline_figure figure = {
		.device = str_or(device->key, "?"), .test = str_or(timing->key, "?"), .method = str_or(timing->method, NULL),
		.size_bytes = timing->size_bytes, .numa_node = timing->numa_node,
	};
	struct stats stats;

	for (size_t i = 0; i < nr; i++) {
		const struct ocl_device *there = device_in(&runs[i], device);
		const struct timing *same = there ? device_timing(there, figure.test) : NULL;

		if (!same || !is_same_test(same, timing) || is_known(same->disturbed) ||
		    !timing_figure(same, &figure.unit, &stats) || stats.median <= 0.0)
			continue;
		medians[figure.n] = stats.median;
		noises[figure.n++] = SIGMA_OF_MAD * stats.mad;
	}
	if (gpu)
		figure.gpu = gpu_identity_of(&baseline->arena, newest, gpu);
	stats_of(noises, (size_t)figure.n, &stats);
	figure.noise = stats.median;
	stats_of(medians, (size_t)figure.n, &stats);
	figure.median = stats.median;
	figure.spread = spread_of(&stats, figure.noise);
	if (figure.n) {
		baseline->figures = arena_grow(&baseline->arena, baseline->figures, baseline->nr_figures,
					       sizeof(*baseline->figures));
		baseline->figures[baseline->nr_figures++] = figure;
	}
	free(medians);
	free(noises);
}

void baseline_of_runs(struct baseline *ret, struct snapshot *runs, size_t nr)
{
	const struct snapshot *newest = &runs[nr - 1];

	memset(ret, 0, sizeof(*ret));
	ret->runs = nr;
	for (size_t i = 0; i < newest->nr_ocl_devices; i++)
		for (size_t k = 0; k < newest->ocl_devices[i].nr_timings; k++)
			take_figure(ret, runs, nr, &newest->ocl_devices[i], &newest->ocl_devices[i].timings[k]);
	ret->snapshot = *newest;
	memset(&runs[nr - 1], 0, sizeof(*runs));
}

bool baseline_is_refused_for(const struct finding *finding)
{
	static const enum finding_id settled[] = { PCIE_WIDTH_BELOW_ABLE, PCIE_SPEED_BELOW_ABLE, GPU_VISIBLE_ODD_COUNT };

	if (finding->outcome != OUTCOME_WARN && finding->outcome != OUTCOME_FAIL)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(settled); i++)
		if (finding->id == settled[i])
			return false;
	return true;
}
