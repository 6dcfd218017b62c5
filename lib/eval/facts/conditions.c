// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/conditions.h"

#include "base/alloc.h"
#include "base/stats.h"
#include "base/strbuf.h"
#include "snapshot/gpus.h"
#include "snapshot/sample_fold.h"

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
		return f64_or(sample->busy_percent, 0.0) >= AT_WORK_PERCENT;
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		if (ocl_device_is_of(&snapshot->ocl_devices[i], gpu) &&
		    was_measured(&snapshot->ocl_devices[i], u64_or(sample->at_ms, 0)))
			return true;
	return false;
}

/* ---- figures */

enum { CLOCK, MEMORY_CLOCK, NR_MEDIANS };

/* The known values of a figure whose median is reported. */
struct values { size_t nr; double *v; };

static void keep(struct values *values, struct val_u64 value)
{
	if (is_known(value))
		values->v[values->nr++] = (double)u64_or(value, 0);
}

static struct val_u64 median_of(const struct values *values, const struct column *column)
{
	struct stats stats = { .median = 0.0 };

	if (values->nr)
		stats_of(values->v, values->nr, &stats);
	return values->nr ? val_whole(val_f64(stats.median)) : no_u64(column->missing.state, column->missing.why);
}

static void fill(const struct gpu_fold *fold, const struct values medians[NR_MEDIANS], struct conditions *ret)
{
	const struct val_head unset = { .state = VAL_UNSET };

	ret->link_speed_mtps = val_whole(column_highest(&fold->speed, unset));
	ret->link_width = val_whole(column_highest(&fold->width, unset));
	ret->clock_mhz = median_of(&medians[CLOCK], &fold->clock);
	ret->memory_clock_mhz = median_of(&medians[MEMORY_CLOCK], &fold->memory_clock);
	ret->power_mean_mw = val_whole(column_mean(&fold->power, unset));
	ret->power_max_mw = val_whole(column_highest(&fold->power, unset));
	ret->temperature_max_c = column_highest(&fold->temperature, unset);
	ret->busy_percent = column_mean(&fold->busy, unset);
	ret->nr_throttle_told = fold->throttle.at_work;
	ret->longest_slowdown = fold->throttle.longest_slowdown;
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS && ret->nr_throttle_told; kind++)
		ret->throttle_percent[kind] = throttle_share_of(&fold->throttle, (enum throttle_kind)kind);
}

/* Samples that count are those in which our load had the GPU at work: all others only end a run of slowdown. */
static bool gather(const struct snapshot *snapshot, const struct gpu *gpu, counts is_counted, uint64_t begin_ms,
		   uint64_t end_ms, struct conditions *ret)
{
	struct gpu_fold fold = GPU_FOLD_INIT;
	struct values medians[NR_MEDIANS];

	*ret = (struct conditions){ .nr = 0 };
	for (size_t i = 0; i < NR_MEDIANS; i++)
		medians[i] = (struct values){ .v = xcalloc(gpu->nr_load_samples + 1, sizeof(*medians[i].v)) };
	for (size_t i = 0; i < gpu->nr_load_samples; i++) {
		const struct load_sample *record = &gpu->load_samples[i];
		struct gpu_sample sample;

		if (!is_counted(snapshot, gpu, record, begin_ms, end_ms)) {
			fold.throttle.slowdown_run = 0;
			continue;
		}
		ret->last_ms = u64_or(record->at_ms, 0);
		ret->first_ms = ret->nr ? ret->first_ms : ret->last_ms;
		ret->nr++;
		sample_read(record, &sample);
		fold_add(&fold, &sample, true);
		keep(&medians[CLOCK], record->clock_mhz);
		keep(&medians[MEMORY_CLOCK], record->memory_clock_mhz);
	}
	fill(&fold, medians, ret);
	fold_release(&fold);
	for (size_t i = 0; i < NR_MEDIANS; i++)
		free(medians[i].v);
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
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		if (conditions->throttle_percent[kind] > 0.0)
			strbuf_addf(&text, "%s%s (%.0f %%)", text.len ? BETWEEN : "",
				    throttle_kind_name((enum throttle_kind)kind),
				    conditions->throttle_percent[kind]);
	return text.len ? arena_strdup(arena, text.buf) : "none";
}
