// SPDX-License-Identifier: GPL-2.0-or-later
/* html_bench.c - a bench as one page: drawn, and device by device with each figure's spread and method. */
#include "base/compat.h"
#include "render/bench_words.h"
#include "render/html.h"

#include "eval/facts/storage.h"
#include "render/html_findings.h"
#include "render/html_timings.h"
#include "render/phrases.h"

static void put_list(struct html *html, const struct strs *items)
{
	if (!items->nr)
		return;
	html_put(html, "<ul>\n");
	for (size_t i = 0; i < items->nr; i++)
		html_element(html, "li", NULL, items->v[i]);
	html_put(html, "</ul>\n");
}

/* ---- the head */

static const char *title_of(struct html *html, const struct bench_report *bench)
{
	size_t measured = 0, paths = bench->report.snapshot->nr_storage_paths;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < bench->nr_devices; i++)
		measured += !bench->devices[i].skipped;
	if (bench->nr_devices)
		strbuf_addf(&text, ", %zu of %zu device%s", measured, bench->nr_devices,
			    bench->nr_devices == 1 ? "" : "s");
	if (bench_has_collective(&bench->report.snapshot->request))
		strbuf_addstr(&text, bench->collective_reason ? ", no all-reduce" : ", all-reduce");
	if (paths)
		strbuf_addf(&text, ", storage at %zu path%s", paths, paths == 1 ? "" : "s");
	return text.len ? arena_printf(&html->arena, "Measured: %s", text.buf + 2) : "Nothing was measured";
}

static void put_head(struct html *html, const struct bench_report *bench)
{
	const struct snapshot *snapshot = bench->report.snapshot;
	enum style style = bench->is_complete ? STYLE_PASS : STYLE_WARN;
	const char *when = phrase_time(&html->arena, str_or(snapshot->run.taken_at, ""));

	strbuf_addf(html->out, "<header class=\"%s\">\n", html_class(style));
	html_element(html, "p", "dim",
		     arena_printf(&html->arena, "gpudiag bench · %s%s%s · %s",
				  str_or(snapshot->host.name, "a host without a name"), *when ? " · " : "", when,
				  str_or(snapshot->run.tool, "gpudiag")));
	html_put(html, "<h1>");
	html_word(html, style, bench->is_complete ? "COMPLETE" : "INCOMPLETE");
	html_put(html, " ");
	html_text(html, title_of(html, bench));
	html_put(html, "</h1>\n");
	if (is_known(snapshot->run.interrupted))
		html_element(html, "p", NULL, arena_printf(&html->arena, "Interrupted by %s: the timings so far.",
							   str_or(snapshot->run.interrupted, "")));
	html_put(html, "</header>\n");
}

static void put_charts(struct html *html, const struct bench_report *bench)
{
	STRBUF_AUTO charts = STRBUF_INIT;

	bench_svg_charts(&charts, bench, html->ascii);
	if (!charts.len)
		return;
	html_section(html, "charts", "Medians, p5 to p95 as bands and whiskers");
	html_put(html, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Charts\">\n");
	html_put(html, charts.buf);
	html_put(html, "</div>\n");
	html_section_end(html);
}

/* ---- devices */

static void put_device(struct html *html, const struct bench_device *device)
{
	const struct report_timing **timings = arena_alloc(&html->arena, (device->nr_timings + 1) * sizeof(*timings));
	const char *conditions =
		device->has_conditions ? bench_condition_words(&html->arena, &device->conditions) : NULL;
	struct strs gaps = { .nr = 0 };

	for (size_t i = 0; i < device->nr_timings; i++)
		timings[i] = &device->timings[i];
	html_element(html, "h3", NULL, bench_device_words(&html->arena, device));
	html_element(html, "p", "dim", device->driver);
	html_timing_table(html, device->subject.name, timings, device->nr_timings);
	if (conditions)
		html_element(html, "p", NULL, arena_printf(&html->arena, "Meanwhile: %s", conditions));
	bench_gaps(&html->arena, device, &gaps);
	put_list(html, &gaps);
	html_timing_methods(html, timings, device->nr_timings);
}

static void put_devices(struct html *html, const struct bench_report *bench)
{
	if (!bench->nr_devices)
		return;
	html_section(html, "devices", "Devices");
	for (size_t i = 0; i < bench->nr_devices; i++)
		put_device(html, &bench->devices[i]);
	html_section_end(html);
}

/* ---- all_reduce_perf */

static void put_sizes(struct html *html, const struct collective_test *test)
{
	struct html_column columns[BENCH_COLLECTIVE_COLUMNS];
	struct html_table table;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		columns[i] = (struct html_column){ .head = bench_collective_head(i), .right = true };
	html_table_open(&table, html, "All-reduce by size", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < test->nr_sizes; i++) {
		const char *cells[BENCH_COLLECTIVE_COLUMNS];

		bench_collective_cells(&html->arena, &test->sizes[i], cells);
		for (size_t k = 0; k < ARRAY_SIZE(cells); k++)
			cells[k] = html_cell(html, cells[k]);
		html_table_add(&table, cells);
	}
	html_table_put(&table);
}

static void put_collective(struct html *html, const struct bench_report *bench)
{
	const struct collective_test *test = bench_collective_test(bench);
	const struct report *report = &bench->report;

	if (!bench_has_collective(&report->snapshot->request))
		return;
	html_section(html, "collective", bench_collective_words(&html->arena, bench));
	for (size_t i = 0; i < report->nr_findings; i++)
		html_finding(html, report->findings[i]);
	if (bench->collective_reason)
		html_element(html, "p", NULL, arena_printf(&html->arena, "Not measured: %s", bench->collective_reason));
	if (test)
		put_sizes(html, test);
	if (test && is_known(test->arguments))
		html_command(html,
			     arena_printf(&html->arena, "%s %s", str_or(test->key, ""), str_or(test->arguments, "")));
	html_section_end(html);
}

/* ---- storage */

static void put_path(struct html *html, const struct storage_path *path)
{
	struct html_column columns[BENCH_STORAGE_COLUMNS];
	const char *why = storage_why_not(&html->arena, path);
	struct strs gaps = { .nr = 0 };
	struct bench_storage_rows rows;
	struct html_table table;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		columns[i] = (struct html_column){ .head = bench_storage_head(i), .right = i > 0 };
	html_element(html, "h3", NULL, str_or(path->key, "?"));
	if (is_known(path->file_system))
		html_element(html, "p", "dim", storage_place(&html->arena, path));
	if (why) {
		html_element(html, "p", NULL, arena_printf(&html->arena, "Not measured: %s", why));
		return;
	}
	bench_storage_rows_of(&html->arena, path, &rows);
	html_table_open(&table, html, "Storage", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < rows.nr; i++) {
		for (size_t k = 0; k < BENCH_STORAGE_COLUMNS; k++)
			rows.cells[i][k] = html_cell(html, rows.cells[i][k]);
		html_table_add(&table, rows.cells[i]);
	}
	html_table_put(&table);
	bench_storage_gaps(&html->arena, path, &gaps);
	put_list(html, &gaps);
	html_element(html, "p", "dim", str_or(path->method, NULL));
}

static void put_storage(struct html *html, const struct snapshot *snapshot)
{
	if (!snapshot->nr_storage_paths)
		return;
	html_section(html, "storage", "Storage");
	for (size_t i = 0; i < snapshot->nr_storage_paths; i++)
		put_path(html, &snapshot->storage_paths[i]);
	html_section_end(html);
}

void render_bench_html(struct strbuf *out, const struct bench_report *bench, const struct render_options *options)
{
	const struct snapshot *snapshot = bench->report.snapshot;
	STRBUF_AUTO title = STRBUF_INIT;
	struct html html;

	strbuf_addf(&title, "gpudiag bench: %s", str_or(snapshot->host.name, "a host without a name"));
	html_open(&html, out, options, title.buf);
	put_head(&html, bench);
	put_charts(&html, bench);
	put_devices(&html, bench);
	put_collective(&html, bench);
	put_storage(&html, snapshot);
	html_close(&html);
}
