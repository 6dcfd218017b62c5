// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/bench_chart.h"

#include <math.h>

#include "render/axis.h"

enum { MARKS = 4 };	/* on the value axis, about */

static bool is_curve(const struct bench_series *series)
{
	return series->nr > 1 && series->points[0].has_size &&
	       series->points[0].size_bytes < series->points[series->nr - 1].size_bytes;
}

static size_t devices_with_figures(const struct bench_report *bench)
{
	size_t nr = 0;

	for (size_t i = 0; i < bench->nr_devices; i++)
		nr += bench->devices[i].nr_timings > 0;
	return nr;
}

static const char *title_of(struct arena *arena, const struct bench_series *series, bool by_test)
{
	const char *what = is_curve(series) ? "by size" : series->points->unit == UNIT_NS ? "less is better" : "";

	if (by_test)
		return arena_printf(arena, "%s%s%s", series->name, *what ? ", " : "", what);
	return arena_printf(arena, "%s, %s%s%s", series->device->subject.name,
			    series->points->unit == UNIT_NS ? "time" : unit_symbol(series->points->unit),
			    *what ? ", " : "", what);
}

static struct bench_chart *chart_for(struct arena *arena, struct bench_charts *charts,
				     const struct bench_series *series, bool by_test)
{
	for (size_t i = 0; i < charts->nr; i++) {
		struct bench_chart *chart = &charts->items[i];

		if (chart->is_curve == is_curve(series) && chart->unit == series->points->unit &&
		    (!by_test || !strcmp(chart->series[0]->name, series->name)))
			return chart;
	}
	charts->items = arena_grow(arena, charts->items, charts->nr, sizeof(*charts->items));
	charts->items[charts->nr] = (struct bench_chart){
		.is_curve = is_curve(series), .unit = series->points->unit, .title = title_of(arena, series, by_test),
	};
	return &charts->items[charts->nr++];
}

void bench_charts_of(struct arena *arena, const struct bench_report *bench, struct bench_charts *ret)
{
	bool by_test = devices_with_figures(bench) > 1;

	*ret = (struct bench_charts){ .nr = 0 };
	bench_series_of(arena, bench, &ret->series);
	for (size_t i = 0; i < ret->series.nr; i++) {
		const struct bench_series *series = &ret->series.items[i];
		struct bench_chart *chart = chart_for(arena, ret, series, by_test);

		chart->series = arena_grow(arena, chart->series, chart->nr, sizeof(*chart->series));
		chart->labels = arena_grow(arena, chart->labels, chart->nr, sizeof(*chart->labels));
		chart->labels[chart->nr] = by_test ? series->device->subject.name : series->name;
		chart->series[chart->nr++] = series;
	}
}

struct bench_axis bench_value_axis(const struct bench_chart *chart)
{
	struct bench_axis axis = { .end = 1.0, .step = 1.0 };
	double most = 0.0;

	for (size_t i = 0; i < chart->nr; i++)
		for (size_t k = 0; k < chart->series[i]->nr; k++)
			most = fmax(most, fmax(chart->series[i]->points[k].median, chart->series[i]->points[k].p95));
	if (!(most > 0.0) || !isfinite(most))
		return axis;
	axis.step = axis_step(most / MARKS);
	axis.end = ceil(most / axis.step - 1e-9) * axis.step;
	return axis;
}

static void size_limits(const struct bench_chart *chart, uint64_t *ret_least, uint64_t *ret_most)
{
	*ret_least = UINT64_MAX;
	*ret_most = 0;
	for (size_t i = 0; i < chart->nr; i++) {
		const struct bench_series *series = chart->series[i];

		if (series->points[0].size_bytes < *ret_least)
			*ret_least = series->points[0].size_bytes;
		if (series->points[series->nr - 1].size_bytes > *ret_most)
			*ret_most = series->points[series->nr - 1].size_bytes;
	}
}

size_t bench_axis_marks(const struct bench_axis *axis)
{
	return axis->step > 0.0 ? (size_t)(axis->end * 1.001 / axis->step) + 1 : 0;
}

double bench_size_place(const struct bench_chart *chart, uint64_t size_bytes)
{
	uint64_t least, most;

	size_limits(chart, &least, &most);
	if (!least || most <= least || size_bytes < least)
		return 0.0;
	return log10((double)size_bytes / (double)least) / log10((double)most / (double)least);
}

size_t bench_chart_sizes(struct arena *arena, const struct bench_chart *chart, uint64_t **ret)
{
	uint64_t *sizes = NULL, last = 0;
	size_t nr = 0;

	for (;;) {
		uint64_t next = UINT64_MAX;

		for (size_t i = 0; i < chart->nr; i++)
			for (size_t k = 0; k < chart->series[i]->nr; k++) {
				uint64_t size = chart->series[i]->points[k].size_bytes;

				if (size > last && size < next)
					next = size;
			}
		if (next == UINT64_MAX)
			break;
		sizes = arena_grow(arena, sizes, nr, sizeof(*sizes));
		sizes[nr++] = last = next;
	}
	*ret = sizes;
	return nr;
}

const char *bench_size_words(struct arena *arena, uint64_t size_bytes)
{
	static const char prefixes[] = "KMG";
	const char *prefix = NULL;

	while (size_bytes >= 1024 && size_bytes % 1024 == 0 && (!prefix || prefix[1])) {
		size_bytes /= 1024;
		prefix = prefix ? prefix + 1 : prefixes;
	}
	return arena_printf(arena, "%llu%.1s", (unsigned long long)size_bytes, prefix ? prefix : "");
}
