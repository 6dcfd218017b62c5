// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it looks at this machine. */
/* test_host_room.c - memory that is left below a limit, and whose kill a kill was. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/system/host_room.h"
#include "tests/unit/tree.h"

#define MIB (UINT64_C(1) << 20)
#define V1_MOUNT "36 31 0:33 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
#define V2_MOUNT "31 23 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"

static struct arena arena;

static struct host_room look(void)
{
	struct host_room room;

	host_room_read(&tree, &room);
	return room;
}

static void put_host(const char *kills)
{
	put_text("proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n");
	put_text("proc/vmstat", kills);
}

static void test_version_2_limits_and_counts(void **state)
{
	struct host_room before, after;

	(void)state;
	put_host("oom_kill 7\n");
	put_text("proc/self/cgroup", "0::/pod/job\n");
	put_text("proc/self/mountinfo", V2_MOUNT);
	put_text("sys/fs/cgroup/pod/memory.max", "268435456\n");
	put_text("sys/fs/cgroup/pod/memory.current", "209715200\n");
	put_text("sys/fs/cgroup/pod/memory.stat", "inactive_file 41943040\nactive_file 10485760\n");
	put_text("sys/fs/cgroup/pod/memory.events", "low 0\noom 0\noom_kill 0\n");
	put_text("sys/fs/cgroup/pod/job/memory.max", "max\n");
	before = look();
	assert_int_equal(before.limit_bytes, 256 * MIB);
	assert_int_equal(before.free_bytes, 106 * MIB);
	assert_int_equal(before.group_kills, 0);
	assert_int_equal(before.host_kills, 7);
	/* Another container's on this machine. */
	put_host("oom_kill 8\n");
	after = look();
	assert_string_equal(host_room_killer(&arena, &before, &after),
			    "killed by SIGKILL from outside: by a person, a supervisor or a job's limit");
	put_text("sys/fs/cgroup/pod/memory.events", "low 0\noom 1\noom_kill 1\n");
	after = look();
	assert_string_equal(host_room_killer(&arena, &before, &after),
			    "killed by the OOM killer: memory limit of 256 MiB (container, job or service)");
}

static void test_version_1_limits_and_counts(void **state)
{
	struct host_room before, after;

	(void)state;
	put_host("oom_kill 0\n");
	put_text("proc/self/cgroup", "4:memory:/job\n0::/\n");
	put_text("proc/self/mountinfo", V1_MOUNT);
	put_text("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "67108864\n");
	put_text("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "67108864\n");
	put_text("sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file 0\ntotal_active_file 0\n");
	put_text("sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	before = look();
	/* None is left, which is not the same as not known. */
	assert_int_equal(before.free_bytes, 1);
	put_text("sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	after = look();
	assert_string_equal(host_room_killer(&arena, &before, &after),
			    "killed by the OOM killer: memory limit of 64 MiB (container, job or service)");
}

static void test_without_a_group_the_machine_counts(void **state)
{
	struct host_room before, after;

	(void)state;
	put_host("oom_kill 0\n");
	before = look();
	assert_int_equal(before.free_bytes, 8192 * MIB);
	assert_int_equal(before.limit_bytes, 0);
	after = before;
	assert_string_equal(host_room_killer(&arena, &before, &after),
			    "killed by SIGKILL from outside: by a person, a supervisor or a job's limit");
	put_host("oom_kill 1\n");
	after = look();
	assert_string_equal(host_room_killer(&arena, &before, &after),
			    "killed by the OOM killer: the host ran out of memory");
}

static void test_what_nobody_counts_is_no_oom_kill(void **state)
{
	struct host_room before = look(), after = look();

	(void)state;
	assert_int_equal(before.free_bytes, 0);
	assert_int_equal(before.host_kills, HOST_ROOM_UNKNOWN);
	assert_string_equal(host_room_killer(&arena, &before, &after),
			    "killed by SIGKILL from outside: by a person, a supervisor or a job's limit");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, tree_make, tree_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_version_2_limits_and_counts),
		TEST(test_version_1_limits_and_counts),
		TEST(test_without_a_group_the_machine_counts),
		TEST(test_what_nobody_counts_is_no_oom_kill),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return failed;
}
