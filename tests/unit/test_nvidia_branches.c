// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/nvidia/nvidia_branches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_cuda(const char *driver, const char *cuda, bool is_exact)
{
	bool exact;
	const char *found = nvidia_driver_cuda(driver, &exact);

	assert_string_equal(found ? found : "(none)", cuda);
	assert_int_equal(exact, is_exact);
}

static void a_driver_offers_the_cuda_of_its_branch(void **state)
{
	(void)state;
	assert_cuda("550.54.14", "12.4", true);
	assert_cuda("550.163.01", "12.4", true);
	assert_cuda("535.54.03", "12.2", true);
	assert_cuda("580.159.03", "13.0", true);
	assert_cuda("410.48", "10.0", true);
	assert_cuda("610.43.02", "13.3", true);
}

static void what_the_table_lacks_may_offer_more(void **state)
{
	(void)state;
	/* 565 came with no toolkit; 615 is newer than the table; 570.10 is older than the first that 12.8 takes. */
	assert_cuda("565.57.01", "12.6", false);
	assert_cuda("615.10.01", "13.3", false);
	assert_cuda("570.10", "12.6", false);
	assert_cuda("390.157", "(none)", false);
	assert_cuda("", "(none)", false);
}

static void a_major_version_has_an_oldest_driver(void **state)
{
	(void)state;
	assert_string_equal(nvidia_driver_for_cuda_major(13), "580");
	assert_string_equal(nvidia_driver_for_cuda_major(12), "525");
	assert_string_equal(nvidia_driver_for_cuda_major(11), "450");
	assert_null(nvidia_driver_for_cuda_major(14));
	assert_null(nvidia_driver_for_cuda_major(0));
}

static void branches_that_are_dated_have_an_end(void **state)
{
	(void)state;
	assert_string_equal(nvidia_branch_end_of_life("535.183.01"), "2026-06");
	assert_string_equal(nvidia_branch_end_of_life("580.65.06"), "2028-06");
	assert_string_equal(nvidia_branch_end_of_life("570.211.01"), "2026-02");
	assert_string_equal(nvidia_branch_end_of_life("550.54.14"), "2025-08 or before");
	assert_null(nvidia_branch_end_of_life("590.48.01"));
	assert_null(nvidia_branch_end_of_life("615.71.09"));
	assert_true(nvidia_end_of_life_is_over("2026-06", "2026-07-01T00:00:00Z"));
	assert_false(nvidia_end_of_life_is_over("2026-06", "2026-06-30T23:59:59Z"));
	assert_true(nvidia_end_of_life_is_over("2025-08 or before", "2025-09-01T00:00:00Z"));
	assert_false(nvidia_end_of_life_is_over("2025-08 or before", "2025-08-31T00:00:00Z"));
	assert_null(nvidia_branch_end_of_life("53.5"));
	assert_null(nvidia_branch_end_of_life("5350.1"));
	assert_null(nvidia_branch_end_of_life(""));
}

static void assert_driver(const char *cuda, const char *driver)
{
	const char *found = nvidia_driver_for_cuda(cuda);

	assert_string_equal(found ? found : "(none)", driver);
}

static void a_toolkit_came_with_a_driver(void **state)
{
	(void)state;
	assert_driver("12.4", "550.54.14");
	assert_driver("12.4.1", "550.54.14");
	assert_driver("12.40", "(none)");
	assert_driver("12", "(none)");
	assert_driver("15.0", "(none)");
	assert_driver("", "(none)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_driver_offers_the_cuda_of_its_branch),
		cmocka_unit_test(what_the_table_lacks_may_offer_more),
		cmocka_unit_test(a_major_version_has_an_oldest_driver),
		cmocka_unit_test(branches_that_are_dated_have_an_end),
		cmocka_unit_test(a_toolkit_came_with_a_driver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
