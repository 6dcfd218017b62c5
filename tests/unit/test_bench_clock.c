// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it times clocks. */
#include "base/compat.h"
#include "bench/bench_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define MS 1e6

static struct bench_stamps stamps(const double *host_ns, const double *event_ns, size_t nr)
{
	return (struct bench_stamps){ .nr = nr, .host_ns = host_ns, .event_ns = event_ns };
}

/* What is said of a test with three operations of that length and those events, on a device that has no other. */
static const char *why_alone(double host_ns, double first, double second, double third)
{
	const double hosts[] = { host_ns, host_ns, host_ns }, events[] = { first, second, third };
	struct bench_stamps test = stamps(hosts, events, 3);
	struct bench_clock clock = { .impossible = NULL };

	bench_clock_learn(&clock, &test);
	return bench_clock_why(&clock, &test);
}

static void assert_says(const char *why, const char *words)
{
	assert_non_null(why);
	if (!strstr(why, words))
		fail_msg("\"%s\", not \"%s\"", why, words);
}

static void trusts_events_that_agree(void **state)
{
	(void)state;
	assert_null(why_alone(10 * MS, 9.9 * MS, 9.8 * MS, 9.7 * MS));
	assert_null(why_alone(10 * MS, 5.1 * MS, 5.1 * MS, 5.1 * MS));
	/* a clock's own rate, and its step */
	assert_null(why_alone(10 * MS, 10.1 * MS, 10 * MS, 10 * MS));
}

static void doubts_what_cannot_be(void **state)
{
	(void)state;
	assert_says(why_alone(10 * MS, 9 * MS, 0.0, 9 * MS), "no time between");
	assert_says(why_alone(10 * MS, 9 * MS, BENCH_STAMPED_BACKWARDS, 9 * MS), "ends before it starts");
	assert_says(why_alone(10 * MS, BENCH_NO_STAMP, BENCH_NO_STAMP, BENCH_NO_STAMP), "no event timestamps");
	assert_says(why_alone(10 * MS, 9 * MS, 11 * MS, 9 * MS), "longer than the host waited");
	/* in microseconds, in ticks of 100 MHz, in picoseconds */
	assert_says(why_alone(10 * MS, 9e3, 9e3, 9e3), "less than half");
	assert_says(why_alone(10 * MS, 9e5, 9e5, 9e5), "less than half");
	assert_says(why_alone(10 * MS, 9e9, 9e9, 9e9), "longer than the host waited");
}

static void needs_something_long_to_trust(void **state)
{
	(void)state;
	assert_says(why_alone(1 * MS, 0.9 * MS, 0.9 * MS, 0.9 * MS), "long enough");
	/* most of a short one is the way there and back */
	assert_says(why_alone(50e3, 200, 200, 200), "long enough");
	assert_says(why_alone(50e3, 0.0, 200, 200), "long enough");
}

static void one_long_test_speaks_for_short_ones(void **state)
{
	static const double long_host[] = { 10 * MS, 10 * MS }, long_event[] = { 9 * MS, 9 * MS };
	static const double short_host[] = { 20e3, 20e3 }, short_event[] = { 1e3, 2e3 }, stepped[] = { 0.0, 1e3 };
	struct bench_stamps big = stamps(long_host, long_event, 2), small = stamps(short_host, short_event, 2);
	struct bench_stamps coarse = stamps(short_host, stepped, 2);
	struct bench_clock clock = { .impossible = NULL };

	(void)state;
	bench_clock_learn(&clock, &small);
	bench_clock_learn(&clock, &big);
	bench_clock_learn(&clock, &coarse);
	assert_null(bench_clock_why(&clock, &big));
	assert_null(bench_clock_why(&clock, &small));
	/* where an event has no length, it gives no rate */
	assert_says(bench_clock_why(&clock, &coarse), "a step of its stamps");
}

/* Stamps that leave out a part of some operations, as of copies in pieces, are right for others. */
static void keeps_apart_which_are_short(void **state)
{
	static const double host[] = { 10 * MS, 10 * MS }, whole[] = { 9 * MS, 9 * MS }, part[] = { 1 * MS, 1 * MS };
	static const double short_host[] = { 20e3, 20e3 }, short_event[] = { 9e3, 9e3 };
	struct bench_stamps good = stamps(host, whole, 2), bad = stamps(host, part, 2);
	struct bench_stamps small = stamps(short_host, short_event, 2);
	struct bench_clock clock = { .impossible = NULL };

	(void)state;
	bench_clock_learn(&clock, &bad);
	bench_clock_learn(&clock, &good);
	bench_clock_learn(&clock, &small);
	assert_null(bench_clock_why(&clock, &good));
	assert_says(bench_clock_why(&clock, &bad), "less than half");
	assert_says(bench_clock_why(&clock, &small), "some longer operations");
}

static void what_cannot_be_is_not_forgotten(void **state)
{
	static const double host[] = { 10 * MS }, good_event[] = { 9 * MS }, bad_event[] = { 90 * MS };
	struct bench_stamps good = stamps(host, good_event, 1), bad = stamps(host, bad_event, 1);
	struct bench_clock clock = { .impossible = NULL };

	(void)state;
	bench_clock_learn(&clock, &good);
	bench_clock_learn(&clock, &bad);
	bench_clock_learn(&clock, &good);
	assert_says(bench_clock_why(&clock, &good), "longer than the host waited");
}

static void has_nothing_to_say_of_nothing(void **state)
{
	struct bench_stamps none = { .nr = 0 };
	struct bench_clock clock = { .impossible = NULL };

	(void)state;
	bench_clock_learn(&clock, &none);
	assert_says(bench_clock_why(&clock, &none), "long enough");
	assert_true(bench_stamps_ratio(&none) <= 0.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trusts_events_that_agree),
		cmocka_unit_test(doubts_what_cannot_be),
		cmocka_unit_test(needs_something_long_to_trust),
		cmocka_unit_test(one_long_test_speaks_for_short_ones),
		cmocka_unit_test(keeps_apart_which_are_short),
		cmocka_unit_test(what_cannot_be_is_not_forgotten),
		cmocka_unit_test(has_nothing_to_say_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
