// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unknown.c - a healthy machine, every value of it in every state that a
 * missing value can have, one at a time: does the verdict keep to the rule?
 *
 * unknown SHARE PART SNAPSHOT…
 *
 *	by failure	never exit 0, and the value is told
 *	listed		told, and the exit status stays
 *	by nature	the exit status stays
 *
 * Two things may move it all the same, and stand in tables below with their
 * reason: what a required check reads, and what is a fact where it is missing.
 * Each (record, value, state) is tried on one of SHARE machines that have the
 * value, PART says which; SHARE 1 tries all on all.
 */
#include "base/compat.h"

#include <stdio.h>
#include <stdlib.h>

#include "checks/playbook.h"
#include "eval/summary/unanswered.h"
#include "snapshot/under_test.h"

enum { MAX_FILE_BYTES = 32 << 20 };

/* The states, with the words that their sources have for them. */
static const struct val_head missing[] = {
	{ .state = VAL_ERROR, .why = "NVML_ERROR_GPU_IS_LOST" },
	{ .state = VAL_ERROR, .why = "NVML_ERROR_RESET_REQUIRED" },
	{ .state = VAL_ERROR, .why = "NVML_ERROR_UNKNOWN" },
	{ .state = VAL_ERROR, .why = "EIO" },
	{ .state = VAL_ERROR, .why = "NVML_ERROR_IN_USE" },
	{ .state = VAL_ERROR, .why = "NVML_ERROR_INVALID_ARGUMENT" },
	{ .state = VAL_ERROR, .why = "EBUSY: the driver resets the GPU" },
	{ .state = VAL_LOST, .why = "ENODEV" },
	{ .state = VAL_TIMEOUT, .why = "in nvmlDeviceGetName" },
	{ .state = VAL_DENIED, .why = "EACCES" },
	{ .state = VAL_ABSENT, .why = "ENOENT" },
	{ .state = VAL_UNSUPPORTED, .why = "EOPNOTSUPP" },
	{ .state = VAL_ASLEEP, .why = "suspended" },
	{ .state = VAL_SKIPPED, .why = "a task waits in the driver" },
};

/* Records whose values decide what is asked or how it is told, and fail in no probe: the parent writes them. */
static const char *const own_records[] = { "run", "request", "probe_run" };

/* Values that are facts where they are missing, and raise a finding of that. */
static const struct {
	const char *record, *field, *reason;
} facts[] = {
	{ "pci_function", "driver", "no driver is bound" },
	{ "pci_function", "config_all_ones", "asleep: not looked at" },
	{ "nvidia_files", "minor", "the driver does not list the GPU" },
	{ "host", "virtualisation", "what machine it is: rules go by it, and its probe has an answer everywhere" },
	{ "host", "container", "whose GPUs these are: rules go by it, and its probe has an answer everywhere" },
	{ "listed", "device_nodes", "without the list nobody knows which GPUs a container was given" },
	{ "device_node", "mode", "the node is not there" },
	{ "intel_files", "survivability", "the file is there in repair mode alone" },
};

struct sweep {
	const char *path;
	struct snapshot snapshot;
	int exit_status;		/* untouched */
	size_t tried, by_kind[UNKNOWN_BY_FAILURE + 1], wrong;
	unsigned share, part, at;
};

static bool load(struct snapshot *ret, const char *path)
{
	char *text = malloc(MAX_FILE_BYTES);
	FILE *file = fopen(path, "r");
	size_t len = file && text ? fread(text, 1, MAX_FILE_BYTES, file) : 0;
	struct merge_unknown unknown;
	struct json_error error;
	bool is_good = len && !snapshot_load(ret, text, len, &unknown, &error);

	free(text);
	return (file && !fclose(file)) && is_good;
}

static bool is_required_unknown(const struct report *report)
{
	for (size_t i = 0; i < report->nr_results; i++)
		if (report->results[i].required && report->results[i].outcome == OUTCOME_UNKNOWN &&
		    !report->results[i].failure)
			return true;
	return false;
}

static bool is_fact(const struct record *record, const struct field *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (!strcmp(facts[i].record, record->name) && !strcmp(facts[i].field, field->name))
			return true;
	return false;
}

static bool is_told(const struct report *report, const struct field *field, struct val_head head)
{
	for (size_t i = 0; i < report->nr_unanswered; i++) {
		const struct unanswered *one = &report->unanswered[i];

		for (size_t k = 0; k < one->nr_values && one->state == head.state && !strcmp(one->why, head.why); k++) {
			const char *name = strrchr(one->values[k], '.');

			if (!strcmp(name ? name + 1 : one->values[k], field->name))
				return true;
		}
	}
	return false;
}

static const char *const kind_names[] = { "known", "by nature", "listed", "by failure" };

static void complain(struct sweep *run, const struct record *record, const struct field *field, struct val_head head,
		     enum unknown_kind kind, const struct report *report, const char *what)
{
	if (run->wrong++ < 40)
		printf("WRONG %s.%s %s: %s (%s): %s; exit %d: %s\n", record->name, field->name,
		       val_state_name(head.state), head.why, kind_names[kind], what, report->exit_status,
		       report->headline);
}

/* Does the verdict of a machine with that one value missing keep to the rule? */
static void hold(struct sweep *run, const struct record *record, const struct field *field, struct val_head head,
		 enum unknown_kind kind, bool is_walked, const struct report *report)
{
	bool moved = report->exit_status != run->exit_status;
	bool is_loud = report->nr_findings && report->findings[0]->outcome >= OUTCOME_WARN;

	if (kind >= UNKNOWN_LISTED && is_walked && !is_fact(record, field) && !is_required_unknown(report) &&
	    !is_told(report, field, head))
		complain(run, record, field, head, kind, report, "not told");
	if (kind == UNKNOWN_BY_FAILURE && is_walked && !report->exit_status)
		complain(run, record, field, head, kind, report, "a pass hides it");
	if (kind == UNKNOWN_BY_FAILURE && is_walked)
		return;
	if (is_loud && !is_fact(record, field))
		complain(run, record, field, head, kind, report, "a finding is made of it");
	else if (moved && !is_loud && !is_required_unknown(report))
		complain(run, record, field, head, kind, report, "it moves the exit status");
}

static void try(struct sweep *run, const struct record *record, const struct field *field, struct val_head *head,
		const struct gpu *gpu, bool is_walked)
{
	const struct unknown_place place = { .snapshot = &run->snapshot, .policy = &policy_built_in, .gpu = gpu };
	const struct val_head before = *head;

	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		enum unknown_kind kind = unknown_kind(&place, field, missing[i]);
		struct report report;

		if (run->at++ % run->share != run->part)
			continue;
		*head = missing[i];
		judge(&report, &run->snapshot, &playbook, &(struct judge_inputs){ .policy = &policy_built_in });
		run->tried++;
		run->by_kind[kind]++;
		hold(run, record, field, missing[i], kind, is_walked, &report);
		report_release(&report);
		*head = before;
	}
}

static bool is_own(const struct record *record)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_records); i++)
		if (!strcmp(own_records[i], record->name))
			return true;
	return false;
}

/* Keys are what lists are sorted by: each element has one. */
static void walk(struct sweep *run, const struct record *record, void *base, const struct gpu *gpu, bool is_walked)
{
	if (is_own(record))
		return;
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		void *member = (char *)base + field->offset;

		if (field_is_value(field)) {
			struct val_head *head = member;

			if (head->state == VAL_OK && strcmp(field->name, "key") != 0)
				try(run, record, field, head, gpu, is_walked);
		} else if (field->kind == FIELD_RECORD) {
			walk(run, field->record, member, gpu, is_walked);
		} else if (field->kind == FIELD_LIST && field->record != &record_gpu) {
			size_t nr = *(size_t *)(void *)((char *)base + field->offset_nr);

			/* One stands for all of its list. */
			if (nr)
				walk(run, field->record, *(void **)member, gpu, gpu != NULL);
		}
	}
}

static int try_snapshot(struct sweep *run)
{
	struct report report;

	if (!load(&run->snapshot, run->path)) {
		fprintf(stderr, "unknown: %s: no snapshot\n", run->path);
		return 64;
	}
	judge(&report, &run->snapshot, &playbook, &(struct judge_inputs){ .policy = &policy_built_in });
	run->exit_status = report.exit_status;
	if (report.exit_status)
		printf("OPEN %s\n", report.headline);
	report_release(&report);
	if (!run->exit_status) {
		walk(run, &record_snapshot, &run->snapshot, NULL, true);
		for (size_t i = 0; i < run->snapshot.nr_gpus; i++) {
			struct gpu *gpu = &run->snapshot.gpus[i];

			if (gpu_is_under_test(&run->snapshot, gpu)) {
				walk(run, &record_gpu, gpu, gpu, true);
				break;
			}
		}
	}
	printf("DONE %zu %zu %zu %zu %zu\n", run->tried, run->by_kind[UNKNOWN_BY_NATURE], run->by_kind[UNKNOWN_LISTED],
	       run->by_kind[UNKNOWN_BY_FAILURE], run->wrong);
	snapshot_release(&run->snapshot);
	return 0;
}

int main(int argc, char **argv)
{
	struct sweep run = { .path = argc == 4 ? argv[3] : NULL };

	if (argc != 4) {
		fputs("usage: unknown SHARE PART SNAPSHOT\n", stderr);
		return 64;
	}
	run.share = (unsigned)strtoul(argv[1], NULL, 10);
	run.part = (unsigned)strtoul(argv[2], NULL, 10);
	return run.share && run.part < run.share ? try_snapshot(&run) : 64;
}
