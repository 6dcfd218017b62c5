// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline.c - whose a baseline is, and which of its GPUs is which. */
#include "base/compat.h"
#include "eval/baseline.h"

#include "eval/subject.h"

/* ---- GPUs */

struct gpu_identity gpu_identity_of(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	return (struct gpu_identity){
		.serial = str_or(gpu_serial(gpu), NULL), .uuid = str_or(gpu_uuid(snapshot, gpu), NULL),
		.address = str_or(gpu->key, NULL), .model = gpu_model(arena, gpu),
	};
}

/* NVIDIA's own UUID and the 32 digits that OpenCL tells are of different lengths, and say nothing of each other. */
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

static bool is_known_by_name(const struct gpu_identity *a, const struct gpu_identity *b)
{
	return ((a->serial && b->serial) || uuids_compare(a, b)) && is_same_gpu(a, b);
}

/* Of those a node has for good: a display of the firmware's has no serial number anyway. */
static bool share_a_gpu(struct arena *arena, const struct snapshot *a, const struct snapshot *b)
{
	for (size_t i = 0; i < a->nr_gpus; i++) {
		struct gpu_identity one = gpu_identity_of(arena, a, &a->gpus[i]);

		for (size_t k = 0; k < b->nr_gpus; k++) {
			struct gpu_identity other = gpu_identity_of(arena, b, &b->gpus[k]);

			if (is_known_by_name(&one, &other))
				return true;
		}
	}
	return false;
}

/* ---- machines */

static const char *machine_words(struct arena *arena, const struct snapshot *snapshot)
{
	const char *name = str_or(snapshot->host.name, NULL), *serial = str_or(snapshot->host.machine_serial, NULL);

	return arena_printf(arena, "%s%s%s%s", name ? name : "a machine without a name", serial ? " (serial " : "",
			    serial ? serial : "", serial ? ")" : "");
}

static const char *other_words(struct arena *arena, const struct snapshot *then, const struct snapshot *now)
{
	return arena_printf(arena, "the baseline is of %s, and this is %s", machine_words(arena, then),
			    machine_words(arena, now));
}

enum baseline_match machines_match(struct arena *arena, const struct snapshot *then, const struct snapshot *now,
				   const char **ret_why)
{
	const bool redacted = bool_or(then->run.redacted, false);
	const struct host *a = &then->host, *b = &now->host;
	bool serials, names;

	*ret_why = NULL;
	if (redacted != bool_or(now->run.redacted, false)) {
		*ret_why = redacted ? "the baseline is redacted: whose it is cannot be told" :
				      "the snapshot is redacted: whether the baseline is of its machine cannot be told";
		return BASELINE_UNMATCHED;
	}
	serials = is_known(a->machine_serial) && is_known(b->machine_serial);
	names = is_known(a->name) && is_known(b->name);
	if (serials && str_is(a->machine_serial, str_or(b->machine_serial, "")))
		return BASELINE_FITS;
	/* A container has a name of its own, and a machine may get another one: its GPUs tell. */
	if (!serials && ((names && str_is(a->name, str_or(b->name, ""))) || share_a_gpu(arena, then, now)))
		return BASELINE_FITS;
	*ret_why = other_words(arena, then, now);
	if (redacted)
		*ret_why = "both are redacted, with other pseudonyms: whether they are of one machine cannot be told";
	else if (!serials && !names)
		*ret_why = "nothing says whether the baseline is of this machine";
	return redacted || (!serials && !names) ? BASELINE_UNMATCHED : BASELINE_OF_ANOTHER;
}

enum baseline_match baseline_match(struct arena *arena, const struct baseline *baseline,
				   const struct snapshot *snapshot, const char **ret_why)
{
	return machines_match(arena, &baseline->snapshot, snapshot, ret_why);
}

const struct baseline *baseline_to_compare(const struct judgement *j, const char **ret_why)
{
	*ret_why = NULL;
	if (!j->baseline) {
		*ret_why = "there is no baseline of this machine (gpudiag baseline save)";
		return NULL;
	}
	if (baseline_match(j->arena, j->baseline, j->snapshot, ret_why) == BASELINE_FITS || j->baseline->another_is_meant) {
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

	if (baseline_match(arena, baseline, snapshot, &why) != BASELINE_FITS)
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
