/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - robust statistics of a few samples. Pure.
 */
#pragma once

#include "base/compat.h"

#include <stdbool.h>

struct stats {
	size_t n;
	double min, max, median, p5, p95, p99;
	double mad;		/* median of the absolute distances from the median */
};

/*
 * Quantiles by linear interpolation between the two nearest ranks. Samples
 * need not be sorted and are not changed. n 0 gives all zeros.
 */
void stats_of(const double *samples, size_t n, struct stats *ret);

/* Sorts samples, the lowest first, in place. */
void stats_sort(double *samples, size_t n);

/*
 * The lowest and the highest that are left without the twentieth at either
 * end, one sample at least: what no single straggler can move. False where
 * nothing would be left.
 */
bool stats_without_extremes(const double *samples, size_t n, double *ret_low, double *ret_high);

/*
 * Half the width of the median's 95 % confidence interval, as a share of the
 * median: by ranks, so of whatever distribution. Infinity where there are too
 * few samples to tell (under six), or the median is not above 0.
 */
double stats_median_uncertainty(const double *samples, size_t n);
