// SPDX-License-Identifier: GPL-2.0-or-later
/* text_stages.c - the playbook, a line for each stage in which something ran; and what was measured. */
#include "base/compat.h"
#include "render/screen.h"
#include "render/phrases.h"
#include "render/table.h"

enum {
	NAME_COLUMN = 3,
	OUTCOME_COLUMN = 14,
	SUMMARY_COLUMN = 23,
};

bool screen_stages_tell_id(const struct report *report, const struct finding *finding)
{
	const char *detail = report->stages[finding->stage].detail;

	return report->stages[finding->stage].any && detail && !strcmp(detail, finding->def->name);
}

bool screen_stages_tell(const struct report *report, const struct group *group)
{
	if (!screen_stages_tell_id(report, group->first))
		return false;
	for (const struct group *earlier = report->groups; earlier < group; earlier++)
		if (earlier->first->id == group->first->id)
			return false;
	return true;
}

static void put_outcome(struct term_writer *term, enum outcome outcome, bool caused)
{
	const char *word = outcome == OUTCOME_FAIL ? "FAIL" : outcome_name(outcome);

	term_put(term, style_of(outcome), caused ? "caused" : word);
}

static void put_detail(struct screen *screen, const struct report_stage *stage, const struct finding *symptom)
{
	if (symptom)
		term_right(&screen->term, STYLE_DIM,
			   arena_printf(&screen->arena, "by %s", symptom->caused_by->def->name));
	else if (stage->detail)
		term_right(&screen->term, STYLE_DIM, stage->detail);
}

static void put_stage(struct screen *screen, enum stage number)
{
	const struct report_stage *stage = &screen->report->stages[number];
	const struct finding *symptom = phrase_symptom(screen->report, number);
	struct term_writer *term = &screen->term;

	term_put(term, STYLE_PLAIN, arena_printf(&screen->arena, "%2d", (int)number + 1));
	term_move(term, NAME_COLUMN);
	term_put(term, STYLE_PLAIN, stage_name(number));
	term_move(term, OUTCOME_COLUMN);
	put_outcome(term, stage->outcome, symptom);
	term_move(term, SUMMARY_COLUMN);
	term_flow(term, SUMMARY_COLUMN, phrase_stage(screen->report, number));
	put_detail(screen, stage, symptom);
	term_end_line(term);
}

void screen_stages(struct screen *screen)
{
	for (int stage = 0; stage < NR_STAGES; stage++)
		if (screen->report->stages[stage].any)
			put_stage(screen, (enum stage)stage);
}

/* ---- what was measured, as a table under the stages */

enum { TEST, SUBJECT, MEDIAN, RANGE, SAMPLES, SIZE, NOISY, OPEN, NR_COLUMNS };

enum { INDENT = 4 };

static const struct table_column columns[NR_COLUMNS] = {
	[TEST] = { .head = "timing", .cut = true },
	[SUBJECT] = { .head = "of", .cut = true },
	[MEDIAN] = { .head = "median" },
	[RANGE] = { .head = "p5–p95", .leave = 3 },
	[SAMPLES] = { .head = "n", .right = true, .leave = 2 },
	[SIZE] = { .head = "size", .leave = 1 },
	[NOISY] = { .head = "", .leave = 5, .style = STYLE_WARN },
	[OPEN] = { .head = "", .leave = 4, .style = STYLE_DIM },
};

static void add_row(struct table *table, const struct term_writer *term, const struct report_timing *timing)
{
	const struct phrase_figures figures = phrase_figures(table->arena, timing);
	const char *const cells[NR_COLUMNS] = {
		[TEST] = timing->key, [SUBJECT] = timing->subject.name, [MEDIAN] = figures.median,
		[RANGE] = figures.range,
		[SAMPLES] = figures.samples, [SIZE] = figures.size,
		[NOISY] = timing->noisy ? phrase_timing_doubt(timing) : "",
		[OPEN] = timing->noisy ? "" : phrase_timing_doubt(timing),
	};

	table_add(table, term, cells);
}

void screen_timings(struct screen *screen)
{
	const struct report *report = screen->report;
	const struct report_timing **told;
	struct table table;
	size_t nr, left_out;

	if (!report->nr_timings)
		return;
	told = phrase_timings(&screen->arena, report, &nr);
	table_open(&table, &screen->arena, &screen->term, columns, NR_COLUMNS, INDENT);
	for (size_t i = 0; i < nr; i++)
		add_row(&table, &screen->term, told[i]);
	term_end_line(&screen->term);
	if (table.nr_rows > 1)
		table_put(&table, &screen->term);
	left_out = report->nr_timings - nr;
	if (left_out) {
		term_flow(&screen->term, INDENT, phrase_timings_left_out(&screen->arena, left_out));
		term_end_line(&screen->term);
	}
}
