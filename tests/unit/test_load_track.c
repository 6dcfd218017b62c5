// SPDX-License-Identifier: GPL-2.0-or-later
/* test_load_track.c - figures over the judged span, from counters and gauges that come as they like. */
#include "base/compat.h"

#include "eval/load/gpu_figures.h"
#include "load_ticks.h"

static struct reasons reasons;
static struct watch_span span = { .nr = 1, .seconds = { 1.0 } };

static struct moment at(double s, double elapsed_s)
{
	return (struct moment){ .at_ns = (uint64_t)(s * 1e9), .elapsed_s = elapsed_s, .slot = 0, .reasons = &reasons };
}

static void count(struct figure *figure, uint64_t value, bool may_wrap, double s)
{
	struct moment now = at(s, 1.0);

	figure_add_counter(figure, value, may_wrap, &now);
}

static void test_the_first_reading_gives_no_rate(void **state)
{
	struct figure figure = { .has_counted = false };

	(void)state;
	count(&figure, 1000000, false, 5);
	assert_int_equal(figure_mean(&figure, &span).state, VAL_UNSET);
	count(&figure, 1000500, false, 6);
	assert_float_equal(f64_or(figure_mean(&figure, &span), 0), 500.0, 1e-3);
}

static void test_a_missing_tick_makes_a_longer_one(void **state)
{
	struct figure figure = { .has_counted = false };
	struct moment now = at(2, 1.0);

	(void)state;
	count(&figure, 0, false, 1);
	figure_miss(&figure, (struct val_head){ .state = VAL_TIMEOUT, .why = "no answer" }, &now);
	assert_int_equal(figure_mean(&figure, &span).state, VAL_TIMEOUT);
	assert_string_equal(figure_mean(&figure, &span).why, "no answer");
	count(&figure, 400, false, 5);
	assert_float_equal(f64_or(figure_mean(&figure, &span), 0), 100.0, 1e-3);
	reasons_release(&reasons);
}

static void test_counters_that_step_back_or_wrap(void **state)
{
	struct figure figure = { .has_counted = false };

	(void)state;
	count(&figure, 5000, false, 1);
	count(&figure, 100, false, 2);
	assert_false(is_known(figure_mean(&figure, &span)));
	count(&figure, 300, false, 3);
	assert_float_equal(f64_or(figure_mean(&figure, &span), 0), 200.0, 1e-3);
	figure = (struct figure){ .has_counted = false };
	count(&figure, UINT32_MAX - 99, true, 1);
	count(&figure, 100, true, 2);
	assert_float_equal(f64_or(figure_mean(&figure, &span), 0), 200.0, 1e-3);
}

static void test_no_rate_across_a_stamp_that_went_back(void **state)
{
	struct figure figure = { .has_counted = false };
	struct moment back = at(1, 0.0);

	(void)state;
	count(&figure, 100, false, 9);
	figure_add_counter(&figure, 900, false, &back);
	assert_false(is_known(figure_mean(&figure, &span)));
	count(&figure, 950, false, 2);
	assert_float_equal(f64_or(figure_mean(&figure, &span), 0), 50.0, 1e-3);
}

static void test_shares_of_time(void **state)
{
	(void)state;
	assert_float_equal(f64_or(share_percent(val_f64(1.05e9)), 0), 100.0, 1e-9);
	assert_false(is_known(share_percent(val_f64(1.2e9))));
	assert_int_equal(share_percent(no_f64(VAL_DENIED, NULL)).state, VAL_DENIED);
}

static void test_lists_find_add_and_let_go(void **state)
{
	struct track_list list = { .record = &record_tick_disk, .item_size = sizeof(struct track), .max = 3 };
	struct moment now = at(1, 1.0);
	char key[8];

	(void)state;
	for (int i = 4; i > 0; i--) {
		snprintf(key, sizeof(key), "%d", i * 7);
		track_take(&list, key, &now);
	}
	assert_int_equal(list.nr, 3);
	assert_int_equal(list.left_out, 1);
	assert_string_equal(list.items[0]->key, "14");
	assert_non_null(track_find(&list, "28"));
	assert_null(track_find(&list, "7"));
	for (int i = 0; i < 10; i++) {
		track_list_begin(&list);
		track_take(&list, "21", &now);
		track_list_end(&list);
	}
	assert_int_equal(list.nr, 1);
	track_list_release(&list);
}

/* ---- a GPU's figures */

static struct snapshot sealed;
static struct fold fold;
static struct gpu_figures figures;

static void fold_gpu_tick(double at_s, struct tick_gpu gpu)
{
	struct tick tick = { .at_ns = val_u64((uint64_t)(at_s * 1e9)), .nr_gpus = 1, .gpus = &gpu };

	gpu.key = val_str("0000:01:00.0");
	load_fold_tick(&fold, &tick);
	gpu_figures_of(&fold, &policy_built_in, &fold.gpus[0], &figures);
}

static int begin(void **state)
{
	(void)state;
	sealed_of(&sealed, 1);
	load_fold_init(&fold, &sealed, &policy_built_in);
	assert_int_equal(fold.nr_gpus, 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	load_fold_release(&fold);
	snapshot_release(&sealed);
	return 0;
}

/* 1 Hz would see 50 % only: the driver's own samples tell that it swings. */
static void test_a_square_wave_swings_and_half_a_load_does_not(void **state)
{
	(void)state;
	for (int i = 0; i < 15; i++)
		fold_gpu_tick(i, (struct tick_gpu){ .busy_percent = val_f64(52), .busy_min_percent = val_f64(0),
						    .busy_max_percent = val_f64(100) });
	assert_float_equal(f64_or(figures.busy_p5, 50), 0.0, 1.0);
	assert_float_equal(f64_or(figures.busy_p95, 50), 100.0, 1.0);
	assert_true(figures.swings && figures.is_low);
	for (int i = 15; i < 30; i++)
		fold_gpu_tick(i, (struct tick_gpu){ .busy_percent = val_f64(52), .busy_min_percent = val_f64(48),
						    .busy_max_percent = val_f64(56) });
	assert_false(figures.swings || figures.is_low);
	/* Without finer samples, by the ticks themselves. */
	for (int i = 30; i < 45; i++)
		fold_gpu_tick(i, (struct tick_gpu){ .busy_percent = val_f64(i % 2 ? 100 : 0) });
	assert_true(figures.swings);
}

static void test_energy_before_power_and_impossible_figures(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 12; i++)
		fold_gpu_tick((double)i, (struct tick_gpu){ .busy_percent = val_f64(i > 5 ? 250 : 40),
							    .power_mw = val_u64(100000),
							    .energy_mj = val_u64(i * 350000),
							    .clock_mhz = val_u64(500),
							    .vram_used_bytes = val_u64(1 << 29) });
	assert_float_equal(f64_or(figures.power_ratio, 0), 0.5, 1e-3);
	assert_float_equal(f64_or(figures.clock_ratio, 0), 0.5, 1e-3);
	assert_float_equal(f64_or(figures.vram_ratio, 0), 0.5, 1e-3);
	assert_int_equal(figures.busy.state, VAL_ERROR);
}

static void test_activity_of_0_while_busy_is_not_known(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++)
		fold_gpu_tick(i, (struct tick_gpu){ .busy_percent = val_f64(95), .sm_active_percent = val_f64(0),
						    .memory_active_percent = val_f64(0) });
	assert_int_equal(figures.sm.state, VAL_ERROR);
	assert_int_equal(figures.memory.state, VAL_ERROR);
}

static void test_a_step_begins_a_phase(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		fold_gpu_tick(i, (struct tick_gpu){ .busy_percent = val_f64(i < 16 ? 98 : 2) });
	assert_int_equal(figures.span.nr, 4);
	assert_float_equal(f64_or(figures.busy, 50), 2.0, 1e-3);
}

static void test_spans_of_fast_and_slow_ticks(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++)
		fold_gpu_tick(i * 0.1, (struct tick_gpu){ .busy_percent = val_f64(50) });
	assert_true(span_seconds(&fold.span) > 8.5 && span_seconds(&fold.span) < 11.5);
	for (int i = 0; i < 10; i++)
		fold_gpu_tick(20 + i * 30.0, (struct tick_gpu){ .busy_percent = val_f64(50) });
	assert_int_equal(fold.span.nr, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_reading_gives_no_rate),
		cmocka_unit_test(test_a_missing_tick_makes_a_longer_one),
		cmocka_unit_test(test_counters_that_step_back_or_wrap),
		cmocka_unit_test(test_no_rate_across_a_stamp_that_went_back),
		cmocka_unit_test(test_shares_of_time),
		cmocka_unit_test(test_lists_find_add_and_let_go),
		cmocka_unit_test_setup_teardown(test_a_square_wave_swings_and_half_a_load_does_not, begin, end),
		cmocka_unit_test_setup_teardown(test_energy_before_power_and_impossible_figures, begin, end),
		cmocka_unit_test_setup_teardown(test_activity_of_0_while_busy_is_not_known, begin, end),
		cmocka_unit_test_setup_teardown(test_a_step_begins_a_phase, begin, end),
		cmocka_unit_test_setup_teardown(test_spans_of_fast_and_slow_ticks, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
