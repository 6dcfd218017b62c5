// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/summary/unanswered.h"

#include "base/strbuf.h"
#include "eval/judge/field_words.h"
#include "eval/judge/regrade.h"
#include "eval/judge/subject.h"
#include "eval/judge/vendor.h"
#include "snapshot/under_test.h"

bool finding_closes_nvidia(const struct finding *finding)
{
	static const enum finding_id ids[] = {
		DRIVER_MATCH_REBOOT, DRIVER_MATCH_OLD_LIBRARY, DRIVER_MATCH_CONTAINER, DRIVER_MATCH_REFUSED,
		GPU_ENUMERATED_LIBRARY_FAILS, GPU_ENUMERATED_LIBRARY_UNUSABLE, GPU_ENUMERATED_LOST_ACCESS,
		GPU_ENUMERATED_DRIVER_NOT_LOADED, PROBE_HEALTH_NVML_HANGS,
		DAEMONS_FABRIC_MANAGER_MISSING, DAEMONS_FABRIC_MANAGER_OTHER,
	};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (finding->id == ids[i])
			return true;
	return false;
}

/* A walk over the values of one GPU or of the node. */
struct walk {
	struct report *report;
	struct unknown_place place;
	size_t gpu_index;
	size_t first;			/* of the report's unanswered, those of this walk begin here */
};

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* A worker that ended early left the same reason in all its values: they are reported together. */
static struct unanswered *alike(struct walk *walk, const struct unanswered *wanted)
{
	struct report *report = walk->report;
	struct unanswered *all = report->unanswered;

	for (size_t i = walk->first; i < report->nr_unanswered; i++)
		if (all[i].kind == wanted->kind && all[i].state == wanted->state && all[i].quiet == wanted->quiet &&
		    is_same_text(all[i].why, wanted->why) && is_same_text(all[i].check, wanted->check))
			return &all[i];
	report->unanswered = arena_grow(&report->arena, all, report->nr_unanswered, sizeof(*all));
	report->unanswered[report->nr_unanswered] = *wanted;
	return &report->unanswered[report->nr_unanswered++];
}

/* Where a value stands: made into words only where one failed, as most are known. */
struct path {
	const struct path *above;
	const char *name;
	const char *key;		/* of a list's element; NULL: a record inside */
};

static void add_path(struct strbuf *out, const struct path *path)
{
	if (!path)
		return;
	add_path(out, path->above);
	strbuf_addf(out, "%s.", path->name);
	if (path->key)
		strbuf_addf(out, "%s.", path->key);
}

static const char *path_words(struct arena *arena, const struct path *path, const struct field *field)
{
	STRBUF_AUTO words = STRBUF_INIT;

	add_path(&words, path);
	strbuf_addstr(&words, field->name);
	return arena_strdup(arena, words.buf);
}

static void keep(struct walk *walk, const struct field *field, struct val_head head, const struct path *path)
{
	struct arena *arena = &walk->report->arena;
	struct unanswered wanted = {
		.gpu = walk->place.gpu, .gpu_index = walk->gpu_index, .state = head.state, .why = head.why,
		.kind = unknown_kind(&walk->place, field, head), .first = field,
	}, *group;

	if (wanted.kind < UNKNOWN_LISTED)
		return;
	if (wanted.kind == UNKNOWN_BY_FAILURE) {
		wanted.check = unknown_check(&walk->place, field, head);
		wanted.quiet = quiet_of_value(walk->place.snapshot, walk->place.policy, walk->place.gpu, field->name);
	}
	group = alike(walk, &wanted);
	group->values = arena_grow(arena, group->values, group->nr_values, sizeof(*group->values));
	group->values[group->nr_values++] = path_words(arena, path, field);
}

static void walk_record(struct walk *walk, const struct record *record, const void *base, const struct path *path);

static void walk_list(struct walk *walk, const struct field *field, const void *base, const struct path *path)
{
	const char *items = *(const char *const *)(const void *)((const char *)base + field->offset);
	size_t nr = *(const size_t *)(const void *)((const char *)base + field->offset_nr);

	for (size_t i = 0; i < nr; i++) {
		const void *item = items + i * field->record->size;
		const struct val_str *key = item;	/* the first member of what lists hold */
		const struct path below = { .above = path, .name = field->name, .key = str_or(*key, "?") };

		walk_record(walk, field->record, item, &below);
	}
}

static void walk_record(struct walk *walk, const struct record *record, const void *base, const struct path *path)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		const void *member = (const char *)base + field->offset;

		if (field_is_value(field)) {
			const struct val_head *head = member;

			if (head->state != VAL_OK && head->state != VAL_UNSET)
				keep(walk, field, *head, path);
		} else if (field->kind == FIELD_RECORD) {
			const struct path below = { .above = path, .name = field->name };

			walk_record(walk, field->record, member, &below);
		} else if (field->kind == FIELD_LIST) {
			walk_list(walk, field, base, path);
		}
	}
}

/* The node's own records; what stands in its lists is asked for by name, or is of a GPU. */
static void walk_node(struct walk *walk)
{
	const struct record *record = &record_snapshot;

	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		const struct path below = { .name = field->name };

		if (field->kind == FIELD_RECORD && field->record != &record_run && field->record != &record_request)
			walk_record(walk, field->record, (const char *)walk->place.snapshot + field->offset, &below);
	}
}

/* Failures first: the sentence names the first of a GPU. */
static void sort_from(struct report *report, size_t first)
{
	for (size_t i = first + 1; i < report->nr_unanswered; i++) {
		struct unanswered one = report->unanswered[i];
		size_t at = i;

		while (at > first && report->unanswered[at - 1].kind < one.kind) {
			report->unanswered[at] = report->unanswered[at - 1];
			at--;
		}
		report->unanswered[at] = one;
	}
}

void unanswered_find(struct report *report, const struct policy *const *of_gpus)
{
	const struct snapshot *snapshot = report->snapshot;
	struct walk walk = { .report = report, .place = { .snapshot = snapshot, .policy = report->policy } };

	walk_node(&walk);
	sort_from(report, 0);
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!gpu_is_under_test(snapshot, gpu) || !gpu_is_selected(snapshot, gpu))
			continue;
		walk.place.gpu = gpu;
		walk.place.policy = of_gpus[i];
		walk.gpu_index = gpu_number(snapshot, gpu);
		walk.first = report->nr_unanswered;
		walk_record(&walk, &record_gpu, gpu, NULL);
		sort_from(report, walk.first);
	}
}

/* "failed: NVML_ERROR_UNKNOWN", "no answer: in nvmlDeviceGetEccMode": what became of them, in a fixed form. */
static const char *unanswered_words(struct arena *arena, const struct unanswered *unanswered)
{
	const char *why = unanswered->why ? unanswered->why : "no reason given";

	switch (unanswered->state) {
	case VAL_TIMEOUT:
		return arena_printf(arena, "failed: %s", why);
	case VAL_LOST:
		return arena_printf(arena, "device lost: %s", why);
	case VAL_DENIED:
		return arena_printf(arena, "permission denied even as root: %s", why);
	default:
		return arena_printf(arena, "failed: %s", why);
	}
}

/* "ECC enabled and 3 more values: failed: NVML_ERROR_UNKNOWN" */
static const char *failure_words(struct arena *arena, const struct unanswered *unanswered)
{
	size_t more = unanswered->nr_values - 1;

	return arena_printf(arena, "%s%s: %s", field_words(arena, unanswered->first),
			    !more ? "" : arena_printf(arena, " and %zu more value%s", more, more == 1 ? "" : "s"),
			    unanswered_words(arena, unanswered));
}

/* The worker for it ended early, which probe-health reports. */
static bool is_told_by_worker(const struct report *report, const struct unanswered *one)
{
	bool is_sealed =
		one->state == VAL_TIMEOUT || (one->why && !strncmp(one->why, "crashed in", strlen("crashed in")));

	for (size_t i = 0; i < report->nr_findings && is_sealed; i++)
		if (report->findings[i]->subject.kind == SUBJECT_PROBE && report->findings[i]->subject.gpu == one->gpu)
			return true;
	return false;
}

/*
 * Is it to be listed: what failed and weighs nothing, unless a failure of the same GPU is reported with the same
 * reason, as where the library's worker ended?
 */
static bool unanswered_is_listed(const struct report *report, size_t at)
{
	const struct unanswered *one = &report->unanswered[at];

	if (one->kind == UNKNOWN_BY_FAILURE)
		return one->quiet || (!one->weighed && !one->told_by);
	if (is_told_by_worker(report, one))
		return false;
	for (size_t i = 0; i < report->nr_unanswered; i++) {
		const struct unanswered *other = &report->unanswered[i];

		if (other->kind == UNKNOWN_BY_FAILURE && other->gpu == one->gpu && other->state == one->state &&
		    is_same_text(other->why, one->why))
			return false;
	}
	return true;
}

static bool tell_alike(const struct unanswered *a, const struct unanswered *b)
{
	if (!a->gpu || !b->gpu || a->state != b->state || a->quiet != b->quiet || !is_same_text(a->why, b->why) ||
	    a->nr_values != b->nr_values)
		return false;
	for (size_t i = 0; i < a->nr_values; i++)
		if (strcmp(a->values[i], b->values[i]) != 0)
			return false;
	return true;
}

/* Its GPU and those with the same failure, "" for the node; false: already reported with one before. */
static bool who_tells(struct arena *arena, const struct report *report, size_t at, const char **ret)
{
	size_t *indexes = NULL, nr = 0;

	*ret = "";
	if (!report->unanswered[at].gpu)
		return true;
	for (size_t i = 0; i < report->nr_unanswered; i++) {
		if (i != at && (!tell_alike(&report->unanswered[i], &report->unanswered[at]) ||
				!unanswered_is_listed(report, i)))
			continue;
		if (i < at)
			return false;
		indexes = arena_grow(arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = report->unanswered[i].gpu_index;
	}
	*ret = arena_printf(arena, "%s: ", gpu_ranges(arena, indexes, nr));
	return true;
}

const char *unanswered_sentence(struct arena *arena, const struct report *report, size_t at)
{
	enum { MOST_NAMED = 4 };
	const struct unanswered *one = &report->unanswered[at];
	size_t named = one->nr_values > MOST_NAMED ? MOST_NAMED - 1 : one->nr_values;
	STRBUF_AUTO text = STRBUF_INIT;
	const char *who;

	if (!unanswered_is_listed(report, at) || !who_tells(arena, report, at, &who))
		return NULL;
	strbuf_addstr(&text, who);
	for (size_t i = 0; i < named; i++)
		strbuf_addf(&text, "%s%s", i ? ", " : "", one->values[i]);
	if (one->nr_values > named)
		strbuf_addf(&text, " and %zu more values", one->nr_values - named);
	strbuf_addf(&text, ": %s", unanswered_words(arena, one));
	if (one->quiet)
		strbuf_addf(&text, " (quiet until %s by %s: %s)", one->quiet->until, one->quiet->place,
			    one->quiet->reason);
	return arena_strdup(arena, text.buf);
}

static bool is_of_library(const struct unanswered *unanswered)
{
	return !unanswered->gpu && unanswered->first == &record_nvml.fields[FIELD_nvml_init];
}

/* It needed a value that failed so. */
static bool has_missed(const struct result *result, const struct unanswered *unanswered)
{
	for (size_t i = 0; i < result->evidence.nr && result->outcome == OUTCOME_UNKNOWN; i++) {
		const struct val_head *head = &result->evidence.items[i].observed.head;

		if (head->state == unanswered->state && is_same_text(head->why, unanswered->why))
			return true;
	}
	return false;
}

/* A check of the node judges what its GPUs failed to tell. */
static bool is_left_open(const struct result *result, const struct unanswered *unanswered)
{
	if (result->subject.kind == SUBJECT_PROBE ||
	    (result->subject.gpu != unanswered->gpu && result->check->per != SUBJECT_NODE))
		return false;
	return !strcmp(result->check->name, unanswered->check) || has_missed(result, unanswered);
}

static void weigh(struct arena *arena, struct result *result, const struct unanswered *unanswered)
{
	if (result->failure)
		return;
	result->failure = failure_words(arena, unanswered);
	if (unanswered->gpu && !result->subject.gpu)
		result->failure = arena_printf(arena, "GPU %zu: %s", unanswered->gpu_index, result->failure);
	if (result->outcome >= OUTCOME_WARN)
		return;
	result->outcome = OUTCOME_UNKNOWN;
	result->reason = result->failure;
}

bool unanswered_lacks_result(const struct unanswered *unanswered)
{
	const struct val_head head = { .state = unanswered->state, .why = unanswered->why };

	return unanswered->kind == UNKNOWN_BY_FAILURE && !unanswered->quiet && !unanswered->told_by &&
	       !unanswered->weighed && unknown_speaks_of_gpu(unanswered->first, head);
}

void unanswered_fill_result(struct arena *arena, struct result *result, const struct unanswered *unanswered)
{
	result->subject = subject_node();
	if (unanswered->gpu)
		result->subject = (struct subject){
			.kind = SUBJECT_GPU, .gpu = unanswered->gpu, .gpu_index = unanswered->gpu_index,
			.name = arena_printf(arena, "GPU %zu", unanswered->gpu_index),
			.address = str_or(unanswered->gpu->key, NULL),
		};
	weigh(arena, result, unanswered);
}

/* A GPU that is lost answers nothing, nor does one whose driver cannot start. */
static bool is_told_by(const struct unanswered *unanswered, const struct finding *finding)
{
	bool is_nvidia = unanswered->gpu ? gpu_vendor(unanswered->gpu) == VENDOR_NVIDIA : is_of_library(unanswered);

	/* Without its node no library can open it: a warning, as nothing on the GPU is broken. */
	if (finding->id == GPU_ACCESS_NODE_MISSING && finding->outcome >= OUTCOME_WARN)
		return unanswered->gpu && finding->subject.gpu == unanswered->gpu;
	/* By a dump: it started later. */
	if (finding->id == GPU_ENUMERATED_STARTED_LATER)
		return is_of_library(unanswered);
	if (finding->outcome != OUTCOME_FAIL)
		return false;
	if (is_nvidia && (finding_closes_nvidia(finding) || finding->id == GPU_ENUMERATED_START_GPU_FAULT))
		return true;
	return unanswered->gpu && finding->subject.gpu == unanswered->gpu && finding->stage == STAGE_DEVICE;
}

void unanswered_weigh(struct report *report, struct result *results, size_t nr, struct finding *const *findings,
		      size_t nr_findings)
{
	for (size_t i = 0; i < report->nr_unanswered; i++) {
		struct unanswered *unanswered = &report->unanswered[i];

		if (unanswered->kind != UNKNOWN_BY_FAILURE || unanswered->quiet)
			continue;
		for (size_t k = 0; k < nr_findings && !unanswered->told_by; k++)
			if (is_told_by(unanswered, findings[k]))
				unanswered->told_by = findings[k];
		if (unanswered->told_by)
			continue;
		for (size_t k = 0; k < nr; k++)
			if (is_left_open(&results[k], unanswered)) {
				weigh(&report->arena, &results[k], unanswered);
				unanswered->weighed = true;
			}
	}
}

const struct unanswered *unanswered_first_failure(const struct report *report)
{
	for (size_t i = 0; i < report->nr_unanswered; i++) {
		const struct unanswered *one = &report->unanswered[i];

		if (one->kind == UNKNOWN_BY_FAILURE && !one->quiet && !one->told_by)
			return one;
	}
	return NULL;
}

bool gpu_failed_to_answer(const struct report *report, const struct gpu *gpu)
{
	for (size_t i = 0; i < report->nr_unanswered; i++) {
		const struct unanswered *unanswered = &report->unanswered[i];

		if (unanswered->kind != UNKNOWN_BY_FAILURE || unanswered->quiet)
			continue;
		if (unanswered->gpu == gpu)
			return true;
		/* A library that does not start answers for none of its GPUs. */
		if (is_of_library(unanswered) && gpu_vendor(gpu) == VENDOR_NVIDIA)
			return true;
	}
	return false;
}
