// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it times samples. */
/*
 * test_file_sampler.c - what held clocks back: the arithmetic, and files
 * that change while they are looked at.
 */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/amdgpu_throttle.h"
#include "probe/gpu/file_sampler.h"
#include "tests/unit/tree.h"

#define GPU "0000:03:00.0"
#define FOLDER "sys/bus/pci/devices/" GPU "/"

static struct arena arena;

static void put_bytes(const char *file, const void *bytes, size_t len)
{
	char path[200];

	snprintf(path, sizeof(path), FOLDER "%s", file);
	put_file(path, bytes, len);
}

static void put(const char *file, const char *text)
{
	put_bytes(file, text, strlen(text));
}

static int begin(void **state)
{
	if (tree_make(state))
		return -1;
	put("power/runtime_status", "active\n");
	return 0;
}

static int end(void **state)
{
	arena_release(&arena);
	return tree_remove(state);
}

static void assert_percent(struct val_f64 value, double expected)
{
	assert_int_equal(value.state, VAL_OK);
	assert_true(f64_or(value, -1) > expected - 0.01 && f64_or(value, -1) < expected + 0.01);
}

static void assert_u64(struct val_u64 value, uint64_t expected)
{
	assert_int_equal(value.state, VAL_OK);
	assert_int_equal(u64_or(value, 0), expected);
}

static void assert_str(struct val_str value, const char *expected)
{
	assert_string_equal(str_or(value, value.why ? value.why : "?"), expected);
}

/* ---- one look */

static struct amdgpu_metrics of_bits(uint64_t bits, double hotspot_c)
{
	return (struct amdgpu_metrics){ .indep_throttle_status = val_u64(bits), .hotspot_c = val_f64(hotspot_c) };
}

static void test_bits(void **state)
{
	struct amdgpu_metrics now = of_bits(1 | UINT64_C(1) << 22 | UINT64_C(1) << 47 | UINT64_C(1) << 57, 80);
	struct throttle_sample look;
	struct val_head missing;

	(void)state;
	assert_true(throttle_of_amdgpu(NULL, &now, val_f64(110), &look, &missing));
	assert_string_equal(look.reasons, "PPT0, EDC_GFX, PROCHOT_GFX, FIT");
	assert_true(look.share[THROTTLE_POWER_CAP] == 1 && look.share[THROTTLE_CURRENT] == 1);
	assert_true(look.share[THROTTLE_BRAKE] == 1 && look.share[THROTTLE_THERMAL] == 0);
}

/* Firmware of RDNA3 and RDNA4 sets it at idle. */
static void test_a_hotspot_bit_counts_near_its_limit(void **state)
{
	struct amdgpu_metrics now = of_bits(AMDGPU_THROTTLE_HOTSPOT, 54);
	struct throttle_sample look;
	struct val_head missing;

	(void)state;
	assert_true(throttle_of_amdgpu(NULL, &now, val_f64(110), &look, &missing));
	assert_string_equal(look.reasons, "");
	now.hotspot_c = val_f64(100);
	assert_true(throttle_of_amdgpu(NULL, &now, val_f64(110), &look, &missing));
	assert_string_equal(look.reasons, "TEMP_HOTSPOT");
	assert_true(look.share[THROTTLE_THERMAL] == 1);
}

static struct amdgpu_metrics of_residencies(uint64_t counter, uint64_t prochot, uint64_t ppt,
					    uint64_t heat, uint64_t hbm)
{
	return (struct amdgpu_metrics){
		.accumulation_counter = val_u64(counter), .prochot_residency = val_u64(prochot),
		.ppt_residency = val_u64(ppt), .socket_thm_residency = val_u64(heat), .vr_thm_residency = val_u64(0),
		.hbm_thm_residency = val_u64(hbm),
	};
}

static void test_residencies(void **state)
{
	struct amdgpu_metrics before = of_residencies(UINT32_MAX - 99, 7, UINT32_MAX, 500, 0);
	struct amdgpu_metrics now = of_residencies(100, 7, 49, 520, 40), same = now;
	struct throttle throttle = { .samples = val_u64(2) };
	struct throttle_sample look;
	struct val_head missing;

	(void)state;
	assert_false(throttle_of_amdgpu(NULL, &now, val_f64(110), &look, &missing));
	assert_int_equal(missing.state, VAL_ABSENT);
	assert_false(throttle_of_amdgpu(&now, &same, val_f64(110), &look, &missing));
	/* Both wrapped around. */
	assert_true(throttle_of_amdgpu(&before, &now, val_f64(110), &look, &missing));
	assert_true(look.weight == 200);
	assert_true(look.share[THROTTLE_POWER_CAP] == 0.25);
	assert_true(look.share[THROTTLE_THERMAL] == 0.2);
	assert_true(look.share[THROTTLE_BRAKE] == 0);
	assert_string_equal(look.reasons, "ppt, socket_thm, hbm_thm");
	throttle_fill_counters(&before, &now, &throttle);
	assert_percent(throttle.power_cap_counter_percent, 25);
	assert_percent(throttle.thermal_counter_percent, 20);
}

/* A reset sets them back: that is no growth. */
static void test_counters_that_fell(void **state)
{
	struct amdgpu_metrics before = of_residencies(90000, 7, 50, 0, 0), now = of_residencies(10, 0, 0, 0, 0);
	struct throttle_sample look;
	struct val_head missing = { .state = VAL_UNSET };

	(void)state;
	assert_false(throttle_of_amdgpu(&before, &now, val_f64(110), &look, &missing));
	assert_int_not_equal(missing.state, VAL_UNSET);
}

static void test_bits_of_one_chip_tell_nothing(void **state)
{
	struct amdgpu_metrics now = { .throttle_status = val_u64(2) };
	struct throttle_sample look;
	struct val_head missing;

	(void)state;
	assert_false(throttle_of_amdgpu(&now, &now, val_f64(110), &look, &missing));
	assert_int_equal(missing.state, VAL_UNSUPPORTED);
}

/* ---- all of them */

static void fold_look(struct gpu_fold *fold, const struct throttle_sample *look, bool at_work)
{
	const struct gpu_sample sample = { .throttle = *look };

	fold_add(fold, &sample, at_work);
}

/* As an Intel GPU's files are. */
static void fill(const struct gpu_fold *fold, struct val_u64 at_work, struct throttle *ret)
{
	const unsigned kinds = 1U << THROTTLE_POWER_CAP | 1U << THROTTLE_CURRENT | 1U << THROTTLE_THERMAL |
			       1U << THROTTLE_BRAKE;

	throttle_fill(&fold->throttle, at_work, kinds, "not reported by its driver", &arena, ret);
}

static void test_shares_are_of_loaded_samples(void **state)
{
	struct gpu_fold fold = GPU_FOLD_INIT;
	struct throttle throttle = { .samples = { .state = VAL_UNSET } };
	struct throttle_sample look;

	(void)state;
	throttle_of_intel("thermal", &look);
	fold_look(&fold, &look, false);
	throttle_of_intel("pl1, pl2", &look);
	fold_look(&fold, &look, true);
	throttle_of_intel("none", &look);
	for (int i = 0; i < 3; i++)
		fold_look(&fold, &look, true);
	fill(&fold, val_u64(4), &throttle);
	assert_u64(throttle.samples, 5);
	assert_u64(throttle.samples_loaded, 4);
	assert_percent(throttle.power_cap_percent, 25);
	assert_percent(throttle.thermal_percent, 0);
	assert_int_equal(throttle.hw_thermal_percent.state, VAL_UNSUPPORTED);
	assert_str(throttle.reasons, "thermal, pl1, pl2");
	fill(&fold, no_u64(VAL_DENIED, "needs root"), &throttle);
	assert_int_equal(throttle.power_cap_percent.state, VAL_DENIED);
	assert_int_equal(throttle.samples_loaded.state, VAL_DENIED);
	assert_str(throttle.reasons, "thermal, pl1, pl2");
	fold_release(&fold);
}

/* What stands in every look at an idle GPU, by the signals that stand there for faults only. */
static struct throttle of_idle_looks(const struct throttle_sample *looks, size_t nr)
{
	struct gpu_fold fold = GPU_FOLD_INIT;
	struct throttle throttle = { .samples = { .state = VAL_UNSET } };

	for (size_t i = 0; i < nr; i++)
		fold_look(&fold, &looks[i], false);
	fill(&fold, val_u64(0), &throttle);
	fold_release(&fold);
	return throttle;
}

static void test_signals_of_idle_intel_gpus(void **state)
{
	struct throttle_sample looks[2];
	struct throttle throttle;

	(void)state;
	throttle_of_intel("pl1, pwrbrk", &looks[0]);
	throttle_of_intel("prochot, vr_thermalert", &looks[1]);
	throttle = of_idle_looks(looks, 2);
	assert_percent(throttle.brake_all_percent, 100);
	assert_percent(throttle.hw_thermal_all_percent, 50);
	/* what its own control does is none */
	throttle_of_intel("pl1, thermal, ratl, vr_tdc", &looks[0]);
	throttle = of_idle_looks(looks, 1);
	assert_percent(throttle.brake_all_percent, 0);
	assert_percent(throttle.hw_thermal_all_percent, 0);
}

static struct throttle of_idle_status(uint64_t status, double hotspot_c)
{
	struct amdgpu_metrics now = { .indep_throttle_status = val_u64(status), .hotspot_c = val_f64(hotspot_c) };
	struct val_head missing;
	struct throttle_sample look;

	assert_true(throttle_of_amdgpu(NULL, &now, val_f64(110), &look, &missing));
	return of_idle_looks(&look, 1);
}

static void test_signals_of_idle_amd_gpus(void **state)
{
	const uint64_t hotspot = (uint64_t)1 << 36, vrhot = (uint64_t)1 << 44, prochot = (uint64_t)1 << 47;

	(void)state;
	assert_percent(of_idle_status(prochot, 40).brake_all_percent, 100);
	assert_percent(of_idle_status(prochot, 40).hw_thermal_all_percent, 0);
	assert_percent(of_idle_status(vrhot, 40).hw_thermal_all_percent, 100);
	assert_percent(of_idle_status(hotspot, 104).hw_thermal_all_percent, 100);
	/* the firmware's bit that stands on cool cards that are well, and what is no signal of the hardware */
	assert_percent(of_idle_status(hotspot, 40).hw_thermal_all_percent, 0);
	assert_percent(of_idle_status(1 | (uint64_t)1 << 35, 40).hw_thermal_all_percent, 0);
	assert_percent(of_idle_status(0, 40).brake_all_percent, 0);
}

static void test_residencies_of_idle_amd_gpus(void **state)
{
	struct amdgpu_metrics before = of_residencies(1000, 0, 0, 0, 0), now = of_residencies(1100, 100, 0, 0, 0);
	struct val_head missing;
	struct throttle_sample look;

	(void)state;
	assert_true(throttle_of_amdgpu(&before, &now, val_f64(110), &look, &missing));
	assert_percent(of_idle_looks(&look, 1).brake_all_percent, 100);
	assert_percent(of_idle_looks(&look, 1).hw_thermal_all_percent, 0);
	/* a moment of it */
	now = of_residencies(1100, 5, 0, 0, 0);
	assert_true(throttle_of_amdgpu(&before, &now, val_f64(110), &look, &missing));
	assert_percent(of_idle_looks(&look, 1).brake_all_percent, 0);
}

static void test_idle_has_no_shares(void **state)
{
	struct gpu_fold fold = GPU_FOLD_INIT;
	struct throttle throttle = { .samples = { .state = VAL_UNSET } };
	struct throttle_sample look;

	(void)state;
	throttle_of_intel("none", &look);
	fold_look(&fold, &look, false);
	fill(&fold, val_u64(0), &throttle);
	assert_u64(throttle.samples_loaded, 0);
	assert_int_equal(throttle.power_cap_percent.state, VAL_ABSENT);
	assert_str(throttle.reasons, "none");
	fold_release(&fold);
}

static void test_power_of_energy(void **state)
{
	(void)state;
	assert_u64(power_of_energy(val_u64(1000000), val_u64(151000000), 1000000000), 150000);
	assert_int_equal(power_of_energy(val_u64(5), val_u64(4), 1000000000).state, VAL_ABSENT);
	assert_int_equal(power_of_energy(val_u64(0), val_u64(UINT64_MAX / 2), 1000000000).state, VAL_ERROR);
	assert_int_equal(power_of_energy(no_u64(VAL_DENIED, "EACCES"), val_u64(4), 1).state, VAL_DENIED);
}

/* ---- files */

static struct file_sampler sampler;
static struct gpu_fold fold;

static void open_sampler(const char *driver)
{
	fold = (struct gpu_fold)GPU_FOLD_INIT;
	file_sampler_open(&sampler, &arena, &tree, GPU, driver, NULL, false);
}

static void look(bool at_work)
{
	struct gpu_sample sample;

	file_sampler_read(&sampler, &sample);
	fold_add(&fold, &sample, at_work);
}

static struct gpu close_sampler(void)
{
	struct gpu gpu = { .nr_hops = 0 };

	fold_fill_use(&fold, &gpu.use);
	gpu.use.samples_busy = val_u64(fold.at_work);
	file_sampler_fill(&sampler, &fold, &arena, &gpu);
	file_sampler_close(&sampler);
	fold_release(&fold);
	return gpu;
}

static void test_xe(void **state)
{
	struct gpu gpu;

	(void)state;
	put("hwmon/hwmon2/name", "xe\n");
	put("hwmon/hwmon2/temp2_input", "71000\n");
	put("hwmon/hwmon2/energy1_input", "0\n");
	put("hwmon/hwmon2/energy2_input", "1000000\n");
	put("tile0/gt0/freq0/act_freq", "2400\n");
	put("tile0/gt0/freq0/throttle/reasons", "none\n");
	put("tile0/gt1/freq0/act_freq", "9000\n");
	put("tile0/gt1/freq0/throttle/reasons", "none\n");
	open_sampler("xe");
	look(true);
	put("hwmon/hwmon2/temp2_input", "84000\n");
	put("hwmon/hwmon2/energy2_input", "1000001\n");
	put("tile0/gt0/freq0/act_freq", "2000\n");
	put("tile0/gt0/freq0/throttle/reasons", "pl1 thermal\n");
	put("tile0/gt1/freq0/throttle/reasons", "pl1\n");
	look(true);
	put("hwmon/hwmon2/temp2_input", "-273150\n");
	look(false);
	gpu = close_sampler();
	assert_u64(gpu.throttle.samples, 3);
	assert_percent(gpu.throttle.power_cap_percent, 50);
	assert_percent(gpu.throttle.thermal_percent, 50);
	assert_str(gpu.throttle.reasons, "pl1, thermal");
	assert_u64(gpu.use.clock_busy_mhz, 2200);
	assert_percent(gpu.use.temperature_max_c, 84);
	assert_int_equal(gpu.use.power_mw.state, VAL_OK);
}

static void test_i915(void **state)
{
	struct gpu gpu;

	(void)state;
	put("hwmon/hwmon2/name", "i915\n");
	put("hwmon/hwmon2/temp1_input", "60000\n");
	put("drm/card0/gt/gt0/rps_act_freq_mhz", "1500\n");
	put("drm/card0/gt/gt0/throttle_reason_status", "0\n");
	put("drm/card0/gt/gt0/throttle_reason_pl4", "1\n");
	open_sampler("i915");
	look(false);
	put("drm/card0/gt/gt0/throttle_reason_status", "1\n");
	look(true);
	gpu = close_sampler();
	assert_percent(gpu.throttle.current_percent, 100);
	assert_str(gpu.throttle.reasons, "pl4");
	assert_percent(gpu.use.temperature_max_c, 60);
	assert_int_equal(gpu.use.power_mw.state, VAL_ABSENT);
}

/* Table 1.3: its size 120, hotspot at 6, clock at 54, the word at 112 (Linux 7.2 kgd_pp_interface.h). */
static void put_table(unsigned char hotspot_c, unsigned clock_mhz, unsigned char power_bits)
{
	unsigned char table[120];

	memset(table, 0xff, sizeof(table));
	table[0] = sizeof(table), table[1] = 0, table[2] = 1, table[3] = 3;
	table[6] = hotspot_c, table[7] = 0;
	table[54] = (unsigned char)clock_mhz, table[55] = (unsigned char)(clock_mhz >> 8);
	memset(table + 112, 0, 8);
	table[112] = power_bits;
	table[116] = 1 << 4;
	put_bytes("gpu_metrics", table, sizeof(table));
}

static void test_amdgpu(void **state)
{
	struct gpu gpu;

	(void)state;
	put("hwmon/hwmon5/name", "amdgpu\n");
	put("hwmon/hwmon5/temp1_label", "edge\n");
	put("hwmon/hwmon5/temp1_input", "65000\n");
	put("hwmon/hwmon5/temp2_label", "junction\n");
	put("hwmon/hwmon5/temp2_crit", "110000\n");
	put("hwmon/hwmon5/power1_average", "200000000\n");
	put_table(70, 2500, 0);
	open_sampler("amdgpu");
	look(true);
	put_table(90, 2300, 1);
	put("hwmon/hwmon5/power1_average", "300000000\n");
	look(true);
	gpu = close_sampler();
	assert_percent(gpu.throttle.power_cap_percent, 50);
	/* Its firmware sets that bit at all times. */
	assert_percent(gpu.throttle.thermal_percent, 0);
	assert_str(gpu.throttle.reasons, "PPT0");
	assert_u64(gpu.use.power_mw, 250000);
	assert_u64(gpu.use.clock_busy_mhz, 2400);
	assert_percent(gpu.use.temperature_max_c, 65);
	assert_int_equal(gpu.throttle.power_cap_counter_percent.state, VAL_UNSUPPORTED);
}

static void test_what_cannot_be_read(void **state)
{
	struct gpu gpu;

	(void)state;
	put("gpu_metrics", "no table");
	open_sampler("amdgpu");
	look(true);
	gpu = close_sampler();
	assert_int_equal(gpu.throttle.samples.state, VAL_ERROR);
	assert_int_equal(gpu.throttle.reasons.state, VAL_ERROR);
	assert_int_equal(gpu.use.power_mw.state, VAL_ABSENT);
	open_sampler("nvidia");
	assert_false(file_sampler_has_sensors(&sampler));
	file_sampler_close(&sampler);
	put("tile0/gt0/freq0/throttle/reasons", "\377\376\n");
	open_sampler("xe");
	look(true);
	gpu = close_sampler();
	assert_int_equal(gpu.throttle.reasons.state, VAL_ERROR);
}

static void test_none_of_it(void **state)
{
	struct gpu gpu = { .nr_hops = 0 };

	(void)state;
	file_sampler_fill_none((struct val_head){ .state = VAL_ASLEEP, .why = "suspended" }, &gpu);
	assert_int_equal(gpu.throttle.samples.state, VAL_ASLEEP);
	assert_int_equal(gpu.throttle.thermal_percent.state, VAL_ASLEEP);
	assert_int_equal(gpu.throttle.set_percent.state, VAL_UNSUPPORTED);
	assert_int_equal(gpu.throttle.slowdown_run.state, VAL_UNSUPPORTED);
	assert_int_equal(gpu.use.power_mw.state, VAL_ASLEEP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_a_hotspot_bit_counts_near_its_limit),
		cmocka_unit_test(test_residencies),
		cmocka_unit_test(test_counters_that_fell),
		cmocka_unit_test(test_bits_of_one_chip_tell_nothing),
		cmocka_unit_test_setup_teardown(test_shares_are_of_loaded_samples, begin, end),
		cmocka_unit_test_setup_teardown(test_idle_has_no_shares, begin, end),
		cmocka_unit_test_setup_teardown(test_signals_of_idle_intel_gpus, begin, end),
		cmocka_unit_test_setup_teardown(test_signals_of_idle_amd_gpus, begin, end),
		cmocka_unit_test_setup_teardown(test_residencies_of_idle_amd_gpus, begin, end),
		cmocka_unit_test(test_power_of_energy),
		cmocka_unit_test_setup_teardown(test_xe, begin, end),
		cmocka_unit_test_setup_teardown(test_i915, begin, end),
		cmocka_unit_test_setup_teardown(test_amdgpu, begin, end),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_read, begin, end),
		cmocka_unit_test(test_none_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
