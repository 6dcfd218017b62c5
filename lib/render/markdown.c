// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * markdown.c - the report for a ticket, a comment or the summary of a job: the
 * headline, what to do, the stages, each finding with its evidence, what was
 * measured, which machine it is. md.c has the dialect.
 */
#include "base/compat.h"
#include "render/evidence_rows.h"
#include "render/formats.h"
#include "render/md.h"
#include "render/phrases.h"

#include "eval/gate/gate.h"
#include "eval/judge/subject.h"
#include "eval/summary/unknown_groups.h"

enum { STEP_INDENT = 3 };	/* of what belongs to "1. " */

struct markdown {
	struct md md;
	const struct report *report;
	struct arena arena;
};

static void put(struct markdown *markdown, const char *ours)
{
	strbuf_addstr(markdown->md.out, ours);
}

static void put_text(struct markdown *markdown, const char *text)
{
	if (text)
		md_text(&markdown->md, text);
}

static const char *cell(struct markdown *markdown, const char *text)
{
	return md_cell(&markdown->arena, text, markdown->md.ascii);
}

static const char *code_cell(struct markdown *markdown, const char *text)
{
	return md_code_cell(&markdown->arena, text, markdown->md.ascii);
}

/* ---- the evidence of a finding */

static void put_evidence_of(struct markdown *markdown, const struct group *group)
{
	static const char *const heads[] = { "Of", "Evidence", "Observed", "Expected", "Source" };
	struct arena *arena = &markdown->arena;
	struct evidence_rows rows;
	struct md_table table;

	evidence_rows_of(arena, markdown->report, group, &rows);
	md_table_open(&table, arena, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < rows.nr; i++) {
		const struct evidence_row *row = &rows.items[i];
		const char *what = code_cell(markdown, row->what);

		if (row->of)
			what = arena_printf(arena, "%s of %s", what, cell(markdown, row->of));
		md_table_add(&table, (const char *[]){
					     evidence_row_gpus(&rows, row),
					     what,
					     cell(markdown, row->observed),
					     cell(markdown, row->expected),
					     cell(markdown, row->source),
				     });
	}
	md_table_put(&table, markdown->md.out);
	if (rows.left_out)
		strbuf_addf(markdown->md.out, "That of %zu more stands in the JSON report.\n\n", rows.left_out);
}

/* ---- what was measured */

static void add_timing(struct markdown *markdown, struct md_table *table, const struct report_timing *timing)
{
	const struct phrase_figures figures = phrase_figures(&markdown->arena, timing);

	md_table_add(table, (const char *[]){
		md_code_cell(&markdown->arena, timing->key, markdown->md.ascii), cell(markdown, timing->subject.name),
		cell(markdown, figures.median), cell(markdown, figures.range), figures.samples,
		cell(markdown, figures.size),
		phrase_timing_doubt(timing),
	});
}

static void put_timings_of(struct markdown *markdown)
{
	const char *const heads[] = { "Timing", "Of", "Median", cell(markdown, "p5–p95"), "n", "Size", "" };
	const struct report *report = markdown->report;
	const struct report_timing **told;
	struct md_table table;
	size_t nr;

	if (!report->nr_timings)
		return;
	told = phrase_timings(&markdown->arena, report, &nr);
	md_table_open(&table, &markdown->arena, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < nr; i++)
		add_timing(markdown, &table, told[i]);
	strbuf_addstr(markdown->md.out, "### Timings\n\n");
	md_table_put(&table, markdown->md.out);
	if (report->nr_timings > nr) {
		md_text(&markdown->md, phrase_timings_left_out(&markdown->arena, report->nr_timings - nr));
		strbuf_addstr(markdown->md.out, "\n\n");
	}
}

/* ---- what it is, and what to do */

static void put_step(struct markdown *markdown, size_t number, const struct step *step)
{
	size_t indent = STEP_INDENT + (number >= 10);

	strbuf_addf(markdown->md.out, "%zu. ", number);
	put_text(markdown, step->text);
	put(markdown, step->disruptive ? " (**disruptive**)\n" : "\n");
	if (step->command) {
		put(markdown, "\n");
		md_command(&markdown->md, indent, step->command);
	}
	if (step->expect) {
		put(markdown, "\n");
		strbuf_addchars(markdown->md.out, ' ', indent);
		put(markdown, "Expect: ");
		put_text(markdown, step->expect);
		put(markdown, "\n");
	}
	if (step->command || step->expect)
		put(markdown, "\n");
}

static void put_steps(struct markdown *markdown, const struct step *steps, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put_step(markdown, i + 1, &steps[i]);
	if (nr && !steps[nr - 1].command && !steps[nr - 1].expect)
		put(markdown, "\n");
}

static void put_decision(struct markdown *markdown)
{
	const struct decision *decision = &markdown->report->decision;

	put(markdown, "**Decision:** ");
	phrase_decision(markdown->md.out, decision);
	put(markdown, ". ");
	put_text(markdown, decision->gpus ? decision->gpus : "no GPU under test");
	put(markdown, ".\n\n");
	if (decision->nr_steps && strcmp(decision->reason, markdown->report->headline) != 0) {
		put(markdown, "Because of: ");
		put_text(markdown, decision->reason);
		put(markdown, "\n\n");
	}
	put_steps(markdown, decision->steps, decision->nr_steps);
}

/* What stands in the way and is no finding, and what must be known first. */
static void put_gate_reasons(struct markdown *markdown, const struct gate_answer *gate)
{
	for (size_t i = 0; i < gate->nr_blockers; i++) {
		if (gate->blockers[i].finding)
			continue;
		put(markdown, "- ");
		put_text(markdown, gate->blockers[i].sentence);
		put(markdown, "\n");
	}
	for (size_t i = 0; i < gate->nr_open; i++) {
		put(markdown, "- Not judged: ");
		put_text(markdown, gate->open[i].sentence);
		if (gate->open[i].mend) {
			put(markdown, ". Next: ");
			put_text(markdown, gate->open[i].mend);
		}
		put(markdown, "\n");
	}
	if (gate->nr_open || gate->nr_blockers)
		put(markdown, "\n");
}

static void put_gate(struct markdown *markdown, const struct gate_answer *gate)
{
	if (gate->to_driver) {
		put_text(markdown, phrase_gate_change(&markdown->arena, gate));
		put(markdown, ".\n\n");
	}
	put_gate_reasons(markdown, gate);
	for (size_t i = 0; i < gate->nr_to_do; i++) {
		put_text(markdown, gate->to_do[i].sentence);
		strbuf_addf(markdown->md.out, " `%s`\n\n", gate->to_do[i].finding);
		put_steps(markdown, gate->to_do[i].steps, gate->to_do[i].nr_steps);
	}
}

static void put_head(struct markdown *markdown)
{
	const struct report *report = markdown->report;
	const struct gate_answer *gate = report->gate;

	strbuf_addf(markdown->md.out, "## gpudiag%s: %s", gate ? " gate" : "",
		    gate ? phrase_gate_word(gate->word) : phrase_verdict_word(report->verdict));
	if (is_known(report->snapshot->host.name)) {
		put(markdown, " on ");
		put_text(markdown, str_or(report->snapshot->host.name, ""));
	}
	put(markdown, "\n\n**");
	put_text(markdown, gate ? gate->reason : report->headline);
	put(markdown, "**\n\n");
	if (gate)
		put_gate(markdown, gate);
	put_decision(markdown);
}

/* ---- stages */

/* What only follows from another finding names that one, as on a screen. */
static const char *stage_finding(struct markdown *markdown, const char *id, const struct finding *symptom)
{
	if (!symptom)
		return code_cell(markdown, id);
	return arena_printf(&markdown->arena, "by %s", code_cell(markdown, symptom->caused_by->def->name));
}

static void put_stages(struct markdown *markdown)
{
	static const char *const heads[] = { "", "Stage", "Verdict", "Observed", "Finding" };
	const struct report *report = markdown->report;
	struct md_table table;

	md_table_open(&table, &markdown->arena, heads, ARRAY_SIZE(heads));
	for (int i = 0; i < NR_STAGES; i++) {
		const struct report_stage *stage = &report->stages[i];
		const struct finding *symptom = phrase_symptom(report, (enum stage)i);
		const char *cells[ARRAY_SIZE(heads)] = {
			arena_printf(&markdown->arena, "%d", i + 1),
			stage_name((enum stage)i),
			symptom ? "caused" : phrase_outcome_word(stage->outcome),
			cell(markdown, phrase_stage(report, (enum stage)i)),
			stage_finding(markdown, stage->detail, symptom),
		};

		if (stage->any)
			md_table_add(&table, cells);
	}
	if (table.nr_rows > 1)
		put(markdown, "### Stages\n\n");
	md_table_put(&table, markdown->md.out);
}

/* ---- findings */

static void put_finding(struct markdown *markdown, const struct group *group)
{
	const struct report *report = markdown->report;
	const struct finding *first = group->first;

	strbuf_addf(markdown->md.out, "#### %s `%s`\n\n", phrase_outcome_word(first->outcome), first->def->name);
	put_text(markdown, group->sentence);
	put(markdown, "\n");
	if (first->why && *first->why) {
		put_text(markdown, first->why);
		put(markdown, "\n");
	}
	put(markdown, "\n");
	if (first->caused_by)
		strbuf_addf(markdown->md.out, "Explained by `%s`.\n\n", first->caused_by->def->name);
	for (size_t i = 0; i < first->nr_possible; i++)
		strbuf_addf(markdown->md.out, "%s `%s`%s", i ? "," : "No single cause. Possible:",
			    first->possible[i]->def->name, i + 1 < first->nr_possible ? "" : ".\n\n");
	put_evidence_of(markdown, group);
	/* Those of the decision stand at the head. */
	if (!first->caused_by && first->steps != report->decision.steps)
		put_steps(markdown, first->steps, first->nr_steps);
	strbuf_addf(markdown->md.out, "Blame: %s. Key%s: `%s`\n\n", blame_name(first->blame),
		    group->nr > 1 ? " of the first" : "", first->key);
}

static void put_note(struct markdown *markdown, const struct group *group)
{
	put(markdown, "- ");
	put_text(markdown, group->sentence);
	strbuf_addf(markdown->md.out, " `%s`\n", group->first->def->name);
}

static size_t nr_notes(const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_groups; i++)
		nr += report->groups[i].first->outcome < OUTCOME_WARN;
	return nr;
}

static void put_findings(struct markdown *markdown)
{
	const struct report *report = markdown->report;
	size_t notes = nr_notes(report);

	if (notes < report->nr_groups)
		put(markdown, "### Findings\n\n");
	for (int symptoms = 0; symptoms <= 1; symptoms++)
		for (size_t i = 0; i < report->nr_groups; i++)
			if (report->groups[i].first->outcome >= OUTCOME_WARN &&
			    group_is_symptom(&report->groups[i]) == symptoms)
				put_finding(markdown, &report->groups[i]);
	if (!notes)
		return;
	put(markdown, "### Notes\n\n");
	for (size_t i = 0; i < report->nr_groups; i++)
		if (report->groups[i].first->outcome < OUTCOME_WARN)
			put_note(markdown, &report->groups[i]);
	put(markdown, "\n");
}

static void put_unjudged(struct markdown *markdown)
{
	static const char *const heads[] = { "Check", "Of", "Required", "Reason" };
	const struct report *report = markdown->report;
	struct md_table table;

	md_table_open(&table, &markdown->arena, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (!unknown_group_begins(report, i))
			continue;
		md_table_add(&table, (const char *[]){
			code_cell(markdown, result->check->name),
			cell(markdown, unknown_group_subjects(&markdown->arena, report, i)),
			result_is_open(result) ? "yes" : "", cell(markdown, unknown_group_reason(result)),
		});
	}
	if (table.nr_rows > 1)
		put(markdown, "### Not judged\n\n");
	md_table_put(&table, markdown->md.out);
}

/* ---- which machine it is */

/* A value that identifies a thing; if unknown, the reason, unless it was not collected. */
static const char *identity(struct markdown *markdown, struct val_str value)
{
	if (is_known(value))
		return code_cell(markdown, str_or(value, ""));
	if (value.state == VAL_UNSET || value.state == VAL_ABSENT)
		return "";
	return cell(markdown, arena_printf(&markdown->arena, "%s%s%s", val_state_name(value.state),
					   value.why ? ": " : "", value.why ? value.why : ""));
}

static void put_host(struct markdown *markdown)
{
	static const char *const heads[] = { "Host", "" };
	const struct report *report = markdown->report;
	const struct host *host = &report->snapshot->host;
	const char *rows[][ARRAY_SIZE(heads)] = {
		{ "name", identity(markdown, host->name) },
		{ "product", identity(markdown, host->product) },
		{ "serial", identity(markdown, host->machine_serial) },
		{ "OS", identity(markdown, host->os) },
		{ "kernel", identity(markdown, host->kernel) },
		{ "boot", identity(markdown, host->boot_id) },
		{ "virtualisation", identity(markdown, host->virtualisation) },
		{ "container", identity(markdown, host->container) },
		{ "driver", code_cell(markdown, phrase_drivers(&markdown->arena, report)) },
	};
	struct md_table table;

	md_table_open(&table, &markdown->arena, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (*rows[i][1])
			md_table_add(&table, rows[i]);
	md_table_put(&table, markdown->md.out);
}

static void put_gpus(struct markdown *markdown)
{
	static const char *const heads[] = { "GPU", "State", "Model", "PCI", "Serial", "UUID", "VBIOS", "Slot" };
	const struct report *report = markdown->report;
	struct md_table table;

	md_table_open(&table, &markdown->arena, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < report->nr_gpus; i++) {
		const struct report_gpu *gpu = &report->gpus[i];
		const struct gpu *seen = gpu->gpu;

		md_table_add(&table, (const char *[]){
			arena_printf(&markdown->arena, "%zu", gpu->index),
			gpu->under_test ? gpu_state_name(gpu->state) : gpu->role, cell(markdown, gpu->model),
			identity(markdown, seen->key), identity(markdown, gpu_serial(seen)),
			identity(markdown, gpu_uuid(report->snapshot, seen)), identity(markdown, gpu_vbios(seen)),
			identity(markdown, gpu_slot_label(seen)),
		});
	}
	md_table_put(&table, markdown->md.out);
}

/* ---- of the run itself */

static void put_counts(struct markdown *markdown)
{
	const struct report *report = markdown->report;

	strbuf_addf(markdown->md.out, "%zu check%s, %zu skipped, %zu not judged; exit status %d", report->nr_checks,
		    report->nr_checks == 1 ? "" : "s", report->nr_skipped, report->nr_unknown, report->exit_status);
	if (is_known(report->snapshot->run.elapsed_ms)) {
		put(markdown, "; recorded in ");
		unit_format_u64(markdown->md.out, UNIT_MS, u64_or(report->snapshot->run.elapsed_ms, 0));
	}
	put(markdown, ".\n");
}

static void put_run(struct markdown *markdown)
{
	const struct report *report = markdown->report;
	const struct run *run = &report->snapshot->run;

	put(markdown, "### This report\n\n");
	for (size_t i = 0; i < report->messages.nr; i++) {
		put(markdown, "- ");
		put_text(markdown, report->messages.v[i]);
		put(markdown, "\n");
	}
	put(markdown, report->messages.nr ? "\n" : "");
	md_code(&markdown->md, str_or(run->tool, "gpudiag"));
	if (is_known(run->taken_at)) {
		put(markdown, ", taken at ");
		md_code(&markdown->md, str_or(run->taken_at, ""));
	}
	if (is_known(report->snapshot->request.level)) {
		put(markdown, ", level ");
		put_text(markdown, str_or(report->snapshot->request.level, ""));
	}
	put(markdown, ", judged by ");
	if (report->policy->path)
		md_code(&markdown->md, report->policy->path);
	else
		put(markdown, "the built-in policy");
	put(markdown, ": ");
	put_counts(markdown);
}

void render_markdown(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct markdown markdown = { .md = { .out = out, .ascii = options->ascii }, .report = report };

	put_head(&markdown);
	put_stages(&markdown);
	put_findings(&markdown);
	put_timings_of(&markdown);
	put_unjudged(&markdown);
	put(&markdown, "### Which machine\n\n");
	put_host(&markdown);
	put_gpus(&markdown);
	put_run(&markdown);
	arena_release(&markdown.arena);
}
