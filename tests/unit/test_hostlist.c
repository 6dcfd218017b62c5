// SPDX-License-Identifier: GPL-2.0-or-later
/* test_hostlist.c - lists of nodes, both ways. */
#include "base/compat.h"
#include "base/hostlist.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void add(void *to, const char *name)
{
	struct strbuf *text = to;

	strbuf_addf(text, "%s%s", text->len ? " " : "", name);
}

static void expands(void **state)
{
	static const struct {
		const char *list, *names;
	} cases[] = {
		{ "", "" },
		{ "n1", "n1" },
		{ "n1,n2 n3\nn4", "n1 n2 n3 n4" },
		{ "gpu[001-003,007],login1", "gpu001 gpu002 gpu003 gpu007 login1" },
		{ "n[8-11]", "n8 n9 n10 n11" },
		{ "n[08-11]", "n08 n09 n10 n11" },
		{ "r[1-2]n[1-2]-ib", "r1n1-ib r1n2-ib r2n1-ib r2n2-ib" },
		{ "n[5]", "n5" },
		{ "n[0]", "n0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		STRBUF_AUTO text = STRBUF_INIT;
		const char *why = NULL;

		assert_int_equal(hostlist_expand(cases[i].list, add, &text, &why), 0);
		assert_string_equal(text.buf, cases[i].names);
	}
}

static void refuses(void **state)
{
	static const char *const lists[] = { "n[", "n[1", "n]", "n[]", "n[1-]", "n[-1]", "n[2-1]", "n[1,]", "n[a]",
					     "n[1-2-3]", "n[1 2]", "n[0-99999999]", "r[0-9999]n[0-9999]",
					     "n[99999999999]" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		STRBUF_AUTO text = STRBUF_INIT;
		const char *why = NULL;

		if (hostlist_expand(lists[i], add, &text, &why) != -EINVAL || !why)
			fail_msg("%s: taken as %.60s", lists[i], text.buf);
	}
}

/* A list, expanded, sorted and folded. */
static void assert_folds(const char *list, const char *wanted)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO folded = STRBUF_INIT;
	const char *names[64];
	const char *why;
	size_t nr = 0;

	assert_int_equal(hostlist_expand(list, add, &text, &why), 0);
	for (char *rest = text.len ? text.buf : NULL; rest;)
		names[nr++] = strsep(&rest, " ");
	text_sort_natural(names, nr);
	hostlist_fold(names, nr, &folded);
	assert_string_equal(folded.buf, wanted);
}

static void folds(void **state)
{
	(void)state;
	assert_folds("", "");
	assert_folds("n7", "n7");
	assert_folds("login", "login");
	assert_folds("n2,n1,n10,n9", "n[1-2,9-10]");
	assert_folds("gpu003,gpu001,gpu002,gpu007,login1", "gpu[001-003,007],login1");
	assert_folds("n9,n10,n11", "n[9-11]");
	assert_folds("n09,n10,n11", "n[09-11]");
	assert_folds("n1,n01", "n1,n01");
	assert_folds("n1-ib,n2-ib,n1,n2", "n1,n1-ib,n2,n2-ib");
	assert_folds("r1n1,r1n2,r2n1", "r1n[1-2],r2n1");
	assert_folds("a,b,c", "a,b,c");
}

static void orders_numbers_as_such(void **state)
{
	(void)state;
	assert_true(text_compare_natural("n2", "n10") < 0);
	assert_true(text_compare_natural("n10", "n2") > 0);
	assert_true(text_compare_natural("n2", "n2") == 0);
	assert_true(text_compare_natural("n02", "n2") != 0);
	assert_true(text_compare_natural("n2a", "n2b") < 0);
	assert_true(text_compare_natural("n2", "n2a") < 0);
	assert_true(text_compare_natural("a10b2", "a10b10") < 0);
	assert_true(text_compare_natural("", "a") < 0);
	assert_true(text_compare_natural("n18446744073709551617", "n18446744073709551616") > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expands),
		cmocka_unit_test(refuses),
		cmocka_unit_test(folds),
		cmocka_unit_test(orders_numbers_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
