// SPDX-License-Identifier: GPL-2.0-or-later
/* test_sized_word.c - sizes as tools of the host print them. */
#include "base/compat.h"
#include "import/host/sized_word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static bool take(const char *text, uint64_t unit, uint64_t *ret)
{
	const struct text_word word = { text, strlen(text) };

	return sized_word(&word, unit, ret);
}

static void reads_sizes(void **state)
{
	static const struct { const char *text; uint64_t unit, bytes; } cases[] = {
		{ "0", 1024, 0 },
		{ "0B", 0, 0 },
		{ "512B", 0, 512 },
		{ "1k", 0, 1024 },
		{ "1K", 0, 1024 },
		{ "871G", 0, UINT64_C(871) << 30 },
		{ "5,4Gi", 0, (uint64_t)(5.4 * 1024 * 1024 * 1024) },
		{ "5.4Gi", 0, (uint64_t)(5.4 * 1024 * 1024 * 1024) },
		{ "384MiB", 0, UINT64_C(384) << 20 },
		{ "1.9TB", 0, UINT64_C(1900000000000) },
		{ "1.5T", 0, UINT64_C(3) << 39 },
		{ "2PB", 0, UINT64_C(2000000000000000) },
		{ "20480", 1024, UINT64_C(20480) << 10 },
		{ "20480", 1, 20480 },
		/* Its own unit counts. */
		{ "1G", 1024, UINT64_C(1) << 30 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t bytes = 1;

		if (!take(cases[i].text, cases[i].unit, &bytes) || bytes != cases[i].bytes)
			fail_msg("%s: %llu, not %llu", cases[i].text, (unsigned long long)bytes,
				 (unsigned long long)cases[i].bytes);
	}
}

static void refuses_what_is_none(void **state)
{
	static const struct { const char *text; uint64_t unit; } cases[] = {
		{ "20480", 0 }, { "0", 0 }, { "", 1024 }, { "-", 1024 }, { "-5G", 1024 }, { "12X", 1024 },
		{ "12GX", 1024 }, { "12GiX", 1024 }, { "12iB", 1024 }, { "G", 1024 }, { ".", 1024 }, { "1.2.3G", 1024 },
		{ "12%", 1024 }, { "12 G", 1024 }, { "1e3", 1024 }, { "99999999E", 1024 }, { "1E", 1024 },
		{ "99999999999999999999999999999999999999999999", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t bytes = 7;

		if (take(cases[i].text, cases[i].unit, &bytes))
			fail_msg("\"%s\" is %llu", cases[i].text, (unsigned long long)bytes);
		assert_int_equal(bytes, 7);
	}
}

/* A word ends where its length says so, not where the line does. */
static void ends_with_the_word(void **state)
{
	const struct text_word figure = { "12GB", 2 }, with_unit = { "12GB", 3 };
	uint64_t bytes = 0;

	(void)state;
	assert_true(sized_word(&figure, 1024, &bytes));
	assert_int_equal(bytes, 12 * 1024);
	assert_false(sized_word(&figure, 0, &bytes));
	/* The unit goes past it. */
	assert_false(sized_word(&with_unit, 1024, &bytes));
}

static void takes_units(void **state)
{
	static const struct { const char *text; uint64_t unit; const char *rest; } cases[] = {
		{ "B", 1, "" }, { "K", 1024, "" }, { "kB", 1000, "" }, { "KiB", 1024, "" }, { "Mi", 1 << 20, "" },
		{ "MB/s", 1000000, "/s" }, { "MiB/s", 1 << 20, "/s" }, { "", 0, "" }, { "X", 0, "X" }, { "5", 0, "5" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *at = cases[i].text;

		assert_int_equal(size_unit_take(&at), cases[i].unit);
		assert_string_equal(at, cases[i].rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_sizes),
		cmocka_unit_test(refuses_what_is_none),
		cmocka_unit_test(ends_with_the_word),
		cmocka_unit_test(takes_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
