// SPDX-License-Identifier: GPL-2.0-or-later
/* inventory.c - the GPUs and the figures of a report. */
#include "base/compat.h"
#include "eval/expect.h"
#include "eval/subject.h"
#include "eval/summary.h"
#include "eval/vendor.h"

/* A spread this wide makes a median a rough figure; interleaved runs on a quiet machine stay within it. */
#define NOISY_MAD_RATIO 0.05

/*
 * A GPU that sleeps is not asked, and what little is known of it says nothing
 * of its health. A run that asked for nothing else has no gap.
 */
static bool was_asleep(const struct report *report, const struct gpu *gpu)
{
	if (gpu_role(report->snapshot, gpu) != GPU_ROLE_GPU || !gpu_is_asleep(gpu) || is_known(gpu->pci.config_all_ones))
		return false;
	for (size_t i = 0; i < report->nr_results; i++)
		if (report->results[i].subject.gpu == gpu && report->results[i].outcome == OUTCOME_SKIP)
			return true;
	return false;
}

/* A fault of the node by which no program can begin to use a GPU of NVIDIA's driver, however well the GPUs are. */
static bool closes_nvidia(const struct finding *finding)
{
	static const enum finding_id ids[] = {
		DRIVER_MATCH_REBOOT, DRIVER_MATCH_OLD_LIBRARY, DRIVER_MATCH_CONTAINER, DRIVER_MATCH_REFUSED,
		GPU_ENUMERATED_LIBRARY_FAILS, GPU_ENUMERATED_LOST_ACCESS, PROBE_HEALTH_NVML_HANGS,
		DAEMONS_FABRIC_MANAGER_MISSING, DAEMONS_FABRIC_MANAGER_OTHER,
	};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (finding->id == ids[i])
			return true;
	return false;
}

static enum gpu_state gpu_state(const struct report *report, const struct gpu *gpu)
{
	enum gpu_state state = GPU_NOT_JUDGED;
	bool open = false;

	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (result->subject.gpu != gpu || result->subject.kind == SUBJECT_PROBE)
			continue;
		if (result->outcome != OUTCOME_SKIP && result->outcome != OUTCOME_UNKNOWN)
			state = GPU_USABLE;
		open |= result->required && result->outcome == OUTCOME_UNKNOWN;
	}
	if (open || was_asleep(report, gpu))
		state = GPU_NOT_JUDGED;
	for (size_t i = 0; i < report->nr_findings; i++) {
		const struct finding *finding = report->findings[i];

		if (finding->subject.gpu != gpu && !(closes_nvidia(finding) && gpu_vendor(gpu) == VENDOR_NVIDIA))
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

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];
		bool under_test = gpu_is_under_test(snapshot, gpu);
		size_t index = gpu_index(snapshot, gpu);

		gpus[index] = (struct report_gpu){
			.index = index, .gpu = gpu, .model = gpu_model(&report->arena, gpu),
			.role = gpu_role_name(gpu_role(snapshot, gpu)), .under_test = under_test,
			.asleep = was_asleep(report, gpu),
			.state = gpu_role(snapshot, gpu) == GPU_ROLE_GPU ? gpu_state(report, gpu) : GPU_NOT_JUDGED,
		};
	}
	report->gpus = gpus;
	report->nr_gpus = snapshot->nr_gpus;
}

static void list_device_timings(struct report *report, struct report_timing **rows, const struct subject *subject)
{
	const struct ocl_device *device = subject->device;

	for (size_t i = 0; i < device->nr_timings; i++) {
		const struct timing *timing = &device->timings[i];
		struct stats stats;
		enum unit unit;

		if (!timing_figure(timing, &unit, &stats))
			continue;
		*rows = arena_grow(&report->arena, *rows, report->nr_timings, sizeof(**rows));
		(*rows)[report->nr_timings++] = (struct report_timing){
			.test = str_or(timing->key, "?"), .subject = *subject,
			.size_bytes = u64_or(timing->size_bytes, 0), .has_size = is_known(timing->size_bytes),
			.unit = unit, .median = stats.median, .p5 = stats.p5, .p95 = stats.p95, .mad = stats.mad,
			.n = stats.n, .noisy = stats.mad > NOISY_MAD_RATIO * stats.median,
			.method = str_or(timing->method, NULL),
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

const char *gpu_state_name(enum gpu_state state)
{
	static const char *const names[] = {
		[GPU_USABLE] = "usable", [GPU_SUSPECT] = "suspect",
		[GPU_UNUSABLE] = "unusable", [GPU_NOT_JUDGED] = "not-judged",
	};

	return names[state];
}
