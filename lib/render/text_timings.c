// SPDX-License-Identifier: GPL-2.0-or-later
/* text_timings.c - what was measured, as a table. */
#include "base/compat.h"
#include "render/screen.h"
#include "render/table.h"
#include "render/told.h"

enum { TEST, SUBJECT, MEDIAN, RANGE, SAMPLES, SIZE, NOISY, OPEN, NR_COLUMNS };

enum { INDENT = 4 };

static const struct table_column columns[NR_COLUMNS] = {
	[TEST] = { .head = "timing", .cut = true },
	[SUBJECT] = { .head = "of", .cut = true },
	[MEDIAN] = { .head = "median" },
	[RANGE] = { .head = "p5–p95", .leave = 3 },
	[SAMPLES] = { .head = "n", .right = true, .leave = 2 },
	[SIZE] = { .head = "size", .leave = 1 },
	[NOISY] = { .head = "", .leave = 5, .ink = INK_WARN },
	[OPEN] = { .head = "", .leave = 4, .ink = INK_DIM },
};

static void add_row(struct table *table, const struct page *page, const struct report_timing *timing)
{
	const struct told_figures figures = told_figures(table->arena, timing);
	const char *const cells[NR_COLUMNS] = {
		[TEST] = timing->key, [SUBJECT] = timing->subject.name, [MEDIAN] = figures.median, [RANGE] = figures.range,
		[SAMPLES] = figures.samples, [SIZE] = figures.size,
		[NOISY] = timing->noisy ? told_timing_doubt(timing) : "",
		[OPEN] = timing->noisy ? "" : told_timing_doubt(timing),
	};

	table_add(table, page, cells);
}

void screen_timings(struct screen *screen)
{
	const struct report *report = screen->report;
	const struct report_timing **told;
	struct table table;
	size_t nr, left_out;

	if (!report->nr_timings)
		return;
	told = told_timings(&screen->arena, report, &nr);
	table_open(&table, &screen->arena, &screen->page, columns, NR_COLUMNS, INDENT);
	for (size_t i = 0; i < nr; i++)
		add_row(&table, &screen->page, told[i]);
	page_end_line(&screen->page);
	if (table.nr_rows > 1)
		table_put(&table, &screen->page);
	left_out = report->nr_timings - nr;
	if (left_out) {
		page_flow(&screen->page, INDENT, told_timings_left_out(&screen->arena, left_out));
		page_end_line(&screen->page);
	}
}
