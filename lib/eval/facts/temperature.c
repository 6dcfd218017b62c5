// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/temperature.h"

#include "eval/judge/vendor.h"
#include "snapshot/under_test.h"

const struct sensor sensors[NR_SENSORS] = {
	{ "chip", "temperature_c", "temperature_max_c", "temperature_margin_c" },
	{ "its hotspot", "hotspot_c", "hotspot_max_c", NULL },
	{ "memory", "memory_temperature_c", "memory_temperature_max_c", NULL },
};

/* Only the chip is watched over the window. */
static double hottest(const struct gpu *gpu, const struct sensor *sensor, double now)
{
	double most = sensor == &sensors[0] ? f64_or(gpu->use.temperature_max_c, now) : now;

	return most > now ? most : now;
}

struct temperature sensor_temperature(const struct gpu *gpu, const struct sensor *sensor)
{
	struct val_f64 temperature = vendor_f64(gpu, sensor->temperature), limit = vendor_f64(gpu, sensor->limit);
	struct val_f64 margin = { .state = VAL_UNSET };
	struct temperature heat = { .sensor = sensor, .has_temperature = is_known(temperature) };

	if (sensor->margin)
		margin = vendor_f64(gpu, sensor->margin);
	if (heat.has_temperature)
		heat.temperature = hottest(gpu, sensor, f64_or(temperature, 0.0));
	if (is_known(margin)) {
		heat.margin = f64_or(margin, 0.0);
		/* It was so much smaller when the chip was hotter. */
		if (heat.has_temperature)
			heat.margin -= heat.temperature - f64_or(temperature, 0.0);
		heat.has_margin = true;
	} else if (heat.has_temperature && is_known(limit)) {
		heat.margin = f64_or(limit, 0.0) - heat.temperature;
		heat.has_margin = true;
	}
	return heat;
}

/* A temperature and a limit of two sensors make no distance: what is nearest to its limit is taken whole. */
static void take_nearest(struct temperature *heat, const struct temperature *other)
{
	if (other->has_margin && (!heat->has_margin || other->margin < heat->margin))
		*heat = *other;
	else if (!heat->has_margin && !heat->has_temperature)
		*heat = *other;
}

struct temperature gpu_temperature(const struct gpu *gpu)
{
	struct temperature heat = sensor_temperature(gpu, &sensors[0]);

	for (size_t i = 1; i < NR_SENSORS; i++) {
		struct temperature other = sensor_temperature(gpu, &sensors[i]);

		take_nearest(&heat, &other);
	}
	return heat;
}

struct temperature node_temperature(const struct snapshot *snapshot)
{
	struct temperature all = { .sensor = &sensors[0] };

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		struct temperature heat;

		if (!gpu_is_under_test(snapshot, &snapshot->gpus[i]))
			continue;
		heat = gpu_temperature(&snapshot->gpus[i]);
		take_nearest(&all, &heat);
	}
	return all;
}
