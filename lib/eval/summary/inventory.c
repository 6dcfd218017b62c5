// SPDX-License-Identifier: GPL-2.0-or-later
/* inventory.c - the GPUs of a report, and its figures. */
#include "base/compat.h"
#include "eval/facts/conditions.h"
#include "eval/facts/twin_stats.h"
#include "eval/judge/subject.h"
#include "eval/judge/vendor.h"
#include "eval/summary/summary.h"
#include "eval/summary/unanswered.h"

/*
 * A GPU that sleeps is not asked, and what little is known of it says nothing
 * of its health. A run that asked for nothing else has no gap.
 */
static bool was_asleep(const struct report *report, const struct gpu *gpu)
{
	if (gpu_role(report->snapshot, gpu) != GPU_ROLE_GPU || !gpu_is_asleep(gpu) ||
	    is_known(gpu->pci.config_all_ones))
		return false;
	for (size_t i = 0; i < report->nr_results; i++)
		if (report->results[i].subject.gpu == gpu && report->results[i].outcome == OUTCOME_SKIP)
			return true;
	return false;
}

/* Its driver hangs: running work may go on, nothing new should start on it. */
static bool is_behind_stuck_driver(const struct finding *finding, const struct gpu *gpu)
{
	for (size_t i = 0; i < finding->evidence.nr && finding->id == DRIVER_TASKS_STUCK; i++) {
		const struct evidence *evidence = &finding->evidence.items[i];

		if (!strcmp(evidence->field->name, "driver") && evidence->field->kind == FIELD_STR &&
		    str_is(evidence->observed.str, str_or(gpu->pci.driver, "")))
			return true;
	}
	return false;
}

/* Its library did not open it, or was not called: its health is unknown, whatever the bus shows. */
static bool is_unopened(const struct gpu *gpu)
{
	switch (gpu->nvml.handle.state) {
	case VAL_OK:
	case VAL_UNSET:		/* not collected, as on a recording, which has files only */
	case VAL_ABSENT:	/* no library here */
	case VAL_ASLEEP:
		return false;
	default:
		return gpu_vendor(gpu) == VENDOR_NVIDIA;
	}
}

/* The library lists fewer GPUs than are bound, and not this one. */
static bool is_unlisted(const struct finding *finding, const struct gpu *gpu)
{
	return finding->id == GPU_ENUMERATED_FEWER_IN_LIBRARY && gpu_vendor(gpu) == VENDOR_NVIDIA &&
	       gpu->nvml.handle.state == VAL_UNSET;
}

static bool nobody_answers_for(const struct report *report, const struct gpu *gpu)
{
	return gpu_failed_to_answer(report, gpu) || is_unopened(gpu);
}

/* What the results about one GPU come to. */
struct gpu_results {
	bool is_judged, is_open;
};

/* By gpu_index(). Results are many: they are gone through once, and not for each GPU. */
static struct gpu_results *results_by_gpu(struct report *report)
{
	struct gpu_results *all = arena_alloc(&report->arena, report->snapshot->nr_gpus * sizeof(*all));

	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];
		struct gpu_results *of =
			result->subject.gpu ? &all[gpu_index(report->snapshot, result->subject.gpu)] : NULL;

		if (!of)
			continue;
		of->is_open |= result_is_open(result);
		of->is_judged |= result->subject.kind != SUBJECT_PROBE && result->outcome != OUTCOME_SKIP &&
				 result->outcome != OUTCOME_UNKNOWN;
	}
	return all;
}

static enum gpu_state gpu_state(const struct report *report, const struct gpu *gpu, const struct gpu_results *results)
{
	enum gpu_state state = results->is_judged ? GPU_USABLE : GPU_NOT_JUDGED;

	if (results->is_open || nobody_answers_for(report, gpu) || was_asleep(report, gpu))
		state = GPU_NOT_JUDGED;
	for (size_t i = 0; i < report->nr_findings; i++) {
		const struct finding *finding = report->findings[i];

		/* A driver under maintenance is no fault: the state of its GPUs is unknown for now. */
		if (finding->maintenance && finding_closes_nvidia(finding) && gpu_vendor(gpu) == VENDOR_NVIDIA &&
		    state == GPU_USABLE)
			state = GPU_NOT_JUDGED;
		if (is_unlisted(finding, gpu) && state == GPU_USABLE)
			state = GPU_NOT_JUDGED;
		if (is_behind_stuck_driver(finding, gpu))
			state = GPU_SUSPECT;
		if (finding->subject.gpu != gpu &&
		    !(finding_closes_nvidia(finding) && gpu_vendor(gpu) == VENDOR_NVIDIA))
			continue;
		if (finding->outcome == OUTCOME_FAIL)
			return GPU_UNUSABLE;
		if (finding->outcome == OUTCOME_WARN)
			state = GPU_SUSPECT;
	}
	return state;
}

void report_list_gpus(struct report *report)
{
	const struct snapshot *snapshot = report->snapshot;
	struct report_gpu *gpus = arena_alloc(&report->arena, snapshot->nr_gpus * sizeof(*gpus));
	const struct gpu_results *results = results_by_gpu(report);

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];
		bool under_test = gpu_is_under_test(snapshot, gpu);
		size_t index = gpu_index(snapshot, gpu);

		gpus[index] = (struct report_gpu){
			.index = gpu_number(snapshot, gpu), .gpu = gpu, .model = gpu_model(&report->arena, gpu),
			.role = gpu_role_name(gpu_role(snapshot, gpu)), .under_test = under_test,
			.asleep = was_asleep(report, gpu),
			.unanswered = under_test && nobody_answers_for(report, gpu),
			.state = gpu_role(snapshot, gpu) == GPU_ROLE_GPU ? gpu_state(report, gpu, &results[index]) :
									   GPU_NOT_JUDGED,
		};
	}
	report->gpus = gpus;
	report->nr_gpus = snapshot->nr_gpus;
}

const char *gpu_state_name(enum gpu_state state)
{
	static const char *const names[] = {
		[GPU_USABLE] = "usable", [GPU_SUSPECT] = "suspect",
		[GPU_UNUSABLE] = "unusable", [GPU_NOT_JUDGED] = "not-judged",
	};

	return names[state];
}

/* ---- figures */

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
