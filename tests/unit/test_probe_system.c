// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What probes "system" and "host" make of texts: control groups and mounts, library versions, places in
 * /sys.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/host/host_internal.h"
#include "probe/paths.h"
#include "probe/read.h"
#include "probe/system/cgroup_place.h"
#include "tests/unit/tree.h"

#define V2_MOUNT "31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 master:1 - cgroup2 cgroup2 rw,nsdelegate\n"

static void assert_place(const char *groups, const char *mounts, const char *controller, unsigned version,
			 const char *mount, const char *below)
{
	struct cgroup_place place = cgroup_find(&facts.arena, groups, mounts, controller);

	assert_int_equal(place.version, version);
	assert_string_equal(place.mount ? place.mount : "(none)", mount);
	assert_string_equal(place.below, below);
}

static void the_mount_that_shows_the_group_counts(void **state)
{
	(void)state;
	/* A node's pod that has all of its host below /host. */
	assert_place("0::/\n", V2_MOUNT "41 23 0:27 /../../.. /host/sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "memory",
		     2, "/sys/fs/cgroup", "");
	assert_place("0::/kube/a\n", "31 23 0:27 /kube/a /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
		     "41 23 0:27 /other /mnt/cgroup rw - cgroup2 cgroup rw\n", "memory", 2, "/sys/fs/cgroup", "");
	assert_place("0::/kube/a\n", "41 23 0:27 /other /mnt/cgroup rw - cgroup2 cgroup rw\n"
		     "31 23 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "memory", 2, "/sys/fs/cgroup", "/kube/a");
	/* One on top of the other. */
	assert_place("0::/a\n", "31 23 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
		     "32 23 0:27 /a /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "memory", 2, "/sys/fs/cgroup", "");
}

static void groups_of_version_2_are_found(void **state)
{
	(void)state;
	assert_place("0::/system.slice/a.service\n", V2_MOUNT, "memory", 2, "/sys/fs/cgroup",
		     "/system.slice/a.service");
	assert_place("0::/\n", V2_MOUNT, "memory", 2, "/sys/fs/cgroup", "");
	/* What is mounted is the group itself, and a group below it. */
	assert_place("0::/docker/5f0c\n", "31 23 0:27 /docker/5f0c /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "cpu", 2,
		     "/sys/fs/cgroup", "");
	assert_place("0::/docker/5f0c/a\n", "31 23 0:27 /docker/5f0c /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "cpu", 2,
		     "/sys/fs/cgroup", "/a");
	assert_place("0::/docker/5f0cafe\n", "31 23 0:27 /docker/5f0c /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "cpu",
		     2, "/sys/fs/cgroup", "");
	/* Another namespace's. */
	assert_place("0::/../../a\n", V2_MOUNT, "memory", 2, "/sys/fs/cgroup", "");
	assert_place("0::/a\n", "31 23 0:27 / /a\\040b rw - cgroup2 none rw\n", "memory", 2, "/a b", "/a");
	assert_place("0::/a\n", "22 27 0:21 / /proc rw - proc proc rw\n", "memory", 2, "(none)", "");
	assert_place("0::/a\n", "", "memory", 2, "(none)", "");
	assert_place("0::/a\n", "31 23 0:27 / /sys/fs/cgroup rw\n31\n\n - \n", "memory", 2, "(none)", "");
}

static void groups_of_version_1_are_found(void **state)
{
	static const char groups[] = "12:pids:/a\n7:cpu,cpuacct:/b\n4:memory:/c/d\n3:cpuset:/\n"
				     "1:name=systemd:/e\n0::/f\n";
	static const char mounts[] = V2_MOUNT
		"33 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
		"34 31 0:30 /b /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpuacct,cpu\n"
		"35 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

	(void)state;
	assert_place(groups, mounts, "memory", 1, "/sys/fs/cgroup/memory", "/c/d");
	assert_place(groups, mounts, "cpu", 1, "/sys/fs/cgroup/cpu,cpuacct", "");
	assert_place(groups, mounts, "cpuset", 1, "/sys/fs/cgroup/cpuset", "");
	/* Hybrid: a controller that version 1 does not have is in the other tree, whatever comes first. */
	assert_place(groups, mounts, "io", 2, "/sys/fs/cgroup", "/f");
	assert_place("0::/f\n4:memory:/c\n", mounts, "memory", 1, "/sys/fs/cgroup/memory", "/c");
	assert_place("", mounts, "memory", 0, "(none)", "");
	assert_place("no group\n4:memory\n::\n", mounts, "memory", 0, "(none)", "");
	/* A controller's name is not a part of another's. */
	assert_place("4:cpuset:/c\n", mounts, "cpu", 0, "(none)", "");
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", folder, name);
	put_text(path, text);
}

static void make_folders(const char *const *folders)
{
	for (; *folders; folders++)
		assert_int_equal(mkdir(scratch(*folders), 0755), 0);
}

static void the_narrowest_limit_holds(void **state)
{
	const char *const folders[] = { "proc", "proc/self", "cg", "cg/a", "cg/a/b", "cg/a/b/c", NULL };
	struct cgroup cgroup = { 0 };

	(void)state;
	make_folders(folders);
	put("proc/self/", "cgroup", "0::/a/b/c\n");
	put("proc/self/", "mountinfo", "31 23 0:27 / /cg rw - cgroup2 none rw\n");
	put("cg/a/b/c/", "memory.max", "max\n");
	put("cg/a/b/", "memory.max", "2000\n");
	put("cg/a/", "memory.max", "1000\n");
	put("cg/a/", "memory.current", "900\n");
	put("cg/a/b/", "memory.current", "800\n");
	put("cg/a/", "memory.stat", "anon 1\nactive_file 20\ninactive_file 300\ninactive_file_x 4\n");
	put("cg/a/b/c/", "memory.swap.max", "0\n");
	put("cg/a/", "memory.events", "oom 9\noom_kill 2\noom_group_kill 1\n");
	put("cg/a/b/c/", "cpu.max", "150000 100000\n");
	put("cg/a/", "cpu.max", "max 100000\n");
	put("cg/a/b/c/", "cpu.stat", "usage_usec 1\nnr_periods 50\nnr_throttled 5\n");
	put("cg/a/b/", "cpuset.cpus.effective", "0-3,8\n");
	put("cg/", "cpuset.cpus.effective", "0-31\n");
	system_cgroup_read(&env, &facts.arena, &cgroup);
	assert_int_equal(u64_or(cgroup.version, 0), 2);
	assert_string_equal(str_or(cgroup.path, ""), "/a/b/c");
	assert_int_equal(u64_or(cgroup.memory_limit_bytes, 0), 1000);
	assert_int_equal(u64_or(cgroup.memory_used_bytes, 0), 900);
	assert_int_equal(u64_or(cgroup.memory_cache_bytes, 0), 320);
	assert_true(is_known(cgroup.swap_limit_bytes) && !u64_or(cgroup.swap_limit_bytes, 1));
	assert_int_equal(u64_or(cgroup.oom_kills, 0), 2);
	assert_true(f64_or(cgroup.cpu_limit, 0) == 1.5);
	assert_int_equal(u64_or(cgroup.cpu_periods, 0), 50);
	assert_int_equal(u64_or(cgroup.cpu_throttled_periods, 0), 5);
	assert_string_equal(str_or(cgroup.cpus, ""), "0-3,8");
	assert_string_equal(val_state_name(cgroup.memory_nodes.state), "absent");
	/* A group that says nonsense may have a limit: none is known, unless another group's is. */
	put("cg/a/b/", "memory.max", "lots\n");
	put("cg/a/", "memory.max", "9223372036854771712\n");
	put("cg/a/b/c/", "cpu.max", "\n");
	system_cgroup_read(&env, &facts.arena, &cgroup);
	assert_string_equal(val_state_name(cgroup.memory_limit_bytes.state), "error");
	assert_string_equal(cgroup.memory_limit_bytes.why, "reads \"lots\"");
	assert_string_equal(val_state_name(cgroup.cpu_limit.state), "absent");
}

static void versions_stand_in_file_names(void **state)
{
	const char *version = NULL;

	(void)state;
	assert_int_equal(user_library_parse("libcuda.so.550.54.14", &version), 0);
	assert_string_equal(version, "550.54.14");
	assert_int_equal(user_library_parse("libnvidia-ml.so.384.111", &version), 1);
	assert_string_equal(version, "384.111");
	assert_int_equal(user_library_parse("libnvidia-opencl.so.1", &version), 2);
	assert_null(version);
	/* The interface's number, as WSL and Jetson name the file itself. */
	assert_int_equal(user_library_parse("libcuda.so.1.1", &version), -1);
	assert_int_equal(user_library_parse("libcuda.so", &version), -1);
	assert_int_equal(user_library_parse("libcuda.so.550.54.14.bak", &version), -1);
	assert_int_equal(user_library_parse("libcuda.so.550.", &version), -1);
	assert_int_equal(user_library_parse("libcuda.so.550", &version), -1);
	assert_int_equal(user_library_parse("libcudart.so.550.54.14", &version), -1);
	assert_int_equal(user_library_parse("libcuda", &version), -1);
}

static void assert_size(const char *mounts, const char *wanted)
{
	struct val_u64 size = mount_size(&facts.arena, mounts, "/dev/shm");
	const char *text = arena_printf(&facts.arena, "%llu", (unsigned long long)u64_or(size, 0));

	assert_string_equal(is_known(size) ? text : size.why, wanted);
}

static void mounts_name_sizes(void **state)
{
	(void)state;
	assert_size("tmpfs /dev/shm tmpfs rw,nosuid,size=65536k,inode64 0 0\n", "67108864");
	assert_size("proc /proc proc rw 0 0\nshm /dev/shm tmpfs rw,size=2g 0 0", "2147483648");
	assert_size("shm /dev/shm tmpfs size=4096 0 0\n", "4096");
	assert_size("a /dev/shm tmpfs rw,size=1k 0 0\nb /dev/shm tmpfs rw,size=2K 0 0\n", "2048");
	assert_size("tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n", "its mount options name no size");
	assert_size("tmpfs /dev/shm tmpfs rw,size=50% 0 0\n", "its mount options name no size");
	assert_size("tmpfs /dev/shm tmpfs rw,size=18446744073709551615g 0 0\n", "its mount options name no size");
	assert_size("tmpfs /dev/shm tmpfs rw,size= 0 0\n", "its mount options name no size");
	assert_size("tmpfs /dev/shm tmpfs rw,xsize=1k 0 0\n", "its mount options name no size");
	assert_size("tmpfs /dev/shm\n", "its mount options name no size");
	assert_size("tmpfs /dev/shmx tmpfs rw,size=1k 0 0\n\n\n", "not mounted");
	assert_size("", "not mounted");
}

static void places_name_the_function(void **state)
{
	static const char pci[] = "../../devices/pci0000:00/0000:00:03.0/";

	(void)state;
	assert_string_equal(pci_address_of_place(&facts.arena, "../../devices/pci0000:00/0000:2a:00.1/net/eth0"),
			    "0000:2a:00.1");
	assert_string_equal(pci_address_of_place(&facts.arena, arena_printf(&facts.arena, "%svirtio2/net/eth0", pci)),
			    "0000:00:03.0");
	assert_null(pci_address_of_place(&facts.arena, arena_printf(&facts.arena, "%susb1/1-9/1-9:2.0/net/usb0", pci)));
	assert_null(pci_address_of_place(&facts.arena, "../../devices/platform/eth/net/eth0"));
	assert_null(pci_address_of_place(&facts.arena, "net/eth0"));
	assert_null(pci_address_of_place(&facts.arena, "virtio0/net/eth0"));
	assert_null(pci_address_of_place(&facts.arena, "/"));
	assert_null(pci_address_of_place(&facts.arena, "eth0"));
	assert_null(pci_address_of_place(&facts.arena, ""));
}

static void assert_resolved(const char *path, const char *wanted)
{
	const char *resolved = resolved_path(&env, &facts.arena, path);

	assert_string_equal(resolved ? resolved : "(nowhere)", wanted);
}

static void paths_are_followed(void **state)
{
	const char *const folders[] = { "usr", "usr/lib", "usr/lib/a", NULL };

	(void)state;
	make_folders(folders);
	put("usr/lib/a/", "file", "x");
	assert_int_equal(symlink("usr/lib", scratch("lib")), 0);
	assert_int_equal(symlink("/lib/a/file", scratch("usr/absolute")), 0);
	assert_int_equal(symlink("a/../a/./file", scratch("usr/lib/up")), 0);
	assert_int_equal(symlink("circle", scratch("circle")), 0);
	assert_resolved("/lib/a/file", "/usr/lib/a/file");
	assert_resolved("/usr/absolute", "/usr/lib/a/file");
	assert_resolved("/lib//up/", "/usr/lib/a/file");
	assert_resolved("/lib/../../..", "/");
	assert_resolved("/lib/none", "(nowhere)");
	assert_resolved("/circle", "(nowhere)");
}

static void assert_choice(const char *text, const char *wanted)
{
	struct val_str choice;

	assert_true(scratch_write("choice", text, strlen(text)));
	choice = read_choice(&env, &facts.arena, "/choice");
	assert_string_equal(is_known(choice) ? str_or(choice, "") : choice.why, wanted);
}

static void the_word_in_brackets_is_in_force(void **state)
{
	(void)state;
	assert_choice("[none] mq-deadline kyber\n", "none");
	assert_choice("default performance [powersave]\n", "powersave");
	assert_choice("none\n", "none");
	assert_choice("none mq-deadline\n", "reads \"none mq-deadline\"");
	assert_choice("[none\n", "reads \"[none\"");
	assert_choice("", "empty");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mount_that_shows_the_group_counts),
		cmocka_unit_test(groups_of_version_2_are_found),
		cmocka_unit_test(groups_of_version_1_are_found),
		cmocka_unit_test(the_narrowest_limit_holds),
		cmocka_unit_test(versions_stand_in_file_names),
		cmocka_unit_test(mounts_name_sizes),
		cmocka_unit_test(places_name_the_function),
		cmocka_unit_test(paths_are_followed),
		cmocka_unit_test(the_word_in_brackets_is_in_force),
	};

	return cmocka_run_group_tests(tests, tree_make, tree_remove);
}
