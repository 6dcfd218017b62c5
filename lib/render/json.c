// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - the report as data. Keys are only ever added within this schema
 * number; man/report.schema.json says what each of them is.
 */
#include "base/compat.h"
#include "render/formats.h"
#include "render/json_internal.h"

static void put_decision(struct json_writer *w, const struct decision *decision)
{
	json_object_member(w, "decision");
	json_str(w, "action", action_name(decision->action));
	json_str(w, "reason", decision->reason);
	json_str(w, "schedulable", decision->schedulable);
	json_texts(w, "unusable_gpus", decision->unusable, decision->nr_unusable);
	json_steps(w, "next", decision->steps, decision->nr_steps);
	json_object_end(w);
}

static void put_stages(struct json_writer *w, const struct report *report)
{
	json_array_member(w, "stages");
	for (int i = 0; i < NR_STAGES; i++) {
		const struct report_stage *stage = &report->stages[i];

		json_object_begin(w);
		json_u64_member(w, "number", (uint64_t)i + 1);
		json_str(w, "name", stage_name((enum stage)i));
		json_str(w, "verdict", outcome_name(stage->any ? stage->outcome : OUTCOME_SKIP));
		json_str(w, "summary", stage->summary);
		json_str(w, "finding", stage->detail);
		json_object_end(w);
	}
	json_array_end(w);
}

void json_run(struct json_writer *w, const struct run *run)
{
	json_str(w, "tool", str_or(run->tool, NULL));
	json_texts(w, "argv", run->argv.v, run->argv.nr);
	json_str(w, "taken_at", str_or(run->taken_at, NULL));
}

/* What the policy in force sets, so that a report can be read without its file. */
static void put_policy(struct json_writer *w, const struct report *report)
{
	const struct policy *policy = report->policy;

	json_object_member(w, "policy");
	json_str(w, "source", policy->path ? policy->path : "built-in");
	json_array_member(w, "set");
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++)
		if (policy->lines[row])
			json_policy_row(w, policy, row);
	json_array_end(w);
	json_policy_parts(w, report);
	json_object_end(w);
}

static void put_end(struct json_writer *w, const struct report *report)
{
	const struct run *run = &report->snapshot->run;

	json_texts(w, "messages", report->messages.v, report->messages.nr);
	json_u64_member(w, "exit_status", (uint64_t)report->exit_status);
	json_value(w, "elapsed_ms", &record_run.fields[FIELD_run_elapsed_ms], &run->elapsed_ms);
}

void render_json(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct json_writer w = { .out = out, .indent = 2 };

	(void)options;
	json_object_begin(&w);
	json_str(&w, "schema", REPORT_SCHEMA);
	json_run(&w, &report->snapshot->run);
	json_host(&w, report->snapshot);
	json_request(&w, report->snapshot);
	put_policy(&w, report);
	json_str(&w, "verdict", verdict_name(report->verdict));
	json_str(&w, "headline", report->headline);
	put_decision(&w, &report->decision);
	json_gate(&w, report);
	put_stages(&w, report);
	json_gpus(&w, report);
	json_holders(&w, report);
	json_checks(&w, report);
	json_timings(&w, report);
	json_findings(&w, report);
	json_unknown(&w, report);
	json_unanswered(&w, report);
	json_probes(&w, report->snapshot);
	put_end(&w, report);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}
