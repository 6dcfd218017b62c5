// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/fleet_chart.h"

#include <math.h>
#include <stdlib.h>

#include "render/axis.h"

enum { MARKS = 5 };			/* on the axis, about */
#define LIMITS_SHOWN 1.6		/* how far from the median the axis goes at least, in distances of the limit */
#define PERCENTILES_SHOWN 1.3		/* and of the 1st and 99th percentile */
/* of the figures: the width of an axis, so that its marks differ in the digits shown */
#define LEAST_SHARE 1e-3

/* ---- figures */

static bool is_of(const struct fleet *fleet, const struct fleet_spread *spread, uint32_t gpu_number)
{
	const struct fleet_gpu *gpu = &fleet->gpus[gpu_number];

	return gpu->group == spread->group + 1 && record_of(fleet, gpu)->standing == RECORD_JUDGES;
}

/* Calls take() for each figure of the chart, in no order. */
static void each_value(const struct fleet *fleet, struct fleet_chart *chart,
		       void (*take)(struct fleet_chart *chart, double value))
{
	for (size_t i = 0; i < chart->metric->nr; i++)
		if (is_of(fleet, chart->spread, chart->metric->values[i].gpu))
			take(chart, (double)chart->metric->values[i].value);
}

/* ---- the axis */

static void widen(struct fleet_chart *chart, double value)
{
	chart->low = fmin(chart->low, value);
	chart->high = fmax(chart->high, value);
}

/* How far from the median what is usual goes. */
static double reach_of(const struct fleet_chart *chart)
{
	const struct fleet_spread *spread = chart->spread;
	double reach = PERCENTILES_SHOWN * fmax(spread->median - spread->low, spread->high - spread->median);

	if (chart->has_limit)
		reach = fmax(reach, LIMITS_SHOWN * fabs(chart->limit - spread->median));
	if (spread->is_two)
		reach = fmax(reach, PERCENTILES_SHOWN * fmax(fabs(spread->median_better - spread->median),
							     fabs(spread->median_worse - spread->median)));
	return reach;
}

static void find_limit(struct fleet_chart *chart)
{
	const struct fleet_spread *spread = chart->spread;
	double away = chart->metric->is_absolute ? spread->limit : spread->limit * spread->median;

	chart->has_limit = spread->limit > 0.0;
	chart->limit = chart->metric->is_low_good ? spread->median + away : spread->median - away;
}

/* From the least to the most figure, as far as they are usual, with the limit. False: one of them is not finite. */
static bool make_axis(const struct fleet *fleet, struct fleet_chart *chart)
{
	double median = chart->spread->median, reach = reach_of(chart), least = fmax(fabs(median) * LEAST_SHARE, 1e-6);

	chart->low = chart->high = median;
	each_value(fleet, chart, widen);
	chart->low = fmax(chart->low, median - reach);
	chart->high = fmin(chart->high, median + reach);
	if (chart->has_limit)
		widen(chart, chart->limit);
	if (chart->high - chart->low < least) {
		chart->low = median - least / 2;
		chart->high = median + least / 2;
	}
	if (!isfinite(chart->low) || !isfinite(chart->high) || !isfinite(chart->high - chart->low))
		return false;
	chart->step = axis_step((chart->high - chart->low) / MARKS);
	return true;
}

double fleet_chart_place(const struct fleet_chart *chart, double value)
{
	return (value - chart->low) / (chart->high - chart->low);
}

/* ---- bars */

static bool is_of_worse(const struct fleet_spread *spread, double value)
{
	return spread->is_two && fabs(value - spread->median_worse) < fabs(value - spread->median_better);
}

static void count(struct fleet_chart *chart, double value)
{
	double place = fleet_chart_place(chart, value);
	uint32_t *bars = chart->bars[is_of_worse(chart->spread, value)];
	size_t at;

	chart->nr_below += place < 0.0;
	chart->nr_above += place > 1.0;
	if (!(place >= 0.0 && place <= 1.0))
		return;
	at = (size_t)(place * FLEET_BARS);
	at = at < FLEET_BARS ? at : FLEET_BARS - 1;
	bars[at]++;
	chart->tallest = bars[at] > chart->tallest ? bars[at] : chart->tallest;
}

/* ---- out of line */

static int compare_outliers(const void *a, const void *b)
{
	const struct fleet_outlier *const *one = a, *const *other = b;

	if ((*one)->worse > (*other)->worse || (*one)->worse < (*other)->worse)
		return (*one)->worse > (*other)->worse ? -1 : 1;
	return ((*one)->gpu > (*other)->gpu) - ((*one)->gpu < (*other)->gpu);
}

static bool is_outlier_of(const struct fleet *fleet, const struct fleet_chart *chart,
			  const struct fleet_outlier *outlier)
{
	return &fleet->metrics[outlier->metric] == chart->metric && is_of(fleet, chart->spread, outlier->gpu);
}

static void gather_outliers(struct arena *arena, const struct fleet *fleet, struct fleet_chart *chart)
{
	size_t nr = 0;

	for (size_t i = 0; i < fleet->nr_outliers; i++)
		nr += is_outlier_of(fleet, chart, &fleet->outliers[i]);
	if (!nr)
		return;
	chart->outliers = arena_alloc(arena, nr * sizeof(*chart->outliers));
	for (size_t i = 0; i < fleet->nr_outliers; i++)
		if (is_outlier_of(fleet, chart, &fleet->outliers[i]))
			chart->outliers[chart->nr_outliers++] = &fleet->outliers[i];
	qsort(chart->outliers, nr, sizeof(*chart->outliers), compare_outliers);
}

bool fleet_chart_of(struct arena *arena, const struct fleet *fleet, const struct fleet_spread *spread,
		    struct fleet_chart *ret)
{
	*ret = (struct fleet_chart){ .spread = spread, .metric = &fleet->metrics[spread->metric] };
	gather_outliers(arena, fleet, ret);
	find_limit(ret);
	if (!spread->n || !make_axis(fleet, ret))
		return false;
	each_value(fleet, ret, count);
	return true;
}
