// SPDX-License-Identifier: GPL-2.0-or-later
/* test_error_weight.c - of the lines about an error the one that says most, and of a long one the piece that does. */
#include "base/compat.h"
#include "import/program/error_weight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void weighs(void **state)
{
	static const struct {
		enum error_weight weight;
		const char *text;
	} cases[] = {
		{ ERROR_SAYS_LITTLE, "Error Log" },
		{ ERROR_SAYS_LITTLE, "Error" },
		{ ERROR_SAYS_LITTLE, "It fails with these errors:" },
		{ ERROR_SAYS_LITTLE, "The job now and then stops with an error, and then again it runs to its end" },
		{ ERROR_SAYS_LITTLE, "2026-01-02 03:04:05 Note: not found 'plan.txt'" },
		{ ERROR_SAYS_LITTLE, "Note: plan failed, error 12" },
		{ ERROR_SAYS_LITTLE, "Aborted (core dumped)" },
		{ ERROR_SAYS_LITTLE, "[n7:811] Segmentation fault" },
		{ ERROR_SAYS_LITTLE, "run.sh: line 141: 11800 Segmentation fault      (core dumped) ./solver" },
		{ ERROR_SAYS_LITTLE, "/opt/whatsit/bin/plan(main+0x33) [0x4157b3]" },
		{ ERROR_SAYS_LITTLE, "ERROR 01-02 03:04:05 [core.py:39]   File \"/opt/plan.py\", line 376, in run" },
		{ ERROR_SAYS_LITTLE, "ERROR 01-02 03:04:05 [core.py:39]     plan = Plan(*args)" },
		{ ERROR_SAYS_LITTLE, "make: *** [Makefile:12: plan.o] Error 1" },
		{ ERROR_SAYS_WHAT, "Couldn't allocate the plan" },
		{ ERROR_SAYS_WHAT, "fatal: No plan found, cannot go on." },
		{ ERROR_SAYS_WHAT, "ERROR 01-02 03:04:05 [core.py:39] main: the engine died" },
		{ ERROR_SAYS_WHAT, "E0102 03:04:05.678901 12 plan.cc:863] Failed to get the plan" },
		{ ERROR_SAYS_WHAT, "plan ended with errors 0" },
		{ ERROR_SAYS_WHAT, "plan failed with error 0" },
		{ ERROR_SAYS_WHAT, "Error opening the plan: Invalid argument" },
		{ ERROR_SAYS_WHY, "Failed to install the plan: it is not there" },
		{ ERROR_SAYS_WHY, "ValueError: the plan has no steps" },
		{ ERROR_SAYS_WHY, "error -5 (plan)" },
		{ ERROR_SAYS_WHY, "ERROR: unknown error (error-code 999)" },
		{ ERROR_SAYS_WHY, "plan failed with error code -22" },
		{ ERROR_SAYS_WHY, "main.cu:989: non-zero status: 7 no plan" },
		{ ERROR_SAYS_WHY, "in: /opt/whatsit/plan.h, line 67" },
		{ ERROR_SAYS_WHY, "plan: main: Assertion `steps > 0' failed." },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (error_weight(cases[i].text) != cases[i].weight)
			fail_msg("%s: %d", cases[i].text, error_weight(cases[i].text));
}

static void cuts_a_long_line_before_its_last_reason(void **state)
{
	static const char text[] = "failed to load 'plan': error 1: /opt/plan/step.cc:122 bool Call(int) [with T = E] "
				   "/opt/plan/step.cc:116 bool Call(int) [with T = E] CUDA failure 98: invalid plan";

	(void)state;
	assert_string_equal(error_piece(text, 80), "CUDA failure 98: invalid plan");
	assert_ptr_equal(error_piece(text, sizeof(text)), text);
	/* Its reason is told, whatever else is not. */
	assert_string_equal(error_piece("plan failed: no steps, and more of it", 20), "plan failed: no steps, and more of it");
	assert_string_equal(error_piece("a plan of so many steps that nothing else is said", 20),
			    "a plan of so many steps that nothing else is said");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weighs),
		cmocka_unit_test(cuts_a_long_line_before_its_last_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
