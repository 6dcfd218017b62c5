// SPDX-License-Identifier: GPL-2.0-or-later
/* test_exit_status.c - the whole table: what was found and not judged, by every option that says what that comes to. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/summary/exit_status.h"

static const struct check a_check = { .name = "pcie-width" };

/* What was found, as its worst; the finding is always pcie-width.below-able, whatever it counts. */
enum found { FOUND_NOTHING, FOUND_NOTE, FOUND_WARN, FOUND_FAIL, NR_FOUND };
/* What was not judged beside a check that passed; at the end: nothing was checked at all. */
enum open { OPEN_NOTHING, OPEN_OPTIONAL, OPEN_REQUIRED, OPEN_ALL, NR_OPEN };
enum meant { MEANT_DEFAULT, MEANT_FAIL, MEANT_WARN, MEANT_NONE, MEANT_CHECK, MEANT_FINDING, MEANT_OTHER, NR_MEANT };

static int status_of(enum found found, enum open open, const struct exit_rules *rules)
{
	static const enum outcome outcomes[] = {
		[FOUND_NOTE] = OUTCOME_NOTE, [FOUND_WARN] = OUTCOME_WARN, [FOUND_FAIL] = OUTCOME_FAIL,
	};
	struct finding finding = {
		.check = &a_check, .def = &finding_defs[PCIE_WIDTH_BELOW_ABLE], .outcome = outcomes[found],
	};
	const struct finding *findings[] = { &finding };
	struct result results[] = {
		{ .check = &a_check, .outcome = open == OPEN_ALL ? OUTCOME_SKIP : OUTCOME_PASS },
		{ .check = &a_check, .outcome = OUTCOME_SKIP, .required = true },
		{ .check = &a_check, .required = open == OPEN_REQUIRED,
		  .outcome = open == OPEN_OPTIONAL || open == OPEN_REQUIRED ? OUTCOME_UNKNOWN : OUTCOME_SKIP },
	};
	const struct report report = {
		.findings = findings, .nr_findings = found != FOUND_NOTHING,
		.results = results, .nr_results = ARRAY_SIZE(results),
	};

	return exit_status_by(&report, rules);
}

static struct exit_rules rules_for(enum meant meant, bool strict, enum exit_style style)
{
	static const char *check[] = { "pcie-width" }, *finding[] = { "pcie-width.below-able" },
			  *other[] = { "swap-used", "pcie-width.below-twins" };
	struct exit_rules rules = { .style = style, .strict = strict, .has_fail_on = meant != MEANT_DEFAULT };

	rules.fail_on.failures = meant == MEANT_FAIL;
	rules.fail_on.warnings = meant == MEANT_WARN;
	if (meant == MEANT_CHECK)
		rules.fail_on.names = (struct strs){ .nr = 1, .v = check };
	else if (meant == MEANT_FINDING)
		rules.fail_on.names = (struct strs){ .nr = 1, .v = finding };
	else if (meant == MEANT_OTHER)
		rules.fail_on.names = (struct strs){ .nr = 2, .v = other };
	return rules;
}

/*
 * By row: --fail-on. By word: nothing found, a note, a warning, a failure. By
 * digit: nothing open, an optional check, a required one, all.
 */
static const char *const table[3][2][NR_MEANT] = {
	[EXIT_STYLE_DEFAULT] = {
		{
			[MEANT_DEFAULT] = "0033 0033 1133 2222",
			[MEANT_FAIL] =	  "0033 0033 1133 2222",
			[MEANT_WARN] =	  "0033 0033 2222 2222",
			[MEANT_NONE] =	  "0033 0033 1133 1133",
			[MEANT_CHECK] =	  "0033 0033 2222 2222",
			[MEANT_FINDING] = "0033 2222 2222 2222",
			[MEANT_OTHER] =	  "0033 0033 1133 1133",
		},
		{
			[MEANT_DEFAULT] = "0333 0333 2222 2222",
			[MEANT_FAIL] =	  "0333 0333 2222 2222",
			[MEANT_WARN] =	  "0333 0333 2222 2222",
			[MEANT_NONE] =	  "0333 0333 1333 1333",
			[MEANT_CHECK] =	  "0333 0333 2222 2222",
			[MEANT_FINDING] = "0333 2222 2222 2222",
			[MEANT_OTHER] =	  "0333 0333 1333 1333",
		},
	},
	[EXIT_STYLE_BOOL] = {
		{
			[MEANT_DEFAULT] = "0011 0011 1111 1111",
			[MEANT_FAIL] =	  "0011 0011 0011 1111",
			[MEANT_WARN] =	  "0011 0011 1111 1111",
			[MEANT_NONE] =	  "0011 0011 0011 0011",
			[MEANT_CHECK] =	  "0011 0011 1111 1111",
			[MEANT_FINDING] = "0011 1111 1111 1111",
			[MEANT_OTHER] =	  "0011 0011 0011 0011",
		},
		{
			[MEANT_DEFAULT] = "0111 0111 1111 1111",
			[MEANT_FAIL] =	  "0111 0111 1111 1111",
			[MEANT_WARN] =	  "0111 0111 1111 1111",
			[MEANT_NONE] =	  "0111 0111 0111 0111",
			[MEANT_CHECK] =	  "0111 0111 1111 1111",
			[MEANT_FINDING] = "0111 1111 1111 1111",
			[MEANT_OTHER] =	  "0111 0111 0111 0111",
		},
	},
	[EXIT_STYLE_NPD] = {
		{
			[MEANT_DEFAULT] = "0022 0022 1122 1111",
			[MEANT_FAIL] =	  "0022 0022 0022 1111",
			[MEANT_WARN] =	  "0022 0022 1111 1111",
			[MEANT_NONE] =	  "0022 0022 0022 0022",
			[MEANT_CHECK] =	  "0022 0022 1111 1111",
			[MEANT_FINDING] = "0022 1111 1111 1111",
			[MEANT_OTHER] =	  "0022 0022 0022 0022",
		},
		{
			[MEANT_DEFAULT] = "0222 0222 1111 1111",
			[MEANT_FAIL] =	  "0222 0222 1111 1111",
			[MEANT_WARN] =	  "0222 0222 1111 1111",
			[MEANT_NONE] =	  "0222 0222 0222 0222",
			[MEANT_CHECK] =	  "0222 0222 1111 1111",
			[MEANT_FINDING] = "0222 1111 1111 1111",
			[MEANT_OTHER] =	  "0222 0222 0222 0222",
		},
	},
};

static void assert_row(enum exit_style style, bool strict, enum meant meant)
{
	const struct exit_rules rules = rules_for(meant, strict, style);

	for (int found = 0; found < NR_FOUND; found++) {
		for (int open = 0; open < NR_OPEN; open++) {
			int expected = table[style][strict][meant][found * (NR_OPEN + 1) + open] - '0';
			int status = status_of((enum found)found, (enum open)open, &rules);

			if (status != expected)
				fail_msg("style %d, strict %d, fail-on %d, found %d, open %d: %d, not %d", (int)style,
					 strict, (int)meant, found, open, status, expected);
		}
	}
}

static void test_the_whole_table(void **state)
{
	(void)state;
	for (int style = EXIT_STYLE_DEFAULT; style <= EXIT_STYLE_NPD; style++)
		for (int strict = 0; strict <= 1; strict++)
			for (int meant = 0; meant < NR_MEANT; meant++)
				assert_row((enum exit_style)style, strict, (enum meant)meant);
}

static void test_nothing_at_all_is_not_judged(void **state)
{
	const struct report report = { .nr_results = 0 };

	(void)state;
	assert_int_equal(exit_status_by(&report, &(struct exit_rules){ .style = EXIT_STYLE_DEFAULT }), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_whole_table),
		cmocka_unit_test(test_nothing_at_all_is_not_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
