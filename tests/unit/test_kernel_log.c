// SPDX-License-Identifier: GPL-2.0-or-later
/* test_kernel_log.c - which lines of the kernel log are kept, and how the journal's are told apart. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/kernel_log_keep.h"
#include "probe/kernel_log/kernel_log_journal.h"

static uint64_t number;

static unsigned say_as(struct log_keeper *keeper, enum klog_origin origin, const char *text)
{
	struct klog_line line = {
		.text = span_of(text), .number = ++number, .level = 3, .origin = origin,
		.time = { .has_boot = true, .boot_us = number * 1000000 },
	};

	return log_keeper_line(keeper, &line);
}

static unsigned say(struct log_keeper *keeper, const char *text)
{
	return say_as(keeper, KLOG_ORIGIN_KERNEL, text);
}

/* All that is kept, in one snapshot. */
static void take_all(struct log_keeper *keeper, struct snapshot *ret)
{
	*ret = (struct snapshot){ .nr_log_lines = 0 };
	while (log_keeper_take(keeper, ret))
		;
}

static void test_few_lines_are_all_kept(void **state)
{
	struct log_keeper *keeper = log_keeper_new();
	struct snapshot kept;

	(void)state;
	number = 6;
	say(keeper, "Linux version 6.1.0");
	say(keeper, "NVRM: Xid (PCI:0000:5d:00): 79, pid=31, name=python3, GPU has fallen off the bus.");
	say(keeper, "bytes that are no text: \xff\xfe");
	assert_int_equal(log_keeper_left_out(keeper), 0);
	assert_true(log_keeper_saw_boot(keeper));
	take_all(keeper, &kept);
	assert_int_equal(kept.nr_log_lines, 3);
	assert_true(str_is(kept.log_lines[1].key, "8"));
	assert_int_equal(u64_or(kept.log_lines[1].boot_ns, 0), UINT64_C(8000000000));
	assert_int_equal(u64_or(kept.log_lines[1].level, 9), 3);
	assert_true(str_is(kept.log_lines[1].process, "python3"));
	assert_false(is_known(kept.log_lines[0].process));
	assert_true(str_is(kept.log_lines[2].text, "bytes that are no text: \xef\xbf\xbd\xef\xbf\xbd"));
	snapshot_release(&kept);
	log_keeper_free(keeper);
}

/* Root can write anything there, and so can whoever may log. */
static void test_programs_lines_are_not_the_kernels(void **state)
{
	struct log_keeper *keeper = log_keeper_new();
	struct snapshot kept;

	(void)state;
	say_as(keeper, KLOG_ORIGIN_USER, "Linux version 6.1.0");
	say_as(keeper, KLOG_ORIGIN_USER, "NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus.");
	assert_false(log_keeper_saw_boot(keeper));
	take_all(keeper, &kept);
	assert_int_equal(kept.nr_log_lines, 0);
	snapshot_release(&kept);
	log_keeper_free(keeper);
}

/* One line over and over: its first and newest stay, each number between is counted, nothing else goes. */
static void test_a_storm_is_thinned(void **state)
{
	enum { STORM = 100000, KEPT = KEPT_FIRST + KEPT_NEWEST };
	struct log_keeper *keeper = log_keeper_new();
	struct snapshot kept;
	uint64_t left_out = 0;
	char text[120];

	(void)state;
	number = 0;
	say(keeper, "NVRM: Xid (PCI:0000:5d:00): 48, pid=31, An uncorrectable double bit error (DBE)");
	for (int i = 0; i < STORM; i++) {
		snprintf(text, sizeof(text), "NVRM: Xid (PCI:0000:3b:00): 31, pid=%d, Ch %08x", i, i);
		say(keeper, text);
	}
	/* Of another device it is another line. */
	say(keeper, "NVRM: Xid (PCI:0000:4c:00): 31, pid=7, Ch 00000007");
	assert_int_equal(log_keeper_left_out(keeper), STORM - KEPT);
	take_all(keeper, &kept);
	assert_int_equal(kept.nr_log_lines, KEPT + 2);
	assert_true(str_is(kept.log_lines[0].key, "1"));
	for (size_t i = 0; i < kept.nr_log_lines; i++)
		left_out += u64_or(kept.log_lines[i].left_out, 0);
	assert_int_equal(left_out, STORM - KEPT);
	assert_int_equal(u64_or(kept.log_lines[KEPT_FIRST].left_out, 0), STORM - KEPT);
	snprintf(text, sizeof(text), "%d", STORM + 1);
	assert_true(str_is(kept.log_lines[KEPT].key, text));
	snapshot_release(&kept);
	log_keeper_free(keeper);
}

/* A line of its own each: letters differ. */
static void different_text(char text[40], unsigned n)
{
	snprintf(text, 40, "amdgpu: ");
	for (int i = 0; i < 6; i++, n /= 16)
		text[8 + i] = (char)('g' + n % 16);
	text[14] = '\0';
}

static void test_what_is_too_much_goes_oldest_first(void **state)
{
	struct log_keeper *keeper = log_keeper_new();
	struct snapshot kept;
	uint64_t from_us = 0;
	char text[40];

	(void)state;
	number = 0;
	assert_false(log_keeper_kept_from(keeper, &from_us));
	for (unsigned i = 0; i < MAX_KEPT_LINES + 10; i++) {
		different_text(text, i);
		say(keeper, text);
	}
	assert_int_equal(log_keeper_left_out(keeper), 10);
	assert_true(log_keeper_kept_from(keeper, &from_us));
	assert_int_equal(from_us, 10000000);
	take_all(keeper, &kept);
	assert_int_equal(kept.nr_log_lines, MAX_KEPT_LINES);
	assert_true(str_is(kept.log_lines[0].key, "11"));
	snapshot_release(&kept);
	log_keeper_free(keeper);
}

static void test_a_fault_stays_longer_than_what_is_none(void **state)
{
	struct log_keeper *keeper = log_keeper_new();
	struct snapshot kept;
	char text[40];

	(void)state;
	number = 0;
	different_text(text, 0);
	say(keeper, text);
	say(keeper, "NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus.");
	for (unsigned i = 1; i < 2 * MAX_KEPT_LINES; i++) {
		different_text(text, i);
		say(keeper, text);
	}
	assert_int_equal(log_keeper_left_out(keeper), MAX_KEPT_LINES + 1);
	assert_true(log_keeper_is_cut(keeper));
	take_all(keeper, &kept);
	assert_int_equal(kept.nr_log_lines, MAX_KEPT_LINES);
	assert_true(str_is(kept.log_lines[0].key, "2"));
	assert_non_null(strstr(str_or(kept.log_lines[0].text, ""), "Xid"));
	snapshot_release(&kept);
	log_keeper_free(keeper);
}

static void test_bytes_are_bounded_too(void **state)
{
	struct log_keeper *keeper = log_keeper_new();
	struct snapshot kept;
	size_t bytes = 0;
	char text[2000];

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		memset(text, 'x', sizeof(text));
		different_text(text, i);
		text[14] = ' ';
		text[sizeof(text) - 1] = '\0';
		say(keeper, text);
	}
	take_all(keeper, &kept);
	for (size_t i = 0; i < kept.nr_log_lines; i++)
		bytes += strlen(str_or(kept.log_lines[i].text, ""));
	assert_in_range(bytes, MAX_KEPT_BYTES - 2 * MAX_KEPT_LINE_BYTES, MAX_KEPT_BYTES);
	snapshot_release(&kept);
	log_keeper_free(keeper);
}

/* Two sources that each count from 1. */
static void test_keys_rise(void **state)
{
	struct log_keeper *keeper = log_keeper_new();
	struct snapshot kept;

	(void)state;
	number = 40;
	say(keeper, "amdgpu: one");
	number = 2;
	say(keeper, "amdgpu: two");
	take_all(keeper, &kept);
	assert_int_equal(kept.nr_log_lines, 2);
	assert_true(str_is(kept.log_lines[0].text, "amdgpu: one"));
	assert_true(str_is(kept.log_lines[1].key, "42"));
	snapshot_release(&kept);
	log_keeper_free(keeper);
}

static void test_entries_of_the_journal(void **state)
{
	static const char entry[] = "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1\n__MONOTONIC_TIMESTAMP=2000\n"
				    "_SOURCE_MONOTONIC_TIMESTAMP=1000\nMESSAGE\n\5\0\0\0\0\0\0\0a\n\nb=\n"
				    "PRIORITY=3\n\n";
	static const char plain[] = "__MONOTONIC_TIMESTAMP=2000\nMESSAGE=x\n\n";
	size_t len = sizeof(entry) - 1;
	uint64_t us = 0;

	(void)state;
	assert_int_equal(journal_entry(entry, len, &us), len);
	assert_int_equal(us, 1000);
	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(journal_entry(entry, cut, &us), 0);
	assert_int_equal(journal_entry(plain, sizeof(plain) - 1, &us), sizeof(plain) - 1);
	assert_int_equal(us, 2000);
	/* A length that no memory has. */
	assert_int_equal(journal_entry("MESSAGE\n\xff\xff\xff\xff\xff\xff\xff\xff" "a\n\n", 19, &us), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_lines_are_all_kept),
		cmocka_unit_test(test_programs_lines_are_not_the_kernels),
		cmocka_unit_test(test_a_storm_is_thinned),
		cmocka_unit_test(test_what_is_too_much_goes_oldest_first),
		cmocka_unit_test(test_a_fault_stays_longer_than_what_is_none),
		cmocka_unit_test(test_bytes_are_bounded_too),
		cmocka_unit_test(test_keys_rise),
		cmocka_unit_test(test_entries_of_the_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
