// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/baseline/drift.h"

#include <math.h>

#include "base/stats.h"
#include "eval/facts/twin_stats.h"
#include "snapshot/gpus.h"

/* Of a normal distribution the standard deviation is that many times the median absolute distance. */
#define SIGMA_OF_MAD 1.4826

const struct policy *policy_of_figure(struct arena *arena, const struct policy *policy, const char *host,
				      const struct baseline_figure *figure)
{
	return policy_resolve(arena, policy, host, figure->gpu.model);
}

double baseline_tolerance(const struct policy *policy, const struct baseline_figure *figure)
{
	return fmax(fmax(policy->baseline_sigmas * figure->spread, figure->noise),
		    policy->baseline_least_ratio * figure->median);
}

bool is_too_noisy(const struct policy *policy, const struct baseline_figure *figure)
{
	return baseline_tolerance(policy, figure) > policy->baseline_noise_ratio * figure->median;
}

const char *drift_share_words(struct arena *arena, double share)
{
	const double percent = 100.0 * share;

	if (percent < 0.1)
		return "under 0.1 %";
	return arena_printf(arena, percent < 10.0 ? "%.1f %%" : "%.0f %%", percent);
}

/* The driver file of an OpenCL device's key, "opencl:nvidia.icd" of "opencl:nvidia.icd:3". */
static size_t driver_part(const char *key)
{
	const char *end = strrchr(key, ':');

	return end ? (size_t)(end - key) : strlen(key);
}

/* Whose figures are looked for. */
struct wanted {
	const char *device;		/* key of the OpenCL device */
	size_t driver_len;		/* of that the part that names its driver */
	bool on_bus;
	struct gpu_identity gpu;	/* as the baseline has it; nothing known: it has not */
};

static struct wanted whose(struct arena *arena, const struct baseline *baseline, const struct snapshot *snapshot,
			   const struct ocl_device *device)
{
	const struct gpu *gpu = ocl_device_gpu(snapshot, device), *then;
	struct wanted wanted = { .device = str_or(device->key, ""), .on_bus = gpu };

	wanted.driver_len = driver_part(wanted.device);
	then = gpu ? baseline_gpu(arena, baseline, snapshot, gpu) : NULL;
	if (then)
		wanted.gpu = gpu_identity_of(arena, &baseline->snapshot, then);
	return wanted;
}

/* A GPU's place among its driver's devices depends on which are visible; that of one off the bus is all there is. */
static bool is_of_device(const struct wanted *wanted, const struct baseline_figure *figure)
{
	if (!wanted->on_bus)
		return !figure->gpu.address && !strcmp(figure->device, wanted->device);
	return figure->gpu.address && driver_part(figure->device) == wanted->driver_len &&
	       !strncmp(figure->device, wanted->device, wanted->driver_len) && is_same_gpu(&wanted->gpu, &figure->gpu);
}

static const char *why_not_alike(const struct baseline *baseline, const struct snapshot *snapshot,
				 const struct baseline_figure *then, const struct timing *timing)
{
	if (strcmp(then->method ? then->method : "", str_or(timing->method, "")) != 0)
		return "measured by another method";
	if (u64_or(then->size_bytes, 0) != u64_or(timing->size_bytes, 0))
		return "measured with another size";
	if (is_known(then->numa_node) != is_known(timing->numa_node) ||
	    u64_or(then->numa_node, 0) != u64_or(timing->numa_node, 0))
		return "measured from another NUMA node";
	if (bool_or(baseline->snapshot.request.together, false) != bool_or(snapshot->request.together, false))
		return "devices were loaded together once, and one after the other once (--together)";
	if (is_known(timing->disturbed))
		return "disturbed by other load";
	return NULL;
}

static void judge_figure(const struct policy *policy, struct drift *drift, const struct stats *stats)
{
	const struct baseline_figure *then = drift->then;
	bool is_time = then->unit == UNIT_NS;
	double lost = is_time ? drift->now - then->median : then->median - drift->now;

	drift->tolerance = fmax(baseline_tolerance(policy, then), SIGMA_OF_MAD * stats->mad);
	drift->share = is_time ? then->median / drift->now : drift->now / then->median;
	drift->kind = DRIFT_WITHIN;
	if (lost < -drift->tolerance)
		drift->kind = DRIFT_BETTER;
	else if (lost > drift->tolerance)
		drift->kind = !is_time && drift->share < policy->baseline_warn_ratio ? DRIFT_MUCH_WORSE : DRIFT_WORSE;
}

static void compare(struct drift *drift, const struct policy *policy, const struct baseline *baseline,
		    const struct snapshot *snapshot)
{
	struct stats stats;
	enum unit unit;

	if (!drift->timing || !drift->timing->samples_ns.nr) {
		drift->why = "not measured in this run";
		return;
	}
	if (!timing_figure(drift->timing, &unit, &stats) || unit != drift->then->unit || stats.median <= 0.0) {
		drift->why = "invalid samples";
		return;
	}
	drift->now = stats.median;
	drift->why = why_not_alike(baseline, snapshot, drift->then, drift->timing);
	if (!drift->why && is_too_noisy(policy, drift->then))
		drift->why = "too noisy in the baseline";
	if (!drift->why)
		judge_figure(policy, drift, &stats);
}

void drifts_of(struct drift_list *ret, struct arena *arena, const struct policy *policy,
	       const struct baseline *baseline, const struct snapshot *snapshot, const struct ocl_device *device)
{
	const struct wanted wanted = whose(arena, baseline, snapshot, device);

	*ret = (struct drift_list){ .nr = 0 };
	for (size_t i = 0; i < baseline->nr_figures; i++) {
		struct drift drift = { .then = &baseline->figures[i] };

		if (!is_of_device(&wanted, drift.then))
			continue;
		drift.timing = device_timing(device, drift.then->test);
		compare(&drift, policy, baseline, snapshot);
		ret->items = arena_grow(arena, ret->items, ret->nr, sizeof(*ret->items));
		ret->items[ret->nr++] = drift;
	}
}
