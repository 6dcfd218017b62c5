// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_svg.c - what was measured, drawn as SVG 1.1. Alone it is one file that
 * needs no other, on white, so that it reads the same in a dark window and on
 * paper; in a page of HTML texts and axes have the page's colour. Colours of
 * series are those of Okabe and Ito, which the colour-blind tell apart; lines
 * differ in their dashes too. No text is cut: columns are as wide as their
 * labels, and captions have as many lines as they need.
 */
#include "base/compat.h"
#include "render/bench_chart.h"
#include "render/svg_text.h"
#include "render/xml.h"

#include <math.h>

enum {
	MARGIN = 20,
	LEAST_LEFT = 110,		/* of the axes */
	LEAST_RIGHT = 250,		/* of what stands right of them */
	PLOT_WIDTH = 600,
	KEY_WIDTH = 54,			/* of a curve's line beside its label */
	CURVE_HEIGHT = 260,
	BAR_HEIGHT = 18,
	BAR_GAP = 8,
	PANEL_TOP = 34,			/* from a panel's begin to its axes: its title */
	PANEL_BOTTOM = 56,		/* below the axes: sizes, and what they are */
	LINE_HEIGHT = 17,
	TITLE_HEIGHT = 26,		/* of each line of the title */
	TITLE_SIZE = 18, HEADING_SIZE = 14, LABEL_SIZE = 12, CAPTION_SIZE = 11,	/* of fonts */
};

/* How wide a column of text is at most, as a part of the font's size. */
#define COLUMN_WIDTH 0.67

static const char *const colours[] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "currentColor", "#8a7f00",
};
static const char *const dashes[] = { "none", "7 3", "2 3", "9 3 2 3" };

static const char *colour_of(size_t series)
{
	return colours[series % ARRAY_SIZE(colours)];
}

struct svg {
	struct strbuf *out;
	bool ascii;
	double left, width;		/* of the axes; of all */
	struct arena arena;
};

/* ---- texts */

static double text_width(const struct svg *svg, unsigned size, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	render_clean(&clean, text, svg->ascii);
	return (double)svg_text_columns(clean.buf) * size * COLUMN_WIDTH;
}

static size_t columns_across(const struct svg *svg, unsigned size)
{
	return (size_t)((svg->width - 2 * MARGIN) / (size * COLUMN_WIDTH));
}

/* anchor: start, middle or end. */
static void put_text(struct svg *svg, double x, double y, unsigned size, const char *anchor, const char *text)
{
	strbuf_addf(svg->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%u\" text-anchor=\"%s\">", x, y, size, anchor);
	xml_text(svg->out, text, svg->ascii);
	strbuf_addstr(svg->out, "</text>\n");
}

/* A line of the grid, or an axis. */
static void put_line(struct svg *svg, double x1, double y1, double x2, double y2, bool is_grid)
{
	strbuf_addf(svg->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"currentColor\"%s/>\n", x1,
		    y1, x2, y2, is_grid ? " stroke-opacity=\"0.2\"" : "");
}

/* ---- curves */

struct frame {
	const struct bench_chart *chart;
	struct bench_axis axis;
	double left, top;	/* of the axes */
};

static double x_of(const struct frame *frame, const struct report_timing *timing)
{
	return frame->left + PLOT_WIDTH * bench_size_place(frame->chart, timing->size_bytes);
}

static double share_of(const struct bench_axis *axis, double value)
{
	return value > 0.0 ? fmin(value / axis->end, 1.0) : 0.0;
}

static double y_of(const struct frame *frame, double value)
{
	return frame->top + CURVE_HEIGHT * (1.0 - share_of(&frame->axis, value));
}

static void put_axes(struct svg *svg, const struct frame *frame)
{
	const double left = svg->left, right = left + PLOT_WIDTH, bottom = frame->top + CURVE_HEIGHT;
	uint64_t *sizes;
	size_t nr = bench_chart_sizes(&svg->arena, frame->chart, &sizes), every = (nr + 15) / 16;

	for (size_t i = 0, marks = bench_axis_marks(&frame->axis); i < marks; i++) {
		double value = (double)i * frame->axis.step;

		put_line(svg, left, y_of(frame, value), right, y_of(frame, value), true);
		put_text(svg, left - 8, y_of(frame, value) + 4, LABEL_SIZE, "end",
			 bench_figure(&svg->arena, frame->chart->unit, value));
	}
	for (size_t i = 0; i < nr; i += every) {
		double x = left + PLOT_WIDTH * bench_size_place(frame->chart, sizes[i]);

		put_line(svg, x, bottom, x, bottom + 5, false);
		put_text(svg, x, bottom + 19, LABEL_SIZE, "middle", bench_size_words(&svg->arena, sizes[i]));
	}
	put_line(svg, left, bottom, right, bottom, false);
	put_line(svg, left, frame->top, left, bottom, false);
	put_text(svg, left + PLOT_WIDTH / 2.0, bottom + 38, LABEL_SIZE, "middle", "bytes of a transfer, K = 1024");
}

/* From p5 to p95. */
static void put_band(struct svg *svg, const struct frame *frame, size_t which)
{
	const struct bench_series *series = frame->chart->series[which];

	strbuf_addf(svg->out, "<polygon fill=\"%s\" fill-opacity=\"0.12\" points=\"", colour_of(which));
	for (size_t i = 0; i < series->nr; i++)
		strbuf_addf(svg->out, "%.1f,%.1f ", x_of(frame, &series->points[i]),
			    y_of(frame, series->points[i].p95));
	for (size_t i = series->nr; i-- > 0;)
		strbuf_addf(svg->out, "%.1f,%.1f ", x_of(frame, &series->points[i]), y_of(frame, series->points[i].p5));
	strbuf_addstr(svg->out, "\"/>\n");
}

static void put_curve(struct svg *svg, const struct frame *frame, size_t which)
{
	const struct bench_series *series = frame->chart->series[which];
	const char *dash = dashes[which / ARRAY_SIZE(colours) % ARRAY_SIZE(dashes)];
	double y = frame->top + 10 + (double)which * LINE_HEIGHT, right = svg->left + PLOT_WIDTH;

	strbuf_addf(svg->out,
		    "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"",
		    colour_of(which), dash);
	for (size_t i = 0; i < series->nr; i++)
		strbuf_addf(svg->out, "%.1f,%.1f ", x_of(frame, &series->points[i]),
			    y_of(frame, series->points[i].median));
	strbuf_addstr(svg->out, "\"/>\n");
	for (size_t i = 0; i < series->nr; i++)
		strbuf_addf(svg->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
			    x_of(frame, &series->points[i]), y_of(frame, series->points[i].median), colour_of(which));
	strbuf_addf(svg->out,
		    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" "
		    "stroke-dasharray=\"%s\"/>\n", right + 20, y, right + KEY_WIDTH - 8, y, colour_of(which), dash);
	put_text(svg, right + KEY_WIDTH, y + 4, LABEL_SIZE, "start", frame->chart->labels[which]);
}

static double curves_height(const struct bench_chart *chart)
{
	double legend = (double)chart->nr * LINE_HEIGHT;

	return PANEL_TOP + PANEL_BOTTOM + (legend > CURVE_HEIGHT ? legend : CURVE_HEIGHT);
}

static void put_curves(struct svg *svg, const struct bench_chart *chart, double top)
{
	const struct frame frame = {
		.chart = chart, .axis = bench_value_axis(chart), .left = svg->left, .top = top + PANEL_TOP,
	};

	put_axes(svg, &frame);
	for (size_t i = 0; i < chart->nr; i++)
		put_band(svg, &frame, i);
	for (size_t i = 0; i < chart->nr; i++)
		put_curve(svg, &frame, i);
}

/* ---- bars */

static double bars_height(const struct bench_chart *chart)
{
	return PANEL_TOP + (double)chart->nr * (BAR_HEIGHT + BAR_GAP) + PANEL_BOTTOM;
}

static const char *bar_words(struct svg *svg, const struct report_timing *timing)
{
	return arena_printf(&svg->arena, "%s%s", bench_figure(&svg->arena, timing->unit, timing->median),
			    timing->noisy ? ", noisy" : "");
}

static void put_bar(struct svg *svg, const struct bench_chart *chart, const struct bench_axis *axis, size_t which,
		    double top)
{
	const struct report_timing *timing = chart->series[which]->points;
	double middle = top + BAR_HEIGHT / 2.0, width = PLOT_WIDTH * share_of(axis, timing->median);
	double low = svg->left + PLOT_WIDTH * share_of(axis, timing->p5);
	double high = svg->left + PLOT_WIDTH * share_of(axis, timing->p95);

	put_text(svg, svg->left - 8, middle + 4, LABEL_SIZE, "end", chart->labels[which]);
	strbuf_addf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", svg->left,
		    top, width, BAR_HEIGHT, colour_of(0));
	strbuf_addf(
		svg->out,
		"<path d=\"M%.1f %.1fV%.1fM%.1f %.1fH%.1fM%.1f %.1fV%.1f\" stroke=\"currentColor\" fill=\"none\"/>\n",
		low, middle - 4, middle + 4, low, middle, high, high, middle - 4, middle + 4);
	put_text(svg, svg->left + PLOT_WIDTH + 12, middle + 4, LABEL_SIZE, "start", bar_words(svg, timing));
}

static void put_bars(struct svg *svg, const struct bench_chart *chart, double top)
{
	const struct bench_axis axis = bench_value_axis(chart);
	double begin = top + PANEL_TOP, bottom = begin + (double)chart->nr * (BAR_HEIGHT + BAR_GAP);

	for (size_t i = 0, marks = bench_axis_marks(&axis); i < marks; i++) {
		double value = (double)i * axis.step;
		double x = svg->left + PLOT_WIDTH * value / axis.end;

		put_line(svg, x, begin - 4, x, bottom, true);
		put_text(svg, x, bottom + 16, LABEL_SIZE, "middle", bench_figure(&svg->arena, chart->unit, value));
	}
	for (size_t i = 0; i < chart->nr; i++)
		put_bar(svg, chart, &axis, i, begin + (double)i * (BAR_HEIGHT + BAR_GAP));
	put_line(svg, svg->left, begin - 4, svg->left, bottom, false);
}

/* ---- the sheet */

static const char *title_of(struct svg *svg, const struct bench_report *bench)
{
	if (!bench->nr_devices)
		return "gpudiag bench: nothing was measured";
	if (bench->nr_devices == 1)
		return arena_printf(&svg->arena, "gpudiag bench: %s", bench_device_words(&svg->arena, bench->devices));
	return arena_printf(&svg->arena, "gpudiag bench: %zu devices, the first %s", bench->nr_devices,
			    bench_device_words(&svg->arena, bench->devices));
}

/* How each test was measured, and what was not. */
static void captions(struct svg *svg, const struct bench_report *bench, const struct bench_series_list *all,
		     struct strs *ret)
{
	strs_add(&svg->arena, ret, "Medians; bands and whiskers reach from the 5th percentile to the 95th.");
	for (size_t i = 0; i < all->nr; i++) {
		const struct report_timing *timing = all->items[i].points;
		bool is_first = timing->method != NULL;

		for (size_t k = 0; k < i && is_first; k++)
			is_first = strcmp(all->items[k].points->test, timing->test) != 0;
		if (is_first)
			strs_add(&svg->arena, ret, arena_printf(&svg->arena, "%s: %s", timing->test, timing->method));
	}
	for (size_t i = 0; i < bench->nr_devices; i++) {
		const struct bench_device *device = &bench->devices[i];
		struct strs gaps = { .nr = 0 };

		if (device->has_conditions && bench_condition_words(&svg->arena, &device->conditions))
			strs_add(&svg->arena, ret,
				 arena_printf(&svg->arena, "%s meanwhile: %s", device->subject.name,
					      bench_condition_words(&svg->arena, &device->conditions)));
		bench_gaps(&svg->arena, device, &gaps);
		for (size_t k = 0; k < gaps.nr; k++)
			strs_add(&svg->arena, ret, arena_printf(&svg->arena, "%s %s", device->subject.name, gaps.v[k]));
	}
}

/* As wide as the longest label on either side of the plots needs it. */
static void fit(struct svg *svg, const struct bench_charts *charts)
{
	double left = LEAST_LEFT, right = LEAST_RIGHT;

	for (size_t i = 0; i < charts->nr; i++) {
		const struct bench_chart *chart = &charts->items[i];

		right = fmax(right, text_width(svg, HEADING_SIZE, chart->title) - PLOT_WIDTH);
		for (size_t k = 0; k < chart->nr; k++) {
			double label = text_width(svg, LABEL_SIZE, chart->labels[k]);

			if (chart->is_curve) {
				right = fmax(right, label + KEY_WIDTH);
				continue;
			}
			left = fmax(left, label + 8);
			right = fmax(right, 12 + text_width(svg, LABEL_SIZE, bar_words(svg, chart->series[k]->points)));
		}
	}
	svg->left = MARGIN + left;
	svg->width = svg->left + PLOT_WIDTH + right + MARGIN;
}

static double charts_height(const struct bench_charts *charts)
{
	double height = 0;

	for (size_t i = 0; i < charts->nr; i++)
		height += charts->items[i].is_curve ? curves_height(&charts->items[i]) : bars_height(&charts->items[i]);
	return height;
}

static void put_charts(struct svg *svg, const struct bench_charts *charts, double top)
{
	for (size_t i = 0; i < charts->nr; i++) {
		const struct bench_chart *chart = &charts->items[i];

		put_text(svg, svg->left, top + 18, HEADING_SIZE, "start", chart->title);
		if (chart->is_curve)
			put_curves(svg, chart, top);
		else
			put_bars(svg, chart, top);
		top += chart->is_curve ? curves_height(chart) : bars_height(chart);
	}
}

static void put_begin(struct svg *svg, const struct bench_report *bench, double height, bool is_document)
{
	strbuf_addf(svg->out, "<svg%s class=\"chart\" role=\"img\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n"
		    "<title>",
		    is_document ? " xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" fill=\"currentColor\" "
				  "color=\"#111111\"" : "", svg->width, height, svg->width, height);
	xml_text(svg->out, title_of(svg, bench), svg->ascii);
	strbuf_addstr(svg->out, "</title>\n");
}

/* Lines from this height down; where the next one would stand. */
static double put_lines(struct svg *svg, const struct strs *lines, double y, unsigned size, unsigned line_height)
{
	for (size_t i = 0; i < lines->nr; i++)
		put_text(svg, MARGIN, y + i * line_height, size, "start", lines->v[i]);
	return y + (double)lines->nr * line_height;
}

void render_bench_svg(struct strbuf *out, const struct bench_report *bench)
{
	struct svg svg = { .out = out };
	struct strs title = { .nr = 0 }, caption = { .nr = 0 }, lines = { .nr = 0 };
	struct bench_charts charts;
	double head, height;

	bench_charts_of(&svg.arena, bench, &charts);
	fit(&svg, &charts);
	svg_text_wrap(&svg.arena, title_of(&svg, bench), columns_across(&svg, TITLE_SIZE), false, &title);
	captions(&svg, bench, &charts.series, &caption);
	for (size_t i = 0; i < caption.nr; i++)
		svg_text_wrap(&svg.arena, caption.v[i], columns_across(&svg, CAPTION_SIZE), false, &lines);
	head = TITLE_HEIGHT * (double)title.nr + 40;
	height = head + charts_height(&charts) + (double)lines.nr * LINE_HEIGHT + MARGIN;
	strbuf_addstr(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	put_begin(&svg, bench, height, true);
	strbuf_addf(out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", svg.width, height);
	put_text(&svg, MARGIN, put_lines(&svg, &title, 30, TITLE_SIZE, TITLE_HEIGHT) - 4, LABEL_SIZE, "start",
		 arena_printf(&svg.arena, "%s, %s", str_or(bench->report.snapshot->run.taken_at, "?"),
			      str_or(bench->report.snapshot->run.tool, "gpudiag")));
	put_charts(&svg, &charts, head);
	put_lines(&svg, &lines, head + charts_height(&charts) + LINE_HEIGHT, CAPTION_SIZE, LINE_HEIGHT);
	strbuf_addstr(out, "</svg>\n");
	arena_release(&svg.arena);
}

void bench_svg_charts(struct strbuf *out, const struct bench_report *bench, bool ascii)
{
	struct svg svg = { .out = out, .ascii = ascii };
	struct bench_charts charts;

	bench_charts_of(&svg.arena, bench, &charts);
	if (charts.nr) {
		fit(&svg, &charts);
		put_begin(&svg, bench, charts_height(&charts), false);
		put_charts(&svg, &charts, 0);
		strbuf_addstr(out, "</svg>\n");
	}
	arena_release(&svg.arena);
}
