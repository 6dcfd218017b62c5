// SPDX-License-Identifier: GPL-2.0-or-later
/* test_mounts.c - the lines of mountinfo, and which of them a path lies on. */
#include "base/compat.h"
#include "format/mounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const char table[] =
	"22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n"
	"29 22 0:26 / /data rw,nosuid shared:9 master:2 - nfs4 server:/export/data rw,vers=4.2,rsize=1048576\n"
	"30 22 0:27 / /data\\040set rw - fuse.gcsfuse bucket rw\n"
	"31 29 0:28 /sub /data/scratch rw - tmpfs tmpfs rw,size=8g\n"
	"32 29 0:29 / /data/scratch rw - overlay overlay rw,lowerdir=/a,upperdir=/b\n"
	"torn line\n";

static const char *type_at(const struct mount_list *mounts, const char *path)
{
	const struct mount_point *mount = mount_of_path(mounts, path);

	return mount ? mount->type : "none";
}

static void test_lines(void **state)
{
	struct arena arena = { 0 };
	struct mount_list mounts;

	(void)state;
	mount_list_parse(&mounts, &arena, table);
	assert_int_equal(mounts.nr, 5);
	assert_string_equal(mounts.items[0].device, "259:2");
	assert_string_equal(mounts.items[0].source, "/dev/nvme0n1p2");
	/* Any number of optional fields stands before the dash. */
	assert_string_equal(mounts.items[1].type, "nfs4");
	assert_string_equal(mounts.items[1].source, "server:/export/data");
	assert_string_equal(mounts.items[1].options, "rw,vers=4.2,rsize=1048576");
	assert_string_equal(mounts.items[2].point, "/data set");
	assert_string_equal(mounts.items[3].root, "/sub");
	arena_release(&arena);
}

static void test_of_path(void **state)
{
	struct arena arena = { 0 };
	struct mount_list mounts;

	(void)state;
	mount_list_parse(&mounts, &arena, table);
	assert_string_equal(type_at(&mounts, "/home/a"), "ext4");
	assert_string_equal(type_at(&mounts, "/data"), "nfs4");
	assert_string_equal(type_at(&mounts, "/data/x"), "nfs4");
	assert_string_equal(type_at(&mounts, "/database"), "ext4");
	assert_string_equal(type_at(&mounts, "/data set/x"), "fuse.gcsfuse");
	/* What was mounted last covers what was there. */
	assert_string_equal(type_at(&mounts, "/data/scratch/x"), "overlay");
	mount_list_parse(&mounts, &arena, "");
	assert_string_equal(type_at(&mounts, "/data"), "none");
	arena_release(&arena);
}

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(mount_kind("ext4"), MOUNT_LOCAL);
	assert_int_equal(mount_kind("overlay"), MOUNT_OVERLAY);
	assert_int_equal(mount_kind("tmpfs"), MOUNT_MEMORY);
	assert_int_equal(mount_kind("autofs"), MOUNT_AUTOMOUNT);
	assert_int_equal(mount_kind("fuse.sshfs"), MOUNT_FUSE);
	assert_int_equal(mount_kind("nfs4"), MOUNT_NETWORK);
	/* To read a file of these may do something: /proc/kmsg is emptied by it. */
	assert_int_equal(mount_kind("proc"), MOUNT_KERNEL);
	assert_int_equal(mount_kind("sysfs"), MOUNT_KERNEL);
	/* A type nobody has heard of may be a server's. */
	assert_int_equal(mount_kind("fusefs2"), MOUNT_NETWORK);
	assert_int_equal(mount_kind("wekafs"), MOUNT_NETWORK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_of_path),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
