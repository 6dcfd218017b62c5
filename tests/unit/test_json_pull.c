// SPDX-License-Identifier: GPL-2.0-or-later
/* test_json_pull.c - reading without a tree: it accepts what the strict parser accepts, and nothing else. */
#include "base/compat.h"
#include "base/json_pull.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Skips all of it: 0 or -EINVAL. */
static int skip_all(const char *text, struct json_error *error)
{
	struct json_pull pull;

	json_pull_begin(&pull, text, strlen(text), error);
	json_pull_skip(&pull);
	return json_pull_end(&pull);
}

static void agrees_with_the_parser(void **state)
{
	static const char *const texts[] = {
		"null", "true", "false", "0", "-1.5e3", "\"\"", "[]", "{}", " [1, \"a\", {\"b\": [null]}] ",
		"{\"a\":{}}",
		"{\"a\":1,\"b\":2}", "\"\\u00e9\\ud83d\\ude00\\n\"", "[[[[[[]]]]]]", "[1,[2],{\"a\":[3]}]",
		"", " ", "nul", "tru", "01", "1.", "-", "1e999", "\"", "\"\\x\"", "\"\\ud800\"", "\"\\u0000\"",
		"\"\t\"", "[", "[1",
		"[1,", "[1,]", "[,]", "[1 2]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}",
		"{\"a\" 1}",
		"{1:2}", "]", "}", "[}", "{]", "1 2", "[] []", "\"\xff\"", "// a\n1", "\x01",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct json_error pulled = { .line = 0 }, parsed = { .line = 0 };
		struct json_doc doc;
		int wanted = json_parse(texts[i], strlen(texts[i]), 0, &doc, &parsed);

		if (skip_all(texts[i], &pulled) != wanted)
			fail_msg("%s: %s, the parser: %s", texts[i], pulled.what, parsed.what);
		if (wanted)
			assert_true(*pulled.what);
		json_release(&doc);
	}
}

static void refuses_what_is_too_deep(void **state)
{
	struct json_error error = { .line = 0 };
	char text[2 * (JSON_MAX_DEPTH + 1) + 1];

	(void)state;
	memset(text, '[', JSON_MAX_DEPTH + 1);
	memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(skip_all(text, &error), -EINVAL);
	assert_string_equal(error.what, "nested deeper than 64");
	text[sizeof(text) - 2] = '\0';
	assert_int_equal(skip_all(text + 1, &error), 0);
}

static void takes_values(void **state)
{
	static const char text[] =
		"{\"name\": \"a\\\"\\u00e9\\ud83d\\ude00\\/z\", \"n\": 18446744073709551615, \"x\": -2.5,"
		" \"yes\": true, \"none\": null, \"list\": [1, 2, 3], \"other\": {\"n\": 7}}";
	struct json_error error = { .line = 0 };
	struct json_span key, name = { "", 0 };
	uint64_t n = 0, sum = 0, item;
	struct json_pull pull;
	bool yes = false;
	double x = 0.0;

	(void)state;
	json_pull_begin(&pull, text, strlen(text), &error);
	assert_true(json_pull_object(&pull));
	while (json_pull_member(&pull, &key)) {
		if (span_is(key, "name")) {
			assert_true(json_pull_str(&pull, &name));
			assert_true(span_is(name, "a\"é😀/z"));
		} else if (span_is(key, "n")) {
			assert_true(json_pull_u64(&pull, &n));
		} else if (span_is(key, "x")) {
			assert_true(json_pull_f64(&pull, &x));
		} else if (span_is(key, "yes")) {
			assert_true(json_pull_bool(&pull, &yes));
		} else if (span_is(key, "none")) {
			assert_false(json_pull_u64(&pull, &item));
		} else if (span_is(key, "list")) {
			assert_true(json_pull_array(&pull));
			while (json_pull_item(&pull) && json_pull_u64(&pull, &item))
				sum += item;
		} else {
			json_pull_skip(&pull);
		}
	}
	assert_int_equal(json_pull_end(&pull), 0);
	assert_true(n == UINT64_MAX);
	assert_true(x < -2.4 && x > -2.6);
	assert_true(yes);
	assert_int_equal(sum, 6);
}

static void says_where_a_value_is_another(void **state)
{
	static const struct {
		const char *text, *what;
	} cases[] = {
		{ "{\n\"n\": \"7\"}", "number expected" },
		{ "{\n\"n\": 1.5}", "whole number expected" },
		{ "{\n\"n\": -1}", "whole number expected" },
		{ "{\n\"n\": 18446744073709551616}", "whole number expected" },
		{ "{\n\"n\": [}", "number expected" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_error error = { .line = 0 };
		struct json_pull pull;
		struct json_span key;
		uint64_t n;

		json_pull_begin(&pull, cases[i].text, strlen(cases[i].text), &error);
		assert_true(json_pull_object(&pull));
		assert_true(json_pull_member(&pull, &key));
		assert_false(json_pull_u64(&pull, &n));
		/* The first error stays, whatever is asked then. */
		assert_false(json_pull_member(&pull, &key));
		assert_false(json_pull_object(&pull));
		json_pull_skip(&pull);
		json_pull_refuse(&pull, "another");
		assert_int_equal(json_pull_end(&pull), -EINVAL);
		assert_string_equal(error.what, cases[i].what);
		assert_int_equal(error.line, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_parser),
		cmocka_unit_test(refuses_what_is_too_deep),
		cmocka_unit_test(takes_values),
		cmocka_unit_test(says_where_a_value_is_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
