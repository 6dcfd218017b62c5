// SPDX-License-Identifier: GPL-2.0-or-later
/* test_sample_fold.c - what samples of a GPU amount to, whoever took them. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "snapshot/sample_fold.h"

#define ALL ((1U << NR_THROTTLE_KINDS) - 1)

static struct arena arena;

static int end(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static struct gpu_sample sample_of(double busy, const char *kinds)
{
	struct load_sample record = { .busy_percent = val_f64(busy), .throttle_reasons = val_str(kinds) };
	struct gpu_sample sample;

	sample_read(&record, &sample);
	return sample;
}

static void add(struct gpu_fold *fold, const struct gpu_sample *sample)
{
	fold_add(fold, sample, sample_is_at_work(sample));
}

static void test_what_counts_at_work_alone(void **state)
{
	struct gpu_fold fold = GPU_FOLD_INIT;
	struct gpu_sample sample = sample_of(49, "none");
	struct gpu_use use = { .busy_percent = { .state = VAL_UNSET } };

	(void)state;
	sample.clock_mhz = val_u64(300);
	sample.link_width = val_u64(16);
	sample.power_mw = val_u64(100);
	add(&fold, &sample);
	fold_fill_use(&fold, &use);
	assert_int_equal(u64_or(use.samples_busy, 9), 0);
	assert_int_equal(use.clock_busy_mhz.state, VAL_ABSENT);
	assert_string_equal(use.clock_busy_mhz.why, NOT_AT_WORK);
	assert_int_equal(use.link_width_busy.state, VAL_ABSENT);
	sample.busy_percent = val_f64(50);
	sample.clock_mhz = val_u64(1500);
	sample.link_width = val_u64(8);
	sample.power_mw = val_u64(201);
	add(&fold, &sample);
	fold_fill_use(&fold, &use);
	assert_int_equal(u64_or(use.samples_busy, 9), 1);
	assert_int_equal(u64_or(use.clock_busy_mhz, 0), 1500);
	assert_int_equal(u64_or(use.link_width_busy, 0), 8);
	assert_int_equal(u64_or(use.power_mw, 0), 151);
	fold_release(&fold);
}

/* A figure that no sample told keeps the last reason; one that was not asked has none to keep. */
static void test_unknown_keeps_its_reason(void **state)
{
	struct gpu_fold fold = GPU_FOLD_INIT;
	struct gpu_sample sample = { .busy_percent = no_f64(VAL_DENIED, "EACCES") };
	struct gpu_use use = { .busy_percent = { .state = VAL_UNSET } };

	(void)state;
	sample.power_mw = no_u64(VAL_ERROR, "reads all ones");
	add(&fold, &sample);
	sample.power_mw = (struct val_u64){ .state = VAL_UNSET };
	add(&fold, &sample);
	fold_fill_use(&fold, &use);
	assert_int_equal(use.busy_percent.state, VAL_DENIED);
	assert_int_equal(use.samples_busy.state, VAL_DENIED);
	assert_int_equal(use.clock_busy_mhz.state, VAL_DENIED);
	assert_int_equal(use.power_mw.state, VAL_ERROR);
	assert_string_equal(use.power_mw.why, "reads all ones");
	assert_int_equal(use.temperature_max_c.state, VAL_ABSENT);
	assert_string_equal(use.temperature_max_c.why, "no sample");
	fold_release(&fold);
}

/* A temperature below zero is a highest one, too. */
static void test_the_highest_of_what_is_below_zero(void **state)
{
	struct column column = { .nr = 0 };
	struct gpu_fold fold = GPU_FOLD_INIT;
	struct gpu_sample sample = sample_of(0, "none");

	(void)state;
	assert_int_equal(column_highest(&column, (struct val_head){ .state = VAL_UNSET }).state, VAL_UNSET);
	sample.temperature_c = val_f64(-20);
	add(&fold, &sample);
	sample.temperature_c = val_f64(-10);
	add(&fold, &sample);
	assert_true(f64_or(column_highest(&fold.temperature, (struct val_head){ .state = VAL_UNSET }), 0) == -10);
	fold_release(&fold);
}

/* A sample that did not tell what holds the clocks back is not one in which nothing did. */
static void test_shares_are_of_samples_that_told(void **state)
{
	struct gpu_fold fold = GPU_FOLD_INIT;
	struct gpu_sample told = sample_of(90, "power-cap, slowdown"), untold = sample_of(90, "none"),
			  idle = sample_of(0, "brake");
	struct throttle throttle = { .samples = { .state = VAL_UNSET } };

	(void)state;
	untold.throttle.weight = 0;
	untold.no_throttle = (struct val_head){ .state = VAL_ERROR, .why = "EIO" };
	add(&fold, &told);
	add(&fold, &untold);
	add(&fold, &told);
	add(&fold, &idle);
	add(&fold, &told);
	throttle_fill(&fold.throttle, val_u64(fold.at_work), ALL & ~(1U << THROTTLE_CURRENT), "not told", &arena,
		      &throttle);
	assert_int_equal(u64_or(throttle.samples, 0), 4);
	assert_int_equal(u64_or(throttle.samples_loaded, 0), 3);
	assert_true(f64_or(throttle.power_cap_percent, 0) == 100);
	assert_true(f64_or(throttle.brake_percent, 9) == 0);
	assert_int_equal(throttle.current_percent.state, VAL_UNSUPPORTED);
	assert_string_equal(throttle.current_percent.why, "not told");
	/* The one that did not tell does not end the run; the idle one does. */
	assert_int_equal(u64_or(throttle.slowdown_run, 0), 2);
	fold_release(&fold);
}

static void test_nothing_told(void **state)
{
	struct gpu_fold fold = GPU_FOLD_INIT;
	struct gpu_sample untold = sample_of(90, "none");
	struct throttle throttle = { .samples = { .state = VAL_UNSET } };

	(void)state;
	untold.throttle.weight = 0;
	untold.no_throttle = (struct val_head){ .state = VAL_DENIED, .why = "EACCES" };
	add(&fold, &untold);
	throttle_fill(&fold.throttle, val_u64(1), ALL, "", &arena, &throttle);
	assert_int_equal(throttle.samples.state, VAL_DENIED);
	assert_int_equal(throttle.thermal_percent.state, VAL_DENIED);
	assert_int_equal(throttle.brake_all_percent.state, VAL_DENIED);
	assert_int_equal(throttle.slowdown_run.state, VAL_DENIED);
	assert_string_equal(throttle.reasons.why, "EACCES");
	fold_release(&fold);
}

/* What the record keeps of a sample is what is read of it again; a share below a half is not its kind. */
static void test_a_record_and_back(void **state)
{
	struct gpu_sample sample = sample_of(75, "thermal, set"), again;
	struct load_sample record = { .key = val_str("000000000001") };

	(void)state;
	sample.throttle.share[THROTTLE_POWER_CAP] = 0.49;
	sample.throttle.share[THROTTLE_BRAKE] = 0.5;
	sample.clock_mhz = no_u64(VAL_ABSENT, "its clock is off");
	sample_write(&sample, &arena, &record);
	assert_string_equal(str_or(record.throttle_reasons, ""), "thermal, brake, set");
	assert_string_equal(record.clock_mhz.why, "its clock is off");
	assert_string_equal(str_or(record.key, ""), "000000000001");
	sample_read(&record, &again);
	assert_true(again.throttle.share[THROTTLE_THERMAL] == 1 && again.throttle.share[THROTTLE_SET] == 1);
	assert_true(again.throttle.share[THROTTLE_POWER_CAP] == 0 && again.throttle.share[THROTTLE_HW_THERMAL] == 0);
	sample.throttle.weight = 0;
	sample.no_throttle = (struct val_head){ .state = VAL_LOST, .why = "gone" };
	sample_write(&sample, &arena, &record);
	assert_int_equal(record.throttle_reasons.state, VAL_LOST);
}

static void test_kinds_are_whole_words(void **state)
{
	char text[THROTTLE_KINDS_BYTES];

	(void)state;
	assert_int_equal(throttle_kinds_parse("hw-thermal"), 1U << THROTTLE_HW_THERMAL);
	assert_int_equal(throttle_kinds_parse("none, heat"), 0);
	throttle_kinds_write(ALL, text);
	assert_int_equal(throttle_kinds_parse(text), ALL);
	throttle_kinds_write(0, text);
	assert_string_equal(text, "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_counts_at_work_alone),
		cmocka_unit_test(test_unknown_keeps_its_reason),
		cmocka_unit_test(test_the_highest_of_what_is_below_zero),
		cmocka_unit_test_teardown(test_shares_are_of_samples_that_told, end),
		cmocka_unit_test_teardown(test_nothing_told, end),
		cmocka_unit_test_teardown(test_a_record_and_back, end),
		cmocka_unit_test(test_kinds_are_whole_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
