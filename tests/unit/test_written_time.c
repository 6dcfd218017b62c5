// SPDX-License-Identifier: GPL-2.0-or-later
/* test_written_time.c - dates as tools print them for people. */
#include "base/compat.h"
#include "import/dump/written_time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/text.h"

struct written {
	const char *text, *time;	/* of UTC, or as if the zone were UTC */
	bool has_zone;
	const char *rest;		/* behind the time */
};

static void assert_written(const struct written *expected)
{
	const char *end = NULL;
	struct written_clock clock = written_time(expected->text, &end);
	char time[32];

	if (!clock.s)
		fail_msg("%s: no time", expected->text);
	format_rfc3339(clock.s, 0, time);
	time[strlen("2026-11-24T10:11:12")] = '\0';
	assert_string_equal(time, expected->time);
	assert_int_equal(clock.has_zone, expected->has_zone);
	assert_string_equal(end, expected->rest);
}

static void reads_dates(void **state)
{
	static const struct written cases[] = {
		{ "Tue Nov 24 10:11:12 2026", "2026-11-24T10:11:12", false, "" },
		{ "Tue Nov  3 10:11:12 2026 550.90.07", "2026-11-03T10:11:12", false, " 550.90.07" },
		{ "Thu Nov 26 11:00:00 UTC 2026", "2026-11-26T11:00:00", true, "" },
		{ "Tue 24 Nov 2026 10:11:12 AM UTC", "2026-11-24T10:11:12", true, "" },
		{ "Tue, 24 Nov 2026 10:11:12 +0000", "2026-11-24T10:11:12", true, "" },
		{ "2026/11/24 10:11:12.345", "2026-11-24T10:11:12", false, "" },
		{ "2026/11/24 10:11:12.345, 0, NVIDIA", "2026-11-24T10:11:12", false, ", 0, NVIDIA" },
		{ "2026-11-24 10:11:12,345", "2026-11-24T10:11:12", false, "" },
		{ "2026-11-24T10:11:12Z", "2026-11-24T10:11:12", true, "" },
		{ "Nov 24 10:11:12 2026", "2026-11-24T10:11:12", false, "" },
		{ "NOV 24 10:11:12 2026", "2026-11-24T10:11:12", false, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_written(&cases[i]);
}

static void reads_german_dates(void **state)
{
	static const struct written cases[] = {
		{ "Di 24. Nov 10:11:12 CET 2026", "2026-11-24T09:11:12", true, "" },
		{ "Do 3. Dez 10:11:12 CET 2026", "2026-12-03T09:11:12", true, "" },
		{ "Do  1. Okt 10:11:12 CEST 2026", "2026-10-01T08:11:12", true, "" },
		{ "Fr 1. Mai 10:11:12 CEST 2026", "2026-05-01T08:11:12", true, "" },
		{ "Mo 2. M\xc3\xa4r 10:11:12 CET 2026", "2026-03-02T09:11:12", true, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_written(&cases[i]);
}

static void reads_halves_of_the_day(void **state)
{
	static const struct written cases[] = {
		{ "Tue 24 Nov 2026 12:00:01 AM UTC", "2026-11-24T00:00:01", true, "" },
		{ "Tue 24 Nov 2026 12:00:01 PM UTC", "2026-11-24T12:00:01", true, "" },
		{ "Tue 24 Nov 2026 01:00:01 PM UTC", "2026-11-24T13:00:01", true, "" },
		{ "Tue Nov 24 10:11:12 PM CET 2026", "2026-11-24T21:11:12", true, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_written(&cases[i]);
}

static void reads_zones(void **state)
{
	static const struct written cases[] = {
		{ "2026-11-24T10:11:12+01:00", "2026-11-24T09:11:12", true, "" },
		{ "2026-11-24T10:11:12.345678+0530", "2026-11-24T04:41:12", true, "" },
		{ "2026-11-24T00:11:12-08:00", "2026-11-24T08:11:12", true, "" },
		{ "2026-11-24 23:11:12 -01", "2026-11-25T00:11:12", true, "" },
		{ "Tue Nov 24 10:11:12 +03 2026", "2026-11-24T07:11:12", true, "" },
		{ "Tue Nov 24 10:11:12 PST 2026", "2026-11-24T18:11:12", true, "" },
		/* Of America, of China and of Cuba; of India, of Ireland and of Israel. */
		{ "Tue Nov 24 10:11:12 CST 2026", "2026-11-24T10:11:12", false, "" },
		{ "Tue Nov 24 10:11:12 IST 2026", "2026-11-24T10:11:12", false, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_written(&cases[i]);
}

static void refuses_what_is_none(void **state)
{
	static const char *const cases[] = {
		"", " ", "2", "2026", "Tue", "Tue Nov", "Tue Nov 24", "Tue Nov 24 10:11", "Tue Nov 24 10:11:12",
		"Tue Nov 24 10:11:12 26", "Tue Nov 24 10:11:12 1999", "Tue Nov 24 10:11:12 2000",
		"Tue Nov 24 10:11:12 2100", "Tue Nov 24 10:11:12 20260", "2000/11/24 10:11:12", "9999-11-24T10:11:12",
		"Thu Jan  1 00:00:00 1970", "Tue Nov 0 10:11:12 2026", "Tue Nov 32 10:11:12 2026",
		"Tue Nov 24 24:11:12 2026", "Tue Nov 24 10:60:12 2026", "Tue Nov 24 10:11:61 2026",
		"2026-13-24T10:11:12", "2026-00-24T10:11:12", "2026-11-00T10:11:12", "2026/11-24 10:11:12",
		"2026-11-24", "2026-11-24T", "2026.11.24 10:11:12", "20261-11-24 10:11:12",
		"Main 24 10:11:12 2026", "Dezember 24 10:11:12 2026", "+-----------+", "NVIDIA-SMI 550.90.07",
		"99999999999999999999 Nov 2026 10:11:12", "\xff\xfe\x80", "\xc3",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *end = NULL;
		struct written_clock clock = written_time(cases[i], &end);

		if (clock.s)
			fail_msg("\"%s\" is %lld", cases[i], (long long)clock.s);
	}
}

static void says_which_is_later(void **state)
{
	enum { HOUR = 3600, NOW = 1795687200 };
	static const struct written_clock none = { .s = 0 }, local = { .s = NOW }, zoned = { NOW, true };
	static const struct written_clock local_next = { .s = NOW + 1 }, zoned_next = { NOW + 1, true };

	(void)state;
	assert_true(written_clock_is_later(local_next, local, 1));
	assert_false(written_clock_is_later(local_next, local, 2));
	assert_false(written_clock_is_later(local, local_next, 0));
	assert_true(written_clock_is_later(zoned_next, zoned, 1));
	assert_true(written_clock_is_later(zoned, zoned, 0));
	assert_false(written_clock_is_later(zoned, zoned, 1));
	/* Whatever the zone is that is not told. */
	assert_false(written_clock_is_later(zoned_next, local, 1));
	assert_false(written_clock_is_later((struct written_clock){ NOW + 14 * HOUR, true }, local, 1));
	assert_true(written_clock_is_later((struct written_clock){ NOW + 14 * HOUR + 1, true }, local, 1));
	assert_true(written_clock_is_later((struct written_clock){ .s = NOW + 14 * HOUR + 1 }, zoned, 1));
	assert_false(written_clock_is_later(none, none, 0));
	assert_false(written_clock_is_later(local, none, 0));
	assert_false(written_clock_is_later(none, local, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_dates),
		cmocka_unit_test(reads_german_dates),
		cmocka_unit_test(reads_halves_of_the_day),
		cmocka_unit_test(reads_zones),
		cmocka_unit_test(refuses_what_is_none),
		cmocka_unit_test(says_which_is_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
