// SPDX-License-Identifier: GPL-2.0-or-later
/* test_disk_array.c - /proc/mdstat: forms as drivers/md/md.c, md_seq_show(), prints them. */
#include "base/compat.h"
#include "format/disk_array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void heads(void **state)
{
	struct arena arena = { .blocks = NULL };
	struct md_head head;

	(void)state;
	assert_true(md_head_read(&arena, "md0 : active raid1 sdb1[1](F) sda1[0]", &head));
	assert_string_equal(head.name, "md0");
	assert_string_equal(head.level, "raid1");
	assert_string_equal(head.failed, "sdb1");
	assert_true(md_head_read(&arena, "md_d0 : active (auto-read-only) raid10 sdb1[1](W)(F) sdc1[2](S) sda1[0](J)", &head));
	assert_string_equal(head.level, "raid10");
	assert_string_equal(head.failed, "sdb1");
	assert_true(md_head_read(&arena, "md127 : inactive sdf[1](S) sde[0](S)", &head));
	assert_null(head.level);
	assert_null(head.failed);
	assert_false(md_head_read(&arena, "md0 : is active as far as I know", &head));
	assert_false(md_head_read(&arena, "md5sum : active", &head) && head.level);
	assert_false(md_head_read(&arena, "Personalities : [raid1]", &head));
	arena_release(&arena);
}

static void lines_below(void **state)
{
	uint64_t members, working;

	(void)state;
	assert_true(md_counts_read("      15001347072 blocks super 1.2 level 6, 512k chunk, algorithm 2 [6/5] [UUUUU_]", &members,
				   &working));
	assert_int_equal(members, 6);
	assert_int_equal(working, 5);
	assert_false(md_counts_read("      7500673024 blocks super 1.2 512k chunks", &members, &working));
	assert_false(md_counts_read("      bitmap: 3/8 pages [12KB], 65536KB chunk", &members, &working));
	assert_string_equal(md_activity("      [==>..................]  recovery = 12.6% (1/9) finish=80.1min speed=1K/sec"), "recovery");
	assert_string_equal(md_activity("        resync=PENDING"), "resync");
	assert_null(md_activity("      [12KB] chunk"));
	assert_null(md_activity("check it"));
}

static void states(void **state)
{
	(void)state;
	assert_string_equal(md_state("raid1", 2, 2), "active");
	assert_string_equal(md_state("raid1", 4, 1), "degraded");
	assert_string_equal(md_state("raid1", 2, 0), "failed");
	assert_string_equal(md_state("raid5", 4, 3), "degraded");
	assert_string_equal(md_state("raid5", 4, 2), "failed");
	assert_string_equal(md_state("raid6", 8, 6), "degraded");
	assert_string_equal(md_state("raid6", 8, 5), "failed");
	assert_string_equal(zpool_state("FAULTED"), "faulted");
	assert_null(zpool_state("FINE"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads),
		cmocka_unit_test(lines_below),
		cmocka_unit_test(states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
