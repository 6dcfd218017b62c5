// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_table.c - what was measured, device by device: each figure with its spread and how it was come by. */
#include "base/compat.h"
#include "render/bench_words.h"
#include "render/term_writer.h"
#include "render/table.h"

enum { TEST, SIZE, MEDIAN, RANGE, LEAST, MAD, SAMPLES, CLOCK, FOUND, NOISY, OPEN, NR_COLUMNS };

static const struct table_column columns[NR_COLUMNS] = {
	[TEST] = { .head = "test", .cut = true },
	[SIZE] = { .head = "size", .right = true, .leave = 7 },
	[MEDIAN] = { .head = "median", .right = true },
	[RANGE] = { .head = "p5–p95", .leave = 6 },
	[LEAST] = { .head = "min", .right = true, .leave = 1 },
	[MAD] = { .head = "MAD", .right = true, .leave = 3 },
	[SAMPLES] = { .head = "n", .right = true, .leave = 4 },
	[CLOCK] = { .head = "clock", .leave = 8 },
	[FOUND] = { .head = "found best", .leave = 2 },
	[NOISY] = { .head = "", .leave = 9, .style = STYLE_WARN },
	[OPEN] = { .head = "", .leave = 5, .style = STYLE_DIM },
};

/* "12.1–12.4 GB/s", the unit said once where it is the same. */
static const char *range(struct arena *arena, const struct report_timing *timing)
{
	const char *low = bench_figure(arena, timing->unit, timing->p5);
	const char *high = bench_figure(arena, timing->unit, timing->p95);
	const char *low_unit = strchr(low, ' '), *high_unit = strchr(high, ' ');

	if (low_unit && high_unit && !strcmp(low_unit, high_unit))
		return arena_printf(arena, "%.*s–%s", (int)(low_unit - low), low, high);
	return arena_printf(arena, "%s–%s", low, high);
}

/* As a part of the median, which is what "noisy" goes by: "1.3 %". */
static const char *scatter(struct arena *arena, const struct report_timing *timing)
{
	return timing->median > 0.0 ? arena_printf(arena, "%.1f %%", 100.0 * timing->mad / timing->median) : "";
}

/* The width of a vector and the items of a group, where they were tried. */
static const char *found(struct arena *arena, const struct report_timing *timing)
{
	unsigned long long width = u64_or(timing->timing->vector_width, 0);
	unsigned long long items = u64_or(timing->timing->local_items, 0);
	unsigned long long rows = u64_or(timing->timing->rows, 0);

	if (width && items && rows > 1)
		return arena_printf(arena, "width %llu, groups of %llu, %llu rows", width, items, rows);
	if (width && items)
		return arena_printf(arena, "width %llu, groups of %llu", width, items);
	if (width)
		return arena_printf(arena, "width %llu", width);
	return items ? arena_printf(arena, "groups of %llu", items) : "";
}

static void add_row(struct table *table, const struct term_writer *term, const struct bench_series *series,
		    const struct report_timing *timing)
{
	struct arena *arena = table->arena;
	STRBUF_AUTO size = STRBUF_INIT;
	const char *cells[NR_COLUMNS] = {
		[TEST] = series->name,
		[MEDIAN] = bench_figure(arena, timing->unit, timing->median),
		[RANGE] = range(arena, timing),
		[LEAST] = bench_figure(arena, timing->unit, timing->min),
		[MAD] = scatter(arena, timing),
		[SAMPLES] = arena_printf(arena, "%zu", timing->n),
		[CLOCK] = bench_clock_words(timing),
		[FOUND] = found(arena, timing),
		[NOISY] = timing->noisy ? "noisy" : "",
		[OPEN] = bool_or(timing->timing->settled, true) ? "" : "not settled",
	};

	if (timing->has_size)
		unit_format_u64(&size, UNIT_BYTES, timing->size_bytes);
	cells[SIZE] = size.buf;
	table_add(table, term, cells);
}

static void put_figures(struct term_writer *term, struct arena *arena, const struct bench_series_list *all,
			const struct bench_device *device)
{
	struct table table;

	table_open(&table, arena, term, columns, NR_COLUMNS, BENCH_INDENT);
	for (size_t i = 0; i < all->nr; i++)
		for (size_t k = 0; all->items[i].device == device && k < all->items[i].nr; k++)
			add_row(&table, term, &all->items[i], &all->items[i].points[k]);
	table_put(&table, term);
}

static void put_device(struct term_writer *term, struct arena *arena, const struct bench_series_list *all,
		       const struct bench_device *device)
{
	const char *conditions = device->has_conditions ? bench_condition_words(arena, &device->conditions) : NULL;
	struct strs gaps = { .nr = 0 };

	term_flow(term, 0, bench_device_words(arena, device));
	if (device->driver)
		term_fact(term, BENCH_INDENT, device->driver);
	term_end_line(term);
	if (device->nr_timings)
		put_figures(term, arena, all, device);
	if (conditions)
		bench_put_line(term, STYLE_DIM, "meanwhile: ", conditions);
	bench_gaps(arena, device, &gaps);
	for (size_t i = 0; i < gaps.nr; i++)
		bench_put_line(term, STYLE_WARN, "", gaps.v[i]);
}

/* Methods are the same on all devices but for the clock, which stands beside each figure. */
static void put_methods(struct term_writer *term, struct arena *arena, const struct bench_series_list *all)
{
	for (size_t i = 0; i < all->nr; i++) {
		const struct report_timing *timing = all->items[i].points;
		bool is_first = timing->method != NULL;

		for (size_t k = 0; k < i && is_first; k++)
			is_first = strcmp(all->items[k].points->test, timing->test) != 0;
		if (is_first)
			bench_put_line(term, STYLE_DIM, arena_printf(arena, "%s: ", timing->test), timing->method);
	}
}

void render_bench_table(struct strbuf *out, const struct bench_report *bench, const struct render_options *options)
{
	struct arena arena = { .blocks = NULL };
	struct bench_series_list all;
	struct term_writer term;

	term_open(&term, out, options);
	bench_series_of(&arena, bench, &all);
	for (size_t i = 0; i < bench->nr_devices; i++) {
		put_device(&term, &arena, &all, &bench->devices[i]);
		term_end_line(&term);
	}
	if (all.nr)
		put_methods(&term, &arena, &all);
	bench_collective_put(&term, &arena, bench);
	bench_storage_put(&term, &arena, bench->report.snapshot);
	arena_release(&arena);
}

const struct bench_format bench_formats[] = {
	{ .name = "table", .render = render_bench_table },
	{ .name = "json", .render = render_bench_json },
	{ .name = "csv", .render = render_bench_csv },
	{ .name = "plot", .render = render_bench_plot },
	{ .name = "html", .render = render_bench_html },
	{ .name = NULL },
};
