// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/json_writer.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/text.h"

#define NR_RANDOM 20000

/* xorshift64*: the same numbers on every run and machine */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(2685821657736338717);
}

static void write_sample(struct json_writer *w)
{
	json_object_begin(w);
	json_key(w, "schema");
	json_put_str(w, "gpudiag.report/1");
	json_key(w, "empty");
	json_object_begin(w);
	json_object_end(w);
	json_key(w, "list");
	json_array_begin(w);
	json_put_u64(w, 1);
	json_array_begin(w);
	json_array_end(w);
	json_object_begin(w);
	json_u64_member(w, "width", 16);
	json_object_end(w);
	json_put_null(w);
	json_array_end(w);
	json_str(w, "none", NULL);
	json_f64_member(w, "share", 0.25);
	json_bool_member(w, "yes", true);
	json_bool_member(w, "no", false);
	json_null_member(w, "null");
	json_object_end(w);
}

static void writes_compact(void **state)
{
	STRBUF_AUTO sb = STRBUF_INIT;
	struct json_writer w = { .out = &sb };

	(void)state;
	write_sample(&w);
	assert_string_equal(sb.buf, "{\"schema\":\"gpudiag.report/1\",\"empty\":{},\"list\":[1,[],{\"width\":16},null],"
				    "\"none\":null,\"share\":0.25,\"yes\":true,\"no\":false,\"null\":null}");
	assert_int_equal(w.depth, 0);
}

static void writes_indented(void **state)
{
	STRBUF_AUTO sb = STRBUF_INIT;
	struct json_writer w = { .out = &sb, .indent = 2 };

	(void)state;
	write_sample(&w);
	assert_string_equal(sb.buf, "{\n"
				    "  \"schema\": \"gpudiag.report/1\",\n"
				    "  \"empty\": {},\n"
				    "  \"list\": [\n"
				    "    1,\n"
				    "    [],\n"
				    "    {\n"
				    "      \"width\": 16\n"
				    "    },\n"
				    "    null\n"
				    "  ],\n"
				    "  \"none\": null,\n"
				    "  \"share\": 0.25,\n"
				    "  \"yes\": true,\n"
				    "  \"no\": false,\n"
				    "  \"null\": null\n"
				    "}");
}

static void writes_lone_values(void **state)
{
	STRBUF_AUTO sb = STRBUF_INIT;
	struct json_writer w = { .out = &sb, .indent = 2 };

	(void)state;
	json_put_u64(&w, UINT64_MAX);
	assert_string_equal(sb.buf, "18446744073709551615");

	/* one writer, several documents: nothing is put between them */
	strbuf_reset(&sb);
	json_array_begin(&w);
	json_array_end(&w);
	strbuf_addch(&sb, '\n');
	json_object_begin(&w);
	json_object_end(&w);
	strbuf_addch(&sb, '\n');
	json_put_str(&w, "x");
	assert_string_equal(sb.buf, "[]\n{}\n\"x\"");

	/* what is in the buffer already stays */
	json_put_bool(&w, false);
	assert_string_equal(sb.buf, "[]\n{}\n\"x\"false");
}

static void escapes_strings(void **state)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{ "", "\"\"" }, { "abc", "\"abc\"" }, { "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" },
		{ "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" }, { "\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"" },
		{ "\x1b[31m", "\"\\u001b[31m\"" },
		{ "µ€😀", "\"µ€😀\"" }, { "\xc2\x9b" "31m", "\"\\u009b31m\"" },
		{ "\xe2\x80\xae" "0.1\xe2\x80\x8b\xef\xbb\xbf\xc2\xad", "\"\\u202e0.1\\u200b\\ufeff\\u00ad\"" },
		{ "\x80", "\"\xef\xbf\xbd\"" }, { "a\xff" "b\xfe", "\"a\xef\xbf\xbd" "b\xef\xbf\xbd\"" },
		{ "\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xed\xa0\x80\"", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\\"\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		STRBUF_AUTO sb = STRBUF_INIT;
		struct json_writer w = { .out = &sb };

		json_put_str(&w, cases[i].text);
		assert_string_equal(sb.buf, cases[i].json);
	}
}

static void escapes_keys(void **state)
{
	STRBUF_AUTO sb = STRBUF_INIT;
	struct json_writer w = { .out = &sb };

	(void)state;
	json_object_begin(&w);
	json_str(&w, "a\n\"\xff", "b");
	json_object_end(&w);
	assert_string_equal(sb.buf, "{\"a\\n\\\"\xef\xbf\xbd\":\"b\"}");
}

/* Whatever bytes go in, a document that reads back as the cleaned text comes out. */
static void strings_round_trip(void **state)
{
	static const char letters[] =
		"ab\"\\/\b\n\t\x01\x1f\x7f\x80\xbf\xc2\xc3\xe0\xe2\x82\xac\xed\xa0\xf0\x9f\x98\xf4\xff";
	uint64_t seed = 88172645463325252;

	(void)state;
	for (int round = 0; round < NR_RANDOM; round++) {
		STRBUF_AUTO text = STRBUF_INIT;
		STRBUF_AUTO clean = STRBUF_INIT;
		STRBUF_AUTO json = STRBUF_INIT;
		struct json_writer w = { .out = &json };
		struct json_error error;
		struct json_doc doc;

		for (uint64_t len = next_random(&seed) % 12; len; len--)
			strbuf_addch(&text, letters[next_random(&seed) % (sizeof(letters) - 1)]);
		utf8_clean(&clean, text.buf, text.len);
		json_put_str(&w, text.buf);
		if (json_parse(json.buf, json.len, 0, &doc, &error))
			fail_msg("%s: %s", json.buf, error.what);
		assert_string_equal(doc.root->valuestring, clean.buf);
		json_release(&doc);
	}
}

static void formats_doubles(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" }, { -0.0, "-0" }, { 1, "1" }, { -1, "-1" }, { 16, "16" }, { 100, "100" }, { 0.1, "0.1" },
		{ 0.85, "0.85" }, { 26.1, "26.1" }, { 1.0 / 3, "0.3333333333333333" },
		{ 2.0 / 3, "0.6666666666666666" },
		{ 0.1 + 0.2, "0.30000000000000004" }, { 85899345920.0, "85899345920" }, { 1e14, "100000000000000" },
		{ 1e15, "1e+15" }, { 123456789012345680.0, "1.2345678901234568e+17" },
		{ 9007199254740991.0, "9007199254740991" }, { 9007199254740994.0, "9007199254740994" },
		{ 1e21, "1e+21" }, { 1e22, "1e+22" }, { 1e23, "1e+23" }, { 0.0001, "0.0001" }, { 0.00001, "1e-05" },
		{ 1e300, "1e+300" }, { DBL_MAX, "1.7976931348623157e+308" }, { DBL_MIN, "2.2250738585072014e-308" },
		{ 5e-324, "5e-324" }, { 1e-323, "1e-323" }, { -1.5e-310, "-1.5e-310" },
		{ 2.2250738585072011e-308, "2.225073858507201e-308" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[32];

		json_format_f64(cases[i].value, buf);
		assert_string_equal(buf, cases[i].text);
	}
}

/* Shortest: no %g of fewer digits reads back as the same bits. (510 has more than 5.1e+02, and is shorter.) */
static void assert_shortest(double value)
{
	char buf[32], shorter[40];
	double back;

	memset(buf, 'x', sizeof(buf));
	json_format_f64(value, buf);
	assert_non_null(memchr(buf, '\0', sizeof(buf)));
	back = strtod(buf, NULL);
	if (memcmp(&back, &value, sizeof(value)))
		fail_msg("%a was written as %s", value, buf);
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(shorter, sizeof(shorter), "%.*g", digits, value);
		back = strtod(shorter, NULL);
		if (memcmp(&back, &value, sizeof(value)))
			continue;
		if (strlen(buf) > strlen(shorter))
			fail_msg("%s could be %s", buf, shorter);
		return;
	}
	fail_msg("%a", value);
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void doubles_round_trip(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < NR_RANDOM; i++) {
		uint64_t bits = next_random(&seed);
		double any = double_of(bits);
		double subnormal = double_of(bits & UINT64_C(0x800fffffffffffff));
		double small_subnormal = double_of(bits >> 50);
		double near_one = double_of((bits >> 12) | UINT64_C(0x3ff0000000000000));
		/* what people measure: few digits */
		double decimal = (double)(bits % 1000000) / 1000;

		if (isfinite(any))
			assert_shortest(any);
		assert_shortest(subnormal);
		assert_shortest(small_subnormal);
		assert_shortest(near_one);
		assert_shortest(near_one - 1);
		assert_shortest(decimal);
	}
	for (int exponent = -1074; exponent < 1024; exponent++) {
		assert_shortest(ldexp(1, exponent));
		assert_shortest(nextafter(ldexp(1, exponent), 0));
		assert_shortest(-nextafter(ldexp(1, exponent), 2 * ldexp(1, exponent)));
	}
}

static void writes_odd_doubles(void **state)
{
	STRBUF_AUTO sb = STRBUF_INIT;
	struct json_writer w = { .out = &sb };

	(void)state;
	json_array_begin(&w);
	json_put_f64(&w, NAN);
	json_put_f64(&w, INFINITY);
	json_put_f64(&w, -INFINITY);
	json_put_f64(&w, 1e-5);
	json_put_f64(&w, -0.0);
	json_array_end(&w);
	assert_string_equal(sb.buf, "[null,null,null,1e-05,-0]");
}

/* Any nesting, at any indent, is a document that the strict parser takes; indents change white space only. */
static void write_random(struct json_writer *w, uint64_t *seed, unsigned depth)
{
	uint64_t nr = next_random(seed) % 4;

	switch (next_random(seed) % (depth ? 7 : 5)) {
	case 0:
		json_put_u64(w, next_random(seed));
		break;
	case 1:
		json_put_f64(w, double_of(next_random(seed)));
		break;
	case 2:
		json_put_str(w, "a, [b]: {\"c\"}");
		break;
	case 3:
		json_put_bool(w, nr & 1);
		break;
	case 4:
		json_put_null(w);
		break;
	case 5:
		json_array_begin(w);
		for (; nr; nr--)
			write_random(w, seed, depth - 1);
		json_array_end(w);
		break;
	case 6:
		json_object_begin(w);
		for (; nr; nr--) {
			char key[2] = { (char)('a' + nr), '\0' };

			json_key(w, key);
			write_random(w, seed, depth - 1);
		}
		json_object_end(w);
		break;
	}
}

static void documents_parse(void **state)
{
	(void)state;
	for (uint64_t round = 1; round < 3000; round++) {
		struct json_doc doc[2];
		struct json_error error;

		for (unsigned indented = 0; indented < 2; indented++) {
			STRBUF_AUTO sb = STRBUF_INIT;
			struct json_writer w = { .out = &sb, .indent = indented * 3 };
			uint64_t seed = round * 7919;

			write_random(&w, &seed, 6);
			if (json_parse(sb.buf, sb.len, 0, &doc[indented], &error))
				fail_msg("%s: line %u: %s", sb.buf, error.line, error.what);
			if (!indented)
				assert_null(strchr(sb.buf, '\n'));
		}
		assert_true(cJSON_Compare(doc[0].root, doc[1].root, true));
		json_release(&doc[0]);
		json_release(&doc[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_compact),
		cmocka_unit_test(writes_indented),
		cmocka_unit_test(writes_lone_values),
		cmocka_unit_test(escapes_strings),
		cmocka_unit_test(escapes_keys),
		cmocka_unit_test(strings_round_trip),
		cmocka_unit_test(formats_doubles),
		cmocka_unit_test(doubles_round_trip),
		cmocka_unit_test(writes_odd_doubles),
		cmocka_unit_test(documents_parse),
	};

	return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
