// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/twin_stats.h"
#include "eval/facts/power_cap.h"
#include "eval/facts/throttle.h"
#include "eval/judge/vendor.h"

#define MW_PER_W 1000

enum { IMPOSSIBLE_LIMITS = 3 };

/* Requested and enforced limit differ if something else limits too: setting it again does not help then. */
static void phrase_source(struct judgement *j, uint64_t limit)
{
	uint64_t requested = want_vendor_u64(j, "power_requested_mw");
	uint64_t full = u64_or(vendor_u64(j->gpu, "power_default_mw"), 0);

	if (requested > limit) {
		phrase(j, "by_whom",
		       arena_printf(
			       j->arena,
			       "%s was requested: something else limits it, such as a BMC, a shared module or its power supply.",
			       figure_words(j, UNIT_MW, (double)requested)));
		return;
	}
	phrase(j, "by_whom", "It was set by a vendor tool, a service or a BMC.");
	phrase(j, "default_w", arena_printf(j->arena, "%llu", (unsigned long long)(full / MW_PER_W)));
}

static uint64_t highest_of_twins(const struct judgement *j)
{
	uint64_t highest = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *other = &j->snapshot->gpus[i];
		uint64_t limit = u64_or(vendor_u64(other, "power_limit_mw"), 0);

		if (gpus_are_twins(j->gpu, other) && limit > highest)
			highest = limit;
	}
	return highest;
}

/* Why a lowered limit is no more than a note, or NULL. */
static const char *why_meant(const struct judgement *j, enum lowered lowered, uint64_t limit)
{
	double meant = j->policy->power_limit_mw;

	if (meant > 0.0 && (double)limit >= meant)
		return "As set in the policy.";
	if (bool_or(j->gpu->power_limit_asked, false))
		return "Set by a command whose output is there.";
	if (lowered == LOWERED_AS_TWINS)
		return "As on its twins: probably intended.";
	if (gpu_is_mobile(j->gpu))
		return "Laptops share power between GPU and CPU.";
	/* Firmware sets a sustained limit of its own there, beside the power that the card is rated for. */
	if (lowered == LOWERED_ALONE && gpu_vendor(j->gpu) == VENDOR_INTEL)
		return "The card's firmware may set it.";
	return NULL;
}

static void judge_lowered(struct judgement *j, enum lowered lowered, uint64_t limit, const struct twin_look *look)
{
	uint64_t twins = look->has_majority ? u64_or(look->majority.u64, 0) : highest_of_twins(j);
	const char *meant = why_meant(j, lowered, limit);

	phrase_source(j, limit);
	phrase(j, "limit_mw", arena_printf(j->arena, "%llu", (unsigned long long)limit));
	if (!meant && lowered == LOWERED_ALONE) {
		finding_add(j, THROTTLE_POWER_CAPPED);
	} else if (!meant && twins > limit) {
		derive(j, "twin_limit", UNIT_MW, (double)twins, "power_limit_mw of GPUs of this model");
		finding_add(j, THROTTLE_POWER_BELOW_TWINS);
	} else {
		phrase(j, "meant", meant ? meant : "Its twins have an even lower limit.");
		finding_add(j, THROTTLE_POWER_LIMITED);
	}
}

/* True where there is a limit to judge. */
static bool judge_limit(struct judgement *j)
{
	struct twin_look look;
	enum lowered lowered;
	uint64_t limit;

	question(j);
	if (!is_told(j->gpu, "power_limit_mw"))
		return false;
	limit = need_vendor_u64(j, "power_limit_mw");
	want_vendor_u64(j, "power_default_mw");
	lowered = lowered_among_twins(j, "power_limit_mw", &look);
	phrase_address(j);
	if (lowered != NOT_LOWERED)
		judge_lowered(j, lowered, limit, &look);
	return true;
}

/* At a limit of full height that costs clocks: no fault, and worth knowing. */
static void judge_at_limit(struct judgement *j, const struct gpu_work *work)
{
	double capped = want(j, throttle, work->throttle, power_cap_percent), clock, able;

	if (capped <= 0.0 || capped < j->policy->throttle_power_cap_percent ||
	    is_lowered(j->policy, j->gpu, "power_limit_mw") || throttle_reason(j, work) || gpu_is_mobile(j->gpu))
		return;
	clock = (double)want(j, gpu_use, work->use, clock_busy_mhz);
	able = (double)want_vendor_u64(j, "clock_max_mhz");
	if (clock <= 0.0 || clock >= j->policy->throttle_clock_ratio * able)
		return;
	phrase(j, "limit_words",
	       is_known(vendor_u64(j->gpu, "power_limit_mw"))
		       ? arena_printf(j->arena, " of %s",
				      figure_words(j, UNIT_MW, (double)want_vendor_u64(j, "power_limit_mw")))
		       : "");
	phrase(j, "clocks", arena_printf(j->arena, ": %g of %s", clock, figure_words(j, UNIT_MHZ, able)));
	phrase(j, "clocks.many", "");
	finding_add(j, THROTTLE_POWER_AT_LIMIT);
}

static void judge_brake(struct judgement *j, const struct gpu_work *work)
{
	double brake = throttle_share(j, work, brake_percent);

	phrase_address(j);
	phrase_power_cap(j);
	phrase(j, "brake_percent.many", arena_printf(j->arena, "%g %% or more", j->policy->throttle_percent));
	if (throttle_counts(j, work, brake, 0.0) && !gpu_is_mobile(j->gpu))
		finding_add(j, THROTTLE_POWER_BRAKE);
	else if (brake > 0.0)
		finding_add(j, THROTTLE_POWER_BRAKE_SLIGHT);
}

static void judge_idle(struct judgement *j)
{
	question(j);
	want(j, throttle, &j->gpu->throttle, brake_all_percent);
	if (!throttle_throughout(j, j->gpu->throttle.brake_all_percent))
		return;
	phrase_address(j);
	finding_add(j, gpu_is_mobile(j->gpu) ? THROTTLE_POWER_BRAKE_IDLE_LAPTOP : THROTTLE_POWER_BRAKE_IDLE);
}

/* A dump has one reading: all of the samples there are. */
static void judge_dump(struct judgement *j)
{
	if (!throttle_reported(j, DUMP_HW_BRAKE))
		return;
	question(j);
	want(j, gpu_use, &j->gpu->use, busy_percent);
	want(j, nvml_gpu, &j->gpu->nvml, clock_reasons);
	if (!throttle_in_dump(j, DUMP_HW_BRAKE)) {
		finding_add(j, THROTTLE_POWER_BRAKE_ONCE);
		return;
	}
	derive(j, "brake_percent", UNIT_PERCENT, 100.0, "clock_reasons of one reading");
	phrase_address(j);
	phrase_power_cap(j);
	phrase(j, "brake_percent.many", arena_printf(j->arena, "%g %% or more", j->policy->throttle_percent));
	finding_add(j, THROTTLE_POWER_BRAKE);
}

/* By a dump: nvidia-smi counts the time. In a laptop a weak charger brakes. */
static void judge_earlier(struct judgement *j)
{
	const struct throttle *throttle = &j->gpu->throttle;

	if ((double)u64_or(throttle->brake_total_s, 0) <= j->policy->throttle_earlier_s || gpu_is_mobile(j->gpu))
		return;
	question(j);
	need(j, throttle, throttle, brake_total_s);
	phrase_address(j);
	phrase(j, "brake_total_s.many", "more than a minute");
	finding_add(j, THROTTLE_POWER_BRAKE_EARLIER);
}

/*
 * Peaks of a power supply's size last milliseconds; a mean of so many limits is none, and the driver throttles by it.
 */
static void judge_reading(struct judgement *j)
{
	uint64_t limit = u64_or(vendor_u64(j->gpu, "power_limit_mw"), 0),
		 power = u64_or(vendor_u64(j->gpu, "power_mw"), 0);
	uint64_t full = u64_or(vendor_u64(j->gpu, "power_default_mw"), 0);

	/* A limit that was lowered a moment ago is none of a mean before it. */
	limit = full > limit && limit ? full : limit;
	if (!limit || power / IMPOSSIBLE_LIMITS < limit)
		return;
	question(j);
	need_vendor_u64(j, "power_limit_mw");
	need_vendor_u64(j, "power_mw");
	want_vendor_u64(j, "power_default_mw");
	phrase_address(j);
	finding_add(j, THROTTLE_POWER_READING_IMPOSSIBLE);
}

static bool tells_limiting(const struct throttle *throttle)
{
	return is_asked(throttle->brake_percent.state) || is_asked(throttle->power_cap_percent.state);
}

static void eval(struct judgement *j)
{
	const struct gpu_work work = gpu_at_work(j, j->gpu);
	bool limits = judge_limit(j);
	const char *unseen = throttle_unseen(j, &work);
	double limit = (double)u64_or(vendor_u64(j->gpu, "power_limit_mw"), 0);

	judge_reading(j);
	judge_earlier(j);
	question(j);
	if (!unseen && throttle_seen(j, &work) && tells_limiting(work.throttle)) {
		judge_brake(j, &work);
		question(j);
		judge_at_limit(j, &work);
	} else if (!limits && vendor_reports(j, "power_limit_mw")) {
		skip_check(j, unseen ? unseen : "not supported by this GPU or its driver");
	}
	if (unseen) {
		judge_idle(j);
		judge_dump(j);
	}
	phrase(j, "power",
	       limit > 0.0 ? arena_printf(j->arena, "power limit %s", figure_words(j, UNIT_MW, limit))
			   : "no power brake");
}

const struct check check_throttle_power = {
	.name = "throttle-power",
	.title = "Power limit",
	.doc = "Is the GPU throttled by an external power brake, and is its power limit below the default? A brake in "
	       "a tenth of the busy samples is a fail, in the window or under gpudiag's own load; one in every sample "
	       "of an idle GPU is a warning. A lowered limit is a note if the twins have the same one or the policy "
	       "sets it (power.limit_mw), and a warning if they have a higher one or there is no twin. A GPU at its "
	       "default limit is healthy: a note, if its clocks are low because of it. A power draw of three times the limit is "
	       "a sensor's fault, and a warning.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_WINDOW | NEEDS_VENDOR | NEEDS_LINKS,
	.says = "{power}",
	.may_emit = IDS(THROTTLE_POWER_BRAKE, THROTTLE_POWER_BRAKE_SLIGHT, THROTTLE_POWER_BRAKE_IDLE,
			THROTTLE_POWER_BRAKE_IDLE_LAPTOP, THROTTLE_POWER_BRAKE_ONCE, THROTTLE_POWER_BRAKE_EARLIER,
			THROTTLE_POWER_BELOW_TWINS, THROTTLE_POWER_CAPPED, THROTTLE_POWER_LIMITED,
			THROTTLE_POWER_AT_LIMIT, THROTTLE_POWER_READING_IMPOSSIBLE),
	.eval = eval,
};
