// SPDX-License-Identifier: GPL-2.0-or-later
/* test_amdgpu_text.c - levels of pp_dpm_* as cards write them, and the names of throttle bits. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/amdgpu_throttle.h"
#include "probe/amd/amdgpu_dpm.h"

static void clocks_are_read_in_all_their_forms(void **state)
{
	static const struct { const char *text; uint64_t current, highest; } forms[] = {
		{ .text = "0: 500Mhz *\n1: 2660Mhz \n", .current = 500, .highest = 2660 },
		/* Asleep: below level 0, and no level. */
		{ .text = "S: 19Mhz *\n0: 500Mhz \n1: 2475Mhz \n", .current = 19, .highest = 2475 },
		/* A range with what it is now in its midst: RX 7800 XT. */
		{ .text = "0: 500Mhz\n1: 77Mhz *\n2: 2254Mhz\n", .current = 77, .highest = 2254 },
		{ .text = "0: 255Mhz\n1: 0Mhz *\n2: 1841Mhz", .current = 0, .highest = 1841 },
		{ .text = "0: 96Mhz *\n1: 456Mhz *\n2: 1249Mhz\n", .current = 456, .highest = 1249 },
		{ .text = "0: 96MHz *\r\n1: 1000MHz\r\n", .current = 96, .highest = 1000 },
		{ .text = "words\n0: 300Mhz *\n1: soon\n", .current = 300, .highest = 300 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct amdgpu_clock clock = amdgpu_dpm_clock(forms[i].text);

		assert_true(is_known(clock.current_mhz) && is_known(clock.highest_mhz));
		assert_int_equal(u64_or(clock.current_mhz, UINT64_MAX), forms[i].current);
		assert_int_equal(u64_or(clock.highest_mhz, UINT64_MAX), forms[i].highest);
	}
}

static void clocks_that_nobody_marks_are_not_known(void **state)
{
	struct amdgpu_clock clock = amdgpu_dpm_clock("0: 500Mhz\n1: 2300Mhz\n");

	(void)state;
	assert_int_equal(clock.current_mhz.state, VAL_ABSENT);
	assert_int_equal(u64_or(clock.highest_mhz, 0), 2300);
	for (size_t i = 0; i < 4; i++) {
		static const char *const texts[] = { "", "*\n", "0:\n", "0: 16.0GT/s, x16 619Mhz *\n" };

		clock = amdgpu_dpm_clock(texts[i]);
		assert_int_equal(clock.current_mhz.state, VAL_ERROR);
		assert_int_equal(clock.highest_mhz.state, VAL_ERROR);
	}
}

static void links_are_read_in_all_their_forms(void **state)
{
	static const struct { const char *text; uint64_t width, mtps; } forms[] = {
		{ .text = "0: 2.5GT/s, x1 310Mhz \n1: 16.0GT/s, x16 619Mhz *\n", .width = 16, .mtps = 16000 },
		{ .text = "0: 8.0GT/s, x16 *\n1: 8.0GT/s, x16 *\n", .width = 16, .mtps = 8000 },
		{ .text = "0: 2.5GT/s, x8 *\n1: 8.0GT/s, x8 \n", .width = 8, .mtps = 2500 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct amdgpu_link link = amdgpu_dpm_link(forms[i].text);

		assert_int_equal(u64_or(link.width, 0), forms[i].width);
		assert_int_equal(u64_or(link.speed_mtps, 0), forms[i].mtps);
	}
	for (size_t i = 0; i < 4; i++) {
		static const char *const texts[] = {
			"", "0: 8.0GT/s, x16\n", "0: 8.0GT/s, x0 *\n", "0: 8.0GT/s, x63 *\n",
		};

		assert_int_equal(amdgpu_dpm_link(texts[i]).width.state, VAL_ABSENT);
	}
}

static void bits_have_the_drivers_names(void **state)
{
	STRBUF_AUTO names = STRBUF_INIT;

	(void)state;
	amdgpu_throttle_names(&names, 0);
	assert_string_equal(names.buf, "none");
	strbuf_reset(&names);
	amdgpu_throttle_names(&names, (uint64_t)1 | (uint64_t)1 << 16 | (uint64_t)1 << 36 | (uint64_t)1 << 47);
	assert_string_equal(names.buf, "PPT0, TDC_GFX, TEMP_HOTSPOT, PROCHOT_GFX");
	strbuf_reset(&names);
	amdgpu_throttle_names(&names, (uint64_t)1 << 57 | (uint64_t)1 << 63);
	assert_string_equal(names.buf, "FIT, bits 0x8000000000000000");
}

/* RDNA3 and RDNA4 have the bit set at idle. */
static void a_hotspot_is_believed_near_its_limit_only(void **state)
{
	uint64_t stuck = AMDGPU_THROTTLE_HOTSPOT, both = stuck | 1;

	(void)state;
	assert_int_equal(amdgpu_throttle_believed(both, val_f64(54), val_f64(110)), 1);
	assert_int_equal(amdgpu_throttle_believed(stuck, val_f64(99.9), val_f64(110)), 0);
	assert_true(amdgpu_throttle_believed(both, val_f64(100), val_f64(110)) == both);
	assert_int_equal(amdgpu_throttle_believed(stuck, no_f64(VAL_ABSENT, NULL), val_f64(110)), 0);
	assert_int_equal(amdgpu_throttle_believed(stuck, val_f64(109), no_f64(VAL_ABSENT, NULL)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_read_in_all_their_forms),
		cmocka_unit_test(clocks_that_nobody_marks_are_not_known),
		cmocka_unit_test(links_are_read_in_all_their_forms),
		cmocka_unit_test(bits_have_the_drivers_names),
		cmocka_unit_test(a_hotspot_is_believed_near_its_limit_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
