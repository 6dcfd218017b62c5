// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - the report as data. Keys are only ever added within this schema
 * number; man/report.schema.json says what each of them is.
 */
#include "base/compat.h"
#include "eval/facts/holders.h"
#include "eval/gate/gate.h"
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

/* ---- the answer of a gate */

static void put_items(struct json_writer *w, const char *key, const struct gate_item *items, size_t nr)
{
	json_array_member(w, key);
	for (size_t i = 0; i < nr; i++) {
		json_object_begin(w);
		json_str(w, "finding", items[i].finding);
		json_str(w, "sentence", items[i].sentence);
		json_steps(w, "next", items[i].steps, items[i].nr_steps);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_open(struct json_writer *w, const struct gate_answer *gate)
{
	json_array_member(w, "not_decided");
	for (size_t i = 0; i < gate->nr_open; i++) {
		json_object_begin(w);
		json_str(w, "check", gate->open[i].check);
		json_str(w, "sentence", gate->open[i].sentence);
		json_str(w, "mend", gate->open[i].mend);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_against(struct json_writer *w, const struct gate_against *against)
{
	if (!against) {
		json_null_member(w, "against");
		return;
	}
	json_object_member(w, "against");
	json_str(w, "taken_at", against->taken_at);
	if (against->machine_known)
		json_bool_member(w, "same_machine", against->same_machine);
	else
		json_null_member(w, "same_machine");
	json_u64_member(w, "worse", against->nr_worse);
	json_u64_member(w, "better", against->nr_better);
	json_u64_member(w, "other", against->nr_other);
	json_object_end(w);
}

static void put_gate(struct json_writer *w, const struct report *report)
{
	const struct gate_answer *gate = report->gate;

	if (!gate)
		return;
	json_object_member(w, "gate");
	json_str(w, "answer", gate_word_name(gate->word));
	json_str(w, "reason", gate->reason);
	json_str(w, "from_driver", gate->from_driver);
	json_str(w, "to_driver", gate->to_driver);
	json_str(w, "direction", gate->direction);
	put_items(w, "blockers", gate->blockers, gate->nr_blockers);
	put_items(w, "warnings", gate->warnings, gate->nr_warnings);
	put_items(w, "to_do", gate->to_do, gate->nr_to_do);
	put_open(w, gate);
	put_against(w, gate->against);
	json_object_end(w);
}

/* ---- who holds GPUs: one entry for each process. Never arguments: they hold secrets. */

static void put_holding(struct json_writer *w, const struct holding *holding)
{
	const struct holder *holder = &holding->all;
	const struct pick picks[] = {
		PICK("pid", holder, holder, pid),
		PICK("comm", holder, holder, comm),
		PICK("uid", holder, holder, user_id),
		PICK("memory_bytes", holder, holder, memory_bytes),
		PICK("slurm_job", gpu_process, holding->process, slurm_job),
		PICK("pod", gpu_process, holding->process, pod),
		PICK("container", gpu_process, holding->process, container),
	};

	json_object_begin(w);
	json_picks(w, picks, ARRAY_SIZE(picks));
	json_texts(w, "gpus", holding->gpus, holding->nr_gpus);
	json_bool_member(w, "any_gpu", holding->may_be_any);
	json_pick_reasons(w, picks, ARRAY_SIZE(picks));
	json_object_end(w);
}

static void put_holders(struct json_writer *w, const struct report *report)
{
	json_array_member(w, "holders");
	for (size_t i = 0; i < report->nr_holdings; i++)
		put_holding(w, &report->holdings[i]);
	json_array_end(w);
}

/* ---- the whole */

static void put_end(struct json_writer *w, const struct report *report)
{
	const struct run *run = &report->snapshot->run;

	json_texts(w, "messages", report->messages.v, report->messages.nr);
	json_u64_member(w, "exit_status", (uint64_t)report->exit_status);
	json_value(w, "elapsed_ms", &record_run.fields[FIELD_run_elapsed_ms], &run->elapsed_ms);
}

static void put_report(struct json_writer *w, const struct report *report, bool is_compact)
{
	json_object_begin(w);
	json_str(w, "schema", REPORT_SCHEMA);
	json_run(w, &report->snapshot->run);
	json_host(w, report->snapshot);
	json_request(w, report->snapshot);
	json_sources(w, report->snapshot);
	put_policy(w, report);
	json_str(w, "verdict", verdict_name(report->verdict));
	json_str(w, "headline", report->headline);
	put_decision(w, &report->decision);
	put_gate(w, report);
	put_stages(w, report);
	json_gpus(w, report);
	put_holders(w, report);
	json_checks(w, report, is_compact);
	json_timings(w, report);
	json_findings(w, report);
	json_unknown(w, report);
	json_unanswered(w, report);
	json_probes(w, report->snapshot, is_compact);
	put_end(w, report);
	json_object_end(w);
	strbuf_addch(w->out, '\n');
}

void render_json(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct json_writer w = { .out = out, .indent = 2 };

	put_report(&w, report, options->compact);
}

void render_jsonl(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct json_writer w = { .out = out };

	(void)options;
	put_report(&w, report, true);
}
