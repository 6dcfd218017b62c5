// SPDX-License-Identifier: GPL-2.0-or-later
/* test_lines.c - lines that are made already, on pages of several widths. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/lines.h"

static void assert_page(size_t columns, const char *text, const char *expected)
{
	const struct render_options options = { .columns = columns };
	STRBUF_AUTO page = STRBUF_INIT;

	render_lines(&page, text, &options);
	assert_string_equal(page.buf, expected);
}

static void what_fits_stays_as_it_is(void **state)
{
	(void)state;
	assert_page(40, "", "");
	assert_page(40, "a\n\n  b   c\n", "a\n\n  b   c\n");
	assert_page(40, "1234567890123456789012345678901234567890\n", "1234567890123456789012345678901234567890\n");
	assert_page(40, "no line feed at the end", "no line feed at the end\n");
	/* Columns, not bytes. */
	assert_page(40, "ä234567890123456789012345678901234567890\n", "ä234567890123456789012345678901234567890\n");
}

static void a_paragraph_goes_on_below_its_beginning(void **state)
{
	(void)state;
	assert_page(40, "Read what other tools printed on a node, and say so\n",
		    "Read what other tools printed on a node,\nand say so\n");
	assert_page(40, "  Read what other tools printed on a node, and say so\n",
		    "  Read what other tools printed on a\n  node, and say so\n");
}

static void the_last_column_goes_on_below_itself(void **state)
{
	(void)state;
	assert_page(40, "  --numa    measure with host memory on each NUMA node\n",
		    "  --numa    measure with host memory on\n            each NUMA node\n");
	assert_page(40, "name  warn   two gaps, and the last one counts here\n",
		    "name  warn   two gaps, and the last one\n             counts here\n");
}

static void a_column_without_room_stands_below_the_others(void **state)
{
	(void)state;
	assert_page(40, "klog-errors.pcie-dpc  fail    disabled a link\n",
		    "klog-errors.pcie-dpc  fail\n    disabled a link\n");
	/* Where the others do not fit either, they are wrapped too. */
	assert_page(40, "klog-errors.pcie-slot-power  drain-and-repair  fault of a slot\n",
		    "klog-errors.pcie-slot-power\ndrain-and-repair\n    fault of a slot\n");
}

static void a_word_of_more_than_a_line_is_cut(void **state)
{
	(void)state;
	assert_page(40, "12345678901234567890123456789012345678901234567890\n",
		    "1234567890123456789012345678901234567890\n1234567890\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_stays_as_it_is),
		cmocka_unit_test(a_paragraph_goes_on_below_its_beginning),
		cmocka_unit_test(the_last_column_goes_on_below_itself),
		cmocka_unit_test(a_column_without_room_stands_below_the_others),
		cmocka_unit_test(a_word_of_more_than_a_line_is_cut),
	};

	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
