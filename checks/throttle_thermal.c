// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/throttle.h"
#include "snapshot/node.h"

#include <math.h>

/* Observed of heat in the window. */
struct temperature {
	double hardware, software; /* shares of the loaded samples */
	double slowdown, brake;
	double counter; /* share of the window by the driver's counter, of either kind */
	uint64_t run;	/* samples in a row with slowdown */
};

static void ask_heat(struct judgement *j, const struct gpu_work *work, struct temperature *ret)
{
	const struct throttle *throttle = work->throttle;

	ret->software = throttle_share(j, work, thermal_percent);
	ret->hardware = throttle_share(j, work, hw_thermal_percent);
	ret->slowdown = throttle_share(j, work, slowdown_percent);
	ret->run = want(j, throttle, throttle, slowdown_run);
	ret->counter = want(j, throttle, throttle, thermal_counter_percent);
	ret->brake = f64_or(throttle->brake_percent, 0.0);
	derive(j, "heat_percent", UNIT_PERCENT, fmax(ret->software, ret->counter),
	       "the greater of thermal_percent and thermal_counter_percent");
}

static void phrase_many(struct judgement *j)
{
	static const char *const shares[] = { "hw_thermal_percent.many", "slowdown_percent.many",
					      "heat_percent.many" };
	const char *words = arena_printf(j->arena, "%g %% or more", j->policy->throttle_percent);

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		phrase(j, shares[i], words);
}

/* Halved for a reason without the bits for temperature or power brake. */
static bool is_untold_slowdown(const struct judgement *j, const struct gpu_work *work, const struct temperature *heat)
{
	return (double)heat->run >= j->policy->throttle_slowdown_run && heat->slowdown > 0.0 &&
	       heat->slowdown >= j->policy->throttle_percent && !throttle_counts(j, work, heat->brake, 0.0);
}

static bool is_software_slowdown(const struct judgement *j, const struct gpu_work *work, const struct temperature *heat)
{
	return throttle_counts(j, work, heat->software, heat->counter) ||
	       (heat->counter > 0.0 && heat->counter >= j->policy->throttle_percent);
}

/* True where something worth more than a note was found. */
static bool judge_now(struct judgement *j, const struct gpu_work *work)
{
	struct temperature heat;
	bool any;

	ask_heat(j, work, &heat);
	if (!all_known(j))
		return false;
	phrase_temperature(j, work);
	phrase_address(j);
	phrase_many(j);
	any = heat.hardware > 0.0 || heat.software > 0.0 || heat.counter > 0.0;
	if (gpu_is_mobile(j->gpu)) {
		if (any)
			finding_add(j, THROTTLE_THERMAL_LAPTOP);
		return false;
	}
	if (throttle_counts(j, work, heat.hardware, heat.counter))
		finding_add(j, THROTTLE_THERMAL_HARDWARE);
	else if (is_untold_slowdown(j, work, &heat))
		finding_add(j, THROTTLE_THERMAL_UNTOLD);
	else if (is_software_slowdown(j, work, &heat))
		finding_add(j, THROTTLE_THERMAL_SOFTWARE);
	else if (any)
		finding_add(j, THROTTLE_THERMAL_SLIGHT);
	else
		return false;
	return true;
}

/*
 * The driver counts from its load on, which may be a year ago. The uptime is the longest that can be, so the share is
 * the smallest that it can be.
 */
static void judge_earlier(struct judgement *j)
{
	double lost, uptime, share;

	question(j);
	lost = (double)want(j, throttle, &j->gpu->throttle, thermal_total_s);
	uptime = (double)want(j, host, &j->snapshot->host, uptime_s);
	if (lost <= j->policy->throttle_earlier_s || gpu_is_mobile(j->gpu))
		return;
	share = uptime > 0.0 ? lost / uptime : 0.0;
	phrase_address(j);
	phrase(j, "thermal_total_s.many", "more than a minute");
	if (share >= j->policy->throttle_earlier_ratio && share <= 1.0) {
		derive(j, "lost", UNIT_RATIO, round(share * 1000.0) / 1000.0, "thermal_total_s / uptime_s");
		phrase(j, "lost.many", arena_printf(j->arena, "%g %%", j->policy->throttle_earlier_ratio * 100.0));
		finding_add(j, THROTTLE_THERMAL_EARLIER);
	} else {
		finding_add(j, THROTTLE_THERMAL_ONCE);
	}
}

/* An idle GPU's bits flash as its clocks change; one that is set in every sample is a hardware signal. */
static void judge_idle(struct judgement *j)
{
	const struct gpu_work window = gpu_in_window(j->gpu);

	question(j);
	want(j, throttle, window.throttle, hw_thermal_all_percent);
	if (!throttle_throughout(j, window.throttle->hw_thermal_all_percent))
		return;
	phrase_temperature(j, &window);
	phrase_address(j);
	finding_add(j, gpu_is_mobile(j->gpu) ? THROTTLE_THERMAL_IDLE_LAPTOP : THROTTLE_THERMAL_IDLE);
}

/*
 * Drivers up to 358 tell no reason of a hardware slowdown. At its slowdown temperature or above the hardware slows a
 * GPU for that. A later driver that tells its reasons, and none of them, has another one.
 */
static bool is_slowed_at_limit(const struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;

	return throttle_in_dump(j, DUMP_HW_SLOWDOWN) && !throttle_reported(j, DUMP_HW_BRAKE) &&
	       !bool_or(nvml->slowdown_reasons, false) && is_known(nvml->temperature_c) &&
	       is_known(nvml->temperature_slowdown_c) &&
	       f64_or(nvml->temperature_c, 0.0) >= f64_or(nvml->temperature_slowdown_c, 0.0);
}

static void phrase_limit(struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;
	double now = want(j, nvml_gpu, nvml, temperature_c), limit = want(j, nvml_gpu, nvml, temperature_slowdown_c);

	phrase(j, "at", arena_printf(j->arena, ", at %s (slowdown at %s)", figure_words(j, UNIT_CELSIUS, now),
				     figure_words(j, UNIT_CELSIUS, limit)));
}

/* Its clocks are halved in this one reading, which may be for a moment, and no reason is told. */
static void slowdown_is_unknown(struct judgement *j)
{
	if (!throttle_in_dump(j, DUMP_HW_SLOWDOWN) || throttle_reported(j, DUMP_HW_BRAKE))
		return;
	question(j);
	want(j, nvml_gpu, &j->gpu->nvml, clock_reasons);
	unknown(j, "hardware slowdown in the only reading, without its reason");
}

/*
 * nvidia-smi's dump has one reading: all of the samples there are. What software does in one of them is worth a note.
 */
static bool judge_reading(struct judgement *j)
{
	const struct gpu_work window = gpu_in_window(j->gpu);
	bool by_hardware = throttle_in_dump(j, DUMP_HW_THERMAL) || is_slowed_at_limit(j);

	if (!by_hardware && !throttle_in_dump(j, DUMP_SW_THERMAL)) {
		slowdown_is_unknown(j);
		return false;
	}
	question(j);
	want(j, gpu_use, window.use, busy_percent);
	want(j, nvml_gpu, &j->gpu->nvml, clock_reasons);
	if (!by_hardware) {
		phrase_temperature(j, &window);
		phrase_address(j);
		finding_add(j, THROTTLE_THERMAL_SHOWN);
		unknown(j, "one reading has no share of the time");
		return true;
	}
	derive(j, "hw_thermal_percent", UNIT_PERCENT, 100.0, "clock_reasons of one reading");
	phrase_temperature(j, &window);
	if (is_slowed_at_limit(j))
		phrase_limit(j);
	phrase_address(j);
	phrase_many(j);
	finding_add(j, THROTTLE_THERMAL_HARDWARE);
	return true;
}

/* A dump has no samples, but amd-smi's has the share of the moment over which it watched. */
static void judge_dump(struct judgement *j)
{
	enum { BUSY_PERCENT = 50 };
	const struct gpu_work window = gpu_in_window(j->gpu);
	double share;

	if (judge_reading(j) || !is_imported(j->snapshot) || f64_or(j->gpu->use.busy_percent, 0.0) < BUSY_PERCENT ||
	    f64_or(window.throttle->thermal_counter_percent, 0.0) < j->policy->throttle_percent)
		return;
	question(j);
	want(j, gpu_use, window.use, busy_percent);
	share = want(j, throttle, window.throttle, thermal_counter_percent);
	derive(j, "heat_percent", UNIT_PERCENT, share, "thermal_counter_percent");
	phrase_temperature(j, &window);
	phrase_address(j);
	phrase_many(j);
	finding_add(j, THROTTLE_THERMAL_SOFTWARE);
}

static void eval(struct judgement *j)
{
	const struct gpu_work work = gpu_at_work(j, j->gpu);
	const struct throttle *throttle = work.throttle;
	bool told = is_asked(throttle->thermal_percent.state) || is_asked(throttle->hw_thermal_percent.state);

	if (!throttle_seen(j, &work)) {
		judge_idle(j);
		judge_dump(j);
		judge_earlier(j);
		return;
	}
	if (!told)
		skip_check(j, "thermal throttling not supported by this GPU or its driver");
	if (work.by_load)
		derive(j, "length_ms", UNIT_MS, (double)work.length_ms, "from the first to the last of those samples");
	else
		want(j, window, &j->snapshot->window, length_ms);
	if (!told || !judge_now(j, &work))
		judge_earlier(j);
}

const struct check check_throttle_thermal = {
	.name = "throttle-thermal",
	.title = "Thermal throttling",
	.doc = "Is the GPU throttled for temperature under load? Judged by the share of busy samples in the window, "
	       "and by the driver's counter of throttled time. A single sample means little, and so does an idle GPU, "
	       "except hardware slowdown in every sample: a warning. An idle GPU is judged by the samples under "
	       "gpudiag's own load, if there are enough. Hardware slowdown for temperature in a tenth of them is a "
	       "fail; so is hardware slowdown in three samples in a row without a reported reason. Software "
	       "throttling is a warning from a tenth on, below that a note. Earlier throttling since the driver was "
	       "loaded is a note from a minute on and a warning from one percent of the uptime on. Laptops: a note.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_WINDOW | NEEDS_VENDOR | NEEDS_LINKS,
	.says = "no thermal throttling in {length_ms} of load",
	.may_emit = IDS(THROTTLE_THERMAL_HARDWARE, THROTTLE_THERMAL_UNTOLD, THROTTLE_THERMAL_SOFTWARE,
			THROTTLE_THERMAL_SLIGHT, THROTTLE_THERMAL_SHOWN, THROTTLE_THERMAL_LAPTOP, THROTTLE_THERMAL_IDLE,
			THROTTLE_THERMAL_IDLE_LAPTOP, THROTTLE_THERMAL_EARLIER, THROTTLE_THERMAL_ONCE),
	.eval = eval,
};
