// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/html_timings.h"

#include <math.h>

#include "render/html_report.h"
#include "render/phrases.h"

enum {
	MOST_ROWS = 256,		/* of all that was measured */
	SPREAD_WIDTH = 160, SPREAD_HEIGHT = 16,
};

/* ---- the drawing of a row: least to most as a line, p5 to p95 as a bar, the median across it */

static bool is_drawable(const struct report_timing *timing)
{
	return isfinite(timing->median) && isfinite(timing->p5) && isfinite(timing->p95) && timing->p5 >= 0.0 &&
	       timing->p5 <= timing->p95;
}

/* The largest of its test, where the scale ends; 0: there is none. */
static double scale_of(const struct report_timing *timing, const struct report_timing *const *timings, size_t nr)
{
	double most = 0.0;

	for (size_t i = 0; i < nr; i++)
		if (is_drawable(timings[i]) && timings[i]->unit == timing->unit &&
		    !strcmp(timings[i]->test, timing->test))
			most = fmax(most, fmax(timings[i]->p95, timings[i]->median));
	return most;
}

static double place(double value, double scale)
{
	return SPREAD_WIDTH * fmin(fmax(value / scale, 0.0), 1.0);
}

/* "" where a figure is not known. */
static const char *spread_cell(struct html *html, const struct report_timing *timing,
			       const struct phrase_figures *figures, double scale)
{
	double low, high;

	if (!is_drawable(timing) || !(scale > 0.0))
		return "";
	low = place(timing->p5, scale);
	high = fmax(place(timing->p95, scale), low + 1.0);
	return arena_printf(
		&html->arena,
		"<svg class=\"spread\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">"
		"<title>median %s, p5 to p95 %s</title><path class=\"axis\" d=\"M0 8H%d\"/>"
		"<rect x=\"%.1f\" y=\"4\" width=\"%.1f\" height=\"8\"/><path stroke-width=\"2\" d=\"M%.1f 1V15\"/></svg>",
		SPREAD_WIDTH, SPREAD_HEIGHT, SPREAD_WIDTH, SPREAD_HEIGHT, html_cell(html, figures->median),
		html_cell(html, figures->range), SPREAD_WIDTH, low, high - low,
		fmin(fmax(place(timing->median, scale), 1.0), SPREAD_WIDTH - 1.0));
}

/* ---- tables */

void html_timing_table(struct html *html, const char *label, const struct report_timing *const *timings, size_t nr)
{
	static const struct html_column columns[] = {
		{ .head = "Timing" }, { .head = "Of" }, { .head = "Median", .right = true },
		{ .head = "p5\xe2\x80\x93p95", .right = true }, { .head = "Spread, from 0" }, { .head = "" },
		{ .head = "n", .right = true }, { .head = "Size", .right = true },
	};
	struct html_table table;

	html_table_open(&table, html, label, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < nr; i++) {
		const struct phrase_figures figures = phrase_figures(&html->arena, timings[i]);
		const char *doubt = phrase_timing_doubt(timings[i]);

		html_table_add(&table, (const char *[]){
			html_code_cell(html, timings[i]->key),
			strcmp(label, timings[i]->subject.name) != 0 ? html_cell(html, timings[i]->subject.name) : "",
			html_cell(html, figures.median), html_cell(html, figures.range),
			spread_cell(html, timings[i], &figures, scale_of(timings[i], timings, nr)),
			html_word_cell(html, STYLE_WARN, doubt), html_cell(html, figures.samples),
			html_cell(html, figures.size),
		});
	}
	html_table_put(&table);
}

static bool is_first_of_test(const struct report_timing *const *timings, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(timings[i]->test, timings[at]->test))
			return false;
	return true;
}

void html_timing_methods(struct html *html, const struct report_timing *const *timings, size_t nr)
{
	bool any = false;

	for (size_t i = 0; i < nr; i++) {
		if (!timings[i]->method || !is_first_of_test(timings, i))
			continue;
		if (!any) {
			html_fold(html, false);
			html_text(html, "How they were measured");
			html_fold_body(html);
			html_put(html, "<ul>\n");
		}
		any = true;
		html_element(html, "li", NULL,
			     arena_printf(&html->arena, "%s: %s", timings[i]->test, timings[i]->method));
	}
	if (!any)
		return;
	html_put(html, "</ul>\n");
	html_fold_end(html);
}

/* ---- of a report */

static void put_all(struct html_page *page)
{
	const struct report *report = page->report;
	struct html *html = &page->html;
	const struct report_timing **all = arena_alloc(&html->arena, report->nr_timings * sizeof(*all));
	size_t nr = report->nr_timings < MOST_ROWS ? report->nr_timings : MOST_ROWS;

	for (size_t i = 0; i < report->nr_timings; i++)
		all[i] = &report->timings[i];
	html_fold(html, false);
	strbuf_addf(html->out, "All of %zu timings", report->nr_timings);
	html_fold_body(html);
	html_timing_table(html, "All timings", all, nr);
	if (report->nr_timings > nr)
		html_element(html, "p", "dim", phrase_timings_left_out(&html->arena, report->nr_timings - nr));
	html_fold_end(html);
}

void html_timings(struct html_page *page)
{
	const struct report *report = page->report;
	struct html *html = &page->html;
	const struct report_timing **told;
	size_t nr;

	if (!report->nr_timings)
		return;
	told = phrase_timings(&html->arena, report, &nr);
	html_section(html, "timings", "Timings");
	html_timing_table(html, "Timings", told, nr);
	if (nr < report->nr_timings)
		put_all(page);
	html_timing_methods(html, told, nr);
	html_section_end(html);
}
