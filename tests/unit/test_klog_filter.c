// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/filter.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define S INT64_C(1000000)
#define DAY (86400 * S)

/* Friday 2026-11-20 15:02:07.5 on the wall, an hour ahead of UTC. */
#define NOW_LOCAL (INT64_C(1795186927) * S + S / 2)
static const struct klog_time_arg now = { .utc_us = NOW_LOCAL - 3600 * S, .local_us = NOW_LOCAL };
#define TODAY (INT64_C(1795132800) * S)

static void reads_moments(void **state)
{
	static const struct {
		const char *text;
		enum klog_time_arg_clock clock;
		int64_t us;
	} cases[] = {
		{ "2026-11-20", KLOG_TIME_ARG_LOCAL, TODAY },
		{ "2026-11-20 14:00", KLOG_TIME_ARG_LOCAL, TODAY + 14 * 3600 * S },
		{ "2026-11-20T14:00:05", KLOG_TIME_ARG_LOCAL, TODAY + (14 * 3600 + 5) * S },
		{ "2026-11-20 14:00:05.25", KLOG_TIME_ARG_LOCAL, TODAY + (14 * 3600 + 5) * S + S / 4 },
		{ "2026-11-20T14:00:05Z", KLOG_TIME_ARG_UTC, TODAY + (14 * 3600 + 5) * S },
		{ "2026-11-20T14:00:05.123456789+01:30", KLOG_TIME_ARG_UTC, TODAY + (12 * 3600 + 1805) * S + 123456 },
		{ "2026-11-20 14:00-0500", KLOG_TIME_ARG_UTC, TODAY + 19 * 3600 * S },
		{ "14:00", KLOG_TIME_ARG_LOCAL, TODAY + 14 * 3600 * S },
		{ "23:59:59", KLOG_TIME_ARG_LOCAL, TODAY + DAY - S },
		{ "today", KLOG_TIME_ARG_LOCAL, TODAY },
		{ "yesterday", KLOG_TIME_ARG_LOCAL, TODAY - DAY },
		{ "now", KLOG_TIME_ARG_UTC, NOW_LOCAL - 3600 * S },
		{ "@1700000000", KLOG_TIME_ARG_UTC, INT64_C(1700000000) * S },
		{ "-2h", KLOG_TIME_ARG_UTC, NOW_LOCAL - 3 * 3600 * S },
		{ "2h", KLOG_TIME_ARG_UTC, NOW_LOCAL - 3 * 3600 * S },
		{ "90m", KLOG_TIME_ARG_UTC, NOW_LOCAL - (3600 + 5400) * S },
		{ "90min", KLOG_TIME_ARG_UTC, NOW_LOCAL - (3600 + 5400) * S },
		{ "30s", KLOG_TIME_ARG_UTC, NOW_LOCAL - 3630 * S },
		{ "-3d", KLOG_TIME_ARG_UTC, NOW_LOCAL - 3600 * S - 3 * DAY },
		{ "1w", KLOG_TIME_ARG_UTC, NOW_LOCAL - 3600 * S - 7 * DAY },
		{ "2024-02-29", KLOG_TIME_ARG_LOCAL, INT64_C(1709164800) * S },
		{ "2000-03-01", KLOG_TIME_ARG_LOCAL, INT64_C(951868800) * S },
		{ "1970-01-01", KLOG_TIME_ARG_LOCAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct klog_time_arg moment = { .utc_us = -1, .local_us = -1 };
		enum klog_time_arg_clock clock;

		if (klog_time_arg_parse(cases[i].text, &now, &moment, &clock))
			fail_msg("\"%s\" is not understood", cases[i].text);
		assert_int_equal(clock, cases[i].clock);
		assert_int_equal(clock == KLOG_TIME_ARG_UTC ? moment.utc_us : moment.local_us, cases[i].us);
	}
}

static void refuses_what_is_no_moment(void **state)
{
	static const char *const texts[] = {
		"", " ", "-", "2", "2 h", "2x", "h", "--2h", "14", "14:", "14:0", "24:00", "14:60",
		"14:00:61", "14:00 x",
		"2026", "2026-11", "2026-13-01", "2026-00-01", "2026-02-29", "2026-04-31", "2026-11-00", "2026-11-20 ",
		"2026-11-20T", "2026-11-20 14", "2026-11-20 14:00 Z", "2026-11-20 14:00+1", "2026-11-20 14:00+24:00",
		"1969-12-31", "20261120", "@", "@x", "@-1", "@9999999999999999", "99999999999999999999s",
		"tomorrow", "Today",
		"99999999999999d", "3000000000w",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct klog_time_arg moment;
		enum klog_time_arg_clock clock;

		if (klog_time_arg_parse(texts[i], &now, &moment, &clock) != -EINVAL)
			fail_msg("\"%s\" is understood", texts[i]);
	}
}

/* ---- lines */

static struct {
	unsigned nr;
	struct klog_line last;
} got;

static unsigned take(void *to, const struct klog_line *line)
{
	(void)to;
	got.nr++;
	got.last = *line;
	return 7;
}

static const char fault[] = "NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus.";
static const char load[] = "nvidia-nvlink: Nvlink Core is being initialized";

static struct klog_line line_at(const char *text, bool is_local, int64_t wall_us)
{
	return (struct klog_line){ .text = span_of(text), .number = 3, .level = -1, .origin = KLOG_ORIGIN_KERNEL,
				   .time = { .has_wall = true, .wall_is_local = is_local, .wall_us = wall_us } };
}

static bool lets_through(struct klog_filter *filter, struct klog_line line)
{
	unsigned wanted;

	got.nr = 0;
	wanted = klog_filter_line(filter, &line);
	assert_int_equal(wanted, got.nr ? 7 : 0);
	return got.nr;
}

static struct klog_filter filter_between(int64_t since_local_us, int64_t until_local_us)
{
	return (struct klog_filter){
		.to = { .line = take }, .has_since = true, .has_until = true,
		.since = { .utc_us = since_local_us - 3600 * S, .local_us = since_local_us },
		.until = { .utc_us = until_local_us - 3600 * S, .local_us = until_local_us },
	};
}

static void places_lines_by_their_own_clock(void **state)
{
	struct klog_filter filter = filter_between(TODAY, TODAY + 10 * S);

	(void)state;
	assert_false(lets_through(&filter, line_at(fault, true, TODAY - 1)));
	assert_true(lets_through(&filter, line_at(fault, true, TODAY)));
	assert_true(lets_through(&filter, line_at(fault, true, TODAY + 10 * S - 1)));
	assert_false(lets_through(&filter, line_at(fault, true, TODAY + 10 * S)));
	assert_false(lets_through(&filter, line_at(fault, false, TODAY)));
	assert_false(lets_through(&filter, line_at(fault, false, TODAY - 3600 * S - 1)));
	assert_true(lets_through(&filter, line_at(fault, false, TODAY - 3600 * S)));
	assert_int_equal(filter.undated, 0);
}

static void lets_marks_through_from_before_only(void **state)
{
	struct klog_filter filter = filter_between(TODAY, TODAY + 10 * S);

	(void)state;
	assert_true(lets_through(&filter, line_at(load, true, TODAY - DAY)));
	assert_false(lets_through(&filter, line_at(load, true, TODAY + DAY)));
}

static void keeps_what_has_no_date(void **state)
{
	struct klog_filter filter = filter_between(TODAY, TODAY + 10 * S);
	struct klog_line line = line_at(fault, true, 0);

	(void)state;
	line.time = (struct klog_time){ .has_boot = true, .boot_us = 5 };
	assert_true(lets_through(&filter, line));
	assert_int_equal(filter.undated, 1);
	line.text = span_of("nvidia: harmless");
	assert_true(lets_through(&filter, line));
	assert_int_equal(filter.undated, 1);	/* events alone are worth a word */

	/* Nobody asked for a time: nothing to tell. */
	filter.has_since = filter.has_until = false;
	filter.undated = 0;
	line.text = span_of(fault);
	assert_true(lets_through(&filter, line));
	assert_int_equal(filter.undated, 0);
}

static void dates_the_running_kernels_lines(void **state)
{
	struct klog_filter filter = filter_between(TODAY, TODAY + 10 * S);
	struct klog_line line = line_at(fault, true, 0);

	(void)state;
	filter.has_boot_began = true;
	filter.boot_began_us = TODAY - 3600 * S - 100 * S;
	line.time = (struct klog_time){ .has_boot = true, .boot_us = 99 * S };
	assert_false(lets_through(&filter, line));
	line.time.boot_us = 101 * S;
	assert_true(lets_through(&filter, line));
	assert_true(got.last.time.has_wall && !got.last.time.wall_is_local);
	assert_int_equal(got.last.time.wall_us, TODAY - 3600 * S + S);
	assert_int_equal(filter.undated, 0);
}

static void numbers_lines_through_all_files(void **state)
{
	struct klog_filter filter = { .to = { .line = take }, .lines_before = 1000 };

	(void)state;
	assert_true(lets_through(&filter, line_at(fault, true, 0)));
	assert_int_equal(got.last.number, 1003);
}

/* ---- boots */

static void takes_one_boot(void **state)
{
	struct klog_event events[] = {
		{ .boot = 0, .code = 1, .currency = KLOG_BEFORE_BOOT },
		{ .boot = 1, .code = 2, .currency = KLOG_BEFORE_BOOT },
		{ .boot = 1, .code = 3, .currency = KLOG_BEFORE_BOOT, .then = KLOG_BEFORE_RESET },
		{ .boot = 2, .code = 4, .currency = KLOG_CURRENT },
	};
	const struct klog_log log = { .nr_events = ARRAY_SIZE(events), .events = events, .boots = 4, .dropped = 9 };
	struct arena arena = { .blocks = NULL };
	struct klog_log boot;

	(void)state;
	assert_int_equal(klog_log_of_boot(&arena, &log, 0, &boot), 0);
	assert_int_equal(boot.nr_events, 0);
	assert_int_equal(boot.dropped, 9);
	assert_int_equal(klog_log_of_boot(&arena, &log, -1, &boot), 0);
	assert_int_equal(boot.nr_events, 1);
	assert_int_equal(boot.events[0].code, 4);
	assert_int_equal(klog_log_of_boot(&arena, &log, -2, &boot), 0);
	assert_int_equal(boot.nr_events, 2);
	assert_int_equal(boot.events[0].code, 2);
	assert_int_equal(boot.events[0].currency, KLOG_CURRENT);
	assert_int_equal(boot.events[1].currency, KLOG_BEFORE_RESET);
	assert_int_equal(events[1].currency, KLOG_BEFORE_BOOT);
	assert_int_equal(klog_log_of_boot(&arena, &log, 1, &boot), 0);
	assert_int_equal(boot.events[0].code, 1);
	assert_int_equal(klog_log_of_boot(&arena, &log, 4, &boot), 0);
	assert_int_equal(klog_log_of_boot(&arena, &log, 5, &boot), -ENOENT);
	assert_int_equal(klog_log_of_boot(&arena, &log, -4, &boot), -ENOENT);
	assert_int_equal(klog_log_of_boot(&arena, &log, INT_MIN, &boot), -ENOENT);
	assert_int_equal(klog_log_of_boot(&arena, &log, INT_MAX, &boot), -ENOENT);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_moments),
		cmocka_unit_test(refuses_what_is_no_moment),
		cmocka_unit_test(places_lines_by_their_own_clock),
		cmocka_unit_test(lets_marks_through_from_before_only),
		cmocka_unit_test(keeps_what_has_no_date),
		cmocka_unit_test(dates_the_running_kernels_lines),
		cmocka_unit_test(numbers_lines_through_all_files),
		cmocka_unit_test(takes_one_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
