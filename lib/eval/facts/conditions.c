// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/conditions.h"

#include "base/alloc.h"
#include "base/stats.h"
#include "base/strbuf.h"
#include "snapshot/gpus.h"

#define WORKS_PERCENT 50.0		/* as the window counts them (record throttle) */
#define BETWEEN ", "

/* ---- which samples */

typedef bool (*counts)(const struct snapshot *snapshot, const struct gpu *gpu, const struct load_sample *sample,
		       uint64_t begin_ms, uint64_t end_ms);

static bool is_within(const struct snapshot *snapshot, const struct gpu *gpu, const struct load_sample *sample,
		      uint64_t begin_ms, uint64_t end_ms)
{
	uint64_t at_ms = u64_or(sample->at_ms, 0);

	(void)snapshot;
	(void)gpu;
	return is_known(sample->at_ms) && at_ms >= begin_ms && at_ms <= end_ms;
}

static bool was_measured(const struct ocl_device *device, uint64_t at_ms)
{
	for (size_t i = 0; i < device->nr_timings; i++)
		if (at_ms >= u64_or(device->timings[i].begin_ms, UINT64_MAX) &&
		    at_ms <= u64_or(device->timings[i].end_ms, 0))
			return true;
	return false;
}

static bool is_at_work(const struct snapshot *snapshot, const struct gpu *gpu, const struct load_sample *sample,
		       uint64_t begin_ms, uint64_t end_ms)
{
	(void)begin_ms;
	(void)end_ms;
	if (is_known(sample->busy_percent))
		return f64_or(sample->busy_percent, 0.0) >= WORKS_PERCENT;
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		if (ocl_device_is_of(&snapshot->ocl_devices[i], gpu) &&
		    was_measured(&snapshot->ocl_devices[i], u64_or(sample->at_ms, 0)))
			return true;
	return false;
}

/* ---- what held the clocks back */

struct reasons { size_t seen[NR_LOAD_THROTTLES], run; };

static void add_reasons(struct reasons *reasons, const struct load_sample *sample, struct conditions *ret)
{
	const char *list = str_or(sample->throttle_reasons, NULL);

	if (!list)
		return;
	ret->nr_throttle_told++;
	for (unsigned kind = 0; kind < NR_LOAD_THROTTLES; kind++)
		reasons->seen[kind] += load_throttles_have(list, (enum load_throttle)kind);
	reasons->run = load_throttles_have(list, LOAD_SLOWDOWN) ? reasons->run + 1 : 0;
	ret->longest_slowdown = reasons->run > ret->longest_slowdown ? reasons->run : ret->longest_slowdown;
}

/* ---- figures */

/* The known ones of a figure, and the last reason why there was none. */
struct column { size_t nr; double *values; struct val_head no; };

static void column_init(struct column *column, size_t room)
{
	*column = (struct column){ .values = xcalloc(room ? room : 1, sizeof(*column->values)),
				   .no = { .state = VAL_UNSET } };
}

static void add_u64(struct column *column, struct val_u64 value)
{
	if (is_known(value))
		column->values[column->nr++] = (double)u64_or(value, 0);
	else
		column->no = (struct val_head){ .state = value.state, .why = value.why };
}

static void add_f64(struct column *column, struct val_f64 value)
{
	if (is_known(value))
		column->values[column->nr++] = f64_or(value, 0.0);
	else
		column->no = (struct val_head){ .state = value.state, .why = value.why };
}

static double mean_of(const struct column *column)
{
	double sum = 0.0;

	for (size_t i = 0; i < column->nr; i++)
		sum += column->values[i];
	return sum / (double)column->nr;
}

enum how { MEAN, MEDIAN, HIGHEST };

static struct val_f64 figure(const struct column *column, enum how how)
{
	struct stats stats;

	if (!column->nr)
		return no_f64(column->no.state, column->no.why);
	stats_of(column->values, column->nr, &stats);
	return val_f64(how == MEAN ? mean_of(column) : how == MEDIAN ? stats.median : stats.max);
}

static struct val_u64 whole(const struct column *column, enum how how)
{
	struct val_f64 value = figure(column, how);

	return is_known(value) ? val_u64((uint64_t)(f64_or(value, 0.0) + 0.5)) : no_u64(value.state, value.why);
}

enum { SPEED, WIDTH, CLOCK, MEMORY_CLOCK, POWER, TEMPERATURE, BUSY, NR_COLUMNS };

static void add_sample(struct column columns[NR_COLUMNS], const struct load_sample *sample)
{
	add_u64(&columns[SPEED], sample->link_speed_mtps);
	add_u64(&columns[WIDTH], sample->link_width);
	add_u64(&columns[CLOCK], sample->clock_mhz);
	add_u64(&columns[MEMORY_CLOCK], sample->memory_clock_mhz);
	add_u64(&columns[POWER], sample->power_mw);
	add_f64(&columns[TEMPERATURE], sample->temperature_c);
	add_f64(&columns[BUSY], sample->busy_percent);
}

static void fill(const struct column columns[NR_COLUMNS], const struct reasons *reasons, struct conditions *ret)
{
	ret->link_speed_mtps = whole(&columns[SPEED], HIGHEST);
	ret->link_width = whole(&columns[WIDTH], HIGHEST);
	ret->clock_mhz = whole(&columns[CLOCK], MEDIAN);
	ret->memory_clock_mhz = whole(&columns[MEMORY_CLOCK], MEDIAN);
	ret->power_mean_mw = whole(&columns[POWER], MEAN);
	ret->power_max_mw = whole(&columns[POWER], HIGHEST);
	ret->temperature_max_c = figure(&columns[TEMPERATURE], HIGHEST);
	ret->busy_percent = figure(&columns[BUSY], MEAN);
	for (unsigned kind = 0; kind < NR_LOAD_THROTTLES && ret->nr_throttle_told; kind++)
		ret->throttle_percent[kind] =
			100.0 * (double)reasons->seen[kind] / (double)ret->nr_throttle_told;
}

static bool gather(const struct snapshot *snapshot, const struct gpu *gpu, counts is_counted, uint64_t begin_ms,
		   uint64_t end_ms, struct conditions *ret)
{
	struct column columns[NR_COLUMNS];
	struct reasons reasons = { .run = 0 };

	*ret = (struct conditions){ .nr = 0 };
	for (size_t i = 0; i < NR_COLUMNS; i++)
		column_init(&columns[i], gpu->nr_load_samples);
	for (size_t i = 0; i < gpu->nr_load_samples; i++) {
		const struct load_sample *sample = &gpu->load_samples[i];

		if (!is_counted(snapshot, gpu, sample, begin_ms, end_ms)) {
			reasons.run = 0;
			continue;
		}
		ret->last_ms = u64_or(sample->at_ms, 0);
		ret->first_ms = ret->nr ? ret->first_ms : ret->last_ms;
		ret->nr++;
		add_sample(columns, sample);
		add_reasons(&reasons, sample, ret);
	}
	fill(columns, &reasons, ret);
	for (size_t i = 0; i < NR_COLUMNS; i++)
		free(columns[i].values);
	return ret->nr > 0;
}

bool conditions_of(const struct snapshot *snapshot, const struct gpu *gpu, uint64_t begin_ms, uint64_t end_ms,
		   struct conditions *ret)
{
	return gather(snapshot, gpu, is_within, begin_ms, end_ms, ret);
}

bool conditions_at_work(const struct snapshot *snapshot, const struct gpu *gpu, struct conditions *ret)
{
	return gather(snapshot, gpu, is_at_work, 0, UINT64_MAX, ret);
}

const char *conditions_throttle_words(struct arena *arena, const struct conditions *conditions)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!conditions->nr_throttle_told)
		return NULL;
	for (unsigned kind = 0; kind < NR_LOAD_THROTTLES; kind++)
		if (conditions->throttle_percent[kind] > 0.0)
			strbuf_addf(&text, "%s%s (%.0f %%)", text.len ? BETWEEN : "",
				    load_throttle_name((enum load_throttle)kind),
				    conditions->throttle_percent[kind]);
	return text.len ? arena_strdup(arena, text.buf) : "none";
}
