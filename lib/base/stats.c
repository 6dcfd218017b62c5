// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/stats.h"

#include <math.h>

#include "base/alloc.h"

static int compare_doubles(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

void stats_sort(double *samples, size_t n)
{
	qsort(samples, n, sizeof(*samples), compare_doubles);
}

/* The value below which a share of the n sorted ones lies. */
static double quantile(const double *sorted, size_t n, double share)
{
	double rank = share * (double)(n - 1);
	size_t below = (size_t)rank;
	double part = rank - (double)below;

	if (below + 1 >= n)
		return sorted[n - 1];
	/* Written so that two equal neighbours give just that value. */
	return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

static double *sorted_copy(const double *samples, size_t n)
{
	double *sorted = xcalloc(n, sizeof(*sorted));

	memcpy(sorted, samples, n * sizeof(*sorted));
	stats_sort(sorted, n);
	return sorted;
}

void stats_of(const double *samples, size_t n, struct stats *ret)
{
	double *sorted;

	*ret = (struct stats){ .n = n };
	if (!n)
		return;
	sorted = sorted_copy(samples, n);
	ret->min = sorted[0];
	ret->max = sorted[n - 1];
	ret->median = quantile(sorted, n, 0.5);
	ret->p5 = quantile(sorted, n, 0.05);
	ret->p95 = quantile(sorted, n, 0.95);
	ret->p99 = quantile(sorted, n, 0.99);

	for (size_t i = 0; i < n; i++)
		sorted[i] = fabs(sorted[i] - ret->median);
	stats_sort(sorted, n);
	ret->mad = quantile(sorted, n, 0.5);
	free(sorted);
}

double stats_median_uncertainty(const double *samples, size_t n)
{
	/* Ranks of a binomial distribution: half a standard deviation is sqrt(n) / 2, and 1.96 of those are 95 %. */
	const double reach = 0.98 * sqrt((double)n), middle = (double)n / 2.0;
	double *sorted, median, low, high;
	size_t first, last;

	if (n < 6)
		return INFINITY;
	sorted = sorted_copy(samples, n);
	first = middle > reach ? (size_t)(middle - reach) : 0;
	last = (size_t)ceil(middle + reach);
	median = quantile(sorted, n, 0.5);
	low = sorted[first];
	high = sorted[last < n ? last : n - 1];
	free(sorted);
	return median > 0.0 ? (high - low) / 2.0 / median : INFINITY;
}

bool stats_without_extremes(const double *samples, size_t n, double *ret_low, double *ret_high)
{
	const size_t left_out = n / 20 > 1 ? n / 20 : 1;
	double *sorted;

	if (n <= 2 * left_out)
		return false;
	sorted = sorted_copy(samples, n);
	*ret_low = sorted[left_out];
	*ret_high = sorted[n - 1 - left_out];
	free(sorted);
	return true;
}
