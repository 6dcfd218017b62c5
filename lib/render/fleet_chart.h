/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet_chart.h - one metric of one group of GPUs as a histogram: its axis, how many GPUs each bar has, and which are
 * out of line. The axis shows what is usual of them: a GPU at half of it would leave no room for the others, and is
 * counted off the axis. Private to lib/render.
 */
#pragma once

#include "render/fleet_rows.h"

enum { FLEET_BARS = 60 };

struct fleet_chart {
	const struct fleet_spread *spread;
	const struct fleet_metric *metric;
	double low, high;			/* of the axis */
	double step;				/* of its marks, at multiples of it */
	bool has_limit;
	double limit;				/* from there on a figure is out of line */
	uint32_t bars[2][FLEET_BARS];		/* GPUs; of two populations the worse are [1] */
	uint32_t tallest;
	uint32_t nr_below, nr_above;		/* off the axis */
	const struct fleet_outlier **outliers;	/* the worst first */
	size_t nr_outliers;
};

/* False where there is nothing to draw: no figure, or one that is not finite. */
bool fleet_chart_of(struct arena *arena, const struct fleet *fleet, const struct fleet_spread *spread,
		    struct fleet_chart *ret);

/* Where a value stands on the axis, 0 to 1; beyond them where it is off the axis. */
double fleet_chart_place(const struct fleet_chart *chart, double value);
