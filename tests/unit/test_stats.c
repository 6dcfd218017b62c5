// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-12 * (1 + fabs(expected)))
		fail_msg("%.17g, not %.17g", value, expected);
}

static void assert_stats(const struct stats *got, const struct stats *expected)
{
	assert_int_equal(got->n, expected->n);
	assert_near(got->min, expected->min);
	assert_near(got->max, expected->max);
	assert_near(got->median, expected->median);
	assert_near(got->p5, expected->p5);
	assert_near(got->p95, expected->p95);
	assert_near(got->mad, expected->mad);
}

static void knows_small_samples(void **state)
{
	static const struct {
		double samples[8];
		struct stats stats;
	} cases[] = {
		{ { 0 }, { .n = 0 } },
		{ { 7 }, { .n = 1, .min = 7, .max = 7, .median = 7, .p5 = 7, .p95 = 7 } },
		{ { 3, 1 }, { .n = 2, .min = 1, .max = 3, .median = 2, .p5 = 1.1, .p95 = 2.9, .mad = 1 } },
		{ { 30, 10, 20 }, { .n = 3, .min = 10, .max = 30, .median = 20, .p5 = 11, .p95 = 29, .mad = 10 } },
		{ { 4, 3, 2, 1 }, { .n = 4, .min = 1, .max = 4, .median = 2.5, .p5 = 1.15, .p95 = 3.85, .mad = 1 } },
		{ { 5, 5, 5, 5, 5 }, { .n = 5, .min = 5, .max = 5, .median = 5, .p5 = 5, .p95 = 5 } },
		/* one that is far out moves the mean, not the median */
		{ { 1, 1, 2, 2, 4, 6, 1000 },
		{ .n = 7, .min = 1, .max = 1000, .median = 2, .p5 = 1, .p95 = 701.8, .mad = 1 } },
		{ { -5, 0, 5 }, { .n = 3, .min = -5, .max = 5, .median = 0, .p5 = -4.5, .p95 = 4.5, .mad = 5 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stats stats = { .n = 99, .mad = 99 };

		stats_of(cases[i].samples, cases[i].stats.n, &stats);
		assert_stats(&stats, &cases[i].stats);
	}
}

static void takes_nothing(void **state)
{
	const struct stats zero = { 0 };
	struct stats stats = { .n = 1, .min = 2, .max = 3, .median = 4, .p5 = 5, .p95 = 6, .mad = 7 };

	(void)state;
	stats_of(NULL, 0, &stats);
	assert_stats(&stats, &zero);
}

/* 0 to 100, stirred: each quantile is its own number, and the samples stay as they were. */
static void keeps_the_samples(void **state)
{
	const struct stats expected = { .n = 101, .max = 100, .median = 50, .p5 = 5, .p95 = 95, .mad = 25 };
	double samples[101], before[101];
	struct stats stats;

	(void)state;
	for (int i = 0; i < 101; i++)
		samples[i] = i * 37 % 101;
	memcpy(before, samples, sizeof(samples));
	stats_of(samples, 101, &stats);
	assert_stats(&stats, &expected);
	assert_near(stats.p99, 99);
	assert_memory_equal(samples, before, sizeof(samples));
}

/* Equal samples have no spread, to the last bit: 0.1 is where rounding would show. */
static void equal_samples_are_exact(void **state)
{
	double samples[97];
	struct stats stats;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = 0.1;
	for (size_t n = 1; n <= ARRAY_SIZE(samples); n++) {
		stats_of(samples, n, &stats);
		assert_true(stats.median == 0.1 && stats.p5 == 0.1 && stats.p95 == 0.1 && stats.mad == 0);
	}
}

static void stays_in_order(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (size_t round = 0; round < 2000; round++) {
		double samples[50];
		size_t n = 1 + round % 50;
		struct stats stats;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			samples[i] = (double)seed / 1e6 - 2000;
		}
		stats_of(samples, n, &stats);
		assert_true(stats.min <= stats.p5 && stats.p5 <= stats.median);
		assert_true(stats.median <= stats.p95 && stats.p95 <= stats.max);
		assert_true(stats.mad >= 0 && stats.mad <= stats.max - stats.min);
	}
}

static void leaves_extremes_out(void **state)
{
	static const double few[] = { 1, 2 }, ten[] = { 9, 1, 5, 5, 5, 5, 5, 5, 4, 6 };
	double low = 0.0, high = 0.0, hundred[100];

	(void)state;
	assert_false(stats_without_extremes(NULL, 0, &low, &high));
	assert_false(stats_without_extremes(few, 2, &low, &high));
	assert_true(stats_without_extremes(ten, 10, &low, &high));
	assert_near(low, 4.0);
	assert_near(high, 6.0);
	for (int i = 0; i < 100; i++)
		hundred[i] = 100 - i;
	assert_true(stats_without_extremes(hundred, 100, &low, &high));
	assert_near(low, 6.0);
	assert_near(high, 95.0);
}

/* 1.96 standard deviations of a binomial distribution around the middle rank, rounded outwards. */
static void knows_how_well_a_median_is_known(void **state)
{
	static const double few[] = { 1, 1, 1, 1, 1 }, same[] = { 7, 7, 7, 7, 7, 7 }, zeros[] = { 0, 0, 0, 0, 0, 0 };
	static const double six[] = { 90, 95, 100, 100, 105, 110 };
	double hundred[100], outlier[100];

	(void)state;
	assert_true(isinf(stats_median_uncertainty(NULL, 0)));
	assert_true(isinf(stats_median_uncertainty(few, 5)));
	assert_true(isinf(stats_median_uncertainty(zeros, 6)));
	assert_near(stats_median_uncertainty(same, 6), 0.0);
	/* of six, all of them: from 90 to 110 around 100 */
	assert_near(stats_median_uncertainty(six, 6), 0.1);
	/* of a hundred, ranks 40 to 60 around 50.5 */
	for (int i = 0; i < 100; i++)
		outlier[i] = hundred[i] = 100 - i;
	assert_near(stats_median_uncertainty(hundred, 100), 10 / 50.5);
	outlier[0] = 1e9;
	assert_near(stats_median_uncertainty(outlier, 100), 10 / 50.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_small_samples),
		cmocka_unit_test(takes_nothing),
		cmocka_unit_test(keeps_the_samples),
		cmocka_unit_test(equal_samples_are_exact),
		cmocka_unit_test(stays_in_order),
		cmocka_unit_test(leaves_extremes_out),
		cmocka_unit_test(knows_how_well_a_median_is_known),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
