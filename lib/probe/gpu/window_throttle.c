// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/gpu/window_throttle.h"

#include "format/amdgpu_throttle.h"
#include "format/intel_throttle.h"
#include "probe/window_rates.h"

#define MAX_MW 5000000.0		/* of one card */
#define MOST_OF_IT 0.5			/* of the time between two looks */
#define NOT_ITS "not reported by its driver"
#define NOT_AT_WORK "not busy in the window"

void tally_add(struct tally *tally, double value)
{
	tally->sum += value;
	tally->max = !tally->nr || value > tally->max ? value : tally->max;
	tally->nr++;
}

/* ---- one look */

static const struct { uint64_t bits; enum throttle_kind kind; } amdgpu_kinds[] = {
	{ .bits = AMDGPU_THROTTLE_POWER, .kind = THROTTLE_POWER_CAP },
	{ .bits = AMDGPU_THROTTLE_CURRENT, .kind = THROTTLE_CURRENT },
	{ .bits = AMDGPU_THROTTLE_THERMAL, .kind = THROTTLE_THERMAL },
	{ .bits = AMDGPU_THROTTLE_PROCHOT, .kind = THROTTLE_BRAKE },
};

static void look_at_bits(const struct amdgpu_metrics *now, struct val_f64 hotspot_max_c, struct throttle_look *ret)
{
	uint64_t status = amdgpu_throttle_believed(u64_or(now->indep_throttle_status, 0), now->hotspot_c,
						   hotspot_max_c);
	STRBUF_AUTO names = STRBUF_INIT;

	*ret = (struct throttle_look){ .weight = 1 };
	for (size_t i = 0; i < ARRAY_SIZE(amdgpu_kinds); i++)
		if (status & amdgpu_kinds[i].bits)
			ret->share[amdgpu_kinds[i].kind] = 1;
	ret->brakes = status & AMDGPU_THROTTLE_PROCHOT;
	/* Of the hotspot's bit what is left is believed. */
	ret->is_too_hot = status & (AMDGPU_THROTTLE_VRHOT | AMDGPU_THROTTLE_HOTSPOT);
	if (status)
		amdgpu_throttle_names(&names, status);
	snprintf(ret->reasons, sizeof(ret->reasons), "%s", names.buf);
}

/* Counters of 32 bits: time, in steps of accumulation_counter, in which something held the clocks back. */
static const struct residency {
	const char *name;		/* as in the driver's table, gpu_metrics_v1_6 */
	size_t offset;
	enum throttle_kind kind;
	bool is_vr;			/* a voltage regulator's own signal */
} residencies[] = {
	{ .name = "prochot", .offset = offsetof(struct amdgpu_metrics, prochot_residency), .kind = THROTTLE_BRAKE },
	{ .name = "ppt", .offset = offsetof(struct amdgpu_metrics, ppt_residency), .kind = THROTTLE_POWER_CAP },
	{ .name = "socket_thm", .offset = offsetof(struct amdgpu_metrics, socket_thm_residency),
	  .kind = THROTTLE_THERMAL },
	{ .name = "vr_thm", .offset = offsetof(struct amdgpu_metrics, vr_thm_residency), .kind = THROTTLE_THERMAL,
	  .is_vr = true },
	{ .name = "hbm_thm", .offset = offsetof(struct amdgpu_metrics, hbm_thm_residency), .kind = THROTTLE_THERMAL },
};

static struct val_u64 residency_growth(const struct amdgpu_metrics *before, const struct amdgpu_metrics *now,
				       const struct residency *residency)
{
	struct val_u64 start, end;

	memcpy(&start, (const char *)before + residency->offset, sizeof(start));
	memcpy(&end, (const char *)now + residency->offset, sizeof(end));
	return growth_of_32_bits(start, end);
}

/* Several kinds of heat may hold at one time: the longest is the least that was lost. */
static void look_at_residencies(const struct amdgpu_metrics *before, const struct amdgpu_metrics *now, double counted,
				struct throttle_look *ret)
{
	/* Table 3.0 counts in a unit of its own, beside no counter: that it grew is all it tells. */
	*ret = (struct throttle_look){ .weight = counted > 0 ? counted : 1 };
	for (size_t i = 0; i < ARRAY_SIZE(residencies); i++) {
		uint64_t grown = u64_or(residency_growth(before, now, &residencies[i]), 0);
		double share = grown ? 1 : 0, *of_kind = &ret->share[residencies[i].kind];
		size_t len = strlen(ret->reasons);

		if (grown && counted > 0 && (double)grown < counted)
			share = (double)grown / counted;
		*of_kind = share > *of_kind ? share : *of_kind;
		/* Where there is no counter a growth may have been a moment. */
		ret->brakes |= residencies[i].kind == THROTTLE_BRAKE && counted > 0 && share >= MOST_OF_IT;
		ret->is_too_hot |= residencies[i].is_vr && counted > 0 && share >= MOST_OF_IT;
		if (grown)
			snprintf(ret->reasons + len, sizeof(ret->reasons) - len, "%s%s", len ? ", " : "",
				 residencies[i].name);
	}
}

static bool counts_residencies(const struct amdgpu_metrics *metrics)
{
	return is_known(metrics->ppt_residency) || is_known(metrics->prochot_residency) ||
	       is_known(metrics->socket_thm_residency);
}

bool throttle_of_amdgpu(const struct amdgpu_metrics *before, const struct amdgpu_metrics *now,
			struct val_f64 hotspot_max_c, struct throttle_look *ret, struct val_head *ret_missing)
{
	struct val_u64 counted;

	if (is_known(now->indep_throttle_status)) {
		look_at_bits(now, hotspot_max_c, ret);
		return true;
	}
	*ret_missing = (struct val_head){ .state = VAL_UNSUPPORTED,
					  .why = "gpu_metrics has only chip-specific bits" };
	if (!counts_residencies(now))
		return false;
	*ret_missing = (struct val_head){ .state = VAL_ABSENT, .why = "only one sample of a counter" };
	if (!before || !counts_residencies(before))
		return false;
	counted = growth_of_32_bits(before->accumulation_counter, now->accumulation_counter);
	/* Asked again sooner than the firmware counts. */
	if (is_known(counted) && !u64_or(counted, 0))
		return false;
	if (!is_known(counted) && is_known(now->accumulation_counter)) {
		*ret_missing = (struct val_head){ .state = counted.state, .why = counted.why };
		return false;
	}
	look_at_residencies(before, now, (double)u64_or(counted, 0), ret);
	return true;
}

void throttle_of_intel(const char *reasons, struct throttle_look *ret)
{
	unsigned kinds = intel_throttle_kinds(reasons);

	*ret = (struct throttle_look){ .weight = 1 };
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		ret->share[kind] = kinds >> kind & 1 ? 1 : 0;
	ret->brakes = ret->share[THROTTLE_BRAKE] > 0;
	ret->is_too_hot = intel_throttle_is_too_hot(reasons);
	snprintf(ret->reasons, sizeof(ret->reasons), "%s", strcmp(reasons, "none") ? reasons : "");
}

/* ---- all of them */

void throttle_tally_add(struct throttle_tally *tally, const struct throttle_look *look, bool works)
{
	tally->samples++;
	tally->braked += look->brakes;
	tally->too_hot += look->is_too_hot;
	throttle_reasons_add(&tally->reasons, look->reasons);
	if (!works)
		return;
	tally->loaded++;
	tally->weight += look->weight;
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		tally->sum[kind] += look->weight * look->share[kind];
}

void throttle_fill_none(enum val_state state, const char *why, struct throttle *ret)
{
	ret->samples = ret->samples_loaded = no_u64(state, why);
	ret->power_cap_percent = ret->current_percent = ret->thermal_percent = ret->brake_percent = no_f64(state, why);
	ret->hw_thermal_percent = ret->slowdown_percent = ret->set_percent = no_f64(VAL_UNSUPPORTED, NOT_ITS);
	ret->power_cap_counter_percent = ret->thermal_counter_percent = ret->board_limit_counter_percent =
		no_f64(VAL_UNSUPPORTED, NOT_ITS);
	ret->hw_thermal_all_percent = ret->brake_all_percent = no_f64(state, why);
	ret->slowdown_run = ret->thermal_total_s = ret->power_cap_total_s = ret->board_limit_total_s =
		no_u64(VAL_UNSUPPORTED, NOT_ITS);
	ret->reasons = no_str(state, why);
}

static struct val_f64 share_over(const struct throttle_tally *tally, enum throttle_kind kind)
{
	return val_f64(100.0 * tally->sum[kind] / tally->weight);
}

void throttle_fill(const struct throttle_tally *tally, struct val_u64 loaded, struct arena *arena,
		   struct throttle *ret)
{
	struct val_head missing = { .state = loaded.state, .why = loaded.why };

	if (!tally->samples) {
		throttle_fill_none(tally->missing.state == VAL_UNSET ? VAL_ABSENT : tally->missing.state,
				   tally->missing.why ? tally->missing.why : "not sampled", ret);
		return;
	}
	if (is_known(loaded))
		missing = (struct val_head){ .state = VAL_ABSENT, .why = NOT_AT_WORK };
	throttle_fill_none(missing.state, missing.why, ret);
	ret->samples = val_u64(tally->samples);
	ret->brake_all_percent = val_f64(100.0 * (double)tally->braked / (double)tally->samples);
	ret->hw_thermal_all_percent = val_f64(100.0 * (double)tally->too_hot / (double)tally->samples);
	if (is_known(loaded))
		ret->samples_loaded = val_u64(tally->loaded);
	if (is_known(loaded) && tally->loaded && tally->weight > 0) {
		ret->power_cap_percent = share_over(tally, THROTTLE_POWER_CAP);
		ret->current_percent = share_over(tally, THROTTLE_CURRENT);
		ret->thermal_percent = share_over(tally, THROTTLE_THERMAL);
		ret->brake_percent = share_over(tally, THROTTLE_BRAKE);
	}
	ret->reasons = val_str(arena_strdup(arena, tally->reasons.len ? tally->reasons.buf : "none"));
}

void throttle_fill_counters(const struct amdgpu_metrics *start, const struct amdgpu_metrics *end, struct throttle *ret)
{
	struct val_u64 counted = growth_of_32_bits(start->accumulation_counter, end->accumulation_counter);
	struct throttle_look look;

	if (!counts_residencies(start) || !counts_residencies(end) || !u64_or(counted, 0))
		return;
	look_at_residencies(start, end, (double)u64_or(counted, 0), &look);
	ret->power_cap_counter_percent = val_f64(100.0 * look.share[THROTTLE_POWER_CAP]);
	ret->thermal_counter_percent = val_f64(100.0 * look.share[THROTTLE_THERMAL]);
}

struct val_u64 power_of_energy(struct val_u64 start_uj, struct val_u64 end_uj, uint64_t elapsed_ns)
{
	struct val_u64 grown = growth_of(start_uj, end_uj);
	double mw;

	if (!is_known(grown))
		return grown;
	if (!elapsed_ns)
		return no_u64(VAL_ABSENT, "no time passed");
	mw = (double)u64_or(grown, 0) * 1e6 / (double)elapsed_ns;
	return mw > MAX_MW ? no_u64(VAL_ERROR, "its energy counter leaps") : val_u64((uint64_t)(mw + 0.5));
}
