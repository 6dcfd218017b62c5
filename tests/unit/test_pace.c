// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it times samples. */
/* test_pace.c - when the next sample is due: on time, after one that was late, and after one that cost much. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/pace.h"
#include "sys/clock.h"

#define MS_NS UINT64_C(1000000)

static void test_samples_that_cost_nothing_keep_their_times(void **state)
{
	struct pace pace = { .every_ns = 10000 * MS_NS, .cost_share = 1 };
	uint64_t first_ns, now_ns = clock_now_ns();

	(void)state;
	pace_begin(&pace);
	first_ns = pace.due_ns;
	assert_true(first_ns >= now_ns);
	pace_end(&pace);
	assert_int_equal(pace.due_ns, first_ns + pace.every_ns);
	pace_begin(&pace);
	pace_end(&pace);
	assert_int_equal(pace.due_ns, first_ns + 2 * pace.every_ns);
}

/* What was due meanwhile is not made up for. */
static void test_a_late_one_leaves_out_what_was_due(void **state)
{
	struct pace pace = { .every_ns = MS_NS, .cost_share = 0 };
	uint64_t late_ns;

	(void)state;
	pace_begin(&pace);
	clock_sleep_ns(20 * MS_NS);
	late_ns = clock_now_ns();
	pace_end(&pace);
	assert_true(pace.due_ns >= late_ns);
	assert_true(pace.due_ns <= clock_now_ns());
}

static void test_an_expensive_one_puts_the_next_off(void **state)
{
	struct pace pace = { .every_ns = 100 * MS_NS, .cost_share = 50 };
	uint64_t cpu_ns = clock_cpu_ns(), end_ns;

	(void)state;
	pace_begin(&pace);
	while (clock_cpu_ns() - cpu_ns < 10 * MS_NS)
		;
	end_ns = clock_now_ns();
	pace_end(&pace);
	assert_true(pace.due_ns >= end_ns + 400 * MS_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_that_cost_nothing_keep_their_times),
		cmocka_unit_test(test_a_late_one_leaves_out_what_was_due),
		cmocka_unit_test(test_an_expensive_one_puts_the_next_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
