// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_fleet_chart.c - a histogram of GPUs: its axis, what is off it, two populations, limits, and the order of
 * outliers.
 */
#include "base/compat.h"
#include "render/fleet_chart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "render/axis.h"

enum { MOST = 40 };

/* One node, one group, one metric, a figure for each GPU. */
struct example {
	struct fleet fleet;
	struct fleet_record record;
	struct fleet_gpu gpus[MOST];
	struct fleet_value values[MOST];
	struct fleet_metric metric;
	struct fleet_spread spread;
	struct fleet_outlier outliers[MOST];
	struct fleet_chart chart;
	struct arena arena;
};

static void make(struct example *example, const float *values, size_t nr)
{
	*example = (struct example){ .metric = { .unit = UNIT_GBPS, .nr = nr } };
	example->metric.values = example->values;
	example->fleet = (struct fleet){
		.records = &example->record, .nr_records = 1, .gpus = example->gpus, .nr_gpus = nr,
		.metrics = &example->metric, .nr_metrics = 1, .outliers = example->outliers,
	};
	example->spread = (struct fleet_spread){ .n = (uint32_t)nr };
	for (size_t i = 0; i < nr; i++) {
		example->gpus[i].group = 1;
		example->values[i] = (struct fleet_value){ .gpu = (uint32_t)i, .value = values[i] };
	}
}

static bool draw(struct example *example)
{
	return fleet_chart_of(&example->arena, &example->fleet, &example->spread, &example->chart);
}

static uint32_t sum(const uint32_t *bars)
{
	uint32_t all = 0;

	for (size_t i = 0; i < FLEET_BARS; i++)
		all += bars[i];
	return all;
}

static void marks_are_round_numbers(void **state)
{
	(void)state;
	assert_true(axis_step(1.0) == 1.0);
	assert_true(axis_step(1.2) == 2.0);
	assert_true(axis_step(30.0) == 50.0);
	assert_true(axis_step(0.07) == 0.1);
}

static void one_that_is_far_off_leaves_the_others_their_room(void **state)
{
	static const float values[] = { 99, 100, 100, 100, 101, 10 };
	struct example example;

	(void)state;
	make(&example, values, ARRAY_SIZE(values));
	example.spread.median = 100;
	example.spread.low = 99;
	example.spread.high = 101;
	example.spread.limit = 0.05;
	assert_true(draw(&example));
	assert_true(example.chart.has_limit && example.chart.limit == 95.0);
	assert_true(example.chart.low > 90.0 && example.chart.low < 95.0);
	assert_true(example.chart.high == 101.0);
	assert_int_equal(example.chart.nr_below, 1);
	assert_int_equal(example.chart.nr_above, 0);
	assert_int_equal(sum(example.chart.bars[0]), 5);
	assert_int_equal(example.chart.tallest, 3);
	assert_true(fleet_chart_place(&example.chart, 10) < 0.0);
	arena_release(&example.arena);
}

static void of_a_time_more_is_worse(void **state)
{
	static const float values[] = { 50, 51, 52, 90 };
	struct example example;

	(void)state;
	make(&example, values, ARRAY_SIZE(values));
	example.metric.is_low_good = example.metric.is_absolute = true;
	example.spread.median = 51;
	example.spread.low = 50;
	example.spread.high = 52;
	example.spread.limit = 12;
	assert_true(draw(&example));
	assert_true(example.chart.limit == 63.0);
	assert_int_equal(example.chart.nr_above, 1);
	arena_release(&example.arena);
}

static void two_populations_are_both_on_the_axis(void **state)
{
	static const float values[] = { 70, 70, 71, 100, 100, 101 };
	struct example example;

	(void)state;
	make(&example, values, ARRAY_SIZE(values));
	example.spread = (struct fleet_spread){
		.n = 6, .median = 100, .low = 99, .high = 101, .is_two = true, .n_worse = 3, .median_better = 100,
		.median_worse = 70,
	};
	assert_true(draw(&example));
	assert_false(example.chart.has_limit);
	assert_int_equal(sum(example.chart.bars[0]), 3);
	assert_int_equal(sum(example.chart.bars[1]), 3);
	assert_int_equal(example.chart.nr_below + example.chart.nr_above, 0);
	arena_release(&example.arena);
}

static void figures_all_alike_have_an_axis(void **state)
{
	static const float alike[] = { 100, 100, 100, 100 }, zero[] = { 0, 0 };
	struct example example;

	(void)state;
	make(&example, alike, ARRAY_SIZE(alike));
	example.spread.median = example.spread.low = example.spread.high = 100;
	assert_true(draw(&example));
	assert_true(example.chart.low < 100.0 && example.chart.high > 100.0 && example.chart.step > 0.0);
	assert_int_equal(example.chart.tallest, 4);
	arena_release(&example.arena);
	make(&example, zero, ARRAY_SIZE(zero));
	assert_true(draw(&example));
	assert_true(example.chart.low < 0.0 && example.chart.high > 0.0);
	arena_release(&example.arena);
}

static void nothing_is_not_drawn(void **state)
{
	struct example example;

	(void)state;
	make(&example, (const float[]){ 1 }, 0);
	assert_false(draw(&example));
	arena_release(&example.arena);
	make(&example, (const float[]){ 1e30f * 1e30f, 1 }, 2);
	example.spread.median = example.spread.high = (double)example.values[0].value;
	assert_false(draw(&example));
	arena_release(&example.arena);
}

static void others_do_not_count_and_the_worst_comes_first(void **state)
{
	static const float values[] = { 100, 80, 100, 70, 60, 50 };
	struct example example;

	(void)state;
	make(&example, values, ARRAY_SIZE(values));
	example.spread.n = 5;
	example.spread.median = 80;
	example.spread.low = 60;
	example.spread.high = 100;
	example.gpus[5].group = 2;
	example.outliers[0] = (struct fleet_outlier){ .gpu = 3, .worse = 0.1 };
	example.outliers[1] = (struct fleet_outlier){ .gpu = 4, .worse = 0.2 };
	example.outliers[2] = (struct fleet_outlier){ .gpu = 5, .worse = 0.3 };
	example.fleet.nr_outliers = 3;
	assert_true(draw(&example));
	assert_int_equal(sum(example.chart.bars[0]) + example.chart.nr_below, 5);
	assert_int_equal(example.chart.nr_outliers, 2);
	assert_int_equal(example.chart.outliers[0]->gpu, 4);
	assert_int_equal(example.chart.outliers[1]->gpu, 3);
	arena_release(&example.arena);
	/* Older reports judge nothing. */
	example.record.standing = RECORD_OLDER;
	example.arena = (struct arena){ .blocks = NULL };
	assert_true(draw(&example));
	assert_int_equal(example.chart.tallest, 0);
	arena_release(&example.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_round_numbers),
		cmocka_unit_test(one_that_is_far_off_leaves_the_others_their_room),
		cmocka_unit_test(of_a_time_more_is_worse),
		cmocka_unit_test(two_populations_are_both_on_the_axis),
		cmocka_unit_test(figures_all_alike_have_an_axis),
		cmocka_unit_test(nothing_is_not_drawn),
		cmocka_unit_test(others_do_not_count_and_the_worst_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
