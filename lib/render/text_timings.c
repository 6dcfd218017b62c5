// SPDX-License-Identifier: GPL-2.0-or-later
/* text_timings.c - what was measured, as a table. */
#include "base/compat.h"
#include "render/screen.h"
#include "render/table.h"
#include "render/phrases.h"

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
		[TEST] = timing->key, [SUBJECT] = timing->subject.name, [MEDIAN] = figures.median, [RANGE] = figures.range,
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
