// SPDX-License-Identifier: GPL-2.0-or-later
/* test_conditions.c - what is made of the samples under our own load. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/facts/conditions.h"

static struct gpu *gpu_with(struct snapshot *snapshot)
{
	return list_element(&snapshot->arena, snapshot, gpus, gpu, "0000:01:00.0");
}

static struct load_sample *sample_at(struct snapshot *snapshot, unsigned at_ms, double busy, const char *reasons)
{
	struct gpu *gpu = gpu_with(snapshot);
	struct load_sample *sample = list_element(&snapshot->arena, gpu, load_samples, load_sample,
						  arena_printf(&snapshot->arena, "%012u", at_ms));

	sample->at_ms = val_u64(at_ms);
	sample->busy_percent = busy < 0 ? no_f64(VAL_UNSUPPORTED, "not told") : val_f64(busy);
	sample->throttle_reasons = reasons ? val_str(reasons) : no_str(VAL_ERROR, "EIO");
	return sample;
}

static void test_of_the_time_alone(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct conditions got;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct load_sample *sample = sample_at(&snapshot, 1000 + 100 * i, 20.0 * i, "none");

		sample->link_speed_mtps = val_u64(i == 4 ? 32000 : i == 2 ? 16000 : 2500);
		sample->link_width = val_u64(i == 3 ? 16 : 8);
		sample->clock_mhz = val_u64(i == 1 ? 300 : 1000 + i);
		sample->power_mw = val_u64(100000 * i);
		sample->temperature_c = val_f64(50.0 + i);
	}
	assert_true(conditions_of(&snapshot, gpu_with(&snapshot), 1100, 1300, &got));
	assert_int_equal(got.nr, 3);
	assert_int_equal(u64_or(got.link_speed_mtps, 0), 16000);
	assert_int_equal(u64_or(got.link_width, 0), 16);
	assert_int_equal(u64_or(got.clock_mhz, 0), 1002);
	assert_int_equal(u64_or(got.power_mean_mw, 0), 200000);
	assert_int_equal(u64_or(got.power_max_mw, 0), 300000);
	assert_true(f64_or(got.temperature_max_c, 0.0) == 53.0);
	assert_true(f64_or(got.busy_percent, 0.0) == 40.0);
	assert_int_equal(got.memory_clock_mhz.state, VAL_UNSET);
	assert_string_equal(conditions_throttle_words(&snapshot.arena, &got), "none");
	assert_false(conditions_of(&snapshot, gpu_with(&snapshot), 1401, 9000, &got));
	assert_false(is_known(got.power_mean_mw));
	assert_null(conditions_throttle_words(&snapshot.arena, &got));
	snapshot_release(&snapshot);
}

static void test_unknown_is_no_zero(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct conditions got;

	(void)state;
	sample_at(&snapshot, 1000, -1, NULL)->power_mw = no_u64(VAL_DENIED, "EACCES");
	sample_at(&snapshot, 1100, -1, NULL)->power_mw = no_u64(VAL_DENIED, "EACCES");
	assert_true(conditions_of(&snapshot, gpu_with(&snapshot), 0, 2000, &got));
	assert_int_equal(got.power_mean_mw.state, VAL_DENIED);
	assert_string_equal(got.power_mean_mw.why, "EACCES");
	assert_int_equal(got.busy_percent.state, VAL_UNSUPPORTED);
	assert_int_equal(got.nr_throttle_told, 0);
	sample_at(&snapshot, 1200, -1, "none")->power_mw = val_u64(70000);
	assert_true(conditions_of(&snapshot, gpu_with(&snapshot), 0, 2000, &got));
	assert_int_equal(u64_or(got.power_mean_mw, 0), 70000);
	snapshot_release(&snapshot);
}

static void test_kinds_are_whole_words_and_shares_of_what_told(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct conditions got;

	(void)state;
	sample_at(&snapshot, 1000, 99, "hw-thermal, slowdown");
	sample_at(&snapshot, 1100, 99, "slowdown");
	sample_at(&snapshot, 1200, 99, NULL);
	sample_at(&snapshot, 1300, 10, "slowdown");
	sample_at(&snapshot, 1400, 99, "power-cap");
	sample_at(&snapshot, 1500, 99, "none");
	assert_true(conditions_at_work(&snapshot, gpu_with(&snapshot), &got));
	assert_int_equal(got.nr, 5);
	assert_int_equal(got.nr_throttle_told, 4);
	assert_true(got.throttle_percent[THROTTLE_HW_THERMAL] == 25.0);
	assert_true(got.throttle_percent[THROTTLE_THERMAL] == 0.0);
	assert_true(got.throttle_percent[THROTTLE_SLOWDOWN] == 50.0);
	assert_int_equal(got.longest_slowdown, 2);
	assert_string_equal(conditions_throttle_words(&snapshot.arena, &got),
			    "power-cap (25 %), hw-thermal (25 %), slowdown (50 %)");
	snapshot_release(&snapshot);
}

/* Where nothing tells its use, it worked while it was measured. */
static void test_without_use_the_timings_tell_when_it_worked(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct ocl_device *device = list_element(&snapshot.arena, &snapshot, ocl_devices, ocl_device, "opencl:a.icd:0");
	struct timing *timing = list_element(&snapshot.arena, device, timings, timing, "fp32");
	struct conditions got;

	(void)state;
	device->pci_address = val_str("0000:01:00.0");
	timing->begin_ms = val_u64(1100);
	timing->end_ms = val_u64(1200);
	for (unsigned at_ms = 1000; at_ms <= 1300; at_ms += 100)
		sample_at(&snapshot, at_ms, -1, "none");
	assert_true(conditions_at_work(&snapshot, gpu_with(&snapshot), &got));
	assert_int_equal(got.nr, 2);
	device->pci_address = val_str("0000:02:00.0");
	assert_false(conditions_at_work(&snapshot, gpu_with(&snapshot), &got));
	snapshot_release(&snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_the_time_alone),
		cmocka_unit_test(test_unknown_is_no_zero),
		cmocka_unit_test(test_kinds_are_whole_words_and_shares_of_what_told),
		cmocka_unit_test(test_without_use_the_timings_tell_when_it_worked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
