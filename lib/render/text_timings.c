// SPDX-License-Identifier: GPL-2.0-or-later
/* text_timings.c - what was measured, as a table. */
#include "base/compat.h"
#include "render/screen.h"

#include "base/text.h"

enum column { TEST, SUBJECT, MEDIAN, RANGE, SAMPLES, SIZE, NOISY, NR_COLUMNS };

enum {
	INDENT = 4,
	GAP = 2,
	ALL_OF_A_TEST = 4,	/* of more subjects the lowest and the highest are shown */
	MAX_CELL_COLUMNS = 32,	/* of what a snapshot names: tests and devices */
	LEAST_CELL_COLUMNS = 8,
};

struct table {
	struct arena *arena;
	const struct page *page;
	size_t nr;
	const char *(*rows)[NR_COLUMNS];
	size_t width[NR_COLUMNS];	/* 0: not shown */
};

static void set(struct table *table, const char **row, enum column column, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	size_t width;

	page_clean_cut(table->page, &clean, text, MAX_CELL_COLUMNS);
	width = utf8_columns(clean.buf);
	row[column] = arena_strdup(table->arena, clean.buf);
	if (table->width[column] < width)
		table->width[column] = width;
}

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

static void add_row(struct table *table, const struct report_timing *timing)
{
	const char **row = table->rows[table->nr++];
	STRBUF_AUTO median = STRBUF_INIT;
	STRBUF_AUTO range = STRBUF_INIT;
	STRBUF_AUTO size = STRBUF_INIT;

	unit_format(&median, timing->unit, timing->median);
	add_range(&range, timing);
	if (timing->has_size)
		unit_format_u64(&size, UNIT_BYTES, timing->size_bytes);
	set(table, row, TEST, timing->key);
	set(table, row, SUBJECT, timing->subject.name);
	set(table, row, MEDIAN, median.buf);
	set(table, row, RANGE, range.buf);
	set(table, row, SAMPLES, arena_printf(table->arena, "%zu", timing->n));
	set(table, row, SIZE, size.buf);
	set(table, row, NOISY, timing->noisy ? "noisy" : bool_or(timing->timing->settled, true) ? "" : "not settled");
}

static void add_head(struct table *table)
{
	static const char *const words[NR_COLUMNS] = {
		[TEST] = "timing", [SUBJECT] = "of", [MEDIAN] = "median", [RANGE] = "p5–p95",
		[SAMPLES] = "n", [SIZE] = "size", [NOISY] = "",
	};
	const char **row = table->rows[table->nr++];

	for (int column = 0; column < NR_COLUMNS; column++)
		set(table, row, (enum column)column, words[column]);
}

static size_t table_columns(const struct table *table)
{
	size_t columns = INDENT - GAP;

	for (int column = 0; column < NR_COLUMNS; column++)
		columns += table->width[column] ? table->width[column] + GAP : 0;
	return columns;
}

/* Takes from a column what the page is too narrow for, down to what is left of use. */
static void narrow(struct table *table, enum column column)
{
	size_t columns = table_columns(table), *width = &table->width[column];
	size_t over = columns > table->page->columns ? columns - table->page->columns : 0;

	if (*width > LEAST_CELL_COLUMNS)
		*width = *width - LEAST_CELL_COLUMNS > over ? *width - over : LEAST_CELL_COLUMNS;
}

/* Narrow pages: names are cut first, then columns go that a reader misses least. */
static void fit(struct table *table)
{
	static const enum column least_missed[] = { SIZE, SAMPLES, RANGE, NOISY };

	narrow(table, SUBJECT);
	narrow(table, TEST);
	for (size_t i = 0; i < ARRAY_SIZE(least_missed) && table_columns(table) > table->page->columns; i++)
		table->width[least_missed[i]] = 0;
}

static void put_row(struct page *page, const struct table *table, const char *const *row, enum ink ink)
{
	size_t start = INDENT;

	for (int column = 0; column < NR_COLUMNS; column++) {
		size_t width = table->width[column];
		STRBUF_AUTO cell = STRBUF_INIT;

		if (!width)
			continue;
		page_clean_cut(page, &cell, row[column], width);
		page_move(page, column == SAMPLES ? start + width - utf8_columns(cell.buf) : start);
		page_put(page, column == NOISY ? INK_WARN : ink, cell.buf);
		start += width + GAP;
	}
	page_end_line(page);
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
static void add_test(struct table *table, const struct report *report, size_t first)
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
			add_row(table, &timings[i]);
}

/* By test, so that twins stand together. */
static void add_rows(struct table *table, const struct report *report)
{
	for (size_t i = 0; i < report->nr_timings; i++) {
		size_t first = 0;

		while (!is_same_test(&report->timings[first], &report->timings[i]))
			first++;
		if (first == i && !is_of_sweep(&report->timings[i]))
			add_test(table, report, i);
	}
}

void screen_timings(struct screen *screen)
{
	const struct report *report = screen->report;
	struct table table = { .arena = &screen->arena, .page = &screen->page };
	size_t left_out;

	if (!report->nr_timings)
		return;
	table.rows = arena_alloc(&screen->arena, (report->nr_timings + 1) * sizeof(*table.rows));
	add_head(&table);
	add_rows(&table, report);
	fit(&table);
	page_end_line(&screen->page);
	for (size_t i = 0; i < table.nr; i++)
		put_row(&screen->page, &table, table.rows[i], i ? INK_PLAIN : INK_DIM);
	left_out = report->nr_timings + 1 - table.nr;
	if (left_out) {
		page_flow(&screen->page, INDENT,
			  arena_printf(&screen->arena, "%zu more, between lowest and highest of a test or of "
						       "other sizes: --format json has them all", left_out));
		page_end_line(&screen->page);
	}
}
