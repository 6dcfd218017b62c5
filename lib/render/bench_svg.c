// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_svg.c - what was measured, drawn as SVG 1.1: one file that needs no
 * other, on white, so that it reads the same in a dark window and on paper.
 * Colours are those of Okabe and Ito, which the colour-blind tell apart; lines
 * differ in their dashes too.
 */
#include "base/compat.h"
#include "render/bench_chart.h"
#include "render/xml.h"

#include <math.h>

#include "base/text.h"

enum {
	WIDTH = 960,
	LEFT = 110,			/* of the axes */
	PLOT_WIDTH = 600,
	CURVE_HEIGHT = 260,
	BAR_HEIGHT = 18,
	BAR_GAP = 8,
	PANEL_TOP = 34,			/* from a panel's begin to its axes: its title */
	PANEL_BOTTOM = 56,		/* below the axes: sizes, and what they are */
	HEAD_HEIGHT = 70,
	LINE_HEIGHT = 17,
	LABEL_CHARACTERS = 26,
	CAPTION_CHARACTERS = 155,
};

static const char *const colours[] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a7f00",
};
static const char *const dashes[] = { "none", "7 3", "2 3", "9 3 2 3" };

static const char *colour_of(size_t series)
{
	return colours[series % ARRAY_SIZE(colours)];
}

struct svg {
	struct strbuf *out;
	struct arena arena;
};

/* ---- texts */

/* Cut at so many bytes, at the beginning of a character, and as XML has it. */
static void add_text(struct strbuf *out, const char *text, size_t most)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	size_t len;

	render_clean(&clean, text, false);
	len = clean.len;
	if (len > most)
		len = utf8_floor(clean.buf, most);
	xml_add(out, clean.buf, len);
	if (len < clean.len)
		strbuf_addstr(out, "…");
}

/* anchor: start, middle or end. */
static void put_text(struct svg *svg, double x, double y, unsigned size, const char *anchor, const char *text,
		     size_t most)
{
	strbuf_addf(svg->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%u\" text-anchor=\"%s\">", x, y, size, anchor);
	add_text(svg->out, text, most);
	strbuf_addstr(svg->out, "</text>\n");
}

static void put_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *colour)
{
	strbuf_addf(svg->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2,
		    colour);
}

/* ---- curves */

struct frame {
	const struct bench_chart *chart;
	struct bench_axis axis;
	double top;		/* of the axes */
};

static double x_of(const struct frame *frame, const struct report_timing *timing)
{
	return LEFT + PLOT_WIDTH * bench_size_place(frame->chart, timing->size_bytes);
}

static double y_of(const struct frame *frame, double value)
{
	double share = value / frame->axis.end;

	return frame->top + CURVE_HEIGHT * (1.0 - (share > 1.0 ? 1.0 : share));
}

static void put_axes(struct svg *svg, const struct frame *frame)
{
	const double bottom = frame->top + CURVE_HEIGHT;
	uint64_t *sizes;
	size_t nr = bench_chart_sizes(&svg->arena, frame->chart, &sizes), every = (nr + 15) / 16;

	for (size_t i = 0, marks = bench_axis_marks(&frame->axis); i < marks; i++) {
		double value = (double)i * frame->axis.step;

		put_line(svg, LEFT, y_of(frame, value), LEFT + PLOT_WIDTH, y_of(frame, value), "#dddddd");
		put_text(svg, LEFT - 8, y_of(frame, value) + 4, 12, "end",
			 bench_figure(&svg->arena, frame->chart->unit, value), LABEL_CHARACTERS);
	}
	for (size_t i = 0; i < nr; i += every) {
		double x = LEFT + PLOT_WIDTH * bench_size_place(frame->chart, sizes[i]);

		put_line(svg, x, bottom, x, bottom + 5, "#333333");
		put_text(svg, x, bottom + 19, 12, "middle", bench_size_words(&svg->arena, sizes[i]), LABEL_CHARACTERS);
	}
	put_line(svg, LEFT, bottom, LEFT + PLOT_WIDTH, bottom, "#333333");
	put_line(svg, LEFT, frame->top, LEFT, bottom, "#333333");
	put_text(svg, LEFT + PLOT_WIDTH / 2.0, bottom + 38, 12, "middle", "bytes of a transfer, K = 1024",
		 CAPTION_CHARACTERS);
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
	double y = frame->top + 10 + (double)which * LINE_HEIGHT;

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
		    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" "
		    "stroke-dasharray=\"%s\"/>\n", LEFT + PLOT_WIDTH + 20, y, LEFT + PLOT_WIDTH + 46, y,
		    colour_of(which), dash);
	put_text(svg, LEFT + PLOT_WIDTH + 54, y + 4, 12, "start", frame->chart->labels[which], LABEL_CHARACTERS);
}

static double curves_height(const struct bench_chart *chart)
{
	double legend = (double)chart->nr * LINE_HEIGHT;

	return PANEL_TOP + PANEL_BOTTOM + (legend > CURVE_HEIGHT ? legend : CURVE_HEIGHT);
}

static void put_curves(struct svg *svg, const struct bench_chart *chart, double top)
{
	const struct frame frame = { .chart = chart, .axis = bench_value_axis(chart), .top = top + PANEL_TOP };

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

static void put_bar(struct svg *svg, const struct bench_chart *chart, const struct bench_axis *axis, size_t which,
		    double top)
{
	const struct report_timing *timing = chart->series[which]->points;
	double width = PLOT_WIDTH * timing->median / axis->end, middle = top + BAR_HEIGHT / 2.0;
	double low = LEFT + PLOT_WIDTH * fmin(timing->p5 / axis->end, 1.0);
	double high = LEFT + PLOT_WIDTH * fmin(timing->p95 / axis->end, 1.0);
	/* A whisker that leaves the axis has no end. */
	double cap = timing->p95 > axis->end ? 0.0 : 4.0;

	put_text(svg, LEFT - 8, middle + 4, 12, "end", chart->labels[which], LABEL_CHARACTERS - 10);
	strbuf_addf(svg->out, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", LEFT, top,
		    width, BAR_HEIGHT, colour_of(0));
	strbuf_addf(svg->out,
		    "<path d=\"M%.1f %.1fV%.1fM%.1f %.1fH%.1fM%.1f %.1fV%.1f\" stroke=\"#000000\" fill=\"none\"/>\n",
		    low, middle - 4, middle + 4, low, middle, high, high, middle - cap, middle + cap);
	put_text(svg, LEFT + PLOT_WIDTH + 12, middle + 4, 12, "start",
		 arena_printf(&svg->arena, "%s%s", bench_figure(&svg->arena, timing->unit, timing->median),
			      timing->noisy ? ", noisy" : ""), LABEL_CHARACTERS);
}

static void put_bars(struct svg *svg, const struct bench_chart *chart, double top)
{
	const struct bench_axis axis = bench_value_axis(chart);
	double begin = top + PANEL_TOP, bottom = begin + (double)chart->nr * (BAR_HEIGHT + BAR_GAP);

	for (size_t i = 0, marks = bench_axis_marks(&axis); i < marks; i++) {
		double value = (double)i * axis.step;
		double x = LEFT + PLOT_WIDTH * value / axis.end;

		put_line(svg, x, begin - 4, x, bottom, "#dddddd");
		put_text(svg, x, bottom + 16, 12, "middle", bench_figure(&svg->arena, chart->unit, value),
			 LABEL_CHARACTERS);
	}
	for (size_t i = 0; i < chart->nr; i++)
		put_bar(svg, chart, &axis, i, begin + (double)i * (BAR_HEIGHT + BAR_GAP));
	put_line(svg, LEFT, begin - 4, LEFT, bottom, "#333333");
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

static void put_sheet(struct svg *svg, const struct bench_report *bench, const struct bench_charts *charts,
		      const struct strs *caption)
{
	double y = HEAD_HEIGHT;

	put_text(svg, 20, 30, 18, "start", title_of(svg, bench), LABEL_CHARACTERS * 4);
	put_text(svg, 20, 52, 12, "start",
		 arena_printf(&svg->arena, "%s, %s", str_or(bench->report.snapshot->run.taken_at, "?"),
			      str_or(bench->report.snapshot->run.tool, "gpudiag")), CAPTION_CHARACTERS);
	for (size_t i = 0; i < charts->nr; i++) {
		const struct bench_chart *chart = &charts->items[i];

		put_text(svg, LEFT, y + 18, 14, "start", chart->title, CAPTION_CHARACTERS);
		if (chart->is_curve)
			put_curves(svg, chart, y);
		else
			put_bars(svg, chart, y);
		y += chart->is_curve ? curves_height(chart) : bars_height(chart);
	}
	for (size_t i = 0; i < caption->nr; i++)
		put_text(svg, 20, y + (double)(i + 1) * LINE_HEIGHT, 11, "start", caption->v[i], CAPTION_CHARACTERS);
}

void render_bench_svg(struct strbuf *out, const struct bench_report *bench)
{
	struct svg svg = { .out = out };
	struct bench_charts charts;
	struct strs caption = { .nr = 0 };
	double height = HEAD_HEIGHT + 20;

	bench_charts_of(&svg.arena, bench, &charts);
	captions(&svg, bench, &charts.series, &caption);
	for (size_t i = 0; i < charts.nr; i++)
		height += charts.items[i].is_curve ? curves_height(&charts.items[i]) : bars_height(&charts.items[i]);
	height += (double)caption.nr * LINE_HEIGHT;
	strbuf_addf(out,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
		    "font-family=\"sans-serif\" fill=\"#111111\" role=\"img\">\n<title>",
		    WIDTH, height, WIDTH, height);
	add_text(out, title_of(&svg, bench), CAPTION_CHARACTERS);
	strbuf_addf(out, "</title>\n<rect width=\"%d\" height=\"%.0f\" fill=\"#ffffff\"/>\n", WIDTH, height);
	put_sheet(&svg, bench, &charts, &caption);
	strbuf_addstr(out, "</svg>\n");
	arena_release(&svg.arena);
}
