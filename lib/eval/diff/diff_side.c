// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_side.c - sides made of snapshots and of judgements. */
#include "base/compat.h"
#include "eval/diff/diff_side.h"

#include "eval/facts/twin_stats.h"
#include "snapshot/gpus.h"

static const char *place_of(const struct subject *subject)
{
	if (subject->kind == SUBJECT_NODE)
		return "";
	return subject->address ? subject->address : subject->name;
}

static void add_figure(struct diff_side *side, const struct diff_figure *figure)
{
	side->figures = arena_grow(&side->arena, side->figures, side->nr_figures, sizeof(*side->figures));
	side->figures[side->nr_figures++] = *figure;
}

static void add_timing(struct diff_side *side, const char *place, const struct timing *timing, enum unit unit,
		       double median, double mad, size_t n)
{
	add_figure(side, &(struct diff_figure){
		.place = place, .key = str_or(timing->key, "?"), .unit = unit, .median = median, .mad = mad, .n = n,
		.clock = str_or(timing->clock, NULL), .method = str_or(timing->method, NULL),
		.size_bytes = u64_or(timing->size_bytes, 0), .disturbed = is_known(timing->disturbed),
		.node = is_known(timing->numa_node) ? u64_or(timing->numa_node, 0) + 1 : 0,
	});
}

static void list_device_figures(struct diff_side *side, const struct ocl_device *device)
{
	const struct gpu *gpu = ocl_device_gpu(side->snapshot, device);
	const char *place = gpu ? str_or(gpu->key, "?") : str_or(device->key, "?");

	for (size_t i = 0; i < device->nr_timings; i++) {
		struct stats stats;
		enum unit unit;

		if (timing_figure(&device->timings[i], &unit, &stats))
			add_timing(side, place, &device->timings[i], unit, stats.median, stats.mad, stats.n);
	}
}

void diff_side_of_snapshot(struct diff_side *ret, const struct snapshot *snapshot)
{
	*ret = (struct diff_side){ .snapshot = snapshot };
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		list_device_figures(ret, &snapshot->ocl_devices[i]);
}

static void take_judgement(struct diff_side *side, const struct report *report)
{
	side->results = arena_alloc(&side->arena, report->nr_results * sizeof(*side->results));
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		side->results[side->nr_results++] = (struct diff_result){
			.place = place_of(&result->subject), .check = result->check->name, .reason = result->reason,
			.outcome = result->outcome, .required = result->required,
		};
	}
	side->findings = arena_alloc(&side->arena, report->nr_findings * sizeof(*side->findings));
	for (size_t i = 0; i < report->nr_findings; i++) {
		const struct finding *finding = report->findings[i];

		side->findings[side->nr_findings++] = (struct diff_finding){
			.place = place_of(&finding->subject), .id = finding->def->name, .key = finding->key,
			.check = finding->check->name, .title = finding->title, .outcome = finding->outcome,
		};
	}
}

void diff_side_of_report(struct diff_side *ret, const struct report *report)
{
	*ret = (struct diff_side){
		.snapshot = report->snapshot, .is_judged = true, .verdict = verdict_name(report->verdict),
	};
	/* The report has its statistics made already. */
	for (size_t i = 0; i < report->nr_timings; i++) {
		const struct report_timing *timing = &report->timings[i];

		add_timing(ret, place_of(&timing->subject), timing->timing, timing->unit, timing->median, timing->mad,
			   timing->n);
	}
	take_judgement(ret, report);
}

void diff_side_release(struct diff_side *side)
{
	arena_release(&side->arena);
	snapshot_release(&side->own);
}
