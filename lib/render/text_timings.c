// SPDX-License-Identifier: GPL-2.0-or-later
/* text_timings.c - what was measured, as a table. */
#include "base/compat.h"
#include "render/screen.h"
#include "render/table.h"

enum { TEST, SUBJECT, MEDIAN, RANGE, SAMPLES, SIZE, NOISY, OPEN, NR_COLUMNS };

enum {
	INDENT = 4,
	ALL_OF_A_TEST = 4,	/* of more subjects the lowest and the highest are shown */
};

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

/* "12.1–12.4 GB/s", the unit said once where it is the same. */
static void add_range(struct strbuf *out, const struct report_timing *timing)
{
	STRBUF_AUTO high = STRBUF_INIT;
	const char *unit;

	unit_format(out, timing->unit, timing->p5);
	unit_format(&high, timing->unit, timing->p95);
	unit = strchr(high.buf, ' ');
	if (unit && out->len >= strlen(unit) && !strcmp(out->buf + out->len - strlen(unit), unit))
		strbuf_setlen(out, out->len - strlen(unit));
	strbuf_addf(out, "–%s", high.buf);
}

static void add_row(struct table *table, const struct page *page, const struct report_timing *timing)
{
	STRBUF_AUTO median = STRBUF_INIT;
	STRBUF_AUTO range = STRBUF_INIT;
	STRBUF_AUTO size = STRBUF_INIT;

	unit_format(&median, timing->unit, timing->median);
	add_range(&range, timing);
	if (timing->has_size)
		unit_format_u64(&size, UNIT_BYTES, timing->size_bytes);
	const char *const cells[NR_COLUMNS] = {
		[TEST] = timing->key, [SUBJECT] = timing->subject.name, [MEDIAN] = median.buf, [RANGE] = range.buf,
		[SAMPLES] = arena_printf(table->arena, "%zu", timing->n), [SIZE] = size.buf,
		[NOISY] = timing->noisy ? "noisy" : "",
		[OPEN] = timing->noisy || bool_or(timing->timing->settled, true) ? "" : "not settled",
	};

	table_add(table, page, cells);
}

static bool is_same_test(const struct report_timing *a, const struct report_timing *b)
{
	return !strcmp(a->key, b->key);
}

/* One of a sweep over sizes: "h2d-pinned/65536". A screen has no room for those. */
static bool is_of_sweep(const struct report_timing *timing)
{
	const char *suffix = strchr(timing->key, '/');

	return suffix && suffix[1] >= '0' && suffix[1] <= '9';
}

/* The rows of the test that timing `first` begins: all of a few, the lowest and the highest of many. */
static void add_test(struct table *table, const struct page *page, const struct report *report, size_t first)
{
	const struct report_timing *timings = report->timings;
	size_t nr = 0, lowest = first, highest = first;

	for (size_t i = first; i < report->nr_timings; i++) {
		if (!is_same_test(&timings[i], &timings[first]))
			continue;
		nr++;
		lowest = timings[i].median < timings[lowest].median ? i : lowest;
		highest = timings[i].median > timings[highest].median ? i : highest;
	}
	for (size_t i = first; i < report->nr_timings; i++)
		if (is_same_test(&timings[i], &timings[first]) && (nr <= ALL_OF_A_TEST || i == lowest || i == highest))
			add_row(table, page, &timings[i]);
}

/* By test, so that twins stand together. */
static void add_rows(struct table *table, const struct page *page, const struct report *report)
{
	for (size_t i = 0; i < report->nr_timings; i++) {
		size_t first = 0;

		while (!is_same_test(&report->timings[first], &report->timings[i]))
			first++;
		if (first == i && !is_of_sweep(&report->timings[i]))
			add_test(table, page, report, i);
	}
}

void screen_timings(struct screen *screen)
{
	const struct report *report = screen->report;
	struct table table;
	size_t left_out;

	if (!report->nr_timings)
		return;
	table_open(&table, &screen->arena, &screen->page, columns, NR_COLUMNS, INDENT);
	add_rows(&table, &screen->page, report);
	page_end_line(&screen->page);
	if (table.nr_rows > 1)
		table_put(&table, &screen->page);
	left_out = report->nr_timings + 1 - table.nr_rows;
	if (left_out) {
		page_flow(&screen->page, INDENT,
			  arena_printf(&screen->arena, "%zu more, between lowest and highest of a test or of "
						       "other sizes: --format json has them all", left_out));
		page_end_line(&screen->page);
	}
}
