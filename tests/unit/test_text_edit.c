// SPDX-License-Identifier: GPL-2.0-or-later
/* test_text_edit.c - scripts of `diff -e`: each command, at either end of a text, and scripts that fit no text. */
#include "base/compat.h"
#include "base/text_edit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const char text[] = "one\ntwo\nthree\nfour\n";

static void assert_edit(const char *script, const char *expected)
{
	STRBUF_AUTO out = STRBUF_INIT;

	strbuf_addstr(&out, "before ");
	assert_int_equal(text_edit(&out, text, script), 0);
	assert_string_equal(out.buf + strlen("before "), expected);
}

static void assert_refused(const char *script)
{
	STRBUF_AUTO out = STRBUF_INIT;

	strbuf_addstr(&out, "before");
	assert_int_equal(text_edit(&out, text, script), -EINVAL);
	assert_string_equal(out.buf, "before");
}

static void each_command(void **state)
{
	(void)state;
	assert_edit("", text);
	assert_edit("2d\n", "one\nthree\nfour\n");
	assert_edit("2,3d\n", "one\nfour\n");
	assert_edit("2c\nzwei\n.\n", "one\nzwei\nthree\nfour\n");
	assert_edit("2,3c\n2\n2.5\n3\n.\n", "one\n2\n2.5\n3\nfour\n");
	assert_edit("2a\n2.5\n.\n", "one\ntwo\n2.5\nthree\nfour\n");
	/* A line that begins with a dot ends nothing. */
	assert_edit("4c\n.5\n.\n", "one\ntwo\nthree\n.5\n");
}

static void at_both_ends(void **state)
{
	(void)state;
	assert_edit("0a\nzero\n.\n", "zero\none\ntwo\nthree\nfour\n");
	assert_edit("4a\nfive\n.\n", "one\ntwo\nthree\nfour\nfive\n");
	assert_edit("1,4d\n", "");
}

static void several_from_the_end_on(void **state)
{
	(void)state;
	assert_edit("4d\n3c\n3\n.\n1a\n1.5\n.\n", "one\n1.5\ntwo\n3\n");
	/* Neighbours: after a line that was changed, and before it. */
	assert_edit("3a\n3.5\n.\n3d\n", "one\ntwo\n3.5\nfour\n");
}

static void what_fits_no_text(void **state)
{
	(void)state;
	assert_refused("5d\n");
	assert_refused("3,9d\n");
	assert_refused("5a\nsix\n.\n");
	assert_refused("3,2d\n");
	assert_refused("0d\n");
	assert_refused("0c\nx\n.\n");
	/* In another order, so that a line would be changed twice. */
	assert_refused("1d\n3d\n");
	assert_refused("2,3d\n3,4d\n");
}

static void what_is_no_script(void **state)
{
	(void)state;
	assert_refused("2x\n");
	assert_refused("d\n");
	assert_refused("2c\nwithout an end\n");
	assert_refused("2da\n");
	assert_refused("-1d\n");
	assert_refused("\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_command),
		cmocka_unit_test(at_both_ends),
		cmocka_unit_test(several_from_the_end_on),
		cmocka_unit_test(what_fits_no_text),
		cmocka_unit_test(what_is_no_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
