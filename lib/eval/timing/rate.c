// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/timing/rate.h"

#include "eval/facts/throttle.h"
#include "eval/judge/vendor.h"
#include "eval/timing/timing_precondition.h"

/* True where it is as fast as the twins, or has none: *ret_twins is 0 then. */
static bool keeps_up(struct judgement *j, const struct rate_question *asked, const struct stats *stats, enum unit unit,
		     double *ret_twins)
{
	*ret_twins = 0.0;
	if (!twins_figure(j->snapshot, j->gpu, asked->test, ret_twins))
		return true;
	derive(j, "twin_rate", unit, *ret_twins, "median of the other GPUs of this model");
	expect_f64(j, "best_rate", asked->twin_ratio * *ret_twins);
	return stats->p95 >= asked->twin_ratio * *ret_twins;
}

/* Below its default, and not by policy. */
static bool is_limited(const struct judgement *j)
{
	const double meant = j->policy->power_limit_mw;

	return is_lowered(j->policy, j->gpu, "power_limit_mw") &&
	       !(meant > 0.0 && (double)u64_or(vendor_u64(j->gpu, "power_limit_mw"), 0) >= meant);
}

/*
 * Chips of one model take different power for the same clock, and warm ones more: at its limit one is slower than its
 * twins with nothing broken, by so much and no more.
 */
static bool is_held_by_its_limit(struct judgement *j, const struct stats *stats, double twins)
{
	static const enum throttle_kind faults[] = { THROTTLE_HW_THERMAL, THROTTLE_THERMAL, THROTTLE_BRAKE,
						     THROTTLE_SLOWDOWN };
	struct conditions load;

	if (stats->p95 < j->policy->rate_limit_twin_ratio * twins || is_limited(j))
		return false;
	if (!gpu_under_load(j, j->gpu, &load) ||
	    load.throttle_percent[THROTTLE_POWER_CAP] < j->policy->throttle_power_cap_percent)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (load.throttle_percent[faults[i]] >= j->policy->throttle_percent)
			return false;
	derive(j, "power_capped", UNIT_PERCENT, load.throttle_percent[THROTTLE_POWER_CAP],
	       "load_samples at work that power-cap held back");
	return true;
}

static void raise_low(struct judgement *j, const struct rate_question *asked)
{
	phrase(j, "rate.many", arena_printf(j->arena, "less than %.0f %%", 100.0 * j->policy->rate_note_ratio));
	finding_add(j, asked->low);
}

static void judge_figure(struct judgement *j, const struct rate_question *asked, const struct stats *stats,
			 enum unit unit)
{
	struct peak peak;
	bool has_peak;
	double twins;

	has_peak = asked->peak(j->gpu, &peak);
	if (has_peak) {
		derive(j, "peak_rate", unit, peak.figure, peak.how);
		expect_f64(j, "rate", j->policy->rate_note_ratio * peak.figure);
	}
	if (!keeps_up(j, asked, stats, unit, &twins))
		finding_add(j, is_held_by_its_limit(j, stats, twins) ? asked->at_limit : asked->below_twins);
	else if (has_peak && stats->median < j->policy->rate_note_ratio * peak.figure)
		raise_low(j, asked);
	else if (twins <= 0.0 && !has_peak)
		skip_check(j, "{rate}; no twin and no reference for this model");
}

void judge_rate(struct judgement *j, const struct rate_question *asked)
{
	struct stats stats;
	enum unit unit;

	if (!measured_figure(j, asked->test, &unit, &stats))
		return;
	derive(j, "rate", unit, stats.median, "work / samples_ns, median");
	derive(j, "best_rate", unit, stats.p95, "work / samples_ns, 95th percentile");
	if (!j->gpu)
		skip_check(j, "{rate}; not a PCI device, nothing to compare with");
	else if (bool_or(j->gpu->nvml.mig_enabled, false))
		skip_check(j, "{rate}, of a part of the GPU: instances differ in size");
	else
		judge_figure(j, asked, &stats, unit);
}
