// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <time.h>
#include <cmocka.h>

#include "base/text_scan.h"

static void parses_u64(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 }, { "16", 0, 16 }, { "007", 0, 7 }, { "16\n", 0, 16 }, { "16 \t\r\n", 0, 16 },
		{ "0x0", 0, 0 }, { "0x10", 0, 16 }, { "0xfFaB\n", 0, 0xffab }, { "0x0000000000000000000001", 0, 1 },
		{ "9007199254740993", 0, 9007199254740993 }, { "18446744073709551615", 0, UINT64_MAX },
		{ "0xffffffffffffffff", 0, UINT64_MAX }, { "000000000000000000000000000000001", 0, 1 },
		{ "18446744073709551616", -ERANGE, 0 }, { "18446744073709551620", -ERANGE, 0 },
		{ "0x10000000000000000", -ERANGE, 0 }, { "99999999999999999999999\n", -ERANGE, 0 },
		{ "99999999999999999999999x", -EINVAL, 0 },
		{ "", -EINVAL, 0 }, { "\n", -EINVAL, 0 }, { " 1", -EINVAL, 0 }, { "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 }, { "0x\n", -EINVAL, 0 }, { "0xg", -EINVAL, 0 }, { "0X10", -EINVAL, 0 },
		{ "x10", -EINVAL, 0 }, { "1 2", -EINVAL, 0 }, { "1.0", -EINVAL, 0 }, { "1e3", -EINVAL, 0 },
		{ "ff", -EINVAL, 0 }, { "1\v", -EINVAL, 0 }, { "0x1 0", -EINVAL, 0 }, { "1\xc2\xa0", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = 4711;

		if (parse_u64(cases[i].text, &value) != cases[i].result ||
		    value != (cases[i].result ? 4711 : cases[i].value))
			fail_msg("\"%s\": %llu", cases[i].text, (unsigned long long)value);
	}
}

static void parses_durations(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t ms;
	} cases[] = {
		{ "0", 0, 0 }, { "1", 0, 1000 }, { "1s", 0, 1000 }, { "1.5", 0, 1500 }, { "1.5s", 0, 1500 },
		{ ".25s", 0, 250 }, { "500ms", 0, 500 }, { "0.4ms", 0, 0 }, { "0.5ms", 0, 1 }, { "2m", 0, 120000 },
		{ "1h", 0, 3600000 }, { "0h", 0, 0 },
		{ "9007199254740993ms", 0, 9007199254740992 }, { "9007199254741", -ERANGE, 0 },
		{ "00000000000000000000000000000001", -ERANGE, 0 },
		{ "", -EINVAL, 0 }, { "s", -EINVAL, 0 }, { ".s", -EINVAL, 0 }, { "1 s", -EINVAL, 0 },
		{ "1s ", -EINVAL, 0 },
		{ "1S", -EINVAL, 0 }, { "1sec", -EINVAL, 0 }, { "1s1", -EINVAL, 0 }, { "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 }, { "1e3", -EINVAL, 0 }, { "1.2.3", -EINVAL, 0 }, { "1,5", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 }, { "inf", -EINVAL, 0 }, { "1m30s", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t ms = 4711;

		if (parse_duration_ms(cases[i].text, &ms) != cases[i].result ||
		    ms != (cases[i].result ? 4711 : cases[i].ms))
			fail_msg("\"%s\": %llu", cases[i].text, (unsigned long long)ms);
	}
}

static void parses_f64(void **state)
{
	static const struct {
		const char *text;
		int result;
		double value;
	} cases[] = {
		{ "0", 0, 0 }, { "0.35", 0, 0.35 }, { "0.35\n", 0, 0.35 }, { "-40.5", 0, -40.5 }, { "12", 0, 12 },
		{ ".5", 0, 0.5 }, { "5.", 0, 5 }, { "1e3", 0, 1000 }, { "1E+3 ", 0, 1000 }, { "2.5e-3", 0, 0.0025 },
		{ "1e308", 0, 1e308 }, { "5e-324", 0, 5e-324 }, { "1e-999", 0, 0 }, { "-0", 0, -0.0 },
		{ "00.1", 0, 0.1 }, { "9007199254740993", 0, 9007199254740992.0 },
		{ "1e309", -ERANGE, 0 }, { "-1e999", -ERANGE, 0 }, { "1e99999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 }, { "\n", -EINVAL, 0 }, { ".", -EINVAL, 0 }, { "-", -EINVAL, 0 },
		{ "-.", -EINVAL, 0 },
		{ "e5", -EINVAL, 0 }, { ".e5", -EINVAL, 0 }, { "1e", -EINVAL, 0 }, { "1e+", -EINVAL, 0 },
		{ "1e+-5", -EINVAL, 0 }, { "1e5.5", -EINVAL, 0 }, { "1.2.3", -EINVAL, 0 }, { "0,35", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 }, { "+1", -EINVAL, 0 }, { "--1", -EINVAL, 0 }, { "1 2", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 }, { "0x1p3", -EINVAL, 0 }, { "nan", -EINVAL, 0 }, { "inf", -EINVAL, 0 },
		{ "-Infinity", -EINVAL, 0 }, { "1d", -EINVAL, 0 }, { "1f", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double value = 47.11;
		const double expected = cases[i].result ? 47.11 : cases[i].value;

		if (parse_f64(cases[i].text, &value) != cases[i].result || memcmp(&value, &expected, sizeof(value)))
			fail_msg("\"%s\": %g", cases[i].text, value);
	}
}

static void parses_link_speed(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t mtps;
	} cases[] = {
		{ "2.5 GT/s PCIe\n", 0, 2500 }, { "5.0 GT/s PCIe", 0, 5000 }, { "8.0 GT/s PCIe\n", 0, 8000 },
		{ "16.0 GT/s PCIe\n", 0, 16000 }, { "32.0 GT/s PCIe\n", 0, 32000 }, { "64.0 GT/s PCIe\n", 0, 64000 },
		{ "128.0 GT/s PCIe", 0, 128000 },
		{ "2.5 GT/s\n", 0, 2500 }, { "5 GT/s", 0, 5000 }, { "8 GT/s\n", 0, 8000 }, { "16 GT/s\n", 0, 16000 },
		{ "2.50 GT/s", 0, 2500 }, { "2.505 GT/s", 0, 2505 }, { "0.5 GT/s", 0, 500 },
		{ "Unknown", -EINVAL, 0 }, { "Unknown speed\n", -EINVAL, 0 }, { "Unknown PCIe", -EINVAL, 0 },
		{ "", -EINVAL, 0 }, { "\n", -EINVAL, 0 }, { "8", -EINVAL, 0 }, { "8 ", -EINVAL, 0 },
		{ " GT/s", -EINVAL, 0 },
		{ "8. GT/s", -EINVAL, 0 }, { ".5 GT/s", -EINVAL, 0 }, { "2.5000 GT/s", -EINVAL, 0 },
		{ "-8 GT/s", -EINVAL, 0 }, { "8.0GT/s", -EINVAL, 0 }, { "8.0  GT/s", -EINVAL, 0 },
		{ "8.0 MT/s", -EINVAL, 0 }, { "8.0 GT/s PCI", -EINVAL, 0 }, { "8.0 GT/s PCIe x16", -EINVAL, 0 },
		{ "8.0 GT/sPCIe", -EINVAL, 0 }, { "8e0 GT/s", -EINVAL, 0 }, { "8.0.0 GT/s", -EINVAL, 0 },
		{ "18446744073709551 GT/s", 0, UINT64_C(18446744073709551000) },
		{ "18446744073709551.616 GT/s", -ERANGE, 0 }, { "18446744073709552 GT/s", -ERANGE, 0 },
		{ "99999999999999999999999 GT/s PCIe\n", -ERANGE, 0 }, { "99999999999999999999999 GT", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t mtps = 4711;

		if (parse_link_speed(cases[i].text, &mtps) != cases[i].result ||
		    mtps != (cases[i].result ? 4711 : cases[i].mtps))
			fail_msg("\"%s\": %llu", cases[i].text, (unsigned long long)mtps);
	}
}

static void parses_pci_addresses(void **state)
{
	static const struct {
		const char *text;
		int result;
		struct pci_address address;
	} cases[] = {
		{ "0000:00:00.0", 0, { 0, 0, 0, 0 } },
		{ "0000:5d:00.0", 0, { 0, 0x5d, 0, 0 } },
		{ "0000:5D:00.0\n", 0, { 0, 0x5d, 0, 0 } },
		{ "10000:e1:00.0", 0, { 0x10000, 0xe1, 0, 0 } },
		{ "00000000:01:00.0", 0, { 0, 1, 0, 0 } },
		{ "ffffffff:ff:1f.7", 0, { 0xffffffff, 0xff, 0x1f, 7 } },
		{ "0000:00:20.0", -ERANGE, { 0 } }, { "0000:00:00.8", -ERANGE, { 0 } },
		{ "0000:00:ff.f", -ERANGE, { 0 } },
		{ "5d:00.0", -EINVAL, { 0 } }, { "000:5d:00.0", -EINVAL, { 0 } },
		{ "000000000:5d:00.0", -EINVAL, { 0 } },
		{ "0000:5d:00", -EINVAL, { 0 } }, { "0000:5d:00.", -EINVAL, { 0 } },
		{ "0000:5d:00.00", -EINVAL, { 0 } },
		{ "0000:5d:0.0", -EINVAL, { 0 } }, { "0000:d:00.0", -EINVAL, { 0 } },
		{ "0000:05d:00.0", -EINVAL, { 0 } },
		{ "0000:5d:000.0", -EINVAL, { 0 } }, { "0000:5d.00.0", -EINVAL, { 0 } },
		{ "0000:5d:00:0", -EINVAL, { 0 } },
		{ "0000:5g:00.0", -EINVAL, { 0 } }, { " 0000:5d:00.0", -EINVAL, { 0 } },
		{ "0000:5d:00.0x", -EINVAL, { 0 } },
		{ "0x00:5d:00.0", -EINVAL, { 0 } }, { "0000:-1:00.0", -EINVAL, { 0 } }, { "", -EINVAL, { 0 } },
		{ "0000:", -EINVAL, { 0 } }, { "GPU-5d", -EINVAL, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct pci_address before = { 1, 2, 3, 4 };
		struct pci_address address = before;

		if (parse_pci_address(cases[i].text, &address) != cases[i].result ||
		    pci_address_compare(&address, cases[i].result ? &before : &cases[i].address))
			fail_msg("\"%s\"", cases[i].text);
	}
}

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

static void orders_addresses(void **state)
{
	static const struct pci_address sorted[] = {
		{ 0, 0, 0, 0 }, { 0, 0, 0, 7 }, { 0, 0, 1, 0 }, { 0, 0, 0x1f, 7 }, { 0, 1, 0, 0 }, { 0, 0xff, 0, 0 },
		{ 1, 0, 0, 0 }, { 0x10000, 0, 0, 0 }, { 0xffffffff, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(sorted); j++)
			assert_int_equal(sign(pci_address_compare(&sorted[i], &sorted[j])), (i > j) - (i < j));
	}
}

static void orders_keys(void **state)
{
	static const char *const sorted[] = {
		"0", "01", "1", "2", "9", "10", "100", "18446744073709551615",
		"0000:01:00.0", "0000:5D:00.0", "0000:5d:00.0", "0000:c1:00.0", "0001:00:00.0", "10000:01:00.0",
		"ffffffff:00:00.0",
		"", "18446744073709551616", "5d:00.0", "A", "a", "a1", "a10", "a2", "opencl:pocl.icd:0", "\xc3\xa9",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(sorted); j++) {
			if (key_compare(sorted[i], sorted[j]) != (i > j) - (i < j))
				fail_msg("\"%s\" and \"%s\"", sorted[i], sorted[j]);
		}
	}
}

static void counts_cpulists(void **state)
{
	static const struct {
		const char *list;
		int result;
		uint64_t count;
	} cases[] = {
		{ "", 0, 0 }, { "\n", 0, 0 }, { "0", 0, 1 }, { "0\n", 0, 1 }, { "0-3", 0, 4 },
		{ "0-3,8,10-11\n", 0, 7 },
		{ "5-5", 0, 1 }, { "007", 0, 1 }, { "0-1048576", 0, 1048577 }, { "1048576", 0, 1 },
		/* each number once, in whatever order */
		{ "8,0-3", 0, 5 }, { "0,0,0", 0, 1 }, { "0-5,2-3", 0, 6 }, { "2-7,0-3", 0, 8 }, { "0-3,4-7", 0, 8 },
		{ "3,1,2,0,2", 0, 4 }, { "0-9,5-14,20,19", 0, 17 },
		{ "1048577", -ERANGE, 0 }, { "0-1048577\n", -ERANGE, 0 }, { "99999999999999999999999", -ERANGE, 0 },
		{ "1048577,3-1", -EINVAL, 0 }, { "1048577,", -EINVAL, 0 },
		{ "3-1", -EINVAL, 0 }, { ",", -EINVAL, 0 }, { "0,", -EINVAL, 0 }, { ",0", -EINVAL, 0 },
		{ "0,,1", -EINVAL, 0 },
		{ "-", -EINVAL, 0 }, { "0-", -EINVAL, 0 }, { "-3", -EINVAL, 0 }, { "0-3-5", -EINVAL, 0 },
		{ "0 1", -EINVAL, 0 }, { "0, 1", -EINVAL, 0 }, { " 0", -EINVAL, 0 }, { "a", -EINVAL, 0 },
		{ "0x1", -EINVAL, 0 }, { "0-3:1/2", -EINVAL, 0 }, { "0\n1", -EINVAL, 0 }, { "+1", -EINVAL, 0 },
		{ "0--3", -EINVAL, 0 }, { "all", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t count = 4711;

		if (cpulist_count(cases[i].list, &count) != cases[i].result ||
		    count != (cases[i].result ? 4711 : cases[i].count))
			fail_msg("\"%s\": %llu", cases[i].list, (unsigned long long)count);
	}
}

static void joins_cpulists(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" }, { "3", "3" }, { "0-127,128-255", "0-255" }, { "8,0-3,10-11,9", "0-3,8-11" },
		{ "2,0-2\n", "0-2" },
		{ "3-1", "" }, { "1048577", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		STRBUF_AUTO joined = STRBUF_INIT;

		assert_true((cpulist_join(cases[i][0], &joined) == 0) == (i < 5));
		assert_string_equal(joined.buf, cases[i][1]);
	}
}

static void reads_masks_of_cpus(void **state)
{
	static const char *const cases[][2] = {
		{ "0", "" }, { "00000000,00000000\n", "" }, { "1", "0" }, { "f", "0-3" }, { "ffffffff", "0-31" },
		{ "ffffffff,00000000\n", "32-63" }, { "80000001,00000000,8000000F", "0-3,31,64,95" }, { "5", "0,2" },
		{ "", "" }, { "0x1", "" }, { "1-3", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		STRBUF_AUTO list = STRBUF_INIT;

		assert_true((cpulist_of_mask(cases[i][0], &list) == 0) == (i < 8));
		assert_string_equal(list.buf ? list.buf : "", cases[i][1]);
	}
}

static void compares_cpulists(void **state)
{
	static const struct {
		const char *a, *b;
		bool overlap;
	} cases[] = {
		{ "", "", false }, { "", "0-3", false }, { "0-3", "", false },
		{ "0-3", "0-3", true }, { "1-2", "0-3\n", true }, { "0-3", "1-2", true },
		{ "0-3", "4-7", false }, { "4-7", "0-3", false }, { "0-4", "4-7", true },
		{ "0-3", "0-1,2-3", true }, { "0-3", "2-3,0-1", true }, { "0-3", "0-1,3", true },
		{ "0,2,4", "0-4", true }, { "0-4", "0,2,4", true }, { "0,5", "0-4", true },
		{ "1,3", "0,2,4", false }, { "10-11,0-3,8", "0-15", true },
		{ "32-63,96-127", "0-31,64-95", false }, { "32-63,96-127", "32-63,96-127", true },
		{ "1048576", "0-1048576", true },
	};
	bool answer = true;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool overlap = !cases[i].overlap, back = !cases[i].overlap;

		assert_int_equal(cpulist_overlap(cases[i].a, cases[i].b, &overlap), 0);
		assert_int_equal(cpulist_overlap(cases[i].b, cases[i].a, &back), 0);
		if (overlap != cases[i].overlap || back != overlap)
			fail_msg("\"%s\" and \"%s\"", cases[i].a, cases[i].b);
	}
	assert_int_equal(cpulist_overlap("0-", "0", &answer), -EINVAL);
	assert_int_equal(cpulist_overlap("0", "x", &answer), -EINVAL);
	assert_int_equal(cpulist_overlap("9999999", "x", &answer), -EINVAL);
	assert_int_equal(cpulist_overlap("9999999", "0", &answer), -ERANGE);
	assert_int_equal(cpulist_overlap("0", "9999999", &answer), -ERANGE);
	assert_true(answer);
}

/* Against a set kept bit by bit. */
static void cpulists_are_sets(void **state)
{
	uint32_t seed = 12345;

	(void)state;
	for (int round = 0; round < 5000; round++) {
		STRBUF_AUTO a = STRBUF_INIT;
		STRBUF_AUTO b = STRBUF_INIT;
		struct strbuf *lists[2] = { &a, &b };
		uint64_t set[2] = { 0, 0 };
		uint64_t count;
		bool overlap;

		for (int side = 0; side < 2; side++) {
			for (unsigned nr = (seed >> 8) % 5; nr; nr--) {
				unsigned first, last;

				seed = seed * 1664525 + 1013904223;
				first = (seed >> 16) % 64;
				last = first + (seed >> 24) % (64 - first) / 4;
				strbuf_addf(lists[side], "%s%u", lists[side]->len ? "," : "", first);
				if (last > first || (seed & 64))
					strbuf_addf(lists[side], "-%u", last);
				for (; first <= last; first++)
					set[side] |= UINT64_C(1) << first;
			}
			seed = seed * 1664525 + 1013904223;
			assert_int_equal(cpulist_count(lists[side]->buf, &count), 0);
			assert_int_equal(count, __builtin_popcountll(set[side]));
		}
		assert_int_equal(cpulist_overlap(a.buf, b.buf, &overlap), 0);
		assert_int_equal(overlap, !!(set[0] & set[1]));
	}
}

static void judges_utf8(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		bool is_valid;
		const char *clean;	/* where it is not */
	} cases[] = {
#define U "\xef\xbf\xbd"
		{ "", 0, true, NULL }, { "abc", 3, true, NULL }, { "µ€😀", 9, true, NULL },
		{ "\x01\x7f", 2, true, NULL },
		{ "\xc2\x80", 2, true, NULL }, { "\xdf\xbf", 2, true, NULL }, { "\xe0\xa0\x80", 3, true, NULL },
		{ "\xed\x9f\xbf", 3, true, NULL }, { "\xee\x80\x80", 3, true, NULL }, { "\xef\xbf\xbf", 3, true, NULL },
		{ "\xf0\x90\x80\x80", 4, true, NULL }, { "\xf4\x8f\xbf\xbf", 4, true, NULL }, { U, 3, true, NULL },
		{ "\0", 1, false, U }, { "a\0b", 3, false, "a" U "b" },
		{ "\x80", 1, false, U }, { "\xbf", 1, false, U }, { "a\x80z", 3, false, "a" U "z" },
		{ "\xc0\x80", 2, false, U U }, { "\xc1\xbf", 2, false, U U }, { "\xe0\x9f\xbf", 3, false, U U U },
		{ "\xf0\x8f\xbf\xbf", 4, false, U U U U }, { "\xed\xa0\x80", 3, false, U U U },
		{ "\xed\xbf\xbf", 3, false, U U U }, { "\xf4\x90\x80\x80", 4, false, U U U U },
		{ "\xf5\x80\x80\x80", 4, false, U U U U }, { "\xff", 1, false, U }, { "\xfe", 1, false, U },
		{ "\xc3", 1, false, U }, { "\xe2\x82", 2, false, U U }, { "\xf0\x9f\x98", 3, false, U U U },
		{ "\xc3z", 2, false, U "z" }, { "\xe2\x82z", 3, false, U U "z" },
		{ "\xc3\xc3\xa9", 3, false, U "\xc3\xa9" },
		{ "\xe2\x82\xac\x82", 4, false, "€" U }, { "\xc3\xa9\xe9\xc3\xa9", 5, false, "é" U "é" },
		/* the rest of a character lies behind the end */
		{ "\xe2\x82\xac", 2, false, U U }, { "\xe2\x82\xac", 1, false, U }, { "é", 1, false, U },
#undef U
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		STRBUF_AUTO sb = STRBUF_INIT;

		if (utf8_valid(cases[i].text, cases[i].len) != cases[i].is_valid)
			fail_msg("case %zu", i);
		strbuf_addch(&sb, '<');
		utf8_clean(&sb, cases[i].text, cases[i].len);
		assert_true(utf8_valid(sb.buf, sb.len));
		if (cases[i].is_valid) {
			assert_int_equal(sb.len, cases[i].len + 1);
			assert_memory_equal(sb.buf + 1, cases[i].text, cases[i].len);
		} else {
			assert_string_equal(sb.buf + 1, cases[i].clean);
		}
	}
}

/* Do these bytes spell a Unicode scalar value but NUL, in the shortest form? Decodes first and asks then. */
static bool is_scalar_form(const unsigned char *byte, size_t len)
{
	static const uint32_t least[] = { 0, 1, 0x80, 0x800, 0x10000 };
	uint32_t point = len == 1 ? byte[0] : byte[0] & (0x7fU >> len);

	if (len == 1)
		return byte[0] && byte[0] < 0x80;
	if ((byte[0] & (0xffU << (7 - len)) & 0xff) != ((0xffU << (8 - len)) & 0xff))
		return false;
	for (size_t i = 1; i < len; i++) {
		if (byte[i] >> 6 != 2)
			return false;
		point = point << 6 | (byte[i] & 0x3f);
	}
	return point >= least[len] && point <= 0x10ffff && point >> 11 != 0x1b;
}

static void judges_every_character(void **state)
{
	/* the bytes at which something changes */
	static const unsigned char odd[] = {
		0x00, 0x01, 0x22, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
		0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff,
	};
	const size_t nr = ARRAY_SIZE(odd);

	(void)state;
	for (size_t i = 0; i < nr * nr * nr * nr; i++) {
		unsigned char byte[4] = { odd[i % nr], odd[i / nr % nr], odd[i / nr / nr % nr], odd[i / nr / nr / nr] };
		size_t at = 0;

		while (at < 4) {
			size_t len = 1;

			while (len <= 4 - at && !is_scalar_form(byte + at, len))
				len++;
			if (len > 4 - at)
				break;
			at += len;
		}
		if (utf8_valid((const char *)byte, 4) != (at == 4))
			fail_msg("%02x %02x %02x %02x", byte[0], byte[1], byte[2], byte[3]);
		/* Eight bytes are looked at at once. */
		for (size_t before = 1; before < 9; before++) {
			char text[16];

			memset(text, 'x', sizeof(text));
			memcpy(text + before, byte, 4);
			if (utf8_valid(text, sizeof(text)) != (at == 4))
				fail_msg("%02x %02x %02x %02x behind %zu", byte[0], byte[1], byte[2], byte[3], before);
		}
	}
}

static void cuts_no_character(void **state)
{
	static const char text[] = "a\xe2\x80\xa6" "b";	/* a, an ellipsis of three bytes, b */
	static const size_t floors[] = { 0, 1, 1, 1, 4, 5 };

	(void)state;
	for (size_t len = 0; len < ARRAY_SIZE(floors); len++)
		assert_int_equal(utf8_floor(text, len), floors[len]);
}

static void finds_words(void **state)
{
	static const char *const words[] = { "a", "bc", NULL }, *const none[] = { NULL };

	(void)state;
	assert_true(text_is_among("bc", words));
	assert_false(text_is_among("b", words));
	assert_false(text_is_among("", words));
	assert_false(text_is_among("a", none));
}

static void scans_behind_words(void **state)
{
	(void)state;
	assert_string_equal(scan_behind("  LnkSta:  x8 ", "LnkSta:"), "x8 ");
	assert_string_equal(scan_behind("LnkSta:", "LnkSta:"), "");
	assert_null(scan_behind("xLnkSta: x8", "LnkSta:"));
	assert_null(scan_behind("", "LnkSta:"));
}

static void counts_columns(void **state)
{
	(void)state;
	assert_int_equal(utf8_columns(""), 0);
	assert_int_equal(utf8_columns("abc"), 3);
	assert_int_equal(utf8_columns("8 × µs → 😀"), 10);
	assert_int_equal(utf8_columns("a\xff\xe2\x82"), 4);
	assert_int_equal(utf8_columns("\xc3"), 1);
}

static void formats_stamps(void **state)
{
	static const struct {
		int64_t seconds;
		unsigned milliseconds;
		const char *text;
	} cases[] = {
		{ 0, 0, "1970-01-01T00:00:00.000Z" }, { 1795186927, 123, "2026-11-20T15:02:07.123Z" },
		{ -1, 999, "1969-12-31T23:59:59.999Z" }, { 951782400, 0, "2000-02-29T00:00:00.000Z" },
		{ 951868800, 7, "2000-03-01T00:00:00.007Z" }, { 4107542399, 0, "2100-02-28T23:59:59.000Z" },
		{ 4107542400, 0, "2100-03-01T00:00:00.000Z" }, { 2147483648, 50, "2038-01-19T03:14:08.050Z" },
		{ -62167219200, 0, "0000-01-01T00:00:00.000Z" },
		{ -62167219200 + 59 * 86400, 0, "0000-02-29T00:00:00.000Z" },
		{ -62135596800, 0, "0001-01-01T00:00:00.000Z" }, { 253402300799, 999, "9999-12-31T23:59:59.999Z" },
		/* what does not fit four digits of a year, or three of a second */
		{ -62167219201, 0, "0000-01-01T00:00:00.000Z" }, { INT64_MIN, 0, "0000-01-01T00:00:00.000Z" },
		{ 253402300800, 0, "9999-12-31T23:59:59.000Z" }, { INT64_MAX, 999, "9999-12-31T23:59:59.999Z" },
		{ 0, 1000, "1970-01-01T00:00:00.999Z" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[32];

		format_rfc3339(cases[i].seconds, cases[i].milliseconds, buf);
		assert_string_equal(buf, cases[i].text);
	}
}

/* Every day of 10,000 years is the one libc says it is. */
static void knows_the_calendar(void **state)
{
	(void)state;
	for (int64_t day = -719528; day <= 2932896; day++) {
		time_t seconds = (time_t)(day * 86400 + (day & 0xffff));
		char buf[32], expected[64];
		int64_t read;
		struct tm tm;

		assert_non_null(gmtime_r(&seconds, &tm));
		snprintf(expected, sizeof(expected), "%04d-%02d-%02dT%02d:%02d:%02d.000Z", tm.tm_year + 1900,
			 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
		format_rfc3339(seconds, 0, buf);
		if (strcmp(buf, expected))
			fail_msg("%s, not %s", buf, expected);
		if (parse_rfc3339(buf, &read) || read != seconds)
			fail_msg("%s is read as %lld", buf, (long long)read);
	}
}

static void refuses_other_times(void **state)
{
	static const char *const texts[] = {
		"", "2026-11-20", "2026-11-20T15:02:11Z", "2026-11-20T15:02:11.000", "2026-11-20T15:02:11.000Zx",
		"2026-13-20T15:02:11.000Z", "2026-00-20T15:02:11.000Z", "2026-11-20T24:02:11.000Z",
		"2026-11-2OT15:02:11.000Z",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int64_t read = 7;

		assert_int_not_equal(parse_rfc3339(texts[i], &read), 0);
		assert_int_equal(read, 7);
	}
}

static void suggests_words(void **state)
{
	static const char *const commands[] = {
		"run", "collect", "list", "explain", "logs", "bench", "baseline", "diff", "gate", "policy",
		"completion",
		"pcie-width", "pcie-speed", "throttle-thermal", "throttle-power",
	};
	static const struct {
		const char *mistyped, *word;
	} cases[] = {
		{ "run", "run" }, { "rnu", "run" }, { "runn", "run" }, { "rn", "run" }, { "colect", "collect" },
		{ "lsit", "list" }, { "explian", "explain" }, { "gte", "gate" }, { "polciy", "policy" },
		{ "basline", "baseline" }, { "pcie-widht", "pcie-width" }, { "pciewidth", "pcie-width" },
		{ "pcie_speed", "pcie-speed" }, { "throttle-thermals", "throttle-thermal" },
		{ "throtle-powr", "throttle-power" }, { "completions", "completion" },
		{ "", NULL }, { "x", NULL }, { "r", NULL }, { "xyz", NULL }, { "frobnicate", NULL }, { "watch", NULL },
		{ "--------", NULL }, { "RUN", NULL },
		{ "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr", NULL },
	};
	static const char *const tie[] = { "bat", "cat", "hat" };
	static const char *const limits[] = {
		"",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",	/* 65 */
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",	/* 64 */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *word = nearest_word(cases[i].mistyped, commands, ARRAY_SIZE(commands));

		if (!word != !cases[i].word || (word && strcmp(word, cases[i].word)))
			fail_msg("%s: %s", cases[i].mistyped, word ? word : "nothing");
	}
	assert_null(nearest_word("run", NULL, 0));
	/* the first of equals; the nearest wherever it stands */
	assert_string_equal(nearest_word("rat", tie, 3), "bat");
	assert_string_equal(nearest_word("hat", tie, 3), "hat");
	assert_ptr_equal(nearest_word(limits[2] + 1, limits, 3), limits[2]);
	assert_ptr_equal(nearest_word(limits[2], limits, 3), limits[2]);
	assert_null(nearest_word(limits[1], limits, 3));
}

static void compares_versions(void **state)
{
	static const struct {
		const char *a, *b;
		int order;
	} cases[] = {
		{ "3.0", "3.0", 0 }, { "3", "3.0", 0 }, { "3.0", "3.0.1", -1 }, { "1.10", "1.2", 1 },
		{ "2.0", "10.0", -1 },
		{ "580.159.03", "580.65.06", 1 }, { "550.54.14", "550.54.14-open", 0 }, { "1.02", "1.2", 0 },
		{ "", "", 0 }, { "", "0.0", 0 }, { "", "0.1", -1 }, { "3.x", "3.0", 0 }, { "3.-1", "3.0", 0 },
		{ "99999999999999999999999", "1", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (version_compare(cases[i].a, cases[i].b) != cases[i].order ||
		    version_compare(cases[i].b, cases[i].a) != -cases[i].order)
			fail_msg("%s and %s", cases[i].a, cases[i].b);
	}
}

static void knows_versions(void **state)
{
	static const char *const good[] = { "0", "3", "3.0", "1.10", "550.54.14" };
	static const char *const bad[] = { "", ".", "3.", ".3", "3..0", "3.0 ", " 3.0", "v3.0", "3.0-1", "-3", "3.*" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!version_valid(good[i]))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (version_valid(bad[i]))
			fail_msg("%s", bad[i]);
}

/* Of rows as tables have them. */
static void finds_the_first_of_many_words(void **state)
{
	static const struct { int before; const char *text; bool after; } rows[] = {
		{ 1, "GPU is lost", true }, { 2, "GPU", false },
		{ 3, "no devices were found at all, of whichever vendor", true },
	};
	const char *const *words = &rows[0].text;
	const char *text = "the GPU is LOST; No Devices were found at all, of whichever vendor";
	size_t row = 9;

	(void)state;
	assert_ptr_equal(text_find_row(text, words, sizeof(*rows), 3, true, &row), text + 4);
	assert_int_equal(row, 0);
	assert_ptr_equal(text_find_row(text, words, sizeof(*rows), 3, false, &row), text + 4);
	assert_int_equal(row, 1);
	assert_ptr_equal(text_find_row(text + 5, words, sizeof(*rows), 3, true, &row), text + 17);
	assert_int_equal(row, 2);
	assert_null(text_find_row(text + 5, words, sizeof(*rows), 3, false, &row));
	/* At the very end, where it is cut, and of nothing. */
	assert_non_null(text_find_row("a GPU", words, sizeof(*rows), 3, false, &row));
	assert_null(text_find_row("a GP", words, sizeof(*rows), 3, false, &row));
	assert_null(text_find_row("", words, sizeof(*rows), 3, true, &row));
	assert_null(text_find_row(text, words, sizeof(*rows), 0, true, &row));
}

static void knows_months_by_name(void **state)
{
	static const struct { const char *text; unsigned month; } cases[] = {
		{ "Jan", 1 }, { "DEC 24", 12 }, { "may", 5 }, { "sept", 9 }, { "Ma", 0 }, { "", 0 }, { "anF", 0 },
		{ "Mai", 5 }, { "Mär", 3 }, { "Mak", 0 }, { "M\xc3", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(month_by_name(cases[i].text), cases[i].month);
}

static void finds_one_of_several_words(void **state)
{
	static const struct { const char *text, *words; bool has; } cases[] = {
		{ "with error 12", "error 12|status", true }, { "WITH ERROR 12, opcode", "error 12", true },
		{ "with error 129", "error 12", false }, { "error 129, error 12", "error 12", true },
		{ "an xid", "ecc|XID", true }, { "taxid", "ecc|xid", false }, { "_xid", "xid", true },
		{ "eccs", "ecc", true }, { "ecc1", "ecc", true }, { "", "ecc", false }, { "ecc", "", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(text_has_word_of(cases[i].text, cases[i].words), cases[i].has);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_first_of_many_words),
		cmocka_unit_test(parses_u64),
		cmocka_unit_test(parses_f64), cmocka_unit_test(parses_durations),
		cmocka_unit_test(parses_link_speed),
		cmocka_unit_test(parses_pci_addresses),
		cmocka_unit_test(orders_addresses),
		cmocka_unit_test(orders_keys),
		cmocka_unit_test(counts_cpulists),
		cmocka_unit_test(joins_cpulists), cmocka_unit_test(reads_masks_of_cpus),
			cmocka_unit_test(compares_cpulists),
		cmocka_unit_test(cpulists_are_sets),
		cmocka_unit_test(judges_utf8),
		cmocka_unit_test(judges_every_character),
		cmocka_unit_test(counts_columns),
		cmocka_unit_test(cuts_no_character),
		cmocka_unit_test(finds_words), cmocka_unit_test(finds_one_of_several_words),
		cmocka_unit_test(scans_behind_words),
		cmocka_unit_test(formats_stamps),
		cmocka_unit_test(knows_the_calendar),
		cmocka_unit_test(refuses_other_times),
		cmocka_unit_test(knows_months_by_name),
		cmocka_unit_test(suggests_words),
		cmocka_unit_test(compares_versions),
		cmocka_unit_test(knows_versions),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
