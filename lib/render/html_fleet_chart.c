// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html_fleet_chart.c - a histogram in SVG: bars, the median, the limit, and a circle for each GPU out of line. What is
 * off the axis stands in a margin on its side.
 */
#include "base/compat.h"
#include "render/html_fleet_chart.h"

#include <math.h>

#include "render/svg_text.h"

enum {
	LEFT = 56, PLOT_WIDTH = 460, WIDTH = LEFT + PLOT_WIDTH + LEFT,	/* two beside each other on a wide page */
	OFF_AXIS = 22,			/* of a circle off the axis, from the side */
	LABEL_HEIGHT = 15,
	BARS_HEIGHT = 72,
	CIRCLE_SPACE = 12, RADIUS = 4,	/* below the bars */
	MOST_CIRCLES = 24,
	LETTER = 7,			/* how wide one is, about */
};

struct drawing {
	struct html *html;
	const struct fleet *fleet;
	const struct fleet_chart *chart;
	int base;			/* below the bars */
};

const char *html_fleet_figure(struct html *html, const struct fleet_metric *metric, double value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format(&text, metric->unit, value);
	return arena_strdup(&html->arena, text.buf);
}

static double x_of(const struct drawing *drawing, double value)
{
	double place = fleet_chart_place(drawing->chart, value);

	if (place < 0.0)
		return OFF_AXIS;
	return place > 1.0 ? WIDTH - OFF_AXIS : LEFT + PLOT_WIDTH * place;
}

static void put_text(struct drawing *drawing, double x, int y, const char *anchor, const char *text)
{
	strbuf_addf(drawing->html->out, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
	html_text(drawing->html, text);
	html_put(drawing->html, "</text>\n");
}

/* ---- bars */

static void put_bars(struct drawing *drawing, int population)
{
	const struct fleet_chart *chart = drawing->chart;
	struct strbuf *out = drawing->html->out;
	const double width = (double)PLOT_WIDTH / FLEET_BARS;
	bool any = false;

	for (int i = 0; i < FLEET_BARS; i++) {
		uint32_t nr = chart->bars[population][i];
		double height;

		if (!nr)
			continue;
		if (!any)
			strbuf_addf(out, "<path class=\"%s\" d=\"", population ? "second" : "first");
		any = true;
		height = fmax((double)nr / chart->tallest * BARS_HEIGHT, 1.0);
		strbuf_addf(out, "M%.1f %dv-%.1fh%.1fv%.1fz", LEFT + i * width, drawing->base, height, width - 1,
			    height);
	}
	if (any)
		html_put(drawing->html, "\"/>\n");
}

/* ---- what is marked above them, a line of text each */

static void put_mark(struct drawing *drawing, const char *class, double value, const char *label, int line)
{
	double x = x_of(drawing, value), half = (double)svg_text_columns(label) * LETTER / 2;
	int y = (line + 1) * LABEL_HEIGHT;

	strbuf_addf(drawing->html->out, "<path class=\"%s\" d=\"M%.1f %dV%d\"/>\n", class, x, y + 1, drawing->base);
	put_text(drawing, fmin(fmax(x, half), WIDTH - half), y - 3, "middle", label);
}

static void put_marks(struct drawing *drawing)
{
	const struct fleet_chart *chart = drawing->chart;
	const struct fleet_spread *spread = chart->spread;
	struct html *html = drawing->html;
	struct arena *arena = &html->arena;
	int line = 0;

	if (spread->is_two) {
		put_mark(drawing, "median", spread->median_better,
			 arena_printf(arena, "%u GPUs around %s", spread->n - spread->n_worse,
				      html_fleet_figure(html, chart->metric, spread->median_better)), line++);
		put_mark(drawing, "median", spread->median_worse,
			 arena_printf(arena, "%u GPUs around %s", spread->n_worse,
				      html_fleet_figure(html, chart->metric, spread->median_worse)), line++);
	} else {
		put_mark(drawing, "median", spread->median,
			 arena_printf(arena, "median %s", html_fleet_figure(html, chart->metric, spread->median)),
			 line++);
	}
	if (chart->has_limit)
		put_mark(drawing, "limit", chart->limit,
			 arena_printf(arena, "limit %s", html_fleet_figure(html, chart->metric, chart->limit)), line);
}

/* ---- below them */

static void put_circle(struct drawing *drawing, const struct fleet_outlier *outlier)
{
	const struct fleet_metric *metric = drawing->chart->metric;
	struct html *html = drawing->html;
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "%s: %s, ",
		    fleet_gpu_name(&html->arena, drawing->fleet, &drawing->fleet->gpus[outlier->gpu]),
		    html_fleet_figure(html, metric, outlier->value));
	fleet_put_worse(&text, metric, outlier->worse, outlier->median);
	strbuf_addf(html->out, "<circle class=\"out\" cx=\"%.1f\" cy=\"%d\" r=\"%d\">", x_of(drawing, outlier->value),
		    drawing->base + CIRCLE_SPACE / 2 + 1, RADIUS);
	html_element(html, "title", NULL, text.buf);
	html_put(html, "</circle>\n");
}

static void put_axis(struct drawing *drawing)
{
	const struct fleet_chart *chart = drawing->chart;
	struct html *html = drawing->html;
	int y = drawing->base + CIRCLE_SPACE + 2;

	strbuf_addf(html->out, "<path class=\"axis\" d=\"M%d %dh%d", LEFT, y, PLOT_WIDTH);
	for (double k = ceil(chart->low / chart->step); k * chart->step <= chart->high; k++)
		strbuf_addf(html->out, "M%.1f %dv4", x_of(drawing, k * chart->step), y);
	html_put(html, "\"/>\n");
	for (double k = ceil(chart->low / chart->step); k * chart->step <= chart->high; k++)
		put_text(drawing, x_of(drawing, k * chart->step), y + LABEL_HEIGHT + 1, "middle",
			 html_fleet_figure(html, chart->metric, k * chart->step));
	if (chart->nr_below)
		put_text(drawing, 0, y + 2 * LABEL_HEIGHT, "start",
			 arena_printf(&html->arena, "%u below", chart->nr_below));
	if (chart->nr_above)
		put_text(drawing, WIDTH, y + 2 * LABEL_HEIGHT, "end",
			 arena_printf(&html->arena, "%u above", chart->nr_above));
}

static void put_title(struct drawing *drawing)
{
	const struct fleet_chart *chart = drawing->chart;
	const struct fleet_spread *spread = chart->spread;
	struct html *html = drawing->html;

	html_element(html, "title", NULL,
		     arena_printf(&html->arena, "%s of %u GPUs: median %s, p1 to p99 %s to %s; %zu out of line",
				  texts_get(&drawing->fleet->texts, chart->metric->key), spread->n,
				  html_fleet_figure(html, chart->metric, spread->median),
				  html_fleet_figure(html, chart->metric, spread->low),
				  html_fleet_figure(html, chart->metric, spread->high), chart->nr_outliers));
}

void html_fleet_chart(struct html *html, const struct fleet *fleet, const struct fleet_chart *chart)
{
	int lines = 1 + chart->spread->is_two + chart->has_limit;
	struct drawing drawing = {
		.html = html, .fleet = fleet, .chart = chart, .base = lines * LABEL_HEIGHT + BARS_HEIGHT + 4,
	};
	int height = drawing.base + CIRCLE_SPACE + 2 * LABEL_HEIGHT + 6;

	strbuf_addf(html->out, "<svg class=\"fleet\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
		    WIDTH, height, WIDTH, height);
	put_title(&drawing);
	put_bars(&drawing, 0);
	put_bars(&drawing, 1);
	put_marks(&drawing);
	put_axis(&drawing);
	put_text(&drawing, LEFT - 6, drawing.base - BARS_HEIGHT + 8, "end",
		 arena_printf(&html->arena, "%u", chart->tallest));
	/* The worst come last, and so above the others. */
	for (size_t i = chart->nr_outliers < MOST_CIRCLES ? chart->nr_outliers : MOST_CIRCLES; i-- > 0;)
		put_circle(&drawing, chart->outliers[i]);
	html_put(html, "</svg>\n");
}
