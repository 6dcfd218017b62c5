// SPDX-License-Identifier: GPL-2.0-or-later
/* test_steps.c - the table of steps: who runs a command knows what it will show. */
#include "base/compat.h"
#include "eval/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

enum { MAX_EXPECT_BYTES = 150 };	/* two lines of the screen */

static void commands_say_what_to_expect(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_step_defs; i++)
		if (step_defs[i].command && !step_defs[i].expect)
			fail_msg("of \"%s\": what will it show?", step_defs[i].command);
}

/* A merge may take both sides of a row. */
static void no_step_is_there_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_step_defs; i++)
		for (size_t k = 0; k < i; k++)
			if (step_defs[i].finding == step_defs[k].finding &&
			    step_defs[i].action == step_defs[k].action &&
			    !strcmp(step_defs[i].text, step_defs[k].text) &&
			    !strcmp(step_defs[i].command ? step_defs[i].command : "",
				    step_defs[k].command ? step_defs[k].command : ""))
				fail_msg("\"%s\" twice", step_defs[i].text);
}

static void what_to_expect_is_a_clause(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_step_defs; i++) {
		const char *expect = step_defs[i].expect;
		size_t len = expect ? strlen(expect) : 0;

		if (!expect)
			continue;
		if (!len || len > MAX_EXPECT_BYTES || expect[len - 1] == '.' || strchr(expect, '\n'))
			fail_msg("%zu bytes: \"%s\"", len, expect);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_say_what_to_expect),
		cmocka_unit_test(no_step_is_there_twice),
		cmocka_unit_test(what_to_expect_is_a_clause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
