// SPDX-License-Identifier: GPL-2.0-or-later
/* test_signal_name.c - signals have the names that glibc gives them. */
#include "base/compat.h"
#include "sys/signal_name.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <cmocka.h>

static void the_names_of_glibc(void **state)
{
	(void)state;
	assert_string_equal(name_of_signal(SIGSEGV), "SEGV");
#if __GLIBC_PREREQ(2, 32)
	for (int i = -1; i < NSIG; i++) {
		if (sigabbrev_np(i))
			assert_string_equal(name_of_signal(i), sigabbrev_np(i));
		else
			assert_null(name_of_signal(i));
	}
#endif
}

static void what_is_no_signal_has_none(void **state)
{
	(void)state;
	assert_null(name_of_signal(0));
	assert_null(name_of_signal(-1));
	assert_null(name_of_signal(INT_MIN));
	assert_null(name_of_signal(INT_MAX));
	assert_null(name_of_signal(SIGRTMIN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_names_of_glibc),
		cmocka_unit_test(what_is_no_signal_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
