// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_drift.c - which cards are slower than they were themselves, by the older reports that a site keeps.
 *
 * A card is followed by its serial number or UUID, through all nodes; another driver, VBIOS, partition, limit or clock
 * begins a new history. A step is a figure that was worse twice in a row than the median of up to twenty before (Hampel's
 * rule, with half of the metric's floor as the least); a slow decline is a CUSUM of what each figure is worse than the
 * first half of the history (slack 0.5 deviations, limit 5, after Page, Biometrika 41, 1954), where the last three are
 * worse by half of the floor, too: one alarm in some hundred good histories would be many in a fleet.
 */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/stats.h"

enum { LEAST_BEFORE = 5, MOST_BEFORE = 20, LEAST_OF_DECLINE = 10, LAST = 3 };
#define STEP_DEVIATIONS 5.0
#define CUSUM_SLACK 0.5
#define CUSUM_LIMIT 5.0

/* One figure of a card's history. */
struct point {
	const struct fleet_gpu *gpu;
	int64_t taken_ms;
	double value;
	bool is_now;			/* of the report that judges */
};

static text_id card_of(const struct fleet_gpu *gpu)
{
	return gpu->serial ? gpu->serial : gpu->uuid;
}

/* One history after another, each in the order of time. */
static int compare_points(const void *a, const void *b)
{
	const struct point *one = a, *other = b;
	const uint32_t first[] = { card_of(one->gpu), one->gpu->driver_version, one->gpu->vbios, one->gpu->partition,
				   one->gpu->power_limit_mw, one->gpu->clock_application_mhz, one->gpu->clock_max_mhz };
	const uint32_t second[] = { card_of(other->gpu), other->gpu->driver_version, other->gpu->vbios, other->gpu->partition,
				    other->gpu->power_limit_mw, other->gpu->clock_application_mhz,
				    other->gpu->clock_max_mhz };

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		if (first[i] != second[i])
			return first[i] < second[i] ? -1 : 1;
	if (one->taken_ms != other->taken_ms)
		return one->taken_ms < other->taken_ms ? -1 : 1;
	return one->is_now - other->is_now;
}

static bool is_one_history(const struct point *a, const struct point *b)
{
	struct point earlier = *a, later = *b;

	earlier.taken_ms = later.taken_ms = 0;
	earlier.is_now = later.is_now = false;
	return !compare_points(&earlier, &later);
}

/* The deviation of good figures around their median, and the least that counts as worse, in the metric's own unit. */
struct before {
	double median, deviation, least;
};

static struct before measure(const struct fleet_metric *metric, const struct point *points, size_t nr)
{
	double values[MOST_BEFORE];
	struct stats stats;
	struct before before;

	for (size_t i = 0; i < nr; i++)
		values[i] = points[i].value;
	stats_of(values, nr, &stats);
	before.median = stats.median;
	before.deviation = fmax(MAD_TO_DEVIATION * stats.mad,
				metric->is_absolute ? LEAST_DEGREES : LEAST_DEVIATION * stats.median);
	before.least = metric->floor / 2 * (metric->is_absolute ? 1.0 : stats.median);
	return before;
}

/* The last two are worse than up to twenty before them. */
static bool is_step(const struct fleet_metric *metric, const struct point *points, size_t nr, struct before *ret)
{
	size_t before = nr - 2 < MOST_BEFORE ? nr - 2 : MOST_BEFORE;
	double limit;

	if (nr < LEAST_BEFORE + 2)
		return false;
	*ret = measure(metric, points + nr - 2 - before, before);
	limit = fmax(STEP_DEVIATIONS * ret->deviation, ret->least);
	return fleet_worse_by(metric, points[nr - 1].value, ret->median) > limit &&
	       fleet_worse_by(metric, points[nr - 2].value, ret->median) > limit;
}

/* A little worse each time. */
static bool is_decline(const struct fleet_metric *metric, const struct point *points, size_t nr, struct before *ret)
{
	size_t first = nr / 2 < MOST_BEFORE ? nr / 2 : MOST_BEFORE;
	double sum = 0.0;

	if (nr < LEAST_OF_DECLINE)
		return false;
	*ret = measure(metric, points, first);
	for (size_t i = first; i < nr; i++)
		sum = fmax(0.0, sum + fleet_worse_by(metric, points[i].value, ret->median) / ret->deviation - CUSUM_SLACK);
	for (size_t i = nr - LAST; i < nr; i++)
		if (fleet_worse_by(metric, points[i].value, ret->median) <= ret->least)
			return false;
	return sum > CUSUM_LIMIT;
}

static void judge_history(struct fleet *fleet, uint32_t metric_number, const struct point *points, size_t nr)
{
	const struct fleet_metric *metric = &fleet->metrics[metric_number];
	const struct point *now = &points[nr - 1];
	struct before before;
	bool step;

	if (!now->is_now || !card_of(now->gpu))
		return;
	step = is_step(metric, points, nr, &before);
	if (!step && !is_decline(metric, points, nr, &before))
		return;
	fleet->drifts = fleet_append(fleet->drifts, fleet->nr_drifts, sizeof(*fleet->drifts));
	fleet->drifts[fleet->nr_drifts++] = (struct fleet_drift){
		.gpu = (uint32_t)(now->gpu - fleet->gpus), .metric = metric_number, .value = now->value,
		.median = before.median, .is_step = step, .nr_reports = (uint32_t)nr,
		.worse = fleet_worse_by(metric, now->value, before.median) / (metric->is_absolute ? 1.0 : before.median),
	};
}

static void follow(struct fleet *fleet, uint32_t metric_number, struct point *points)
{
	const struct fleet_metric *metric = &fleet->metrics[metric_number];
	size_t nr = 0, nr_older = 0;

	for (size_t i = 0; i < metric->nr; i++) {
		const struct fleet_gpu *gpu = &fleet->gpus[metric->values[i].gpu];
		const struct fleet_record *record = record_of(fleet, gpu);

		if (record->standing != RECORD_JUDGES && record->standing != RECORD_OLDER)
			continue;
		nr_older += record->standing == RECORD_OLDER;
		points[nr++] = (struct point){ gpu, record->taken_ms, (double)metric->values[i].value,
					       record->standing == RECORD_JUDGES };
	}
	if (nr_older < LEAST_BEFORE)
		return;
	qsort(points, nr, sizeof(*points), compare_points);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && is_one_history(&points[i], &points[end]); end++)
			;
		judge_history(fleet, metric_number, points + i, end - i);
	}
}

void fleet_find_drifts(struct fleet *fleet)
{
	struct point *points;
	size_t most = 1;

	for (size_t m = 0; m < fleet->nr_metrics; m++)
		most = fleet->metrics[m].nr > most ? fleet->metrics[m].nr : most;
	points = xcalloc(most, sizeof(*points));
	for (uint32_t m = 0; m < fleet->nr_metrics; m++)
		follow(fleet, m, points);
	free(points);
}
