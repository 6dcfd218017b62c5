// SPDX-License-Identifier: GPL-2.0-or-later
/* timings.c - the figures of a report. */
#include "base/compat.h"
#include "eval/facts/conditions.h"
#include "eval/facts/twin_stats.h"
#include "eval/judge/subject.h"
#include "eval/summary/summary.h"

/* A spread this wide makes a median a rough figure; interleaved runs on a quiet machine stay within it. */
#define NOISY_MAD_RATIO 0.05

static const struct conditions *conditions_during(struct report *report, const struct gpu *gpu,
						  const struct timing *timing)
{
	struct conditions conditions, *ret;

	if (!gpu || !is_known(timing->begin_ms) || !is_known(timing->end_ms))
		return NULL;
	if (!conditions_of(report->snapshot, gpu, u64_or(timing->begin_ms, 0), u64_or(timing->end_ms, 0), &conditions))
		return NULL;
	ret = arena_alloc(&report->arena, sizeof(*ret));
	*ret = conditions;
	return ret;
}

static void list_device_timings(struct report *report, struct report_timing **rows, const struct subject *subject)
{
	const struct ocl_device *device = subject->device;

	for (size_t i = 0; i < device->nr_timings; i++) {
		const struct timing *timing = &device->timings[i];
		const char *key = str_or(timing->key, "?");
		struct stats stats;
		enum unit unit;

		if (!timing_figure(timing, &unit, &stats))
			continue;
		*rows = arena_grow(&report->arena, *rows, report->nr_timings, sizeof(**rows));
		(*rows)[report->nr_timings++] = (struct report_timing){
			.test = str_or(timing->test, key), .key = key, .subject = *subject,
			.size_bytes = u64_or(timing->size_bytes, 0), .has_size = is_known(timing->size_bytes),
			.unit = unit, .median = stats.median, .p5 = stats.p5, .p95 = stats.p95, .p99 = stats.p99,
			.min = stats.min, .max = stats.max, .mad = stats.mad,
			.n = stats.n, .noisy = stats.mad > NOISY_MAD_RATIO * stats.median,
			.method = str_or(timing->method, NULL), .timing = timing,
			.conditions = conditions_during(report, subject->gpu, timing),
		};
	}
}

void report_list_timings(struct report *report)
{
	struct report_timing *rows = NULL;
	struct subject_list subjects;

	subjects_of(&report->arena, report->snapshot, SUBJECT_OCL_DEVICE, &subjects);
	for (size_t i = 0; i < subjects.nr; i++)
		list_device_timings(report, &rows, &subjects.items[i]);
	report->timings = rows;
}
