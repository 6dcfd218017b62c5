// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it times rates. */
/* test_intel.c - what i915 and xe tell in files: reasons, sensors, parts, in trees as both drivers make them. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/intel_throttle.h"
#include "probe/intel/intel.h"
#include "tests/unit/tree.h"

#define GPU "0000:03:00.0"
#define FOLDER "sys/bus/pci/devices/" GPU "/"

static struct sink sink;
static struct card card;
static struct gpu gpu;

static void put(const char *file, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), FOLDER "%s", file);
	put_text(path, text);
}

static int begin(void **state)
{
	if (tree_make(state))
		return -1;
	env.target = GPU;
	put("power/runtime_status", "active\n");
	put("power_state", "D0\n");
	sink = (struct sink){ .lock_fd = -1, .fd = open("/dev/null", O_WRONLY | O_CLOEXEC) };
	card = (struct card){ .env = &env, .sink = &sink };
	gpu = (struct gpu){ .key = val_str(GPU) };
	return 0;
}

static int end(void **state)
{
	close(sink.fd);
	arena_release(&card.arena);
	snapshot_release(&sink.facts);
	return tree_remove(state);
}

static void assert_f64(struct val_f64 value, double expected)
{
	assert_int_equal(value.state, VAL_OK);
	assert_true(f64_or(value, -1) == expected);
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

/* ---- reasons */

static void test_reasons_are_words_or_none(void **state)
{
	STRBUF_AUTO reasons = STRBUF_INIT;

	(void)state;
	assert_true(intel_throttle_parse("none\n", &reasons));
	assert_string_equal(reasons.buf, "");
	assert_true(intel_throttle_parse("pl1 thermal\n", &reasons));
	assert_true(intel_throttle_parse("thermal soc_thermal\n", &reasons));
	assert_string_equal(reasons.buf, "pl1, thermal, soc_thermal");
	assert_false(intel_throttle_parse("\n", &reasons));
	assert_false(intel_throttle_parse("pl2 <garbage>\n", &reasons));
	assert_false(intel_throttle_parse("a_name_that_is_longer_than_any_that_there_is\n", &reasons));
	assert_string_equal(reasons.buf, "pl1, thermal, soc_thermal");
}

static void test_reasons_fall_into_kinds(void **state)
{
	(void)state;
	assert_int_equal(intel_throttle_kinds("none"), 0);
	assert_int_equal(intel_throttle_kinds("pl2, psys_pl1"), 1U << THROTTLE_POWER_CAP);
	assert_int_equal(intel_throttle_kinds("vr_tdc, ratl"), 1U << THROTTLE_CURRENT | 1U << THROTTLE_THERMAL);
	assert_int_equal(intel_throttle_kinds("prochot"), 1U << THROTTLE_BRAKE);
	assert_int_equal(intel_throttle_kinds("p0_freq, one_from_the_future"), 0);
}

/* ---- i915 */

static void test_i915(void **state)
{
	(void)state;
	put("hwmon/hwmon3/name", "i915_gt0\n");
	put("hwmon/hwmon4/name", "i915\n");
	put("hwmon/hwmon4/temp1_input", "47000\n");
	put("hwmon/hwmon4/power1_max", "0\n");
	put("hwmon/hwmon4/power1_rated_max", "225000000\n");
	put("hwmon/hwmon4/fan1_input", "1210\n");
	put("drm/card1/gt/gt0/rps_act_freq_mhz", "2400\n");
	put("drm/card1/gt/gt0/rps_max_freq_mhz", "2400\n");
	put("drm/card1/gt/gt0/rps_RP0_freq_mhz", "2400\n");
	put("drm/card1/gt/gt0/throttle_reason_status", "1\n");
	put("drm/card1/gt/gt0/throttle_reason_pl1", "1\n");
	put("drm/card1/gt/gt0/throttle_reason_thermal", "0\n");
	put("drm/card1/gt/gt1/rps_act_freq_mhz", "1300\n");
	put("drm/card1/gt/gt1/throttle_reason_pl1", "0\n");
	intel_files_read(&card, &gpu);
	assert_f64(gpu.intel.temperature_c, 47);
	assert_u64(gpu.intel.power_default_mw, 225000);
	assert_int_equal(gpu.intel.power_limit_mw.state, VAL_ABSENT);
	assert_u64(gpu.intel.fan_rpm, 1210);
	assert_int_equal(gpu.intel.nr_gts, 2);
	assert_u64(gpu.intel.clock_mhz, 2400);
	assert_str(gpu.intel.gts[0].throttle_status, "pl1");
	assert_str(gpu.intel.gts[1].throttle_status, "none");
	assert_str(gpu.intel.throttle_status, "pl1");
	assert_true(bool_or(gpu.intel.has_card, false));
}

/* ---- xe */

static void test_xe_prefers_the_file_with_all_reasons(void **state)
{
	(void)state;
	put("hwmon/hwmon7/name", "xe\n");
	put("hwmon/hwmon7/temp2_input", "81000\n");
	put("hwmon/hwmon7/temp2_crit", "100000\n");
	put("hwmon/hwmon7/temp3_input", "74000\n");
	put("hwmon/hwmon7/power2_max", "190000000\n");
	put("hwmon/hwmon7/fan1_input", "0\n");
	put("hwmon/hwmon7/fan2_input", "1418\n");
	put("tile0/gt0/freq0/act_freq", "2850\n");
	put("tile0/gt0/freq0/rp0_freq", "627200\n");
	put("tile0/gt0/freq0/throttle/reasons", "pl1 thermal\n");
	put("tile0/gt0/freq0/throttle/reason_prochot", "1\n");
	put("tile0/gt1/freq0/act_freq", "3000\n");
	put("tile0/gt1/freq0/throttle/status", "1\n");
	put("tile0/gt1/freq0/throttle/reason_vr_tdc", "1\n");
	intel_files_read(&card, &gpu);
	assert_f64(gpu.intel.temperature_c, 81);
	assert_f64(gpu.intel.temperature_max_c, 100);
	assert_f64(gpu.intel.memory_temperature_c, 74);
	assert_u64(gpu.intel.power_limit_mw, 190000);
	assert_u64(gpu.intel.fan_rpm, 1418);
	assert_u64(gpu.intel.tiles, 1);
	assert_u64(gpu.intel.clock_mhz, 2850);
	assert_int_equal(gpu.intel.clock_max_mhz.state, VAL_ERROR);
	assert_str(gpu.intel.gts[0].throttle_status, "pl1, thermal");
	assert_str(gpu.intel.throttle_status, "pl1, thermal, vr_tdc");
}

static void test_damaged_firmware(void **state)
{
	(void)state;
	put("survivability_mode", "Boot\n");
	put("survivability_info/capability_info", "0x00000007\n");
	put("survivability_info/aux_info0", "0x1f\n");
	put("drm/none", "");
	intel_files_read(&card, &gpu);
	assert_str(gpu.intel.survivability, "Boot");
	assert_str(gpu.intel.survivability_info, "aux_info0 0x1f, capability_info 0x00000007");
	assert_int_equal(gpu.intel.has_card.state, VAL_OK);
	assert_false(bool_or(gpu.intel.has_card, true));
}

static void test_a_card_that_sleeps_is_not_read(void **state)
{
	(void)state;
	put("power/runtime_status", "suspended\n");
	put("hwmon/hwmon7/name", "xe\n");
	put("hwmon/hwmon7/temp2_input", "40000\n");
	put("tile0/gt0/freq0/act_freq", "300\n");
	put("tile0/gt0/freq0/throttle/reasons", "none\n");
	intel_files_read(&card, &gpu);
	assert_int_equal(gpu.intel.temperature_c.state, VAL_ASLEEP);
	assert_int_equal(gpu.intel.clock_mhz.state, VAL_ASLEEP);
	assert_int_equal(gpu.intel.throttle_status.state, VAL_ASLEEP);
	assert_int_equal(gpu.intel.link_downgraded.state, VAL_ASLEEP);
}

/* ---- nonsense */

static void test_nonsense_is_no_value(void **state)
{
	static const char *const nonsense[] = { "-273150", "65535000", "warm", "", "12 13" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nonsense); i++)
		assert_int_equal(intel_temperature(&card.arena, val_str(nonsense[i])).state, VAL_ERROR);
	assert_f64(intel_temperature(&card.arena, val_str("-5000")), -5);
	put("hwmon/hwmon7/name", "xe\n");
	put("hwmon/hwmon7/power1_max", "18446744073709551615\n");
	put("auto_link_downgrade_status", "7\n");
	put("tile0/gt0/freq0/throttle/reasons", "\001\002\n");
	intel_files_read(&card, &gpu);
	assert_int_equal(gpu.intel.power_limit_mw.state, VAL_ERROR);
	assert_int_equal(gpu.intel.link_downgraded.state, VAL_ERROR);
	assert_int_equal(gpu.intel.throttle_status.state, VAL_ERROR);
}

static void test_a_driver_that_tells_nothing(void **state)
{
	(void)state;
	intel_files_read(&card, &gpu);
	assert_int_equal(gpu.intel.temperature_c.state, VAL_ABSENT);
	assert_int_equal(gpu.intel.throttle_status.state, VAL_ABSENT);
	assert_int_equal(gpu.intel.power_limit_mw.state, VAL_ABSENT);
	assert_int_equal(gpu.intel.survivability.state, VAL_ABSENT);
	/* The recording has no such folder: nobody knows whether it had one. */
	assert_int_equal(gpu.intel.has_card.state, VAL_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons_are_words_or_none),
		cmocka_unit_test(test_reasons_fall_into_kinds),
		cmocka_unit_test_setup_teardown(test_i915, begin, end),
		cmocka_unit_test_setup_teardown(test_xe_prefers_the_file_with_all_reasons, begin, end),
		cmocka_unit_test_setup_teardown(test_damaged_firmware, begin, end),
		cmocka_unit_test_setup_teardown(test_a_card_that_sleeps_is_not_read, begin, end),
		cmocka_unit_test_setup_teardown(test_nonsense_is_no_value, begin, end),
		cmocka_unit_test_setup_teardown(test_a_driver_that_tells_nothing, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
