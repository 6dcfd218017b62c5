/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_chart.h - which figures of a bench stand in one drawing, and its scales. Private to bench_*.c. */
#pragma once

#include "render/bench_words.h"

/*
 * Figures of one unit: curves over sizes, or bars of one figure each. Of one
 * device all tests of a unit; of several, one test, the devices side by side.
 */
struct bench_chart {
	bool is_curve;
	enum unit unit;
	const char *title;
	size_t nr;
	const struct bench_series **series;
	const char **labels;		/* of each series: its test, or its device */
};

struct bench_charts {
	struct bench_series_list series;	/* of all devices */
	size_t nr;
	struct bench_chart *items;
};
void bench_charts_of(struct arena *arena, const struct bench_report *bench, struct bench_charts *ret);

/* The value axis from 0: its end, and the distance of its marks, which are round numbers. */
struct bench_axis {
	double end, step;
};
struct bench_axis bench_value_axis(const struct bench_chart *chart);
/* How many marks it has, at 0 and each step up to its end. */
size_t bench_axis_marks(const struct bench_axis *axis);

/* Where a size stands between the chart's least, 0, and its largest, 1, by its logarithm. */
double bench_size_place(const struct bench_chart *chart, uint64_t size_bytes);

/* The sizes of the chart, rising, each once. */
size_t bench_chart_sizes(struct arena *arena, const struct bench_chart *chart, uint64_t **ret);

/* "64K" */
const char *bench_size_words(struct arena *arena, uint64_t size_bytes);
