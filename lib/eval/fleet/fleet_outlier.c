// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_outlier.c - which figures are worse than those of their kind.
 *
 * A figure is measured against the median of its slot where the group has
 * enough nodes, else of its group: slots behind the other socket are slower on
 * healthy nodes, too. It is out of line where it is worse by the metric's
 * floor and by so many deviations (1.4826 MAD, which would be the standard
 * deviation of a normal distribution).
 *
 * How far good figures stray is seen on the other side of the median, where no
 * fault brings them: if good ones are as far above it as the limit is below, a
 * single GPU must be worse than the best is better, and half as much again.
 */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/stats.h"

enum {
	LEAST_OF_GROUP = 4,		/* GPUs; of three any of them may be the odd one */
	FEW = 8,			/* below that the floor counts twice: medians of few are noisy */
	MANY = 16,			/* from then on one deviation less is enough */
	LEAST_OF_SLOT = 5,		/* nodes, for the slot's own median */
	POPULATION_PERCENT = 10,	/* of the group, and LEAST_OF_GROUP, at least, on each side of a gap */
	FEWER_OF = 3,			/* one of three, at most: so many may be worse for a fault; more are built so */
	TOLERATED_PERCENT = 5,		/* good figures beyond the limit on the other side, of those out of line */
};
#define MIRROR 1.5

/* One GPU's figure, and how much worse it is than what it is measured against. */
struct cell {
	uint32_t gpu, slot;
	double value, reference, worse, spread;
};

/* One metric of one group at work. */
struct comparison {
	struct fleet *fleet;
	const struct policy *policy;
	const struct fleet_metric *metric;
	uint32_t metric_number, group;
	struct cell *cells;
	size_t nr;
	double *scratch;
};

static double median_of_sorted(const double *values, size_t nr)
{
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

static double median_of(double *values, size_t nr)
{
	stats_sort(values, nr);
	return median_of_sorted(values, nr);
}

/* How much worse a value is than another: a share of that, or degrees. */
static double worse_than(const struct fleet_metric *metric, double value, double reference)
{
	double difference = fleet_worse_by(metric, value, reference);

	return metric->is_absolute ? difference : difference / reference;
}

/* ---- what each is measured against */

static int by_slot(const void *a, const void *b)
{
	const struct cell *one = a, *other = b;

	return one->slot == other->slot ? (one->gpu > other->gpu) - (one->gpu < other->gpu) :
	       one->slot < other->slot ? -1 : 1;
}

static size_t end_of_slot(const struct comparison *c, size_t from)
{
	size_t end = from;

	while (end < c->nr && c->cells[end].slot == c->cells[from].slot)
		end++;
	return end;
}

static double median_of_cells(const struct comparison *c, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		c->scratch[i - from] = c->cells[i].value;
	return median_of(c->scratch, end - from);
}

/* The median slot, of two the worse: where half of the slots are behind another socket, those are as it is built. */
static double typical_slot(const struct comparison *c, double *medians, size_t nr)
{
	stats_sort(medians, nr);
	return medians[c->metric->is_low_good ? nr / 2 : (nr - 1) / 2];
}

/*
 * Slots that are worse than the median slot by the floor, and few: those are judged by that one, and so are their GPUs.
 * Where many slots are, the machine is built so. A slot of few nodes has no median of its own.
 */
static void refer_to_slots(struct comparison *c)
{
	double *medians = xcalloc(c->nr, sizeof(*medians)), typical;
	size_t nr_slots = 0, nr_worse = 0;

	for (size_t i = 0, end; i < c->nr; i = end) {
		end = end_of_slot(c, i);
		if (end - i >= LEAST_OF_SLOT)
			medians[nr_slots++] = median_of_cells(c, i, end);
	}
	typical = nr_slots > 1 ? typical_slot(c, medians, nr_slots) : median_of_cells(c, 0, c->nr);
	for (size_t s = 0; s < nr_slots; s++)
		nr_worse += worse_than(c->metric, medians[s], typical) > c->metric->floor;
	for (size_t i = 0, end; i < c->nr; i = end) {
		double own = typical;

		end = end_of_slot(c, i);
		if (nr_slots > 1 && end - i >= LEAST_OF_SLOT)
			own = median_of_cells(c, i, end);
		if (worse_than(c->metric, own, typical) > c->metric->floor && nr_worse * FEWER_OF <= nr_slots)
			own = typical;
		for (size_t k = i; k < end; k++)
			c->cells[k].reference = own;
	}
	free(medians);
}

static void refer(struct comparison *c)
{
	qsort(c->cells, c->nr, sizeof(*c->cells), by_slot);
	refer_to_slots(c);
	for (size_t i = 0; i < c->nr; i++)
		c->cells[i].worse = worse_than(c->metric, c->cells[i].value, c->cells[i].reference);
}

static int by_worse(const void *a, const void *b)
{
	const struct cell *one = a, *other = b;

	return one->worse == other->worse ? (one->gpu > other->gpu) - (one->gpu < other->gpu) :
	       one->worse < other->worse ? -1 : 1;
}

/* ---- one population, from the best to the worst */

struct population {
	size_t from, end;
	double centre, deviation;	/* of how much worse they are */
	/* how much worse a figure without a spread of its own may be; 0: none is judged */
	double limit;
};

static void measure_population(const struct comparison *c, struct population *p)
{
	double least = c->metric->is_absolute ? LEAST_DEGREES : LEAST_DEVIATION;

	for (size_t i = p->from; i < p->end; i++)
		c->scratch[i - p->from] = c->cells[i].worse;
	p->centre = median_of_sorted(c->scratch, p->end - p->from);
	for (size_t i = p->from; i < p->end; i++)
		c->scratch[i - p->from] = fabs(c->cells[i].worse - p->centre);
	p->deviation = fmax(MAD_TO_DEVIATION * median_of(c->scratch, p->end - p->from), least);
}

/* From how much worse than its population a figure is out of line. */
static double limit_of(const struct comparison *c, const struct population *p, const struct cell *cell)
{
	size_t nr = p->end - p->from;
	double deviations = c->policy->fleet_deviations + (nr < MANY);
	double own = c->metric->is_absolute ? 0.0 : cell->spread / cell->reference;

	return fmax(c->metric->floor * (nr < FEW ? 2 : 1), deviations * fmax(p->deviation, own));
}

static struct fleet_outlier *add_outlier(const struct comparison *c, const struct population *p,
					 const struct cell *cell)
{
	struct fleet *fleet = c->fleet;
	struct fleet_outlier *outlier;

	fleet->outliers = fleet_append(fleet->outliers, fleet->nr_outliers, sizeof(*fleet->outliers));
	outlier = &fleet->outliers[fleet->nr_outliers++];
	*outlier = (struct fleet_outlier){
		.gpu = cell->gpu, .metric = c->metric_number,
		.value = cell->value, .median = cell->reference, .worse = cell->worse,
		.mads = (cell->worse - p->centre) / p->deviation,
	};
	return outlier;
}

/* Cells of a population lie from the best to the worst. */
static void judge_population(const struct comparison *c, struct population *p)
{
	size_t nr_worse = 0, nr_better = 0;
	double farthest, limit;

	if (p->end - p->from < LEAST_OF_GROUP)
		return;
	measure_population(c, p);
	p->limit = p->centre + limit_of(c, p, &(struct cell){ .reference = 1.0 });
	for (size_t i = p->from; i < p->end; i++) {
		limit = limit_of(c, p, &c->cells[i]);
		nr_worse += c->cells[i].worse - p->centre > limit;
		nr_better += p->centre - c->cells[i].worse > limit;
	}
	farthest = p->centre - c->cells[p->from].worse;
	c->fleet->expected_by_chance += (double)(nr_better < nr_worse ? nr_better : nr_worse);
	for (size_t i = p->end; i-- > p->from;) {
		double away = c->cells[i].worse - p->centre;

		/* Where good ones stray as far, one that is no farther may still share a cause with others. */
		if (away > limit_of(c, p, &c->cells[i]))
			add_outlier(c, p, &c->cells[i])->is_doubtful =
				nr_better * 100 > nr_worse * TOLERATED_PERCENT && away <= MIRROR * farthest;
	}
}

/* ---- two populations */

size_t fleet_population_least(size_t nr)
{
	size_t least = (nr * POPULATION_PERCENT + 99) / 100;

	return least > LEAST_OF_GROUP ? least : LEAST_OF_GROUP;
}

/* Where the largest gap lies that has a population on either side: the number of cells below it; 0: there is none. */
static size_t find_gap(const struct comparison *c)
{
	size_t least = fleet_population_least(c->nr), best = 0;
	double widest = c->metric->floor;

	for (size_t i = least; i + least <= c->nr; i++) {
		double gap = c->cells[i].worse - c->cells[i - 1].worse;

		if (gap > widest) {
			widest = gap;
			best = i;
		}
	}
	return best;
}

static void judge_two(const struct comparison *c, size_t gap, struct fleet_spread *spread)
{
	struct population better = { .from = 0, .end = gap }, worse = { .from = gap, .end = c->nr };

	spread->is_two = true;
	spread->n_worse = (uint32_t)(c->nr - gap);
	spread->median_better = median_of_cells(c, 0, gap);
	spread->median_worse = median_of_cells(c, gap, c->nr);
	judge_population(c, &better);
	spread->limit = better.limit;
	/* Where the worse are few, a rack, a slot or a batch may be what they share. */
	if ((c->nr - gap) * FEWER_OF > c->nr)
		judge_population(c, &worse);
	else if (gap >= LEAST_OF_GROUP)
		for (size_t i = gap; i < c->nr; i++)
			add_outlier(c, &better, &c->cells[i])->is_population = true;
}

static void fill_spread(const struct comparison *c, struct fleet_spread *ret)
{
	for (size_t i = 0; i < c->nr; i++)
		c->scratch[i] = c->cells[i].value;
	ret->median = median_of(c->scratch, c->nr);
	ret->low = c->scratch[(c->nr - 1) / 100];
	ret->high = c->scratch[c->nr - 1 - (c->nr - 1) / 100];
	for (size_t i = 0; i < c->nr; i++)
		c->scratch[i] = fabs(c->cells[i].value - ret->median);
	ret->mad = median_of(c->scratch, c->nr);
}

static void compare(struct comparison *c)
{
	struct fleet *fleet = c->fleet;
	struct fleet_spread spread = { .group = c->group, .metric = c->metric_number, .n = (uint32_t)c->nr };
	struct population all = { .from = 0, .end = c->nr };
	size_t gap;

	fill_spread(c, &spread);
	fleet->nr_comparisons += c->nr;
	if (c->nr >= LEAST_OF_GROUP) {
		refer(c);
		qsort(c->cells, c->nr, sizeof(*c->cells), by_worse);
		gap = find_gap(c);
		if (gap) {
			judge_two(c, gap, &spread);
		} else {
			judge_population(c, &all);
			spread.limit = all.limit;
		}
	}
	fleet->spreads = fleet_append(fleet->spreads, fleet->nr_spreads, sizeof(*fleet->spreads));
	fleet->spreads[fleet->nr_spreads++] = spread;
}

/* ---- all metrics of all groups */

static int by_group(const void *a, const void *b)
{
	const struct cell *one = a, *other = b;

	return (one->slot > other->slot) - (one->slot < other->slot);
}

/* The figures of reports that judge, by group, which `slot` holds until they are compared. */
static size_t gather(const struct fleet *fleet, const struct fleet_metric *metric, struct cell *cells)
{
	size_t nr = 0;

	for (size_t i = 0; i < metric->nr; i++) {
		const struct fleet_value *value = &metric->values[i];
		const struct fleet_gpu *gpu = &fleet->gpus[value->gpu];

		if (gpu->group && record_of(fleet, gpu)->standing == RECORD_JUDGES)
			cells[nr++] = (struct cell){ .gpu = value->gpu, .slot = gpu->group - 1,
						     .value = (double)value->value, .spread = (double)value->spread };
	}
	qsort(cells, nr, sizeof(*cells), by_group);
	return nr;
}

static void compare_metric(struct comparison *c, struct cell *cells)
{
	size_t nr = gather(c->fleet, c->metric, cells);

	for (size_t i = 0, end; i < nr; i = end) {
		c->group = cells[i].slot;
		for (end = i; end < nr && cells[end].slot == c->group; end++)
			;
		for (size_t k = i; k < end; k++)
			cells[k].slot = slot_of_gpu(&c->fleet->gpus[cells[k].gpu]);
		c->cells = cells + i;
		c->nr = end - i;
		compare(c);
	}
}

static int compare_spreads(const void *a, const void *b)
{
	const struct fleet_spread *one = a, *other = b;

	if (one->group != other->group)
		return one->group < other->group ? -1 : 1;
	return (one->metric > other->metric) - (one->metric < other->metric);
}

void fleet_find_outliers(struct fleet *fleet, const struct policy *policy)
{
	struct comparison c = { .fleet = fleet, .policy = policy };
	struct cell *cells;
	size_t most = 1;

	for (size_t m = 0; m < fleet->nr_metrics; m++)
		most = fleet->metrics[m].nr > most ? fleet->metrics[m].nr : most;
	cells = xcalloc(most, sizeof(*cells));
	c.scratch = xcalloc(most, sizeof(*c.scratch));
	for (size_t m = 0; m < fleet->nr_metrics; m++) {
		c.metric = &fleet->metrics[m];
		c.metric_number = (uint32_t)m;
		compare_metric(&c, cells);
	}
	if (fleet->nr_spreads)
		qsort(fleet->spreads, fleet->nr_spreads, sizeof(*fleet->spreads), compare_spreads);
	free(cells);
	free(c.scratch);
}
