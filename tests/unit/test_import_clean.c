// SPDX-License-Identifier: GPL-2.0-or-later
/* test_import_clean.c - the lines of a dump, those that stand as they are and those of which something has to go. */
#include "base/compat.h"
#include "import/dump/dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

enum { MAX_LINES = 8 };

/* The text copied, and taken over, gives these lines; NULL ends them. */
static void assert_lines(const char *text, size_t len, const char *const *wanted)
{
	for (int is_own = 0; is_own < 2; is_own++) {
		struct arena arena = { .blocks = NULL };
		STRBUF_AUTO own = STRBUF_INIT;
		size_t nr;
		bool is_cut;
		struct dump_line *lines;

		strbuf_add(&own, text, len);
		lines = dump_clean(&arena,
				   &(struct dump_text){ .bytes = own.buf, .len = len, .own = is_own ? &own : NULL },
				   &nr, &is_cut);
		/* Of UTF-16 another text is made. */
		assert_int_equal(own.len, is_own && *text != '\xff' ? 0 : len);
		for (size_t i = 0; i < nr; i++) {
			assert_non_null(wanted[i]);
			assert_string_equal(lines[i].text, wanted[i]);
			assert_int_equal(lines[i].number, i + 1);
		}
		assert_null(wanted[nr]);
		arena_release(&arena);
	}
}

#define ASSERT_LINES(text, ...)                                                                                        \
	assert_lines(text, sizeof(text) - 1, (const char *const[MAX_LINES]){ __VA_ARGS__, NULL })

static void lines_that_stand_as_they_are(void **state)
{
	(void)state;
	ASSERT_LINES("one\ntwo\n", "one", "two");
	ASSERT_LINES("one\n\n  two", "one", "", "  two");
	ASSERT_LINES("\n", "");
	ASSERT_LINES("a line of more than sixteen characters\r\nx\r\r\n", "a line of more than sixteen characters",
		     "x");
	ASSERT_LINES("    all\n      indented\n", "all", "  indented");
	ASSERT_LINES("\xef\xbb\xbfone\n", "one");
}

/* At each place of a line, in whole vectors of it and behind them, what has to go is seen. */
static void what_goes_is_seen_anywhere(void **state)
{
	static const struct { const char *text, *is; } others[] = {
		{ "\033[0m", "" }, { "\001", "" }, { "\177", "" }, { "&lt;", "<" }, { "\302\240", " " },
		{ "\377", "\357\277\275" }, { "\303\244", "\303\244" },
	};
	char plain[41];

	(void)state;
	memset(plain, 'x', sizeof(plain) - 1);
	plain[sizeof(plain) - 1] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		for (int at = 1; at < 40; at++) {
			STRBUF_AUTO text = STRBUF_INIT;
			STRBUF_AUTO wanted = STRBUF_INIT;

			strbuf_addf(&text, "%.*s%s%s\n", at, plain, others[i].text, plain + at);
			strbuf_addf(&wanted, "%.*s%s%s", at, plain, others[i].is, plain + at);
			assert_lines(text.buf, text.len, (const char *const[]){ wanted.buf, NULL });
		}
	ASSERT_LINES("a\tb\nab\bc\n", "a       b", "ac");
}

static void what_people_put_around_goes(void **state)
{
	(void)state;
	ASSERT_LINES("> one\n>\n> > two\n", "one", "", "two");
	ASSERT_LINES("```\none\n  ~~~\n", "", "one", "");
	ASSERT_LINES("# | 0 |\n // +---+\n# x\n", "| 0 |", "+---+", "# x");
	ASSERT_LINES("blanks   \n10 %\r100 %\n", "blanks", "100 %");
	ASSERT_LINES("\xff\xfeo\0k\0\n\0", "ok");
}

/* A line alone may be the end of a tag; what is quoted may have blanks of its own before it. */
static void quotes_without_a_blank_go(void **state)
{
	(void)state;
	ASSERT_LINES(">one\n>\n>  two\n>\tsix\nself\n", "one", "", "  two", "        six", "self");
	ASSERT_LINES(">>one\n>> two\n", "one", " two");
	ASSERT_LINES(">one\n", "one");
	ASSERT_LINES("<a b=c\n>one\n", "<a b=c", ">one");
	ASSERT_LINES("> one\n> two\n", "one", "two");
}

static void blocks_are_moved_back_as_their_fences(void **state)
{
	(void)state;
	ASSERT_LINES("- x\n  ```sh\n  one\n    two\n\n  ```\n y\n", "- x", "", "one", "  two", "", "", " y");
	ASSERT_LINES("1. x\n   ```\n   one\n two\n   ```\n", "1. x", "", "   one", " two", "");
	ASSERT_LINES("x\n   ```\n    one\n", "x", "", "    one");
	ASSERT_LINES("  ```\n  a\n  b\n  ```\n  y\n  ```sh\n  z\n", "", "a", "b", "", "  y", "", "  z");
}

/* What a tool prints in angle brackets is none of a page's tags. */
static void tags_of_pages_go(void **state)
{
	(void)state;
	ASSERT_LINES("<pre><code>one &lt;2&gt;\n  two\n</code></pre>\n", "one <2>", "  two", "");
	ASSERT_LINES("<details>\n <summary>log</summary>\n<pre class=\"x\">  one\ntwo</pre> \n</details>", "", "log",
		     "  one", "two", "");
	ASSERT_LINES("<gpu>\n<p2p>x</p2p>\n<pre\n<inactive>\n<PRE>\n", "<gpu>", "<p2p>x</p2p>", "<pre", "<inactive>",
		     "");
}

/* One blank line of three was there before; two lines beside each other show that the text is none of these. */
static void blank_lines_after_each_line_go(void **state)
{
	struct arena arena = { .blocks = NULL };
	const char *text = "a\n\n b\n\n\n\nc\n\nd\n\n";
	size_t nr;
	bool is_cut;
	struct dump_line *lines =
		dump_clean(&arena, &(struct dump_text){ .bytes = text, .len = strlen(text) }, &nr, &is_cut);

	(void)state;
	assert_int_equal(nr, 6);
	assert_string_equal(lines[1].text, " b");
	assert_int_equal(lines[1].number, 3);
	assert_string_equal(lines[2].text, "");
	assert_string_equal(lines[3].text, "c");
	assert_int_equal(lines[3].number, 7);
	arena_release(&arena);
	ASSERT_LINES("a\n\nb\n", "a", "", "b");
	ASSERT_LINES("a\n\nb\n\nc\nd\n", "a", "", "b", "", "c", "d");
}

static void what_a_pager_asks_goes(void **state)
{
	static const char *const texts[] = {
		"a\n--More--\nb\n", "a\n--More--(12%)b\n", "a\nlines 1-2/2 (END)\nb\n", "a\nlines 1-23\nb\n:\n",
		"a\nlines 1-23/3012 1%\nb\n", "a\nb\n~\n~\n(END)\n", "a\n...skipping...\nb\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct dump_text text = { .bytes = texts[i], .len = strlen(texts[i]) };
		struct arena arena = { .blocks = NULL };
		size_t nr;
		bool is_cut;
		struct dump_line *lines = dump_clean(&arena, &text, &nr, &is_cut);

		assert_int_equal(nr, 2);
		assert_string_equal(lines[0].text, "a");
		assert_string_equal(lines[1].text, "b");
		arena_release(&arena);
	}
	ASSERT_LINES("~\n:\nlines 1-2 are mine\nlines 12\n", "~", ":", "lines 1-2 are mine", "lines 12");
}

static void blanks_at_the_end_of_each_line_go(void **state)
{
	static const struct { const char *text, *tabbed; } texts[] = {
		{ "one  \ntwo \n", NULL }, { "one  \ntwo\n", "one  " }, { "o\tne  \n\ntwo \n", "o\tne" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct dump_text text = { .bytes = texts[i].text, .len = strlen(texts[i].text) };
		struct arena arena = { .blocks = NULL };
		size_t nr;
		bool is_cut;
		struct dump_line *lines = dump_clean(&arena, &text, &nr, &is_cut);

		if (texts[i].tabbed)
			assert_string_equal(lines[0].tabbed, texts[i].tabbed);
		else
			assert_null(lines[0].tabbed);
		arena_release(&arena);
	}
}

/* The numbers of the lines, and the first and the last of them. */
static void assert_unwrapped(const char *text, size_t wanted_nr, const char *first, const char *last)
{
	struct arena arena = { .blocks = NULL };
	size_t nr;
	bool is_cut;
	struct dump_line *lines =
		dump_clean(&arena, &(struct dump_text){ .bytes = text, .len = strlen(text) }, &nr, &is_cut);

	assert_int_equal(nr, wanted_nr);
	assert_string_equal(lines[0].text, first);
	assert_string_equal(lines[nr - 1].text, last);
	arena_release(&arena);
}

#define TEN "123456789 "
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

static void lines_that_a_terminal_broke_are_whole_again(void **state)
{
	(void)state;
	assert_unwrapped("one\n" SEVENTY "a word bro\nken\ntwo\n", 3, "one", "two");
	assert_unwrapped(SEVENTY "words and \ngo on\n", 1, SEVENTY "words and go on", SEVENTY "words and go on");
	assert_unwrapped(SEVENTY "ab\ncd\n" SEVENTY "ef\ngh\n", 2, SEVENTY "abcd", SEVENTY "efgh");
	assert_unwrapped(SEVENTY "(b\ncd)\n", 1, SEVENTY "(bcd)", SEVENTY "(bcd)");
	/* Its blank was lost. */
	assert_unwrapped("w " SEVENTY "12345678\ngoes on\nw " SEVENTY "1234567\nat a blank\n", 2,
			 "w " SEVENTY "12345678goes on", "w " SEVENTY "1234567 at a blank");
	/* Rows, and what is left of them. */
	assert_unwrapped("+-" SEVENTY "--------\n----+\n| " SEVENTY "\n 34 |\n", 2, "+-" SEVENTY "------------+",
			 "| " SEVENTY "         34 |");
}

static void lines_of_one_length_stay(void **state)
{
	(void)state;
	assert_unwrapped(SEVENTY "ab\ncd\n", 2, SEVENTY "ab", "cd");
	assert_unwrapped("| 1 " SEVENTY "     |\n| 2 " SEVENTY "     |\n", 2, "| 1 " SEVENTY "     |",
			 "| 2 " SEVENTY "     |");
	assert_unwrapped("GPU 0: " SEVENTY "123\nGPU 1: " SEVENTY "123\nGPU 2: " SEVENTY "123\nend\n", 4,
			 "GPU 0: " SEVENTY "123", "end");
	assert_unwrapped(SEVENTY "the list:  \n  one\n  two\n", 3, SEVENTY "the list:", "  two");
	/* Rows of kubectl, as long as each other, below their head. */
	assert_unwrapped("NAME                                          READY   STATUS    AGE\n"
			 "plugin-daemonset-zttrw-of-the-first-release   1/1     Running   41d\n"
			 "the-driver-daemonset-9jv8p-of-another-one     0/1     Pending   12s\n"
			 "end\n", 4, "NAME                                          READY   STATUS    AGE", "end");
}

/* A line that goes on has the number where it began. */
static void mails_are_whole_again(void **state)
{
	const char *text = "ring gfx ti=\nme=\nout, seq=3D12\nblank =\nhere\nthe end=\n";
	struct arena arena = { .blocks = NULL };
	size_t nr;
	bool is_cut;
	struct dump_line *lines =
		dump_clean(&arena, &(struct dump_text){ .bytes = text, .len = strlen(text) }, &nr, &is_cut);

	(void)state;
	assert_int_equal(nr, 3);
	assert_string_equal(lines[0].text, "ring gfx timeout, seq=12");
	assert_int_equal(lines[0].number, 1);
	assert_string_equal(lines[1].text, "blank here");
	assert_int_equal(lines[1].number, 4);
	assert_string_equal(lines[2].text, "the end=");
	assert_int_equal(lines[2].number, 6);
	arena_release(&arena);
}

static void signs_that_are_no_mails_stay(void **state)
{
	(void)state;
	ASSERT_LINES("Memory=\nid=12\n", "Memory=", "id=12");
	ASSERT_LINES("====\nid=3D\n", "====", "id=3D");
	ASSERT_LINES("QUJD=\n", "QUJD=");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_stand_as_they_are),
		cmocka_unit_test(what_goes_is_seen_anywhere),
		cmocka_unit_test(what_people_put_around_goes),
		cmocka_unit_test(quotes_without_a_blank_go),
		cmocka_unit_test(blocks_are_moved_back_as_their_fences),
		cmocka_unit_test(tags_of_pages_go),
		cmocka_unit_test(blank_lines_after_each_line_go),
		cmocka_unit_test(what_a_pager_asks_goes),
		cmocka_unit_test(blanks_at_the_end_of_each_line_go),
		cmocka_unit_test(lines_that_a_terminal_broke_are_whole_again),
		cmocka_unit_test(lines_of_one_length_stay),
		cmocka_unit_test(mails_are_whole_again),
		cmocka_unit_test(signs_that_are_no_mails_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
