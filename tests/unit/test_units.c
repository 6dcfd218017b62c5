// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/units.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void formats(void **state)
{
	static const struct {
		enum unit unit;
		double value;
		const char *text;
	} cases[] = {
		{ UNIT_NONE, 0, "0" }, { UNIT_NONE, 4711, "4711" }, { UNIT_NONE, 0.35, "0.35" },
		{ UNIT_NONE, -1, "-1" },
		{ UNIT_NONE, 123456789, "123456789" }, { UNIT_NONE, 1.0 / 3, "0.3333" },
		{ UNIT_NONE, 12345.678, "12346" },
		{ UNIT_NONE, 0.00012346, "0.0001235" }, { UNIT_NONE, 0.99996, "1" }, { UNIT_NONE, 9.9996, "10" },
		{ UNIT_NONE, 99.996, "100" }, { UNIT_NONE, 999.96, "1000" }, { UNIT_NONE, 1.5, "1.5" },
		{ UNIT_NONE, 3e-10, "0" }, { UNIT_NONE, -3e-10, "0" }, { UNIT_NONE, -0.0, "0" },
		{ UNIT_NONE, 0.000000001, "0.000000001" }, { UNIT_NONE, -0.5, "-0.5" },
		{ UNIT_COUNT, 12, "12" }, { UNIT_COUNT, 100, "100" }, { UNIT_COUNT, 100000, "100000" },

		{ UNIT_BYTES, 0, "0 bytes" }, { UNIT_BYTES, 1, "1 byte" }, { UNIT_BYTES, 17, "17 bytes" },
		{ UNIT_BYTES, -1, "-1 byte" }, { UNIT_BYTES, 1000, "1000 bytes" }, { UNIT_BYTES, 1023, "1023 bytes" },
		{ UNIT_BYTES, 1024, "1 KiB" }, { UNIT_BYTES, 1536, "1.5 KiB" }, { UNIT_BYTES, 536870912, "512 MiB" },
		{ UNIT_BYTES, 1048575, "1 MiB" }, { UNIT_BYTES, 1047000, "1022 KiB" },
		{ UNIT_BYTES, 85899345920.0, "80 GiB" }, { UNIT_BYTES, 85520809984.0, "79.65 GiB" },
		{ UNIT_BYTES, 1099511627776.0, "1 TiB" }, { UNIT_BYTES, 1125899906842624.0, "1 PiB" },
		{ UNIT_BYTES, 1152921504606846976.0, "1 EiB" }, { UNIT_BYTES, 1e23, "86736 EiB" },

		{ UNIT_BYTES_PER_S, 0, "0 B/s" }, { UNIT_BYTES_PER_S, 1, "1 B/s" },
		{ UNIT_BYTES_PER_S, 999, "999 B/s" },
		{ UNIT_BYTES_PER_S, 1000, "1 kB/s" }, { UNIT_BYTES_PER_S, 26.1e9, "26.1 GB/s" },
		{ UNIT_BYTES_PER_S, 999960, "1 MB/s" }, { UNIT_BYTES_PER_S, 999940, "999.9 kB/s" },
		{ UNIT_BYTES_PER_S, 3.35e12, "3.35 TB/s" }, { UNIT_BYTES_PER_S, 1e15, "1 PB/s" },

		{ UNIT_GBPS, 26.1, "26.1 GB/s" }, { UNIT_GBPS, 55, "55 GB/s" }, { UNIT_GBPS, 3350, "3350 GB/s" },
		{ UNIT_GBPS, 0.05, "0.05 GB/s" }, { UNIT_GBPS, 26.1234, "26.12 GB/s" }, { UNIT_GBPS, 0, "0 GB/s" },

		{ UNIT_GFLOPS, 417, "417 GFLOP/s" }, { UNIT_GFLOPS, 19500, "19.5 TFLOP/s" },
		{ UNIT_GFLOPS, 0, "0 GFLOP/s" },
		{ UNIT_GFLOPS, 0.5, "0.5 GFLOP/s" }, { UNIT_GFLOPS, 1e6, "1 PFLOP/s" },
		{ UNIT_GFLOPS, 1e12, "1000 EFLOP/s" },

		{ UNIT_LANES, 16, "x16" }, { UNIT_LANES, 1, "x1" }, { UNIT_LANES, 0, "x0" },
		{ UNIT_MTPS, 2500, "2.5 GT/s" }, { UNIT_MTPS, 32000, "32 GT/s" }, { UNIT_MTPS, 5000, "5 GT/s" },
		{ UNIT_MTPS, 500, "500 MT/s" }, { UNIT_MTPS, 64000, "64 GT/s" }, { UNIT_MTPS, 0, "0 MT/s" },

		{ UNIT_NS, 0, "0 ns" }, { UNIT_NS, 1, "1 ns" }, { UNIT_NS, 840, "840 ns" },
		{ UNIT_NS, 8400, "8.4 µs" },
		{ UNIT_NS, 999.96, "1 µs" }, { UNIT_NS, 1.2e6, "1.2 ms" }, { UNIT_NS, 3.4e9, "3.4 s" },
		{ UNIT_NS, 59.99e9, "59.99 s" }, { UNIT_NS, 59.9999e9, "1 min" }, { UNIT_NS, 60e9, "1 min" },
		{ UNIT_NS, 0.5, "0.5 ns" }, { UNIT_NS, -8400, "-8.4 µs" },
		{ UNIT_MS, 0, "0 ms" }, { UNIT_MS, 200, "200 ms" }, { UNIT_MS, 15000, "15 s" },
		{ UNIT_MS, 1500, "1.5 s" },
		{ UNIT_MS, 0.25, "250 µs" }, { UNIT_MS, 90000, "1 min 30 s" },
		{ UNIT_S, 0, "0 s" }, { UNIT_S, 9, "9 s" }, { UNIT_S, 0.5, "500 ms" }, { UNIT_S, 59.4, "59.4 s" },
		{ UNIT_S, 60, "1 min" }, { UNIT_S, 720, "12 min" }, { UNIT_S, 754, "12 min 34 s" },
		{ UNIT_S, 3599.6, "1 h" }, { UNIT_S, 3600, "1 h" }, { UNIT_S, 3659, "1 h" },
		{ UNIT_S, 3660, "1 h 1 min" },
		{ UNIT_S, 86399, "23 h 59 min" }, { UNIT_S, 86400, "1 d" }, { UNIT_S, 86400 + 3599, "1 d" },
		{ UNIT_S, 41 * 86400.0 + 3 * 3600 + 3599, "41 d 3 h" }, { UNIT_S, 1e15, "11574074074 d 1 h" },
		{ UNIT_S, -720, "-12 min" },

		{ UNIT_PERCENT, 37, "37 %" }, { UNIT_PERCENT, 0, "0 %" }, { UNIT_PERCENT, 99.97, "99.97 %" },
		{ UNIT_RATIO, 0.6, "60 %" }, { UNIT_RATIO, 0.07, "7 %" }, { UNIT_RATIO, 0.285, "28.5 %" },
		{ UNIT_RATIO, 1, "100 %" }, { UNIT_RATIO, 0, "0 %" }, { UNIT_RATIO, 1.0 / 3, "33.33 %" },
		{ UNIT_MHZ, 2600, "2600 MHz" }, { UNIT_MHZ, 10501, "10501 MHz" }, { UNIT_MHZ, 1333.3333, "1333 MHz" },
		{ UNIT_PER_S, 12.5, "12.5/s" }, { UNIT_MBPS, 100, "100 Mbit/s" }, { UNIT_MBPS, 400000, "400 Gbit/s" },
		{ UNIT_CELSIUS, 64, "64 °C" }, { UNIT_CELSIUS, -2.5, "-2.5 °C" }, { UNIT_MW, 700000, "700 W" },
		{ UNIT_MW, 49120, "49.12 W" }, { UNIT_MW, 1000000, "1 kW" }, { UNIT_MJ, 1234000, "1.234 kJ" },
		{ UNIT_PAGES, 1024, "1024 pages" }, { UNIT_PAGES, 1, "1 page" }, { UNIT_PAGES, 0, "0 pages" },

		{ UNIT_GBPS, NAN, "?" }, { UNIT_S, INFINITY, "?" }, { UNIT_BYTES, -INFINITY, "?" },
		{ UNIT_RATIO, DBL_MAX, "?" },
		{ NR_UNITS, 5, "5" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		STRBUF_AUTO sb = STRBUF_INIT;

		strbuf_addstr(&sb, "<");
		unit_format(&sb, cases[i].unit, cases[i].value);
		if (strcmp(sb.buf + 1, cases[i].text))
			fail_msg("%.17g of unit %d is %s, not %s", cases[i].value, (int)cases[i].unit, sb.buf + 1,
				 cases[i].text);
	}
}

static void formats_whole_numbers(void **state)
{
	static const struct {
		enum unit unit;
		uint64_t value;
		const char *text;
	} cases[] = {
		{ UNIT_NONE, UINT64_MAX, "18446744073709551615" }, { UNIT_COUNT, 9007199254740993, "9007199254740993" },
		{ UNIT_COUNT, 0, "0" }, { UNIT_LANES, 16, "x16" }, { UNIT_MHZ, 10501, "10501 MHz" },
		{ UNIT_PAGES, 1, "1 page" }, { UNIT_PAGES, 123456, "123456 pages" }, { UNIT_PERCENT, 37, "37 %" },
		{ UNIT_GBPS, 55, "55 GB/s" }, { UNIT_RATIO, 1, "100 %" },
		{ UNIT_BYTES, 85899345920, "80 GiB" }, { UNIT_BYTES, 1, "1 byte" },
		{ UNIT_BYTES, UINT64_MAX, "16 EiB" },
		{ UNIT_BYTES_PER_S, 26100000000, "26.1 GB/s" }, { UNIT_MTPS, 16000, "16 GT/s" },
		{ UNIT_NS, 8400, "8.4 µs" }, { UNIT_MS, 15000, "15 s" }, { UNIT_S, 41 * 86400 + 3 * 3600, "41 d 3 h" },
		{ UNIT_NS, UINT64_MAX, "213503 d 23 h" }, { NR_UNITS, UINT64_MAX, "18446744073709551615" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		STRBUF_AUTO sb = STRBUF_INIT;

		unit_format_u64(&sb, cases[i].unit, cases[i].value);
		assert_string_equal(sb.buf, cases[i].text);
	}
}

/* One number, one text: whether it was kept as a double or as a whole number. */
static void both_agree(void **state)
{
	(void)state;
	for (unsigned unit = 0; unit < NR_UNITS; unit++) {
		for (uint64_t value = 0; value < UINT64_C(1) << 52; value = value * 3 / 2 + 1) {
			STRBUF_AUTO whole = STRBUF_INIT;
			STRBUF_AUTO real = STRBUF_INIT;

			unit_format_u64(&whole, unit, value);
			unit_format(&real, unit, (double)value);
			assert_string_equal(whole.buf, real.buf);
		}
	}
}

static void has_symbols(void **state)
{
	(void)state;
	assert_string_equal(unit_symbol(UNIT_NONE), "");
	assert_string_equal(unit_symbol(UNIT_BYTES), "bytes");
	assert_string_equal(unit_symbol(UNIT_LANES), "lanes");
	assert_string_equal(unit_symbol(UNIT_GBPS), "GB/s");
	assert_string_equal(unit_symbol(UNIT_NS), "ns");
	assert_string_equal(unit_symbol(NR_UNITS), "");
	for (unsigned a = 1; a < NR_UNITS; a++) {
		assert_non_null(unit_symbol(a));
		assert_true(unit_symbol(a)[0]);
		for (unsigned b = 0; b < a; b++)
			assert_string_not_equal(unit_symbol(a), unit_symbol(b));
	}
}

/* Never an exponent, never more than four digits once there is a point. */
static void stays_readable(void **state)
{
	(void)state;
	for (unsigned unit = 0; unit < NR_UNITS; unit++) {
		for (double value = 1e-12; value < 1e300; value *= 2.7) {
			STRBUF_AUTO sb = STRBUF_INIT;
			const char *number, *point;

			unit_format(&sb, unit, value);
			number = sb.buf + strspn(sb.buf, "x");
			assert_true(*number >= '0' && *number <= '9');
			assert_null(strstr(sb.buf, "e+"));
			assert_null(strstr(sb.buf, "e-"));
			point = strchr(number, '.');
			if (point) {
				const char *first = number + strspn(number, "0.");

				assert_true(strspn(first, "0123456789.") <= (first < point ? 5 : 4));
				assert_true(point[strspn(point, ".0123456789") - 1] != '0');
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats),
		cmocka_unit_test(formats_whole_numbers),
		cmocka_unit_test(both_agree),
		cmocka_unit_test(has_symbols),
		cmocka_unit_test(stays_readable),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
