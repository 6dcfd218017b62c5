// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline.c - whose a baseline is, and which of its GPUs is which. */
#include "base/compat.h"
#include "eval/baseline/baseline.h"

#include "base/alloc.h"
#include "base/stats.h"
#include "eval/facts/twin_stats.h"
#include "eval/judge/finding_evidence.h"
#include "eval/judge/report.h"
#include "eval/judge/subject.h"
#include "snapshot/card.h"
#include "snapshot/gpus.h"

/* ---- GPUs */

struct gpu_identity gpu_identity_of(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	return (struct gpu_identity){
		.serial = str_or(gpu_serial(gpu), NULL), .uuid = str_or(gpu_uuid(snapshot, gpu), NULL),
		.address = str_or(gpu->key, NULL), .model = gpu_model(arena, gpu),
	};
}

static struct val_str told(const char *text)
{
	return text ? val_str(text) : (struct val_str){ .state = VAL_UNSET };
}

bool is_same_gpu(const struct gpu_identity *a, const struct gpu_identity *b)
{
	enum card_match match = cards_match(told(a->serial), told(a->uuid), told(b->serial), told(b->uuid));

	if (match != CARDS_UNTOLD)
		return match == CARDS_SAME;
	return a->address && b->address && !strcmp(a->address, b->address) && a->model && b->model &&
	       !strcmp(a->model, b->model);
}

/* ---- machines */

static const char *machine_words(struct arena *arena, const struct snapshot *snapshot)
{
	const char *name = str_or(snapshot->host.name, NULL), *serial = str_or(snapshot->host.machine_serial, NULL);

	return arena_printf(arena, "%s%s%s%s", name ? name : "an unnamed machine", serial ? " (serial " : "",
			    serial ? serial : "", serial ? ")" : "");
}

static const char *untold_words(const struct snapshot *then, const struct snapshot *now)
{
	const bool was_redacted = bool_or(then->run.redacted, false), is_redacted = bool_or(now->run.redacted, false);

	if (was_redacted && is_redacted)
		return "both are redacted, with different pseudonyms: whether they are of one machine is unknown";
	if (was_redacted)
		return "the baseline is redacted: its machine is unknown";
	if (is_redacted)
		return "the snapshot is redacted: its machine is unknown";
	return "the baseline's machine is unknown";
}

enum machines baseline_match(struct arena *arena, const struct baseline *baseline, const struct snapshot *snapshot,
			     const char **ret_why)
{
	const struct snapshot *then = &baseline->snapshot;
	enum machines match = machines_match(arena, then, snapshot);

	*ret_why = NULL;
	if (match == MACHINES_UNTOLD)
		*ret_why = untold_words(then, snapshot);
	else if (match == MACHINES_TWO)
		*ret_why = arena_printf(arena, "the baseline is of %s, this machine is %s", machine_words(arena, then),
					machine_words(arena, snapshot));
	return match;
}

const struct baseline *baseline_to_compare(const struct judgement *j, const char **ret_why)
{
	*ret_why = NULL;
	if (!j->baseline) {
		*ret_why = "there is no baseline of this machine (gpudiag baseline save)";
		return NULL;
	}
	if (baseline_match(j->arena, j->baseline, j->snapshot, ret_why) == MACHINES_ONE ||
	    j->baseline->another_is_meant) {
		*ret_why = NULL;
		return j->baseline;
	}
	*ret_why = arena_printf(j->arena, "%s (--baseline-of-another compares them by place)", *ret_why);
	return NULL;
}

const struct gpu *baseline_gpu(struct arena *arena, const struct baseline *baseline, const struct snapshot *snapshot,
			       const struct gpu *gpu)
{
	struct gpu_identity identity = gpu_identity_of(arena, snapshot, gpu);
	const char *why;

	if (baseline_match(arena, baseline, snapshot, &why) != MACHINES_ONE)
		identity.serial = identity.uuid = NULL;
	for (size_t i = 0; i < baseline->snapshot.nr_gpus; i++) {
		struct gpu_identity then = gpu_identity_of(arena, &baseline->snapshot, &baseline->snapshot.gpus[i]);

		if (is_same_gpu(&then, &identity))
			return &baseline->snapshot.gpus[i];
	}
	return NULL;
}

size_t baseline_gpus(const struct baseline *baseline)
{
	return (size_t)gpus_under_test(&baseline->snapshot);
}

bool finding_is_of_baseline(const struct finding *finding)
{
	return id_begins(finding, "baseline-") ||
	       finding_number(finding, "recorded_link_width") > finding_number(finding, "link_width") ||
	       finding_number(finding, "recorded_link_speed") > finding_number(finding, "link_speed");
}

bool report_compares(const struct report *report)
{
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (!strncmp(result->check->name, "baseline-", strlen("baseline-")) &&
		    result->outcome != OUTCOME_SKIP && result->outcome != OUTCOME_UNKNOWN)
			return true;
	}
	return false;
}

/* ---- the figures of several runs, and how much they vary */

/* Of a normal distribution the standard deviation is that many times the median absolute distance. */
#define SIGMA_OF_MAD 1.4826

/*
 * Mean range of n samples of a normal distribution, in standard deviations: factor d2 of control charts (W. A.
 * Shewhart; ASTM STP 15D, table of factors).
 */
static const double range_sigmas[] = { [2] = 1.128, [3] = 1.693, [4] = 2.059 };

static double spread_of(const struct stats *medians, double noise)
{
	if (medians->n < 2)
		return noise;
	if (medians->n < ARRAY_SIZE(range_sigmas))
		return (medians->max - medians->min) / range_sigmas[medians->n];
	return SIGMA_OF_MAD * medians->mad;
}

/* The same device in another run. */
static const struct ocl_device *device_in(const struct snapshot *run, const struct ocl_device *device)
{
	return list_find(run, ocl_devices, ocl_device, str_or(device->key, ""));
}

/* What of a timing must be alike for its figures to be of one kind. */
static bool is_same_test(const struct timing *a, const struct timing *b)
{
	return !strcmp(str_or(a->method, ""), str_or(b->method, "")) &&
	       u64_or(a->size_bytes, 0) == u64_or(b->size_bytes, 0) &&
	       u64_or(a->numa_node, 0) == u64_or(b->numa_node, 0);
}

static void take_figure(struct baseline *baseline, const struct snapshot *runs, size_t nr,
			const struct ocl_device *device, const struct timing *timing)
{
	const struct snapshot *newest = &runs[nr - 1];
	const struct gpu *gpu = ocl_device_gpu(newest, device);
	double *medians = xcalloc(nr, sizeof(*medians)), *noises = xcalloc(nr, sizeof(*noises));
	struct baseline_figure figure = {
		.device = str_or(device->key, "?"), .test = str_or(timing->key, "?"),
		.method = str_or(timing->method, NULL),
		.size_bytes = timing->size_bytes, .numa_node = timing->numa_node,
	};
	struct stats stats;

	for (size_t i = 0; i < nr; i++) {
		const struct ocl_device *there = device_in(&runs[i], device);
		const struct timing *same = there ? device_timing(there, figure.test) : NULL;

		if (!same || !is_same_test(same, timing) || is_known(same->disturbed) ||
		    !timing_figure(same, &figure.unit, &stats) || stats.median <= 0.0)
			continue;
		medians[figure.n] = stats.median;
		noises[figure.n++] = SIGMA_OF_MAD * stats.mad;
	}
	if (gpu)
		figure.gpu = gpu_identity_of(&baseline->arena, newest, gpu);
	stats_of(noises, (size_t)figure.n, &stats);
	figure.noise = stats.median;
	stats_of(medians, (size_t)figure.n, &stats);
	figure.median = stats.median;
	figure.spread = spread_of(&stats, figure.noise);
	if (figure.n) {
		baseline->figures = arena_grow(&baseline->arena, baseline->figures, baseline->nr_figures,
					       sizeof(*baseline->figures));
		baseline->figures[baseline->nr_figures++] = figure;
	}
	free(medians);
	free(noises);
}

void baseline_of_runs(struct baseline *ret, struct snapshot *runs, size_t nr)
{
	const struct snapshot *newest = &runs[nr - 1];

	memset(ret, 0, sizeof(*ret));
	ret->runs = nr;
	for (size_t i = 0; i < newest->nr_ocl_devices; i++)
		for (size_t k = 0; k < newest->ocl_devices[i].nr_timings; k++)
			take_figure(ret, runs, nr, &newest->ocl_devices[i], &newest->ocl_devices[i].timings[k]);
	ret->snapshot = *newest;
	memset(&runs[nr - 1], 0, sizeof(*runs));
}

bool baseline_is_refused_for(const struct finding *finding)
{
	static const enum finding_id settled[] = { PCIE_WIDTH_BELOW_ABLE, PCIE_SPEED_BELOW_ABLE,
						   GPU_VISIBLE_ODD_COUNT };

	if (finding->outcome != OUTCOME_WARN && finding->outcome != OUTCOME_FAIL)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(settled); i++)
		if (finding->id == settled[i])
			return false;
	return true;
}
