// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/temperature.h"
#include "eval/facts/throttle.h"
#include "eval/judge/vendor.h"
#include "snapshot/node.h"

#include <math.h>

/* "hottest place" of "its hotspot" */
static const char *sensor_name(const struct sensor *sensor)
{
	return sensor->words + (strncmp(sensor->words, "its ", 4) ? 0 : 4);
}

static void note_sensor(struct judgement *j, const struct sensor *sensor)
{
	bool by_margin = sensor->margin && is_told(j->gpu, sensor->margin);

	want_vendor_f64(j, sensor->temperature);
	if (by_margin)
		need_vendor_f64(j, sensor->margin);
	else
		want_vendor_f64(j, sensor->limit);
	if (sensor == &sensors[0])
		want(j, gpu_use, &j->gpu->use, temperature_max_c);
}

/* True where there was something to judge. */
static bool judge_sensor(struct judgement *j, const struct sensor *sensor)
{
	struct temperature heat = sensor_temperature(j->gpu, sensor);

	question(j);
	note_sensor(j, sensor);
	if (!heat.has_margin)
		return false;
	derive(j, "margin", UNIT_CELSIUS, heat.margin, "distance from its slowdown temperature");
	if (heat.margin > j->policy->temperature_margin_c)
		return true;
	derive_str(j, "sensor", sensor->words, "the sensor");
	phrase(j, "near", margin_words(j, heat.margin));
	phrase(j, "near.many", arena_printf(j->arena, "less than %g °C below", j->policy->temperature_margin_c + 1.0));
	phrase(j, "at",
	       heat.has_temperature ? arena_printf(j->arena, "%s at %s", sensor->words,
						   figure_words(j, UNIT_CELSIUS, heat.temperature)) :
				      sensor->words);
	phrase(j, "at.many", arena_printf(j->arena, "at the %s", sensor_name(sensor)));
	phrase_address(j);
	if (was_slowed_for_heat(j->gpu) && !gpu_is_mobile(j->gpu))
		finding_add_of(j, TEMPERATURE_MARGIN_AT_LIMIT, sensor->words);
	else
		finding_add_of(j, TEMPERATURE_MARGIN_NEAR, sensor->words);
	return true;
}

/* Of a dump its utilization tells, if it has one. */
static bool any_worked(const struct judgement *j)
{
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];

		if (gpu_worked(j->policy, gpu) ||
		    (is_imported(j->snapshot) && f64_or(gpu->use.busy_percent, 100.0) >= j->policy->gpu_idle_percent))
			return true;
	}
	return false;
}

/* What a pass says: of all GPUs at once, so that they make one line; of one sensor and its own limit. */
static const char *pass_words(struct judgement *j)
{
	const struct temperature heat = *j->hottest;
	const char *when = any_worked(j) ? "" : " at idle", *name = sensor_name(heat.sensor);

	if (!heat.has_temperature)
		return arena_printf(j->arena, "%s %s below its slowdown temperature", name,
				    figure_words(j, UNIT_CELSIUS, round(heat.margin)));
	return arena_printf(j->arena, "%s %s%s, slowdown at %s", name,
			    figure_words(j, UNIT_CELSIUS, round(heat.temperature)), when,
			    figure_words(j, UNIT_CELSIUS, round(heat.temperature + heat.margin)));
}

static void eval(struct judgement *j)
{
	size_t nr = 0;

	question(j);
	if (is_told(j->gpu, sensors[0].temperature))
		need_vendor_f64(j, sensors[0].temperature);
	for (size_t i = 0; i < NR_SENSORS; i++)
		nr += judge_sensor(j, &sensors[i]);
	if (!nr && vendor_reports(j, sensors[0].temperature))
		skip_check(j, "its slowdown temperature is not reported");
	phrase(j, "heat", pass_words(j));
}

const struct check check_temperature_margin = {
	.name = "temperature-margin",
	.title = "Temperature",
	.doc = "How far are chip and memory below the GPU's own slowdown temperature? Within 3 °C is a note, and a "
	       "warning if it was throttled during the window. NVIDIA GPUs since Ada report the margin itself; on AMD "
	       "GPUs each sensor has its own limit.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_WINDOW | NEEDS_VENDOR | NEEDS_LINKS,
	.says = "{heat}",
	.may_emit = IDS(TEMPERATURE_MARGIN_AT_LIMIT, TEMPERATURE_MARGIN_NEAR),
	.eval = eval,
};
