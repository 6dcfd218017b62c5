// SPDX-License-Identifier: GPL-2.0-or-later
/* test_string_text.c - outputs within strings: what is one, how it is decoded, and where its lines come from. */
#include "base/compat.h"
#include "import/line/string_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static struct arena arena;

static int end(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static bool read_text(const char *text, struct string_text *ret)
{
	size_t nr;
	bool is_cut;
	struct dump_line *lines = dump_clean(
		&arena, &(struct dump_text){ .name = "dump", .bytes = text, .len = strlen(text) }, &nr, &is_cut);

	return string_text_read(&arena, lines, nr, ret);
}

static void assert_text(const char *text, size_t nr_lines, const char *decoded)
{
	struct string_text got;

	assert_true(read_text(text, &got));
	assert_string_equal(got.text.buf, decoded);
	assert_int_equal(got.nr_lines, nr_lines);
	strbuf_release(&got.text);
}

static void assert_none(const char *text)
{
	struct string_text got;

	assert_false(read_text(text, &got));
}

static void strings_of_one_line(void **state)
{
	(void)state;
	assert_text("    \"stdout\": \"a\\nb\\tc\", \"rc\": 0\n", 1, "a\nb\tc\n");
	assert_text("node7: b'a \\x1b[1m\\r\\nb'\n", 1, "a \033[1m\nb\n");
	assert_text("{\"body\": \"say \\\"no\\\" \\u00e9\\u003c\\nand C:\\\\n\", \"next\": \"x\\ny\"}\n", 1,
		    "say \"no\" \303\251<\nand C:\\n\nx\ny\n");
	/* Cut off in the middle, and in the middle of an escape. */
	assert_text("\"stdout\": \"a\\nb", 1, "a\nb\n");
	assert_text("\"stdout\": \"a\\nb\\u00", 1, "a\nbu00\n");
}

static void no_strings(void **state)
{
	(void)state;
	/* One line; a record of a log, which ends with its line feed; a backslash of a path; words. */
	assert_none("\"stdout\": \"a\"\n");
	assert_none("{\"log\":\"NVRM: loading\\n\",\"stream\":\"stdout\"}\n");
	assert_none("\"path\": \"C:\\\\new\"\n");
	assert_none("I don't know what \\n means, and it isn't said\n");
	assert_none("printf(fmt\"\\n\")\n");
}

static void lists_of_strings(void **state)
{
	struct string_text got;

	(void)state;
	assert_text("\"stdout_lines\": [\n  \"a\",\n  \"b \\\"c\\\"\",\n  \"\"\n]\n", 4, "a\nb \"c\"\n\n");
	assert_text("\"out\": [\n  'a',\n  'b'\n", 3, "a\nb\n");
	assert_none("\"out\": [\n  \"a\"\n]\n");
	assert_none("\"out\": [\n  \"a\": 1,\n  \"b\": 2\n]\n");
	assert_none("\"out\": [\n  1,\n  2\n]\n");
	assert_true(read_text("\"out\": [\n\"a\\nb\",\n\"c\"\n]\n", &got));
	assert_string_equal(got.text.buf, "a b\nc\n");
	assert_int_equal(got.nr, 2);
	assert_int_equal(got.numbers[0], 2);
	assert_int_equal(got.numbers[1], 3);
	strbuf_release(&got.text);
}

static void a_record_of_a_log(void **state)
{
	struct string_text got;

	(void)state;
	assert_true(read_text("{\"ts\": 1, \"message\": \"a\\nb\"}\n", &got));
	assert_true(got.is_of_log);
	strbuf_release(&got.text);
	assert_true(read_text("{\"ts\": 1, \"body\": \"a\\nb\"}\n", &got));
	assert_false(got.is_of_log);
	strbuf_release(&got.text);
	assert_true(string_text_is_in("stderr: \"a\\nb\""));
	assert_false(string_text_is_in("stderr: \"a\""));
	assert_true(read_text("Apr 30 21:13:04 node7 dockerd[1]: stderr: \"a\\nb\"\n", &got));
	assert_true(got.is_of_log);
	assert_false(string_text_is_in("Apr 30 21:13:04 node7 dockerd[1]: stderr: \"a\\nb\""));
	strbuf_release(&got.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_of_one_line), cmocka_unit_test(no_strings), cmocka_unit_test(lists_of_strings),
		cmocka_unit_test(a_record_of_a_log),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
