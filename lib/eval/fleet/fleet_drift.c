// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_drift.c - which cards are slower than they were themselves, by the older reports that a site keeps.
 *
 * A card is followed by its serial number or UUID, through all nodes; another driver, VBIOS, partition, limit or clock
 * begins a new history. A step is a figure that was worse twice in a row than the median of up to twenty before
 * (Hampel's rule, with half of the metric's floor as the least); a slow decline is a CUSUM of what each figure is worse
 * than the first half of the history (slack 0.5 deviations, limit 5, after Page, Biometrika 41, 1954), where the last
 * three are worse by half of the floor and three deviations, too: one alarm in some hundred good histories would be
 * many in a fleet. One figure alone cannot bring the sum to its limit.
 *
 * Of a few figures the deviation is often far too small by chance. So it is never less than what is usual among the
 * cards of the same group. That is taken from how far each figure is from the one before it, which neither a step nor a
 * slow decline changes by much.
 */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/stats.h"

enum { LEAST_BEFORE = 5, MOST_BEFORE = 20, LEAST_OF_DECLINE = 10, LAST = 3, LEAST_NODES = 3 };
#define STEP_DEVIATIONS 5.0
#define CUSUM_SLACK 0.5
#define CUSUM_LIMIT 5.0
#define CUSUM_MOST 2.5			/* that one figure adds */
#define LAST_DEVIATIONS 3.0

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
	const uint32_t second[] = { card_of(other->gpu),	other->gpu->driver_version,
				    other->gpu->vbios,		other->gpu->partition,
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

/* usual: the deviation among cards of the group, as a share of the median or in degrees. */
static struct before measure(const struct fleet_metric *metric, const struct point *points, size_t nr, double usual)
{
	double values[MOST_BEFORE];
	struct stats stats;
	struct before before;

	for (size_t i = 0; i < nr; i++)
		values[i] = points[i].value;
	stats_of(values, nr, &stats);
	before.median = stats.median;
	before.deviation = fmax(MAD_TO_DEVIATION * stats.mad,
				metric->is_absolute ? fmax(usual, LEAST_DEGREES) :
						      fmax(usual, LEAST_DEVIATION) * stats.median);
	before.least = metric->floor / 2 * (metric->is_absolute ? 1.0 : stats.median);
	return before;
}

/* The last two are worse than up to twenty before them. */
static bool is_step(const struct fleet_metric *metric, const struct point *points, size_t nr, double usual,
		    struct before *ret)
{
	size_t before = nr - 2 < MOST_BEFORE ? nr - 2 : MOST_BEFORE;
	double limit;

	if (nr < LEAST_BEFORE + 2)
		return false;
	*ret = measure(metric, points + nr - 2 - before, before, usual);
	limit = fmax(STEP_DEVIATIONS * ret->deviation, ret->least);
	return fleet_worse_by(metric, points[nr - 1].value, ret->median) > limit &&
	       fleet_worse_by(metric, points[nr - 2].value, ret->median) > limit;
}

/* A little worse each time. */
static bool is_decline(const struct fleet_metric *metric, const struct point *points, size_t nr, double usual,
		       struct before *ret)
{
	size_t first = nr / 2 < MOST_BEFORE ? nr / 2 : MOST_BEFORE;
	double sum = 0.0, limit;

	if (nr < LEAST_OF_DECLINE)
		return false;
	*ret = measure(metric, points, first, usual);
	/* A decline that began with the history is in its own deviation, too. */
	limit = fmax(LAST_DEVIATIONS * usual * (metric->is_absolute ? 1.0 : ret->median), ret->least);
	for (size_t i = first; i < nr; i++) {
		double deviations = fleet_worse_by(metric, points[i].value, ret->median) / ret->deviation;

		sum = fmax(0.0, sum + fmin(deviations - CUSUM_SLACK, CUSUM_MOST));
	}
	for (size_t i = nr - LAST; i < nr; i++)
		if (fleet_worse_by(metric, points[i].value, ret->median) <= limit)
			return false;
	return sum > CUSUM_LIMIT;
}

/* ---- at once, or little by little */

/* Figures, and what they differ from their mean, squared. */
struct sums {
	double n, sum, squares;
};

static struct sums with(struct sums sums, double value)
{
	return (struct sums){ sums.n + 1.0, sums.sum + value, sums.squares + value * value };
}

static double around_mean(const struct sums *sums)
{
	return sums->squares - sums->sum * sums->sum / sums->n;
}

/* What is left around a straight line through all. */
static double around_line(const struct point *points, size_t nr, double origin)
{
	struct sums all = { .n = 0.0 };
	double middle = (double)(nr - 1) / 2.0, slope = 0.0, length = 0.0;

	for (size_t i = 0; i < nr; i++) {
		double at = (double)i - middle;

		all = with(all, points[i].value - origin);
		slope += at * (points[i].value - origin);
		length += at * at;
	}
	return around_mean(&all) - slope * slope / length;
}

/* Do two levels fit a history better than a line? origin: near its figures, so that their squares stay exact. */
static bool is_at_once(const struct point *points, size_t nr, double origin)
{
	struct sums all = { .n = 0.0 }, before = all;
	double line = around_line(points, nr, origin);

	for (size_t i = 0; i < nr; i++)
		all = with(all, points[i].value - origin);
	for (size_t i = 0; i + 1 < nr; i++) {
		struct sums behind;

		before = with(before, points[i].value - origin);
		behind = (struct sums){ all.n - before.n, all.sum - before.sum, all.squares - before.squares };
		if (around_mean(&before) + around_mean(&behind) < line)
			return true;
	}
	return false;
}

/* ---- one history after another */

static void judge_history(struct fleet *fleet, uint32_t metric_number, const struct point *points, size_t nr,
			  double usual)
{
	const struct fleet_metric *metric = &fleet->metrics[metric_number];
	const struct point *now = &points[nr - 1];
	struct before before;

	if (!is_step(metric, points, nr, usual, &before) && !is_decline(metric, points, nr, usual, &before))
		return;
	fleet->drifts = fleet_append(fleet->drifts, fleet->nr_drifts, sizeof(*fleet->drifts));
	fleet->drifts[fleet->nr_drifts++] = (struct fleet_drift){
		.gpu = (uint32_t)(now->gpu - fleet->gpus), .metric = metric_number, .value = now->value,
		.median = before.median, .is_step = is_at_once(points, nr, before.median), .nr_reports = (uint32_t)nr,
		.worse = fleet_worse_by(metric, now->value,
			before.median) / (metric->is_absolute ? 1.0 : before.median),
	};
}

/* How far figures are from day to day, as a share of their median or in degrees. */
static double day_to_day(const struct fleet_metric *metric, const struct point *points, size_t nr)
{
	size_t first = nr > MOST_BEFORE ? nr - MOST_BEFORE : 1;
	double steps[MOST_BEFORE];
	struct stats stats;

	for (size_t i = first; i < nr; i++) {
		double size = fabs(points[i].value - points[i - 1].value);

		steps[i - first] = metric->is_absolute ? size : size / points[i - 1].value;
	}
	stats_of(steps, nr - first, &stats);
	return MAD_TO_DEVIATION * stats.median / sqrt(2.0);
}

/* A history that can be judged: of a card that is known, up to now. */
struct history {
	const struct point *points;
	size_t nr;
	uint32_t group;
	double deviation;		/* as a share of the median, or in degrees */
};

static int compare_histories(const void *a, const void *b)
{
	const struct history *one = a, *other = b;

	if (one->group != other->group)
		return one->group < other->group ? -1 : 1;
	if (one->deviation < other->deviation || one->deviation > other->deviation)
		return one->deviation < other->deviation ? -1 : 1;
	return (one->points > other->points) - (one->points < other->points);
}

static size_t find_histories(const struct fleet_metric *metric, const struct point *points, size_t nr,
			     struct history *ret)
{
	size_t nr_histories = 0;

	for (size_t i = 0, end; i < nr; i = end) {
		size_t len;

		for (end = i + 1; end < nr && is_one_history(&points[i], &points[end]); end++)
			;
		len = end - i;
		if (len < LEAST_BEFORE + 2 || !points[end - 1].is_now || !card_of(points[i].gpu))
			continue;
		ret[nr_histories++] = (struct history){
			&points[i], len, points[end - 1].gpu->group, day_to_day(metric, points + i, len),
		};
	}
	return nr_histories;
}

static int compare_worse(const void *a, const void *b)
{
	const struct fleet_drift *one = a, *other = b;

	return (one->worse > other->worse) - (one->worse < other->worse);
}

static size_t nr_nodes_of(const struct fleet *fleet, const struct fleet_drift *drifts, size_t nr)
{
	bool *seen = xcalloc(fleet->nr_records, sizeof(*seen));
	size_t nodes = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t record = fleet->gpus[drifts[i].gpu].record;

		nodes += !seen[record];
		seen[record] = true;
	}
	free(seen);
	return nodes;
}

/*
 * Where most GPUs of a group are worse, and on several nodes, the cards are not what changed: a kernel, a firmware or
 * the cooling is. first: the group's first drift; of: its histories.
 */
static void take_for_shift(struct fleet *fleet, uint32_t metric, uint32_t group, size_t first, size_t of)
{
	struct fleet_drift *drifts = fleet->drifts + first;
	size_t nr = fleet->nr_drifts - first;

	if (nr * 2 <= of || nr_nodes_of(fleet, drifts, nr) < LEAST_NODES)
		return;
	qsort(drifts, nr, sizeof(*drifts), compare_worse);
	fleet->shifts = fleet_append(fleet->shifts, fleet->nr_shifts, sizeof(*fleet->shifts));
	fleet->shifts[fleet->nr_shifts++] = (struct fleet_shift){
		.group = group, .metric = metric, .nr = (uint32_t)nr, .of = (uint32_t)of, .worse = drifts[nr / 2].worse,
	};
	fleet->nr_drifts = first;
}

/* Group by group, with the median of their deviations. */
static void judge_histories(struct fleet *fleet, uint32_t metric_number, struct history *histories, size_t nr)
{
	qsort(histories, nr, sizeof(*histories), compare_histories);
	for (size_t i = 0, end; i < nr; i = end) {
		size_t first = i, first_drift = fleet->nr_drifts;
		double usual;

		for (end = i + 1; end < nr && histories[end].group == histories[i].group; end++)
			;
		usual = histories[i + (end - i - 1) / 2].deviation;
		for (; i < end; i++)
			judge_history(fleet, metric_number, histories[i].points, histories[i].nr, usual);
		if (fleet->nr_drifts > first_drift)
			take_for_shift(fleet, metric_number, histories[first].group - 1, first_drift, end - first);
	}
}

/* The figures of a metric in the order of their histories, into points. */
static size_t gather(const struct fleet *fleet, const struct fleet_metric *metric, struct point *points)
{
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
		return 0;
	qsort(points, nr, sizeof(*points), compare_points);
	return nr;
}

/* What a card is worse in stands together. */
static int compare_drifts(const void *a, const void *b)
{
	const struct fleet_drift *one = a, *other = b;

	if (one->gpu != other->gpu)
		return one->gpu < other->gpu ? -1 : 1;
	return (one->metric > other->metric) - (one->metric < other->metric);
}

void fleet_find_drifts(struct fleet *fleet)
{
	struct history *histories;
	struct point *points;
	size_t most = 1;

	for (size_t m = 0; m < fleet->nr_metrics; m++)
		most = fleet->metrics[m].nr > most ? fleet->metrics[m].nr : most;
	points = xcalloc(most, sizeof(*points));
	histories = xcalloc(most / LEAST_BEFORE + 1, sizeof(*histories));
	for (uint32_t m = 0; m < fleet->nr_metrics; m++) {
		size_t nr = gather(fleet, &fleet->metrics[m], points);

		nr = find_histories(&fleet->metrics[m], points, nr, histories);
		judge_histories(fleet, m, histories, nr);
	}
	if (fleet->nr_drifts)
		qsort(fleet->drifts, fleet->nr_drifts, sizeof(*fleet->drifts), compare_drifts);
	free(points);
	free(histories);
}
