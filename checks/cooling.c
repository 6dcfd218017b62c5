// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/alloc.h"
#include "base/stats.h"
#include "checks/playbook.h"
#include "eval/facts/twin_stats.h"
#include "eval/facts/temperature.h"
#include "eval/facts/throttle.h"
#include "eval/judge/vendor.h"
#include "snapshot/under_test.h"

#include <math.h>

/* Display controllers have fans of their own; server cards that are none report 0 turns of a fan that is not there. */
#define CLASS_DISPLAY "0x0300"

static bool has_fan_of_its_own(const struct gpu *gpu)
{
	return gpu_vendor(gpu) == VENDOR_NVIDIA ||
	       !strncmp(str_or(gpu->pci.class_code, ""), CLASS_DISPLAY, strlen(CLASS_DISPLAY));
}

/* Fans stand still at rest; close to the limit none may. True where there was a fan to judge. */
static bool judge_fan(struct judgement *j)
{
	const char *name = gpu_vendor(j->gpu) == VENDOR_NVIDIA ? "fan_percent" : "fan_rpm";
	struct temperature heat = gpu_temperature(j->gpu);
	uint64_t speed;

	question(j);
	if (!is_told(j->gpu, name) || !has_fan_of_its_own(j->gpu) || !heat.has_margin)
		return false;
	speed = need_vendor_u64(j, name);
	if (!all_known(j) || speed || heat.margin > j->policy->cooling_fan_margin_c || gpu_is_mobile(j->gpu))
		return true;
	want_vendor_f64(j, "temperature_c");
	derive(j, "margin", UNIT_CELSIUS, heat.margin, "distance from its slowdown temperature");
	phrase(j, "near", margin_words(j, heat.margin));
	phrase(j, "near.many", arena_printf(j->arena, "%g °C or less below", j->policy->cooling_fan_margin_c));
	phrase_address(j);
	finding_add(j, COOLING_FAN_STOPPED);
	return true;
}

/*
 * At work, and taking much of what this one takes, if not more: one that is slowed for its heat takes less than twins
 * that are cool.
 */
static bool is_comparable(const struct judgement *j, const struct gpu *other)
{
	double own = (double)u64_or(j->gpu->use.power_mw, 0), power = (double)u64_or(other->use.power_mw, 0);

	return gpus_are_twins(j->gpu, other) && gpu_is_under_test(j->snapshot, other) && gpu_worked(j->policy, other) &&
	       is_known(other->use.temperature_max_c) && power > 0.0 && power >= j->policy->cooling_power_ratio * own;
}

/* The median temperature of its twins at such work; false where there are not two: one alone may be the odd one. */
static bool twins_temperature(const struct judgement *j, double *ret)
{
	double *temperatures = xcalloc(j->snapshot->nr_gpus, sizeof(*temperatures));
	struct stats stats = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		if (is_comparable(j, &j->snapshot->gpus[i]))
			temperatures[nr++] = f64_or(j->snapshot->gpus[i].use.temperature_max_c, 0.0);
	if (nr >= 2)
		stats_of(temperatures, nr, &stats);
	free(temperatures);
	*ret = stats.median;
	return nr >= 2;
}

static void judge_beside_twins(struct judgement *j)
{
	const struct gpu_work work = gpu_in_window(j->gpu);
	double own, twins, power;

	question(j);
	if (!throttle_seen(j, &work))
		return;
	if (!is_asked(j->gpu->use.temperature_max_c.state) || !is_asked(j->gpu->use.power_mw.state)) {
		skip_check(j, "its temperature and power under load are not reported");
		return;
	}
	own = need(j, gpu_use, &j->gpu->use, temperature_max_c);
	power = (double)need(j, gpu_use, &j->gpu->use, power_mw);
	if (!all_known(j))
		return;
	if (power <= 0.0 || !twins_temperature(j, &twins)) {
		skip_check(j, "no two twins under a similar load to compare with");
		return;
	}
	derive(j, "twin_temperature", UNIT_CELSIUS, twins,
	       "median temperature_max_c of GPUs of this model at like work");
	if (own - twins < j->policy->cooling_twin_c)
		return;
	derive(j, "hotter", UNIT_CELSIUS, round(own - twins), "temperature_max_c - twin_temperature");
	phrase(j, "hotter.many", arena_printf(j->arena, "%g °C or more", j->policy->cooling_twin_c));
	phrase(j, "at",
	       arena_printf(j->arena, ": %s, they %s", figure_words(j, UNIT_CELSIUS, own),
			    figure_words(j, UNIT_CELSIUS, twins)));
	phrase(j, "at.many", "");
	phrase_address(j);
	finding_add(j, was_slowed_for_heat(j->gpu) ? COOLING_HOTTER_SLOWED : COOLING_HOTTER);
}

static void eval(struct judgement *j)
{
	judge_fan(j);
	judge_beside_twins(j);
}

const struct check check_cooling = {
	.name = "cooling",
	.title = "Cooling",
	.doc = "Is one GPU much hotter under load than its twins at the same power, or hot with a stopped fan? Hotter "
	       "is a note, as a slot behind other cards has the same effect, and a warning if it was also throttled. "
	       "A GPU without a twin cannot be compared.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_WINDOW | NEEDS_VENDOR | NEEDS_LINKS,
	.says = "as cool as its twins",
	.may_emit = IDS(COOLING_FAN_STOPPED, COOLING_HOTTER_SLOWED, COOLING_HOTTER),
	.eval = eval,
};
