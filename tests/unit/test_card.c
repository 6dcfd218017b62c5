// SPDX-License-Identifier: GPL-2.0-or-later
/* test_card.c - which GPUs are one card. */
#include "base/compat.h"
#include "snapshot/card.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static struct val_str told(const char *text)
{
	return text ? val_str(text) : (struct val_str){ .state = VAL_UNSUPPORTED };
}

static enum card_match match(const char *serial_a, const char *uuid_a, const char *serial_b, const char *uuid_b)
{
	return cards_match(told(serial_a), told(uuid_a), told(serial_b), told(uuid_b));
}

static void test_by_serial(void **state)
{
	(void)state;
	assert_int_equal(match("165", NULL, "165", NULL), CARDS_SAME);
	assert_int_equal(match("165", NULL, "166", NULL), CARDS_OTHER);
	assert_int_equal(match("165", "GPU-a", "166", "GPU-a"), CARDS_OTHER);
	assert_int_equal(match("165", NULL, NULL, NULL), CARDS_UNTOLD);
}

static void test_by_uuid(void **state)
{
	(void)state;
	assert_int_equal(match(NULL, "GPU-a", NULL, "GPU-A"), CARDS_SAME);
	assert_int_equal(match(NULL, "GPU-a", NULL, "GPU-b"), CARDS_OTHER);
	assert_int_equal(match("165", "GPU-a", NULL, "GPU-a"), CARDS_SAME);
	assert_int_equal(match(NULL, "GPU-a", NULL, NULL), CARDS_UNTOLD);
}

/* Two GPUs of one board; and a UUID of OpenCL, which says the same in another form. */
static void test_board(void **state)
{
	(void)state;
	assert_int_equal(match("165", "GPU-a", "165", "GPU-b"), CARDS_UNTOLD);
	assert_int_equal(match("165", "GPU-a", "165", "GPU-a"), CARDS_SAME);
	assert_int_equal(match("165", "GPU-ab", "165", "ab"), CARDS_SAME);
	assert_int_equal(match(NULL, "GPU-ab", NULL, "cd"), CARDS_UNTOLD);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_serial), cmocka_unit_test(test_by_uuid), cmocka_unit_test(test_board),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
