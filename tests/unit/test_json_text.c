// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_json_text.c - JSON documents among the lines of a dump: where they begin and end, and what is left of damaged
 * ones.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"

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

static struct dump_line *lines_of(const char *text, size_t *ret_nr)
{
	bool is_cut;

	return dump_clean(&arena, &(struct dump_text){ .name = "dump", .bytes = text, .len = strlen(text) }, ret_nr,
			  &is_cut);
}

/*
 * `text` holds a document in its first nr_lines, which is `strict` without its line feeds, with so many open brackets.
 */
static void assert_scan(const char *text, size_t nr_lines, unsigned nr_open, const char *strict)
{
	size_t nr;
	struct dump_line *lines = lines_of(text, &nr);
	struct json_scan scan;
	char *to;

	assert_true(json_scan(lines, nr, &scan));
	assert_int_equal(scan.nr_lines, nr_lines);
	assert_int_equal(scan.nr_open, nr_open);
	to = scan.out.buf;
	for (const char *from = scan.out.buf; *from; from++)
		if (*from != '\n')
			*to++ = *from;
	*to = '\0';
	assert_string_equal(scan.out.buf, strict);
	strbuf_release(&scan.out);
}

static void assert_none(const char *text)
{
	size_t nr;
	bool is_cut;
	struct dump_line *lines = lines_of(text, &nr);

	assert_int_equal(json_text_lines(lines, nr, &is_cut), 0);
}

static void whole_documents(void **state)
{
	(void)state;
	assert_scan("{\"a\": 1}\n", 1, 0, "{\"a\":1}");
	assert_scan("[\n{\"a\": [1, 2.5e3]\n}\n]\nmore\n", 4, 0, "[{\"a\":[1,2.5e3]}]");
	assert_scan("Output: [{\"a\": null}] done\n{\"b\": 1}\n", 1, 0, "[{\"a\":null}]");
	assert_scan("{\"a\": \"} ] \\\" \\\\\"}\n}\n", 1, 0, "{\"a\":\"} ] \\\" \\\\\"}");
}

static void what_begins_none(void **state)
{
	(void)state;
	assert_none("[   12.345678] pci 0000:00:1f.2: ok\n");
	assert_none("[root@node ~]# lspci\n");
	assert_none("int main(void) {\n\treturn 0;\n}\n");
	assert_none("GPU[0] : x\n");
	assert_none("[ ]");
	assert_none("a {\n\n\n\n\n\n\"b\": 1}\n");
}

static void what_is_no_strict_json(void **state)
{
	(void)state;
	assert_scan("{\"a\": NaN, \"b\": -inf, \"c\": 007, \"d\": True,}\n", 1, 0,
		    "{\"a\":null,\"b\":null,\"c\":null,\"d\":true}");
	assert_scan("{\n\"a\": 1\n\"b\": 2,\n...\n\"c\": 3, <-- here\n\"d\": 4 # or 5\n}\n", 7, 0,
		    "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}");
	assert_scan("{\"a\": \"\\x\", \"b\": \"\\ud800\"}", 1, 0, "{\"a\":\"\\\\x\",\"b\":\"\\\\ud800\"}");
	assert_scan("{\"a\": \"wrapped\nby a terminal\", \"b\": 1}", 2, 0, "{\"a\":\"wrappedby a terminal\",\"b\":1}");
	assert_scan("{\"a\": [1, 2}, 3", 1, 0, "{\"a\":[1,2]}");
}

static void what_was_cut(void **state)
{
	(void)state;
	assert_scan("[\n{\"a\": 1},\n{\"a\": 2}\n", 3, 1, "[{\"a\":1},{\"a\":2}]");
	assert_scan("[\n{\"a\": 1},\n{\"a\": 2, \"b\": 12", 3, 2, "[{\"a\":1},{\"a\":2}]");
	assert_scan("[\n{\"a\": 1},\n{\"a\": 2, \"b\": \"x", 3, 2, "[{\"a\":1},{\"a\":2}]");
	assert_scan("{\"a\": {\"b\": 1, \"c\":\nroot@node:~# dmesg\n", 1, 2, "{\"a\":{\"b\":1}}");
	assert_scan("{\"a\": \"cut at the ri\n\"b\": 2\n}\n", 3, 0, "{\"a\":\"cut at the ri\",\"b\":2}");
	assert_scan("{\"a\": 1,\n\n{\"b\": 2}\n", 1, 1, "{\"a\":1}");
}

static void a_deep_one_ends(void **state)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t nr;
	bool is_cut;
	struct dump_line *lines;

	(void)state;
	strbuf_addchars(&text, '[', 100000);
	lines = lines_of(text.buf, &nr);
	assert_int_equal(json_text_lines(lines, nr, &is_cut), 1);
	assert_true(is_cut);
}

static void values_know_their_lines(void **state)
{
	static const char text[] =
		"x\n{\n\"a\":\n 12,\n\"s\": \"wrapped\nhere\", \"w\": \"34.5 W\",\n\"n\": \"N/A\", \"n\": 9}\n";
	size_t nr;
	struct dump_line *lines = lines_of(text, &nr);
	struct dump_part part = { .lines = lines + 1, .nr_lines = nr - 1 };
	struct json_text json;
	double number;

	(void)state;
	assert_int_equal(json_text_read(&part, &json), 0);
	assert_int_equal(json_text_line(&json, json_member(json.doc.root, "a"))->number, 4);
	assert_int_equal(json_text_line(&json, json_member(json.doc.root, "s"))->number, 5);
	assert_int_equal(json_text_line(&json, json_member(json.doc.root, "n"))->number, 7);
	assert_true(json_text_number(json_member(json.doc.root, "w"), &number) && number > 34.4 && number < 34.6);
	assert_false(json_text_number(json_member(json.doc.root, "n"), &number));
	assert_false(json_text_number(NULL, &number));
	assert_string_equal(json_text_string(&arena, &json, json_member(json.doc.root, "a")), "12");
	json_text_line(&json, json.doc.root->child)->is_taken = true;
	json_text_release(&json);
	assert_true(lines[1].is_taken);
	assert_false(lines[4].is_taken);
}

static void keys_tell_the_kind(void **state)
{
	size_t nr;
	struct dump_line *lines = lines_of("[{\"gpu\" : 0, \"b\": \"bus\"}]\n", &nr);

	(void)state;
	assert_true(json_text_has_key(lines, nr, "gpu"));
	assert_false(json_text_has_key(lines, nr, "bus"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_documents),
		cmocka_unit_test(what_begins_none),
		cmocka_unit_test(what_is_no_strict_json),
		cmocka_unit_test(what_was_cut),
		cmocka_unit_test(a_deep_one_ends),
		cmocka_unit_test(values_know_their_lines),
		cmocka_unit_test(keys_tell_the_kind),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
