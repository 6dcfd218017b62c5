// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/rate.h"

#include "eval/permit.h"

/* True where it is as fast as the twins, or has none; *ret_compared: it has some. */
static bool keeps_up(struct judgement *j, const struct rate_question *asked, const struct stats *stats, enum unit unit,
		     bool *ret_compared)
{
	double twins;

	*ret_compared = twins_figure(j->snapshot, j->gpu, asked->test, &twins);
	if (!*ret_compared)
		return true;
	derive(j, "twin_rate", unit, twins, "median of the other GPUs of this model");
	expect_f64(j, "best_rate", asked->twin_ratio * twins);
	return stats->p95 >= asked->twin_ratio * twins;
}

static void judge_figure(struct judgement *j, const struct rate_question *asked, const struct stats *stats,
			 enum unit unit)
{
	bool has_twins, has_peak;
	struct peak peak;

	has_peak = asked->peak(j->gpu, &peak);
	if (has_peak) {
		derive(j, "peak_rate", unit, peak.figure, peak.how);
		expect_f64(j, "rate", j->policy->rate_note_ratio * peak.figure);
	}
	if (!keeps_up(j, asked, stats, unit, &has_twins))
		finding_add(j, asked->below_twins);
	else if (has_peak && stats->median < j->policy->rate_note_ratio * peak.figure)
		finding_add(j, asked->low);
	else if (!has_twins && !has_peak)
		skip_check(j, "{rate}; no twin and no figure of this model to compare with");
}

void judge_rate(struct judgement *j, const struct rate_question *asked)
{
	const char *refused = permit_load(j->arena, j->snapshot, j->policy, j->log, j->device);
	const struct timing *timing;
	struct stats stats;
	enum unit unit;

	if (refused) {
		skip_check(j, refused);
		return;
	}
	timing = device_timing(j->device, asked->test);
	need(j, ocl_device, j->device, builds_kernels);
	need(j, timing, timing, method);
	if (!timing || !all_known(j))
		return;
	if (!timing_figure(timing, &unit, &stats)) {
		unknown(j, "its samples are none, or no times");
		return;
	}
	derive(j, "rate", unit, stats.median, "work / samples_ns, median");
	derive(j, "best_rate", unit, stats.p95, "work / samples_ns, 95th percentile");
	if (!j->gpu)
		skip_check(j, "{rate}; a device that is not on the bus has nothing to compare with");
	else if (bool_or(j->gpu->nvml.mig_enabled, false))
		skip_check(j, "{rate}, of a part of the GPU: instances differ in size");
	else
		judge_figure(j, asked, &stats, unit);
}
