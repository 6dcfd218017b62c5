// SPDX-License-Identifier: GPL-2.0-or-later
/* test_data_folders.c - which of a process's open files are data, and by which path they are reached from here. */
#include "base/compat.h"
#include "tests/unit/tree.h"

#include "probe/process/data_folders.h"

static void put_open(const char *descriptor, const char *name, const char *flags)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "proc/71/fd/%s", descriptor);
	put_link(path, name);
	snprintf(path, sizeof(path), "proc/71/fdinfo/%s", descriptor);
	snprintf(text, sizeof(text), "pos:\t0\nflags:\t%s\nmnt_id:\t28\n", flags);
	put_text(path, text);
}

static const struct strs *folders(void)
{
	static struct strs found;

	found = (struct strs){ .nr = 0 };
	data_folders_read(&env, &facts.arena, "71", &found);
	return &found;
}

static void test_files_read(void **state)
{
	(void)state;
	put_open("0", "/dev/null", "0100000");
	put_open("1", "/home/u/slurm-17.out", "0102001");
	put_open("3", "/usr/lib/python3/dist-packages/x.so", "0100000");
	put_open("4", "socket:[81]", "02");
	put_open("5", "/data/set/train-0.tar", "0100000");
	put_open("6", "/data/set/train-1.tar", "02500000");
	put_open("7", "/data/set/old.tar (deleted)", "0100000");
	put_open("8", "/mnt/log/events", "0102002");
	put_open("9", "/memfd:x (deleted)", "0100000");
	assert_int_equal(folders()->nr, 1);
	assert_string_equal(folders()->v[0], "/data/set");
}

static void test_no_more_than_there_is_room_for(void **state)
{
	char name[32], number[16];

	(void)state;
	for (int i = 0; i < 3 * MAX_DATA_FOLDERS; i++) {
		snprintf(number, sizeof(number), "%d", 10 + i);
		snprintf(name, sizeof(name), "/data/%d/part", i);
		put_open(number, name, "0100000");
	}
	assert_int_equal(folders()->nr, MAX_DATA_FOLDERS);
}

static void test_of_a_container(void **state)
{
	(void)state;
	put_link("proc/self/ns/mnt", "mnt:[4026531840]");
	put_link("proc/71/ns/mnt", "mnt:[4026532200]");
	put_open("5", "/workspace/set/a", "0100000");
	assert_int_equal(folders()->nr, 1);
	assert_string_equal(folders()->v[0], "/proc/71/root/workspace/set");
}

static void test_what_cannot_be_read(void **state)
{
	(void)state;
	assert_int_equal(folders()->nr, 0);
	/* Without its flags nobody knows which way its bytes go. */
	put_link("proc/71/fd/5", "/data/set/a");
	assert_int_equal(folders()->nr, 0);
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_TREE(test_files_read),
		IN_A_TREE(test_no_more_than_there_is_room_for),
		IN_A_TREE(test_of_a_container),
		IN_A_TREE(test_what_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
