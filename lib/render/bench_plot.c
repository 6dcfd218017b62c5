// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_plot.c - what was measured, drawn with characters: bars, and curves over sizes. */
#include "base/compat.h"
#include "render/bench_chart.h"

#include <math.h>

#include "base/text.h"
#include "render/bench_words.h"
#include "render/term_writer.h"

enum {
	INDENT = 2,
	CURVE_ROWS = 12,
	MAX_LABEL_COLUMNS = 24,
	LEAST_BAR_COLUMNS = 10,
	NO_SERIES = 0, LINE = 255,	/* cells of a canvas; else the place of a series, from 1 */
};

static const char *const markers[] = { "●", "○", "◆", "◇", "■", "□", "▲", "△" };
static const char *const ascii_markers[] = { "*", "o", "#", "x", "@", "%", "&", "+" };

static const char *marker(const struct term_writer *term, size_t series)
{
	return term->ascii ? ascii_markers[series % ARRAY_SIZE(ascii_markers)] : markers[series % ARRAY_SIZE(markers)];
}

static void put_at(struct term_writer *term, size_t column, const char *text)
{
	term_move(term, column);
	term_put(term, STYLE_PLAIN, text);
}

static size_t label_columns(const struct bench_chart *chart)
{
	size_t widest = 0;

	for (size_t i = 0; i < chart->nr; i++) {
		size_t columns = utf8_columns(chart->labels[i]);

		widest = columns > widest ? columns : widest;
	}
	return widest < MAX_LABEL_COLUMNS ? widest : MAX_LABEL_COLUMNS;
}

/* ---- bars */

/* A bar of so many eighths of a column. */
static void put_bar(struct term_writer *term, size_t eighths)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	STRBUF_AUTO bar = STRBUF_INIT;

	for (size_t i = 0; i < eighths / 8; i++)
		strbuf_addstr(&bar, term->ascii ? "#" : "█");
	if (term->ascii)
		strbuf_addstr(&bar, eighths % 8 >= 4 ? "#" : "");
	else
		strbuf_addstr(&bar, parts[eighths % 8]);
	term_put(term, STYLE_PLAIN, bar.buf);
}

static const char *bar_words(struct arena *arena, const struct report_timing *timing)
{
	return arena_printf(arena, "%s%s", bench_figure(arena, timing->unit, timing->median),
			    timing->noisy ? " noisy" : "");
}

static void put_bars(struct term_writer *term, struct arena *arena, const struct bench_chart *chart)
{
	size_t label = label_columns(chart), words = 0, room, begin = INDENT + label + 2;
	double most = 0.0;

	for (size_t i = 0; i < chart->nr; i++) {
		size_t columns = utf8_columns(bar_words(arena, chart->series[i]->points));

		words = columns > words ? columns : words;
		most = fmax(most, chart->series[i]->points->median);
	}
	room = term->columns > begin + words + 2 ? term->columns - begin - words - 2 : 0;
	room = room > LEAST_BAR_COLUMNS ? room : LEAST_BAR_COLUMNS;
	for (size_t i = 0; i < chart->nr; i++) {
		const struct report_timing *timing = chart->series[i]->points;
		STRBUF_AUTO name = STRBUF_INIT;

		term_clean_cut(term, &name, chart->labels[i], label);
		put_at(term, INDENT, name.buf);
		term_move(term, begin);
		if (most > 0.0)
			put_bar(term, (size_t)(timing->median / most * 8.0 * (double)room + 0.5));
		put_at(term, term->at + 1, bar_words(arena, timing));
		term_end_line(term);
	}
}

/* ---- curves */

struct canvas {
	size_t columns;
	unsigned char *cells;		/* CURVE_ROWS of them, the highest first */
};

static unsigned char *cell(const struct canvas *canvas, double place, double height)
{
	size_t column = (size_t)(place * (double)(canvas->columns - 1) + 0.5);
	size_t row = CURVE_ROWS - 1 - (size_t)(height * (CURVE_ROWS - 1) + 0.5);

	return &canvas->cells[row * canvas->columns + column];
}

static void draw_line(const struct canvas *canvas, double from, double from_height, double to, double to_height)
{
	size_t nr = (size_t)((to - from) * 2.0 * (double)canvas->columns) + 1;

	for (size_t i = 0; i < nr; i++) {
		double at = from + (double)i * 0.5 / (double)canvas->columns;
		double height = from_height + (to_height - from_height) * (at - from) / (to - from);
		unsigned char *where = cell(canvas, at, height);

		if (*where == NO_SERIES)
			*where = LINE;
	}
}

/* Lines first: no marker hides behind one. Of two markers in one place the first stays. */
static void draw_series(const struct canvas *canvas, const struct bench_chart *chart, size_t which, double end,
			bool lines)
{
	const struct bench_series *series = chart->series[which];

	for (size_t i = 0; i < series->nr; i++) {
		double place = bench_size_place(chart, series->points[i].size_bytes);
		double height = series->points[i].median / end;

		if (lines && i) {
			double before = bench_size_place(chart, series->points[i - 1].size_bytes);

			if (place > before)
				draw_line(canvas, before, series->points[i - 1].median / end, place, height);
		} else if (!lines &&
			   (*cell(canvas, place, height) == NO_SERIES || *cell(canvas, place, height) == LINE)) {
			*cell(canvas, place, height) = (unsigned char)(which % (LINE - 1) + 1);
		}
	}
}

static void put_canvas_row(struct term_writer *term, const struct canvas *canvas, size_t row)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < canvas->columns; i++) {
		unsigned char what = canvas->cells[row * canvas->columns + i];

		if (what == LINE)
			strbuf_addstr(&text, term->ascii ? "." : "·");
		else
			strbuf_addstr(&text, what == NO_SERIES ? " " : marker(term, what - 1u));
	}
	strbuf_rtrim(&text);
	term_put(term, STYLE_PLAIN, text.buf);
}

/* The mark of the value axis at this row, or "". */
static const char *row_mark(struct arena *arena, const struct bench_chart *chart, const struct bench_axis *axis,
			    size_t row)
{
	for (size_t i = 0, nr = bench_axis_marks(axis); i < nr; i++) {
		double value = (double)i * axis->step;

		if (CURVE_ROWS - 1 - (size_t)(value / axis->end * (CURVE_ROWS - 1) + 0.5) == row)
			return bench_figure(arena, chart->unit, value);
	}
	return "";
}

/* Below the axis: those sizes that have room for their words. */
static void put_sizes(struct term_writer *term, struct arena *arena, const struct bench_chart *chart, size_t begin,
		      size_t columns)
{
	uint64_t *sizes;
	size_t nr = bench_chart_sizes(arena, chart, &sizes);

	for (size_t i = 0; i < nr; i++) {
		const char *words = bench_size_words(arena, sizes[i]);
		size_t at = begin + (size_t)(bench_size_place(chart, sizes[i]) * (double)(columns - 1) + 0.5);

		/* The last ends with the axis. */
		if (at + strlen(words) > begin + columns)
			at = begin + columns - strlen(words);
		if (term->at == 0 || at > term->at)
			put_at(term, at, words);
	}
	term_end_line(term);
}

static void put_legend(struct term_writer *term, struct arena *arena, const struct bench_chart *chart)
{
	for (size_t i = 0; i < chart->nr; i++) {
		const char *words = arena_printf(arena, "%s %s", marker(term, i), chart->labels[i]);

		if (term->at && term->at + 3 + utf8_columns(words) > term->columns)
			term_end_line(term);
		put_at(term, term->at ? term->at + 3 : INDENT, words);
	}
	term_end_line(term);
}

static void put_curves(struct term_writer *term, struct arena *arena, const struct bench_chart *chart)
{
	struct bench_axis axis = bench_value_axis(chart);
	struct canvas canvas = { .columns = 0 };
	size_t marks = 0, begin;

	for (size_t row = 0; row < CURVE_ROWS; row++) {
		size_t columns = utf8_columns(row_mark(arena, chart, &axis, row));

		marks = columns > marks ? columns : marks;
	}
	begin = INDENT + marks + 2;
	canvas.columns = term->columns > begin + LEAST_BAR_COLUMNS ? term->columns - begin : LEAST_BAR_COLUMNS;
	canvas.cells = arena_alloc(arena, canvas.columns * CURVE_ROWS);
	for (int lines = 1; lines >= 0; lines--)
		for (size_t i = 0; i < chart->nr; i++)
			draw_series(&canvas, chart, i, axis.end, lines);
	for (size_t row = 0; row < CURVE_ROWS; row++) {
		const char *mark = row_mark(arena, chart, &axis, row);

		term_move(term, INDENT + marks - utf8_columns(mark));
		term_put(term, STYLE_DIM, mark);
		put_at(term, begin - 1, term->ascii ? "|" : *mark ? "┤" : "│");
		put_canvas_row(term, &canvas, row);
		term_end_line(term);
	}
	put_sizes(term, arena, chart, begin, canvas.columns);
	put_legend(term, arena, chart);
}

static void put_devices(struct term_writer *term, struct arena *arena, const struct bench_report *bench)
{
	for (size_t i = 0; i < bench->nr_devices; i++) {
		struct strs gaps = { .nr = 0 };

		term_flow(term, 0, bench_device_words(arena, &bench->devices[i]));
		term_end_line(term);
		bench_gaps(arena, &bench->devices[i], &gaps);
		for (size_t k = 0; k < gaps.nr; k++) {
			term_move(term, INDENT);
			term_flow(term, INDENT, gaps.v[k]);
			term_end_line(term);
		}
	}
}

void render_bench_plot(struct strbuf *out, const struct bench_report *bench, const struct render_options *options)
{
	struct arena arena = { .blocks = NULL };
	struct bench_charts charts;
	struct term_writer term;

	term_open(&term, out, options);
	bench_charts_of(&arena, bench, &charts);
	for (size_t i = 0; i < charts.nr; i++) {
		const struct bench_chart *chart = &charts.items[i];

		term_flow(&term, 0, chart->title);
		term_end_line(&term);
		if (chart->is_curve)
			put_curves(&term, &arena, chart);
		else
			put_bars(&term, &arena, chart);
		term_end_line(&term);
	}
	put_devices(&term, &arena, bench);
	bench_collective_put(&term, &arena, bench);
	bench_storage_put(&term, &arena, bench->report.snapshot);
	arena_release(&arena);
}
