// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"

#define TEXT(literal) literal, sizeof(literal) - 1

static void assert_empty(const struct json_doc *doc)
{
	assert_null(doc->root);
	assert_null(doc->text);
	assert_null(doc->offset);
	assert_int_equal(doc->len, 0);
	assert_int_equal(doc->nr, 0);
}

/* Parses what must be fine. Reads from a block of the exact size, so that a read past the end is seen. */
static struct json_doc parse(const char *text, size_t len, unsigned flags)
{
	char *copy = xmalloc(len);
	struct json_error error = { 0 };
	struct json_doc doc;

	memcpy(copy, text, len);
	if (json_parse(copy, len, flags, &doc, &error))
		fail_msg("refused %.*s: line %u: %s", (int)(len < 200 ? len : 200), text, error.line, error.what);
	free(copy);
	return doc;
}

static struct json_error refusal(const char *text, size_t len, unsigned flags)
{
	char *copy = xmalloc(len);
	struct json_error error = { 0 };
	struct json_doc doc;

	memcpy(copy, text, len);
	if (json_parse(copy, len, flags, &doc, &error) != -EINVAL)
		fail_msg("accepted %.*s", (int)(len < 200 ? len : 200), text);
	free(copy);
	assert_empty(&doc);
	json_release(&doc);
	return error;
}

static void accepts(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		size_t nr;	/* values */
	} cases[] = {
		{ TEXT("0"), 1 }, { TEXT("-0"), 1 }, { TEXT("-1"), 1 }, { TEXT("10"), 1 }, { TEXT("0.5"), 1 },
		{ TEXT("0e0"), 1 }, { TEXT("1E+2"), 1 }, { TEXT("1e-2"), 1 }, { TEXT("-0.0e-0"), 1 },
		{ TEXT("1.7976931348623157e308"), 1 }, { TEXT("5e-324"), 1 }, { TEXT("1e-999"), 1 },
		{ TEXT("true"), 1 }, { TEXT("false"), 1 }, { TEXT("null"), 1 }, { TEXT("\"\""), 1 },
		{ TEXT(" \t\r\n1 \t\r\n"), 1 },
		{ TEXT("{}"), 1 }, { TEXT("[]"), 1 }, { TEXT("[ ]"), 1 }, { TEXT("{ \n }"), 1 }, { TEXT("[[],{}]"), 3 },
		{ TEXT("{\"\":0}"), 2 }, { TEXT("{\"a\":{\"a\":{\"a\":0}}}"), 4 },
		{ TEXT("{\"a\":1,\"A\":2,\" a\":3}"), 4 },
		{ TEXT("[{\"a\":1},{\"a\":2}]"), 5 },
		{ TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\""), 1 },
		{ TEXT("\"\\u00e9\\u20AC\\uD83D\\uDE00\\uFFFF\\uFFFE\\uDBFF\\uDFFF\""), 1 },
		{ TEXT("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\""), 1 },
		{ TEXT("\"\x7f\""), 1 }, { TEXT("\"/* // */\""), 1 },
		{ TEXT("123456789012345678901234567890123456789012345678901234567890123"), 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_doc doc = parse(cases[i].text, cases[i].len, 0);

		if (doc.nr != cases[i].nr)
			fail_msg("%s: %zu values", cases[i].text, doc.nr);
		json_release(&doc);
		assert_empty(&doc);
	}
}

struct refused {
	const char *text;
	size_t len;
	unsigned line;
	const char *what;
};

static void check_refused(const struct refused *cases, size_t nr, unsigned flags)
{
	for (size_t i = 0; i < nr; i++) {
		struct json_error error = refusal(cases[i].text, cases[i].len, flags);

		if (error.line != cases[i].line || strcmp(error.what, cases[i].what))
			fail_msg("%s: line %u: %s", cases[i].text, error.line, error.what);
	}
}

static void refuses_structure(void **state)
{
	static const struct refused cases[] = {
		{ TEXT(""), 0, "empty" }, { TEXT(" "), 0, "empty" }, { TEXT("\n\n"), 0, "empty" },
		{ TEXT("["), 1, "ends too early" }, { TEXT("[\n\n"), 3, "ends too early" },
		{ TEXT("[1"), 1, "ends too early" }, { TEXT("[1,"), 1, "ends too early" },
		{ TEXT("{"), 1, "ends too early" }, { TEXT("{\"a\""), 1, "ends too early" },
		{ TEXT("{\"a\":"), 1, "ends too early" }, { TEXT("{\"a\":1"), 1, "ends too early" },
		{ TEXT("{\"a\":1,"), 1, "ends too early" }, { TEXT("{\"a\":1,\n"), 2, "ends too early" },
		{ TEXT("[1,]"), 1, "value expected" }, { TEXT("[,]"), 1, "value expected" },
		{ TEXT("[1\n,\n,2]"), 3, "value expected" }, { TEXT("]"), 1, "value expected" },
		{ TEXT("[1 2]"), 1, "',' or ']' expected" }, { TEXT("[1}"), 1, "',' or ']' expected" },
		{ TEXT("[1:2]"), 1, "',' or ']' expected" },
		{ TEXT("{1:2}"), 1, "key expected, in double quotes" },
		{ TEXT("{a:2}"), 1, "key expected, in double quotes" },
		{ TEXT("{'a':2}"), 1, "key expected, in double quotes" },
		{ TEXT("{\"a\":1,}"), 1, "key expected after the comma" },
		{ TEXT("{,}"), 1, "key expected, in double quotes" },
		{ TEXT("{null:1}"), 1, "key expected, in double quotes" },
		{ TEXT("{\"a\" 1}"), 1, "':' expected" }, { TEXT("{\"a\",1}"), 1, "':' expected" },
		{ TEXT("{\"a\"\n=1}"), 2, "':' expected" },
		{ TEXT("{\"a\":1 \"b\":2}"), 1, "',' or '}' expected" },
		{ TEXT("{\"a\":1]"), 1, "',' or '}' expected" },
		{ TEXT("{\"a\":}"), 1, "value expected" }, { TEXT("{\"a\"::1}"), 1, "value expected" },
		{ TEXT("1 1"), 1, "text after the end" }, { TEXT("{}\n}"), 2, "text after the end" },
		{ TEXT("[]\0"), 1, "text after the end" }, { TEXT("\"a\"b"), 1, "text after the end" },
		{ TEXT("1\n//"), 2, "text after the end" },
		{ TEXT("tru"), 1, "value expected" }, { TEXT("True"), 1, "value expected" },
		{ TEXT("nul\0"), 1, "value expected" }, { TEXT("nullx"), 1, "text after the end" },
		{ TEXT("[truefalse]"), 1, "',' or ']' expected" },
		{ TEXT("NaN"), 1, "value expected" }, { TEXT("Infinity"), 1, "value expected" },
		{ TEXT("undefined"), 1, "value expected" }, { TEXT("\0"), 1, "value expected" },
		{ TEXT("\f1"), 1, "value expected" }, { TEXT("\v1"), 1, "value expected" },
		{ TEXT("\xc2\xa0" "1"), 1, "value expected" },
		{ TEXT("/**/1"), 1, "value expected" }, { TEXT("[1 //\n]"), 1, "',' or ']' expected" },
		{ TEXT("\xef\xbb\xbf{}"), 1, "begins with a byte order mark" },
		{ TEXT("\xff\xfe{\0}\0"), 1, "value expected" },
	};

	(void)state;
	check_refused(cases, ARRAY_SIZE(cases), 0);
}

static void refuses_numbers(void **state)
{
	static const struct refused cases[] = {
		{ TEXT("01"), 1, "number begins with 0" }, { TEXT("-01"), 1, "number begins with 0" },
		{ TEXT("[00]"), 1, "number begins with 0" }, { TEXT("00.5"), 1, "number begins with 0" },
		{ TEXT("-"), 1, "ends too early" }, { TEXT("[-]"), 1, "digit expected" },
		{ TEXT("-x"), 1, "digit expected" }, { TEXT("--1"), 1, "digit expected" },
		{ TEXT("-Infinity"), 1, "digit expected" }, { TEXT("-.5"), 1, "digit expected" },
		{ TEXT("+1"), 1, "value expected" }, { TEXT(".5"), 1, "value expected" },
		{ TEXT("1."), 1, "ends too early" }, { TEXT("[1.]"), 1, "digit expected after the point" },
		{ TEXT("[1.e5]"), 1, "digit expected after the point" },
		{ TEXT("[1,5.]"), 1, "digit expected after the point" },
		{ TEXT("1e"), 1, "ends too early" }, { TEXT("1e+"), 1, "ends too early" },
		{ TEXT("[1e]"), 1, "digit expected in the exponent" },
		{ TEXT("[1e+]"), 1, "digit expected in the exponent" },
		{ TEXT("[1e-+1]"), 1, "digit expected in the exponent" }, { TEXT("[1e1.5]"), 1, "',' or ']' expected" },
		{ TEXT("0x10"), 1, "text after the end" }, { TEXT("1_000"), 1, "text after the end" },
		{ TEXT("1.5.2"), 1, "text after the end" }, { TEXT("1f"), 1, "text after the end" },
		{ TEXT("[\n1e999]"), 2, "number 1e999 is too large for a double" },
		{ TEXT("-1e999"), 1, "number -1e999 is too large for a double" },
		{ TEXT("1.8e308"), 1, "number 1.8e308 is too large for a double" },
		{ TEXT("1e99999999999999999999"), 1, "number 1e99999999999999999999 is too large for a double" },
		{ TEXT("1234567890123456789012345678901234567890123456789012345678901234"), 1,
		  "number longer than 63 characters" },
		{ TEXT("[1,\n0.00000000000000000000000000000000000000000000000000000000000001]"), 2,
		  "number longer than 63 characters" },
	};

	(void)state;
	check_refused(cases, ARRAY_SIZE(cases), 0);
}

static void refuses_strings(void **state)
{
	static const struct refused cases[] = {
		{ TEXT("\""), 1, "ends too early" }, { TEXT("\"abc"), 1, "ends too early" },
		{ TEXT("\"\\"), 1, "ends too early" }, { TEXT("\"\\\""), 1, "ends too early" },
		{ TEXT("\"\\u"), 1, "ends too early" }, { TEXT("\"\\u12"), 1, "ends too early" },
		{ TEXT("\"\\ud83d"), 1, "ends too early" }, { TEXT("\"\\ud83d\\"), 1, "ends too early" },
		{ TEXT("\"\\ud83d\\u"), 1, "ends too early" },
		{ TEXT("\"\n\""), 1, "control character in string" },
		{ TEXT("\n\"\t\""), 2, "control character in string" },
		{ TEXT("\"\0\""), 1, "control character in string" },
		{ TEXT("\"\x1f\""), 1, "control character in string" },
		{ TEXT("{\"a\nb\":1}"), 1, "control character in string" },
		{ TEXT("\"\\x41\""), 1, "unknown escape in string" },
		{ TEXT("\"\\0\""), 1, "unknown escape in string" },
		{ TEXT("\"\\a\""), 1, "unknown escape in string" }, { TEXT("\"\\'\""), 1, "unknown escape in string" },
		{ TEXT("\"\\\0\""), 1, "unknown escape in string" },
		{ TEXT("\"\\U0041\""), 1, "unknown escape in string" },
		{ TEXT("\"\\\n\""), 1, "unknown escape in string" },
		{ TEXT("\"\\\xc3\xa9\""), 1, "unknown escape in string" },
		{ TEXT("\"\\u00g0\""), 1, "\\u wants four hexadecimal digits" },
		{ TEXT("\"\\u 041\""), 1, "\\u wants four hexadecimal digits" },
		{ TEXT("\"\\u+041\""), 1, "\\u wants four hexadecimal digits" },
		{ TEXT("\"\\u004\""), 1, "\\u wants four hexadecimal digits" },
		{ TEXT("\"\\ud83d\\u00\""), 1, "\\u wants four hexadecimal digits" },
		{ TEXT("\"\\u0000\""), 1, "NUL in string" }, { TEXT("{\"a\\u0000b\":1}"), 1, "NUL in string" },
		{ TEXT("\"\\ud800\""), 1, "half a surrogate pair in string" },
		{ TEXT("\"\\udc00\""), 1, "half a surrogate pair in string" },
		{ TEXT("\"\\uDFFF\""), 1, "half a surrogate pair in string" },
		{ TEXT("\"\\udbff x\""), 1, "half a surrogate pair in string" },
		{ TEXT("\"\\ud83d\\n\""), 1, "half a surrogate pair in string" },
		{ TEXT("\"\\ud83d\\u0041\""), 1, "half a surrogate pair in string" },
		{ TEXT("\"\\ud83d\\ud83d\""), 1, "half a surrogate pair in string" },
		{ TEXT("\"\\ud83d\\ue000\""), 1, "half a surrogate pair in string" },
		{ TEXT("\"\\ude00\\ud83d\""), 1, "half a surrogate pair in string" },
		{ TEXT("\n\"\x80\""), 2, "not valid UTF-8" }, { TEXT("\"\xff\""), 1, "not valid UTF-8" },
		{ TEXT("\"\xc0\xaf\""), 1, "not valid UTF-8" }, { TEXT("\"\xe0\x80\xaf\""), 1, "not valid UTF-8" },
		{ TEXT("\"\xed\xa0\x80\""), 1, "not valid UTF-8" },
		{ TEXT("\"\xf4\x90\x80\x80\""), 1, "not valid UTF-8" },
		{ TEXT("\"\xc3\""), 1, "not valid UTF-8" }, { TEXT("\"\xe2\x82\""), 1, "not valid UTF-8" },
		{ TEXT("\"\xf0\x9f\x98\""), 1, "not valid UTF-8" }, { TEXT("{\"\xe9\":1}"), 1, "not valid UTF-8" },
	};

	(void)state;
	check_refused(cases, ARRAY_SIZE(cases), 0);
}

static void refuses_twin_keys(void **state)
{
	static const struct refused cases[] = {
		{ TEXT("{\"a\":1,\"a\":1}"), 1, "key \"a\" twice" },
		{ TEXT("{\"\":1,\"b\":2,\"\":3}"), 1, "key \"\" twice" },
		{ TEXT("{\n\"width\": 1,\n\"speed\": 2,\n\"width\": 3,\n\"width\": 4\n}"), 4, "key \"width\" twice" },
		/* the decoded keys count */
		{ TEXT("{\"a\":1,\n\"\\u0061\":2}"), 2, "key \"a\" twice" },
		{ TEXT("{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}"), 1, "key \"\xf0\x9f\x98\x80\" twice" },
		{ TEXT("{\"/\":1,\"\\/\":2}"), 1, "key \"/\" twice" },
		/* at depth, and after an inner object with the same key */
		{ TEXT("[0,{\"x\":{\"a\":1},\n\"y\":[{\"a\":1,\n\"a\":2}]}]"), 3, "key \"a\" twice" },
		{ TEXT("{\"a\":{\"b\":1},\"b\":1,\n\"a\":1}"), 2, "key \"a\" twice" },
		/* nothing that steers a terminal is copied */
		{ TEXT("{\"\\u001b[31m\\n\x7f\":1,\"\\u001b[31m\\n\x7f\":2}"), 1, "key \"?[31m??\" twice" },
		{ TEXT("{\"x\xc2\x9b" "31m\xc2\xa0\":1,\"x\xc2\x9b" "31m\xc2\xa0\":2}"), 1,
		  "key \"x??31m\xc2\xa0\" twice" },
	};

	(void)state;
	check_refused(cases, ARRAY_SIZE(cases), 0);
}

static void cuts_long_keys(void **state)
{
	struct json_error error;

	(void)state;
	for (size_t ascii = 60; ascii <= 66; ascii++) {
		STRBUF_AUTO key = STRBUF_INIT;
		STRBUF_AUTO text = STRBUF_INIT;
		STRBUF_AUTO what = STRBUF_INIT;

		strbuf_addchars(&key, 'k', ascii);
		strbuf_addstr(&key, "€€");
		strbuf_addf(&text, "{\"%s\":1,\"%s\":2}", key.buf, key.buf);
		error = refusal(text.buf, text.len, 0);
		/* 64 bytes are shown, and no half of a character */
		strbuf_addstr(&what, "key \"");
		strbuf_addchars(&what, 'k', ascii < 64 ? ascii : 64);
		strbuf_addstr(&what, ascii <= 61 ? "€…\" twice" : "…\" twice");
		assert_string_equal(error.what, what.buf);
	}
}

static void knows_comments(void **state)
{
	static const char *const good[] = {
		"// a\n1", "/* a */1", "1//", "1/**/", "1// end", "/***/1", "/*/ */1", "1 /* // */", "// /* \n 1",
		"/* \n\n */ { // x\n \"a\" /* */ : /* */ 1 /* */ , // \"\n \"b\"//\n://\n2//\n }", "[/**/]", "{/**/}",
		"[1/**/,/**/2/**/]", "\"// no comment /* \"", "/* \xff\xfe */ 1", "//\r\n1", "/* a **/1", "1/*\"*/",
	};
	static const struct refused bad[] = {
		{ TEXT("\n/* a"), 2, "comment never ends" }, { TEXT("/*/"), 1, "comment never ends" },
		{ TEXT("1 /*\n\n*"), 1, "comment never ends" }, { TEXT("/"), 1, "'/' begins no comment" },
		{ TEXT("1\n/ 2"), 2, "'/' begins no comment" }, { TEXT("[1 / 2]"), 1, "'/' begins no comment" },
		{ TEXT("// a"), 0, "empty" }, { TEXT("/* a */ // b\n"), 0, "empty" },
		{ TEXT("tr/**/ue"), 1, "value expected" }, { TEXT("1/**/2"), 1, "text after the end" },
		{ TEXT("/* a */ */ 1"), 1, "value expected" }, { TEXT("# a\n1"), 1, "value expected" },
		{ TEXT("/* \n */\n[ // x\n 1, // y\n ]"), 5, "value expected" },
		{ TEXT("[/*"), 1, "comment never ends" }, { TEXT("[1,/*"), 1, "comment never ends" },
		{ TEXT("[1/*"), 1, "comment never ends" }, { TEXT("{\"a\":1,\n/*"), 2, "comment never ends" },
		{ TEXT("{\"a\"/*:1}"), 1, "comment never ends" }, { TEXT("{\"a\":/*1}"), 1, "comment never ends" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct json_doc doc = parse(good[i], strlen(good[i]), JSON_COMMENTS);

		json_release(&doc);
	}
	check_refused(bad, ARRAY_SIZE(bad), JSON_COMMENTS);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		if (good[i][0] != '"')
			refusal(good[i], strlen(good[i]), 0);
	}
}

static void nest(struct strbuf *sb, unsigned depth, bool objects)
{
	for (unsigned i = 0; i < depth; i++)
		strbuf_addstr(sb, objects && i % 2 ? "{\"a\":" : "[");
	strbuf_addch(sb, '1');
	for (unsigned i = depth; i-- > 0;)
		strbuf_addch(sb, objects && i % 2 ? '}' : ']');
}

static void limits_depth(void **state)
{
	(void)state;
	for (int objects = 0; objects < 2; objects++) {
		STRBUF_AUTO sb = STRBUF_INIT;
		struct json_doc doc;
		struct json_error error;

		nest(&sb, JSON_MAX_DEPTH, objects);
		doc = parse(sb.buf, sb.len, 0);
		assert_int_equal(doc.nr, JSON_MAX_DEPTH + 1);
		json_release(&doc);

		/* depth, not the number of brackets, is what counts */
		strbuf_reset(&sb);
		strbuf_addch(&sb, '[');
		for (int i = 0; i < 100; i++) {
			nest(&sb, JSON_MAX_DEPTH - 1, objects);
			strbuf_addch(&sb, i < 99 ? ',' : ']');
		}
		doc = parse(sb.buf, sb.len, 0);
		json_release(&doc);

		strbuf_reset(&sb);
		nest(&sb, JSON_MAX_DEPTH + 1, objects);
		error = refusal(sb.buf, sb.len, 0);
		assert_string_equal(error.what, "nested deeper than 64");
		assert_int_equal(error.line, 1);

		strbuf_reset(&sb);
		strbuf_addchars(&sb, '[', 1000000);
		error = refusal(sb.buf, sb.len, 0);
		assert_string_equal(error.what, "nested deeper than 64");
	}
}

static void add_keys(struct strbuf *sb, unsigned nr)
{
	strbuf_addch(sb, '{');
	for (unsigned i = 0; i < nr; i++)
		strbuf_addf(sb, "%s\"key_%u\":%u", i ? ",\n" : "", i * 7919 % 10007, i);
}

static void limits_keys(void **state)
{
	STRBUF_AUTO sb = STRBUF_INIT;
	struct json_error error;
	struct json_doc doc;

	(void)state;
	add_keys(&sb, JSON_MAX_KEYS);
	strbuf_addch(&sb, '}');
	doc = parse(sb.buf, sb.len, 0);
	assert_int_equal(doc.nr, JSON_MAX_KEYS + 1);
	assert_int_equal(json_member(doc.root, "key_7919")->valuedouble, 1);
	json_release(&doc);

	strbuf_reset(&sb);
	add_keys(&sb, JSON_MAX_KEYS + 1);
	strbuf_addch(&sb, '}');
	error = refusal(sb.buf, sb.len, 0);
	assert_string_equal(error.what, "more than 1024 keys in an object");
	assert_int_equal(error.line, JSON_MAX_KEYS);

	strbuf_reset(&sb);
	add_keys(&sb, JSON_MAX_KEYS - 1);
	strbuf_addstr(&sb, ",\n\"key_0\":0}");
	error = refusal(sb.buf, sb.len, 0);
	assert_string_equal(error.what, "key \"key_0\" twice");
	assert_int_equal(error.line, JSON_MAX_KEYS);

	/* an array may be longer */
	strbuf_reset(&sb);
	strbuf_addch(&sb, '[');
	for (unsigned i = 0; i < 100000; i++)
		strbuf_addstr(&sb, "0,");
	strbuf_addstr(&sb, "0]");
	doc = parse(sb.buf, sb.len, 0);
	assert_int_equal(doc.nr, 100002);
	json_release(&doc);
}

static void limits_bytes(void **state)
{
	char *text = xmalloc(JSON_MAX_BYTES + 1);
	struct json_error error = { .line = 7 };
	struct json_doc doc;

	(void)state;
	memset(text, ' ', JSON_MAX_BYTES + 1);
	text[0] = '1';
	assert_int_equal(json_parse(text, JSON_MAX_BYTES, 0, &doc, &error), 0);
	json_release(&doc);
	assert_int_equal(json_parse(text, JSON_MAX_BYTES + 1, 0, &doc, &error), -EINVAL);
	assert_empty(&doc);
	assert_int_equal(error.line, 0);
	assert_string_equal(error.what, "larger than 32 MiB");
	free(text);

	assert_int_equal(json_parse(NULL, 0, 0, &doc, &error), -EINVAL);
	assert_empty(&doc);
	assert_string_equal(error.what, "empty");
}

static void decodes_strings(void **state)
{
	static const struct {
		const char *json, *text;
	} cases[] = {
		{ "\"\"", "" }, { "\"a b\"", "a b" }, { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
		{ "\"\\u0001\\u001f\\u007F\\u0041\"", "\x01\x1f\x7f" "A" },
		{ "\"\\u0080\\u07ff\\u0800\\uffff\"", "\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf" },
		{ "\"\\ud7ff\\ue000\"", "\xed\x9f\xbf\xee\x80\x80" },
		{ "\"\\ud800\\udc00\\uDBFF\\uDFFF\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
		{ "\"µ → 😀\"", "µ → 😀" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_doc doc = parse(cases[i].json, strlen(cases[i].json), 0);

		assert_true(cJSON_IsString(doc.root));
		assert_string_equal(doc.root->valuestring, cases[i].text);
		json_release(&doc);
	}
}

static void finds_lines(void **state)
{
	static const char text[] = "\n"				/* 1 */
				   "/* a\n"			/* 2 */
				   "comment */ {\n"		/* 3 */
				   "  \"one\": 1,\n"		/* 4 */
				   "  \"list\": [ 10, 11,\n"	/* 5 */
				   "    { \"deep\":\n"		/* 6 */
				   "      true }, // x\n"	/* 7 */
				   "    [] ],\n"		/* 8 */
				   "  \"text\": \"a\\nb\"\n"	/* 9 */
				   "  ,\"last\": null }\n";
	struct json_doc doc = parse(text, strlen(text), JSON_COMMENTS);
	const cJSON *list = json_member(doc.root, "list");

	(void)state;
	assert_int_equal(doc.nr, 10);
	assert_int_equal(doc.len, strlen(text));
	assert_null(strstr(doc.text, "comment"));
	assert_int_equal(json_line(&doc, doc.root), 3);
	assert_int_equal(json_line(&doc, json_member(doc.root, "one")), 4);
	assert_int_equal(json_line(&doc, list), 5);
	assert_int_equal(json_line(&doc, list->child), 5);
	assert_int_equal(json_line(&doc, list->child->next), 5);
	assert_int_equal(json_line(&doc, list->child->next->next), 6);
	assert_int_equal(json_line(&doc, json_member(list->child->next->next, "deep")), 7);
	assert_int_equal(json_line(&doc, list->child->next->next->next), 8);
	assert_int_equal(json_line(&doc, json_member(doc.root, "text")), 9);
	assert_int_equal(json_line(&doc, json_member(doc.root, "last")), 10);
	json_release(&doc);
}

static void finds_members(void **state)
{
	static const char text[] = "{\"a\":1,\"A\":2,\"\":3,\"null\":null,\"list\":[4]}";
	struct json_doc doc = parse(text, strlen(text), 0);

	(void)state;
	assert_int_equal(json_member(doc.root, "a")->valuedouble, 1);
	assert_int_equal(json_member(doc.root, "A")->valuedouble, 2);
	assert_int_equal(json_member(doc.root, "")->valuedouble, 3);
	assert_true(cJSON_IsNull(json_member(doc.root, "null")));
	assert_null(json_member(doc.root, "b"));
	assert_null(json_member(json_member(doc.root, "list"), ""));
	assert_null(json_member(json_member(doc.root, "a"), "a"));
	assert_null(json_member(NULL, "a"));
	json_release(&doc);
}

static void reads_whole_numbers(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 }, { "-0", 0, 0 }, { "1", 0, 1 }, { "4294967296", 0, 4294967296 },
		{ "9007199254740993", 0, 9007199254740993 },		/* 2^53 + 1 */
		{ "18446744073709551615", 0, UINT64_MAX }, { "18446744073709551614", 0, UINT64_MAX - 1 },
		{ "18446744073709551616", -ERANGE, 0 }, { "18446744073709551620", -ERANGE, 0 },
		{ "99999999999999999999999999999999", -ERANGE, 0 },
		{ "184467440737095516160", -ERANGE, 0 }, { "340282366920938463463374607431768211456", -ERANGE, 0 },
		{ "-1", -ERANGE, 0 }, { "-18446744073709551616", -ERANGE, 0 },
		{ "1.0", -EINVAL, 0 }, { "0.5", -EINVAL, 0 }, { "1e3", -EINVAL, 0 }, { "1E3", -EINVAL, 0 },
		{ "-1.5", -EINVAL, 0 }, { "99999999999999999999999.5", -EINVAL, 0 },
		{ "\"1\"", -EINVAL, 0 }, { "true", -EINVAL, 0 }, { "null", -EINVAL, 0 }, { "[1]", -EINVAL, 0 },
		{ "{}", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* alone, and with digits right behind it in the text */
		STRBUF_AUTO sb = STRBUF_INIT;
		struct json_doc doc;
		uint64_t value = 4711;

		strbuf_addf(&sb, "[1234,%s,5678]", cases[i].text);
		doc = parse(sb.buf, sb.len, 0);
		if (json_u64(&doc, doc.root->child->next, &value) != cases[i].result ||
		    value != (cases[i].result ? 4711 : cases[i].value))
			fail_msg("%s: %llu", cases[i].text, (unsigned long long)value);
		json_release(&doc);

		doc = parse(cases[i].text, strlen(cases[i].text), 0);
		assert_int_equal(json_u64(&doc, doc.root, &value), cases[i].result);
		assert_int_equal(json_u64(&doc, NULL, &value), -EINVAL);
		json_release(&doc);
	}
}

static void reads_doubles(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "0.85", 0.85 }, { "-0.0", -0.0 }, { "1e308", 1e308 }, { "5e-324", 5e-324 }, { "1e-999", 0 },
		{ "2.2250738585072011e-308", 2.2250738585072011e-308 },
		{ "0.1000000000000000055511151231257827021181583404541015625", 0.1 },
		{ "9007199254740993", 9007199254740992.0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_doc doc = parse(cases[i].text, strlen(cases[i].text), 0);

		assert_true(cJSON_IsNumber(doc.root));
		assert_memory_equal(&doc.root->valuedouble, &cases[i].value, sizeof(double));
		json_release(&doc);
	}
}

/* Every beginning of a document is refused, but for those that only lack white space. */
static void refuses_every_cut(void **state)
{
	static const char text[] =
		"{\"a\": [1, -2.5e+3, \"x\\u20ac\\ud83d\\ude00\", true, false, null, {}], \"b\": {\"c\": []}}";

	(void)state;
	for (size_t len = 1; len < strlen(text); len++) {
		struct json_error error = refusal(text, len, 0);

		assert_int_equal(error.line, 1);
		assert_true(error.what[0]);
	}
}

static void releases_nothing(void **state)
{
	struct json_doc doc = { 0 };

	(void)state;
	json_release(&doc);
	json_release(&doc);
	assert_empty(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts),
		cmocka_unit_test(refuses_structure),
		cmocka_unit_test(refuses_numbers),
		cmocka_unit_test(refuses_strings),
		cmocka_unit_test(refuses_twin_keys),
		cmocka_unit_test(cuts_long_keys),
		cmocka_unit_test(knows_comments),
		cmocka_unit_test(limits_depth),
		cmocka_unit_test(limits_keys),
		cmocka_unit_test(limits_bytes),
		cmocka_unit_test(decodes_strings),
		cmocka_unit_test(finds_lines),
		cmocka_unit_test(finds_members),
		cmocka_unit_test(reads_whole_numbers),
		cmocka_unit_test(reads_doubles),
		cmocka_unit_test(refuses_every_cut),
		cmocka_unit_test(releases_nothing),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
