// SPDX-License-Identifier: GPL-2.0-or-later
/* test_policy.c - the policy file: what it may say, what is refused and where, and that its own print reads back. */
#include "base/compat.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "eval/check.h"
#include "eval/policy.h"
#include "render/render.h"

static const struct check check_of_test = { .name = "pcie-width" };
static const struct playbook_row row_of_test = { .stage = STAGE_LINK, .check = &check_of_test };
static const struct playbook playbook_of_test = { .rows = &row_of_test, .nr = 1 };

static struct arena arena;
static struct policy policy;
static struct json_error error;

static int parse(const char *text)
{
	error = (struct json_error){ .line = 0 };
	return policy_parse(&policy, &arena, &playbook_of_test, "policy.json", text, strlen(text), &error);
}

static void test_an_empty_object_is_the_built_in_policy(void **state)
{
	(void)state;
	assert_int_equal(parse("{}"), 0);
	assert_int_equal(policy_nr_set(&policy), 0);
	assert_true(policy.swap_used_ratio == policy_built_in.swap_used_ratio);
	assert_string_equal(policy_place(&arena, &policy, POLICY_ROW_swap_used_ratio), "built in");
}

static void test_each_kind_is_read(void **state)
{
	(void)state;
	assert_int_equal(parse("{ // a comment\n\"swap.used_ratio\": 0.5,\n\n/* and\nanother */ \"swap.require_off\": true,\n"
			       "\"pins.kernel\": \"6.8.*\", \"pins.vbios\": [\"a\", \"\", \"b\"],\n\"require\": [\"pcie-width\"],\n"
			       "\"runtime.opencl_version_min\": \"1.10\"}"),
			 0);
	assert_true(policy.swap_used_ratio == 0.5);
	assert_true(policy.swap_require_off);
	assert_int_equal(policy.pins_kernel.nr, 1);
	assert_string_equal(policy.pins_kernel.v[0], "6.8.*");
	assert_int_equal(policy.pins_vbios.nr, 2);
	assert_string_equal(policy.pins_vbios.v[1], "b");
	assert_string_equal(policy.require.v[0], "pcie-width");
	assert_true(policy.memory_available_ratio == policy_built_in.memory_available_ratio);
	assert_string_equal(policy.runtime_opencl_version_min, "1.10");
	assert_int_equal(policy_nr_set(&policy), 6);
	assert_string_equal(policy_place(&arena, &policy, POLICY_ROW_swap_used_ratio), "policy.json:2");
	assert_string_equal(policy_place(&arena, &policy, POLICY_ROW_swap_require_off), "policy.json:5");
}

static void test_what_pins_nothing(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"pins.kernel\": \"\", \"pins.vbios\": []}"), 0);
	assert_int_equal(policy.pins_kernel.nr, 0);
	assert_int_equal(policy.pins_vbios.nr, 0);
}

static void test_an_empty_version_is_none(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"runtime.opencl_version_min\": \"\"}"), 0);
	assert_null(policy.runtime_opencl_version_min);
}

static void test_what_is_refused(void **state)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *what;
	} wrong[] = {
		{ "", 0, "empty" },
		{ "[]", 1, "an object expected" },
		{ "{\n\"swap.used_rato\": 1}", 2, "unknown key \"swap.used_rato\" (did you mean \"swap.used_ratio\"?)" },
		{ "{\"xyzzy\": 1}", 1, "unknown key \"xyzzy\"; see gpudiag policy" },
		{ "{\"swap\": {\"used_ratio\": 0.5}}", 1, "\"swap\": keys are written whole, as in \"swap." },
		{ "{\"swap.used_ratio\": \"0.5\"}", 1, "\"swap.used_ratio\": a number expected" },
		{ "{\"swap.used_ratio\": null}", 1, "a number expected" },
		{ "{\"swap.used_ratio\": 25}", 1, "\"swap.used_ratio\": a number from 0 to 1 expected" },
		{ "{\"swap.used_ratio\": -0.1}", 1, "a number from 0 to 1 expected" },
		{ "{\"memory.pressure_percent\": 101}", 1, "a number from 0 to 100 expected" },
		{ "{\"transfer.twin_ratio\": 0.9}", 1, "\"transfer.twin_ratio\": 1 or more expected" },
		{ "{\"task.stuck_s\": -1}", 1, "0 or more expected" },
		{ "{\"swap.require_off\": 1}", 1, "\"swap.require_off\": true or false expected" },
		{ "{\"pins.kernel\": 6.8}", 1, "\"pins.kernel\": a text or a list of texts expected" },
		{ "{\"pins.kernel\": [\n\"a\",\n7]}", 3, "a text or a list of texts expected" },
		{ "{\"runtime.opencl_version_min\": 3.0}", 1, "a version in quotes expected, as in \"3.0\"" },
		{ "{\"runtime.opencl_version_min\": \"OpenCL 3.0\"}", 1, "\"runtime.opencl_version_min\": a version" },
		{ "{\"runtime.opencl_version_min\": [\"3.0\"]}", 1, "a version in quotes expected" },
		{ "{\"require\": [\"pcie-widht\"]}", 1, "there is no check \"pcie-widht\" (did you mean \"pcie-width\"?)" },
		{ "{\"require\": \"\"}", 1, "there is no check \"\"" },
		{ "{\"task.stuck_s\": 1,\n\"task.stuck_s\": 1}", 2, "twice" },
		{ "{\"task.stuck_s\": 1,}", 1, "" },
		{ "{\"task.stuck_s\": 1} {}", 1, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(parse(wrong[i].text), -EINVAL);
		if (error.line != wrong[i].line || !strstr(error.what, wrong[i].what))
			fail_msg("%s: line %u: %s", wrong[i].text, error.line, error.what);
	}
}

/* What is printed may be kept as a file: the same values, whatever they are. */
static void assert_reads_back(const struct policy *printed)
{
	STRBUF_AUTO first = STRBUF_INIT;
	struct policy again;

	render_policy(&first, printed);
	assert_int_equal(policy_parse(&again, &arena, &playbook_of_test, "again", first.buf, first.len, &error), 0);
	assert_int_equal(policy_nr_set(&again), NR_POLICY_ROWS);
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++) {
		STRBUF_AUTO was = STRBUF_INIT;
		STRBUF_AUTO is = STRBUF_INIT;
		struct json_writer before = { .out = &was }, after = { .out = &is };

		policy_value_write(&before, printed, row);
		policy_value_write(&after, &again, row);
		assert_string_equal(was.buf, is.buf);
	}
}

static void test_the_print_reads_back(void **state)
{
	(void)state;
	assert_reads_back(&policy_built_in);
	assert_int_equal(parse("{\"swap.used_ratio\": 0.30000000000000004, \"swap.require_off\": true, "
			       "\"pins.kernel\": [\"*/ \\u0022\\n//\", \"é\"], \"require\": \"pcie-width\", "
			       "\"runtime.opencl_version_min\": \"3.0\"}"),
			 0);
	policy.path = "a name\nof two lines \x1b[31m*/";
	assert_reads_back(&policy);
}

/* A built-in value that its own file would refuse could never be written down. */
static void test_built_in_values_are_in_range(void **state)
{
	(void)state;
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++) {
		double min, max;

		policy_range(row, &min, &max);
		assert_true(policy_rows[row].value >= min && policy_rows[row].value <= max);
		assert_true(*policy_rows[row].source && *policy_rows[row].doc);
		for (unsigned other = 0; other < row; other++)
			assert_string_not_equal(policy_rows[row].key, policy_rows[other].key);
	}
}

static void test_glob_match(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} tries[] = {
		{ "", "", true },	  { "", "a", false },	     { "*", "", true },	       { "*", "abc", true },
		{ "?", "", false },	  { "?", "a", true },	     { "a*c", "abbbc", true }, { "a*c", "abbb", false },
		{ "a*", "b", false },	  { "550.54.*", "550.54.14", true }, { "550.54.*", "550.540", false },
		{ "550.54.*", "550x54.1", false }, { "*.14", "550.54.14", true }, { "*a*b", "aab", true },
		{ "*ab", "aab", true },	  { "a**b", "ab", true },    { "*b*c*", "abxxcy", true }, { "A", "a", false },
		{ "a?c", "a*c", true },	  { "*?", "", false },	     { "x*x", "x", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++)
		if (glob_match(tries[i].pattern, tries[i].text) != tries[i].matches)
			fail_msg("\"%s\" against \"%s\"", tries[i].pattern, tries[i].text);
}

static int release(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_object_is_the_built_in_policy),
		cmocka_unit_test(test_each_kind_is_read),
		cmocka_unit_test(test_what_pins_nothing),
		cmocka_unit_test(test_an_empty_version_is_none),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_the_print_reads_back),
		cmocka_unit_test(test_built_in_values_are_in_range),
		cmocka_unit_test(test_glob_match),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
