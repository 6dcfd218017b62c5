// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline.c - whose a baseline is, and which of its GPUs is which. */
#include "base/compat.h"
#include "eval/baseline/baseline.h"

#include "eval/judge/finding_evidence.h"
#include "eval/judge/subject.h"

/* ---- GPUs */

struct gpu_identity gpu_identity_of(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	return (struct gpu_identity){
		.serial = str_or(gpu_serial(gpu), NULL), .uuid = str_or(gpu_uuid(snapshot, gpu), NULL),
		.address = str_or(gpu->key, NULL), .model = gpu_model(arena, gpu),
	};
}

/* NVIDIA's own UUID and the 32 digits of OpenCL have different lengths and cannot be compared. */
static bool uuids_compare(const struct gpu_identity *a, const struct gpu_identity *b)
{
	return a->uuid && b->uuid && strlen(a->uuid) == strlen(b->uuid);
}

bool is_same_gpu(const struct gpu_identity *a, const struct gpu_identity *b)
{
	/* GPUs of one board may share its serial number (A16, K80): their UUIDs tell them apart. */
	if (a->serial && b->serial && strcmp(a->serial, b->serial) != 0)
		return false;
	if (uuids_compare(a, b))
		return !strcmp(a->uuid, b->uuid);
	if (a->serial && b->serial)
		return true;
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
	if (baseline_match(j->arena, j->baseline, j->snapshot, ret_why) == MACHINES_ONE || j->baseline->another_is_meant) {
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

		if (!strncmp(result->check->name, "baseline-", strlen("baseline-")) && result->outcome != OUTCOME_SKIP &&
		    result->outcome != OUTCOME_UNKNOWN)
			return true;
	}
	return false;
}
