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
	assert_true(md_head_read(&arena, "md_d0 : active (auto-read-only) raid10 sdb1[1](W)(F) sdc1[2](S) sda1[0](J)",
				 &head));
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
	struct md_line line;

	(void)state;
	assert_true(md_line_read("      15001347072 blocks super 1.2 level 6, 512k chunk, algorithm 2 [6/5] [UUUUU_]",
				 "raid6", &line));
	assert_true(line.has_counts);
	assert_int_equal(line.members, 6);
	assert_int_equal(line.working, 5);
	assert_false(md_line_read("      7500673024 blocks super 1.2 512k chunks", "raid0", &line));
	assert_false(md_line_read("      bitmap: 3/8 pages [12KB], 65536KB chunk", "raid1", &line));
	assert_true(md_line_read("      [==>..................]  recovery = 12.6% (1/9) finish=80.1min speed=1K/sec",
				 "raid1", &line));
	assert_string_equal(line.activity, "recovery");
	assert_true(md_line_read("        resync=PENDING", "raid1", &line));
	assert_string_equal(line.activity, "resync");
	assert_false(md_line_read("      [12KB] chunk", "raid1", &line));
	assert_false(md_line_read("check it", "raid1", &line));
	assert_true(md_line_read("      10402 blocks super external:imsm", NULL, &line));
	assert_string_equal(line.state, "container");
	assert_false(md_line_read("      976630464 blocks super 1.2", NULL, &line));
}

static const char *state_of(const char *level, unsigned members, unsigned working)
{
	char text[64];
	struct md_line line;

	snprintf(text, sizeof(text), "      1024 blocks super 1.2 [%u/%u] [U]", members, working);
	assert_true(md_line_read(text, level, &line));
	return line.state;
}

static void states(void **state)
{
	(void)state;
	assert_string_equal(state_of("raid1", 2, 2), "active");
	assert_string_equal(state_of("raid1", 4, 1), "degraded");
	assert_string_equal(state_of("raid1", 2, 0), "failed");
	assert_string_equal(state_of("raid5", 4, 3), "degraded");
	assert_string_equal(state_of("raid5", 4, 2), "failed");
	assert_string_equal(state_of("raid6", 8, 6), "degraded");
	assert_string_equal(state_of("raid6", 8, 5), "failed");
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
