// SPDX-License-Identifier: GPL-2.0-or-later
/* test_explanation.c - an explanation in parts, as a program and as a terminal has it. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/explanation.h"

static struct explanation explanation;

static void assert_plain(const char *expected)
{
	STRBUF_AUTO text = STRBUF_INIT;

	render_explanation(&text, &explanation);
	assert_string_equal(text.buf, expected);
}

static void assert_wrapped(size_t columns, const char *expected)
{
	const struct render_options options = { .columns = columns };
	STRBUF_AUTO text = STRBUF_INIT;

	render_explanation_wrapped(&text, &explanation, &options);
	assert_string_equal(text.buf, expected);
}

static int end(void **state)
{
	(void)state;
	explanation_release(&explanation);
	return 0;
}

static void each_part_is_a_line(void **state)
{
	(void)state;
	explain_head(&explanation, "%s-%d", "check", 7);
	explain_fact(&explanation, "next", "%s", "look");
	explain_below(&explanation, EXPLAINED_COMMAND, "lspci -vv");
	explain_below(&explanation, EXPLAINED_EXPECT, "a line");
	explain_fact(&explanation, "next", "ask");
	explain_fact(&explanation, "causes", "heat");
	explain_below(&explanation, EXPLAINED_IF, "it is hot");
	explain_gap(&explanation);
	explain_head(&explanation, "other");
	explain_fact(&explanation, "causes", "cold");
	assert_plain("check-7\nnext    look\n          lspci -vv\n          expect: a line\n        ask\ncauses  heat\n"
		     "          if it is hot\n\nother\ncauses  cold\n");
	assert_wrapped(
		100, "check-7\nnext    look\n          lspci -vv\n          expect: a line\n        ask\ncauses  heat\n"
		     "          if it is hot\n\nother\ncauses  cold\n");
}

static void a_line_of_a_terminal_ends_at_its_edge(void **state)
{
	(void)state;
	explain_head(&explanation, "check: a title that is longer than the page");
	explain_fact(&explanation, "means", "it does what it does, and goes on to the next of the lines");
	explain_below(&explanation, EXPLAINED_COMMAND, "nvidia-smi --query-gpu=index --format=csv");
	explain_below(&explanation, EXPLAINED_EXPECT, "as many lines as there are GPUs, and none of them empty");
	explain_below(&explanation, EXPLAINED_IF, "both of these are of the same GPU, or of any");
	assert_wrapped(40, "check: a title that is longer than the\npage\n"
			   "means   it does what it does, and goes\n        on to the next of the lines\n"
			   "          nvidia-smi --query-gpu=index \\\n            --format=csv\n"
			   "          expect: as many lines as there\n                  are GPUs, and none of\n"
			   "                  them empty\n"
			   "          if both of these are of the\n             same GPU, or of any\n");
}

/* What looks like the layout is text all the same. */
static void nothing_is_read_out_of_a_text(void **state)
{
	(void)state;
	explain_head(&explanation, "ab      in its second column");
	explain_head(&explanation, "          if it were a part below");
	explain_fact(&explanation, "", "if");
	explain_below(&explanation, EXPLAINED_COMMAND,
		      "if true; then echo it is a command that is not wrapped as words are; fi");
	assert_wrapped(60, "ab      in its second column\n          if it were a part below\n        if\n"
			   "          if true; \\\n            then echo it is a command that is not wrapped \\\n"
			   "            as words are; fi\n");
}

static void a_template_is_filled_in(void **state)
{
	(void)state;
	assert_string_equal(explained_template(&explanation, "{gpu} {runs|run}"), "{gpu} runs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_part_is_a_line, end),
		cmocka_unit_test_teardown(a_line_of_a_terminal_ends_at_its_edge, end),
		cmocka_unit_test_teardown(nothing_is_read_out_of_a_text, end),
		cmocka_unit_test_teardown(a_template_is_filled_in, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
