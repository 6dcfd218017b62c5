// SPDX-License-Identifier: GPL-2.0-or-later
/* json_timings.c - what was measured, as data: of the JSON report and of a bench. */
#include "base/compat.h"
#include "render/json_internal.h"

#include "eval/facts/conditions.h"

/* Shares of the samples with known throttling; kinds that never occurred are left out. */
static void put_throttle(struct json_writer *w, const struct conditions *conditions)
{
	if (!conditions->nr_throttle_told) {
		json_null_member(w, "throttle_percent");
		return;
	}
	json_object_member(w, "throttle_percent");
	for (int kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		if (conditions->throttle_percent[kind] > 0.0)
			json_f64_member(w, throttle_kind_name((enum throttle_kind)kind),
					conditions->throttle_percent[kind]);
	json_object_end(w);
}

static void put_conditions(struct json_writer *w, const struct conditions *conditions)
{
	if (!conditions) {
		json_null_member(w, "conditions");
		return;
	}
	const struct pick picks[] = {
		PICK_VALUE("link_speed_mtps", load_sample, link_speed_mtps, &conditions->link_speed_mtps),
		PICK_VALUE("link_width", load_sample, link_width, &conditions->link_width),
		PICK_VALUE("clock_mhz", load_sample, clock_mhz, &conditions->clock_mhz),
		PICK_VALUE("memory_clock_mhz", load_sample, memory_clock_mhz, &conditions->memory_clock_mhz),
		PICK_VALUE("power_mean_mw", load_sample, power_mw, &conditions->power_mean_mw),
		PICK_VALUE("power_max_mw", load_sample, power_mw, &conditions->power_max_mw),
		PICK_VALUE("temperature_max_c", load_sample, temperature_c, &conditions->temperature_max_c),
		PICK_VALUE("busy_percent", load_sample, busy_percent, &conditions->busy_percent),
	};

	json_object_member(w, "conditions");
	json_u64_member(w, "samples", conditions->nr);
	json_picks(w, picks, ARRAY_SIZE(picks));
	put_throttle(w, conditions);
	json_pick_reasons(w, picks, ARRAY_SIZE(picks));
	json_object_end(w);
}

static void put_figures(struct json_writer *w, const struct report_timing *timing)
{
	json_f64_member(w, "median", timing->median);
	json_str(w, "unit", unit_symbol(timing->unit));
	json_f64_member(w, "p5", timing->p5);
	json_f64_member(w, "p95", timing->p95);
	json_f64_member(w, "p99", timing->p99);
	json_f64_member(w, "min", timing->min);
	json_f64_member(w, "max", timing->max);
	json_f64_member(w, "mad", timing->mad);
	json_u64_member(w, "n", timing->n);
}

static void put_timing(struct json_writer *w, const struct report_timing *timing)
{
	const struct pick picks[] = {
		PICK("clock", timing, timing->timing, clock),
		PICK("clock_why", timing, timing->timing, clock_why),
		PICK("event_ratio", timing, timing->timing, event_ratio),
		PICK("vector_width", timing, timing->timing, vector_width),
		PICK("local_items", timing, timing->timing, local_items),
		PICK("rows", timing, timing->timing, rows),
		PICK("numa_node", timing, timing->timing, numa_node),
		PICK("cpu_percent", timing, timing->timing, cpu_percent),
		PICK("settled", timing, timing->timing, settled),
	};

	json_object_begin(w);
	json_str(w, "test", timing->test);
	json_str(w, "key", timing->key);
	json_subject(w, &timing->subject);
	if (timing->has_size)
		json_u64_member(w, "size_bytes", timing->size_bytes);
	else
		json_null_member(w, "size_bytes");
	json_bool_member(w, "noisy", timing->noisy);
	put_conditions(w, timing->conditions);
	put_figures(w, timing);
	json_str(w, "method", timing->method);
	json_picks(w, picks, ARRAY_SIZE(picks));
	json_pick_reasons(w, picks, ARRAY_SIZE(picks));
	json_object_end(w);
}

void json_timings(struct json_writer *w, const struct report *report)
{
	json_array_member(w, "timings");
	for (size_t i = 0; i < report->nr_timings; i++)
		put_timing(w, &report->timings[i]);
	json_array_end(w);
}
