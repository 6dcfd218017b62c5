// SPDX-License-Identifier: GPL-2.0-or-later
/* summary.c - from results to a report, part by part, and what is to be said of the run itself. */
#include "base/compat.h"
#include "eval/summary/summary.h"

#include "eval/facts/holders.h"
#include "eval/facts/sources.h"

static void tell_of_run(struct report *report)
{
	if (report->policy->path)
		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena, "judged by the policy %s, which %s", report->policy->path,
				      policy_in_words(&report->arena, report->policy)));
	if (bool_or(report->snapshot->run.redacted, false))
		strs_add(&report->arena, &report->messages,
			 "the snapshot is redacted: names, serial numbers, users and UUIDs are pseudonyms");
	if (report->snapshot->run.lock_folder.why)
		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena, "no folder for locks (%s; GPUDIAG_RUNTIME_DIR can name one): a second measuring run at the same time is not detected", report->snapshot->run.lock_folder.why));
	if (is_known(report->snapshot->run.interrupted))
		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena, "interrupted by %s: the rest is not judged",
				      str_or(report->snapshot->run.interrupted, "a signal")));
}

/* "driver_version: 550.54.15 in b.txt:3 (nvidia-smi -q) counts, not 535.104.05 in a.txt:4 (nvidia-smi)" */
static void tell_contradictions(struct report *report)
{
	const struct snapshot *snapshot = report->snapshot;

	for (size_t i = 0; i < snapshot->nr_contradictions; i++) {
		const struct contradiction *it = &snapshot->contradictions[i];
		const char *element = str_or(it->element, NULL);

		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena,
				      "the dumps contradict each other: %s%s%s: %s in %s counts, not %s in %s",
				      str_or(it->field, "?"), element ? " of " : "", element ? element : "",
				      str_or(it->used, "?"), source_place(&report->arena, snapshot, it->used.from),
				      str_or(it->other, "?"), source_place(&report->arena, snapshot, it->other.from)));
	}
}

static void tell_of_import(struct report *report)
{
	const struct strs *notes = &report->snapshot->run.import_notes;

	for (size_t i = 0; i < notes->nr; i++)
		strs_add(&report->arena, &report->messages, notes->v[i]);
}

static void list_holdings(struct report *report)
{
	struct holding_list list;

	holdings_of(&report->arena, report->snapshot, &list);
	report->nr_holdings = list.nr;
	report->holdings = list.items;
}

void report_summarise(struct report *report)
{
	report_list_gpus(report);
	list_holdings(report);
	report_list_timings(report);
	report_stages(report);
	report_judge_node(report);
	report_decide(report);
	tell_of_run(report);
	tell_contradictions(report);
	tell_of_import(report);
}
