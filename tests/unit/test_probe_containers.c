// SPDX-License-Identifier: GPL-2.0-or-later
/* test_probe_containers.c - where containers with GPUs are found, and which folders must not be touched. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe/upgrade/local_path.h"
#include "probe/upgrade/upgrade_internal.h"
#include "tests/unit/tree.h"

#define CONFIG "{\"process\": {\"env\": [\"NVIDIA_REQUIRE_CUDA=cuda>=12.4\"]}, \"linux\": {" \
	       "\"devices\": [{\"path\": \"/dev/nvidia0\"}]}}"
#define PASSWD "root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000:Ada,,,:/home/ada:/bin/bash\nbob:x:100:100::/srv/bob:\n"
#define ADAS "home/ada/.local/share/containers/storage/overlay-containers/"
#define OF_ADA "run/user/1000/containers/overlay-containers/"

/* "0123456789ab, 1123456789ab" */
static void assert_found(const char *expected)
{
	STRBUF_AUTO keys = STRBUF_INIT;

	upgrade_containers_read(&env, &facts);
	for (size_t i = 0; i < facts.nr_gpu_containers; i++)
		strbuf_addf(&keys, "%s%s", i ? ", " : "", str_or(facts.gpu_containers[i].key, ""));
	assert_string_equal(keys.buf, expected);
}

static void assert_all_seen(void)
{
	assert_int_equal(u64_or(facts.listed.gpu_containers, 99), facts.nr_gpu_containers);
}

static void assert_not_seen(const char *why)
{
	/* What was not looked at is not what failed to answer. */
	assert_int_equal(facts.listed.gpu_containers.state, strstr(why, "containers of") ? VAL_SKIPPED : VAL_ERROR);
	assert_string_equal(facts.listed.gpu_containers.why, why);
}

static void each_containerd_has_a_folder(void **state)
{
	static const char *const folders[] = {
		"run/containerd", "run/docker/containerd/daemon", "run/snap.docker/containerd/daemon",
		"run/k3s/containerd", "run/k0s/containerd", "var/snap/microk8s/common/run/containerd",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		put_text(arena_printf(&facts.arena,
				      "%s/io.containerd.runtime.v2.task/moby/%zu123456789abcdef/config.json",
				      folders[i], i),
			 CONFIG);
	assert_found("0123456789ab, 1123456789ab, 2123456789ab, 3123456789ab, 4123456789ab, 5123456789ab");
	assert_all_seen();
}

/* Podman of root: its pidfile below /run, what it was told to start below /var/lib. */
static void roots_podman_has_two_folders(void **state)
{
	(void)state;
	put_text("proc/1/comm", "systemd\n");
	put_text("proc/777/comm", "python3\n");
	put_text("run/containers/storage/overlay-containers/0123456789abcdef/userdata/pidfile", "777");
	put_text("var/lib/containers/storage/overlay-containers/0123456789abcdef/userdata/config.json", CONFIG);
	/* One that has ended; one that was never started; one that has none. */
	put_text("run/containers/storage/overlay-containers/1123456789abcdef/userdata/pidfile", "778");
	put_text("var/lib/containers/storage/overlay-containers/1123456789abcdef/userdata/config.json", CONFIG);
	put_text("run/containers/storage/overlay-containers/2123456789abcdef/userdata/hosts", "");
	put_text("var/lib/containers/storage/overlay-containers/2123456789abcdef/userdata/config.json", CONFIG);
	put_text("var/lib/containers/storage/overlay-containers/3123456789abcdef/userdata/config.json", CONFIG);
	assert_found("0123456789ab");
	assert_all_seen();
}

/* vfs, btrfs, zfs: the folder is named after the graph driver, in both places. */
static void podmans_folder_has_the_graph_drivers_name(void **state)
{
	static const char *const drivers[] = { "vfs", "btrfs", "zfs" };

	(void)state;
	put_text("proc/1/comm", "systemd\n");
	put_text("proc/777/comm", "python3\n");
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
		const char *one = arena_printf(&facts.arena, "%s-containers/%zu123456789abcdef/userdata",
					       drivers[i], i);

		put_text(arena_printf(&facts.arena, "run/containers/storage/%s/pidfile", one), "777");
		put_text(arena_printf(&facts.arena, "var/lib/containers/storage/%s/config.json", one), CONFIG);
	}
	put_text("run/containers/storage/-containers/3123456789abcdef/userdata/config.json", CONFIG);
	put_text("run/containers/storage/overlay-layers/3123456789abcdef/userdata/config.json", CONFIG);
	assert_found("0123456789ab, 1123456789ab, 2123456789ab");
	assert_all_seen();
}

static void put_users(void)
{
	put_text("etc/passwd", PASSWD);
	put_text("proc/1/comm", "systemd\n");
	put_text("proc/777/comm", "python3\n");
	put_text(OF_ADA "0123456789abcdef/userdata/pidfile", "777");
}

static void users_have_containers_too(void **state)
{
	(void)state;
	put_users();
	put_text(ADAS "0123456789abcdef/userdata/config.json", CONFIG);
	put_text(
		"run/user/1000/docker/containerd/daemon/io.containerd.runtime.v2.task/moby/1123456789abcdef/config.json",
		CONFIG);
	put_text("run/user/100/containers/overlay-containers/2123456789abcdef/userdata/pidfile", "777");
	put_text("srv/bob/.local/share/containers/storage/overlay-containers/2123456789abcdef/userdata/config.json",
		 CONFIG);
	/* No user's. */
	put_text("run/user/README/containers/overlay-containers/3123456789abcdef/userdata/config.json", CONFIG);
	assert_found("0123456789ab, 1123456789ab, 2123456789ab");
	assert_all_seen();
}

static void a_home_on_a_file_server_is_not_touched(void **state)
{
	(void)state;
	put_users();
	put_text(ADAS "0123456789abcdef/userdata/config.json", CONFIG);
	put_text("proc/self/mountinfo", "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
					"29 22 0:26 / /home rw,nosuid shared:9 - nfs4 filer:/home rw,hard\n");
	assert_found("");
	assert_not_seen("containers of user 1000 not read: /home is of type nfs4");
	/* Nothing of theirs runs: there is nothing to look for. */
	facts.listed.gpu_containers = (struct val_u64){ .state = VAL_UNSET };
	put_text(OF_ADA "0123456789abcdef/userdata/pidfile", "778");
	assert_found("");
	assert_all_seen();
}

static void nor_is_one_that_a_user_links_to(void **state)
{
	(void)state;
	put_users();
	put_text("proc/self/mountinfo", "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
					"29 22 0:26 / /scratch rw - lustre mds@tcp:/scratch rw\n");
	put_text("scratch/0123456789abcdef/config.json", CONFIG);
	put_link(ADAS "0123456789abcdef/userdata", "../../../../../../../../scratch/0123456789abcdef");
	assert_found("");
	assert_not_seen("containers of user 1000 not read: /scratch is of type lustre");
	facts.listed.gpu_containers = (struct val_u64){ .state = VAL_UNSET };
	put_link("run/user/100/docker/containerd/daemon/io.containerd.runtime.v2.task/moby", "/scratch");
	put_text(OF_ADA "0123456789abcdef/userdata/pidfile", "778");
	assert_found("");
	assert_not_seen("containers of user 100 not read: /scratch is of type lustre");
}

/* A state folder of root's may lie on a file server as well as a home. */
static void nor_is_what_root_keeps_on_a_file_server(void **state)
{
	static const char bundle[] = "var/snap/microk8s/common/run/containerd/io.containerd.runtime.v2.task/k8s.io/"
				     "0123456789abcdef/config.json";

	(void)state;
	put_text(bundle, CONFIG);
	put_text("run/containerd/io.containerd.runtime.v2.task/k8s.io/1123456789abcdef/config.json", CONFIG);
	put_text("proc/self/mountinfo", "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
					"29 22 0:26 / /var/snap rw - nfs4 filer:/snap rw,hard\n");
	assert_found("1123456789ab");
	assert_not_seen("containers of root not read: /var/snap is of type nfs4");
}

static void what_is_not_where_it_should_be_is_said_to_be_missing(void **state)
{
	(void)state;
	put_users();
	assert_found("");
	assert_not_seen("one of user 1000's runs, and is not in /home/ada/.local/share/containers/storage");
	facts.listed.gpu_containers = (struct val_u64){ .state = VAL_UNSET };
	put_text("etc/passwd", "root:x:0:0:root:/root:/bin/bash\n1000:1000:1000\nada:x:1001:1000::/home/ada\n:::::\n");
	assert_found("");
	assert_not_seen("containers of user 1000 not read (not in /etc/passwd)");
}

static void many_users_are_too_many(void **state)
{
	(void)state;
	put_text("etc/passwd", PASSWD);
	for (int uid = 1; uid <= 257; uid++)
		put_text(arena_printf(&facts.arena, "run/user/%d/bus", uid), "");
	assert_found("");
	assert_not_seen("EFBIG");
}

static void assert_local(const char *path, const char *why)
{
	struct mounts mounts;
	const char *said;

	mounts_read(&env, &facts.arena, &mounts);
	said = why_not_local(&env, &mounts, path);
	assert_string_equal(said ? said : "local", why);
	mounts_release(&mounts);
}

static void a_path_is_local_by_what_is_mounted(void **state)
{
	(void)state;
	assert_local("/home/ada", "local");	/* a recording that tells nothing */
	put_text("proc/self/mountinfo",
		 "22 1 259:2 / / rw,relatime shared:1 - xfs /dev/root rw\n"
		 "23 22 0:26 / /home rw - autofs systemd-1 rw\n"
		 "24 23 0:27 / /home/ada rw - nfs filer:/ada rw\n"
		 "25 23 0:28 / /home/bob rw - nfs filer:/bob rw\n"
		 "26 25 259:3 / /home/bob rw - ext4 /dev/sdb1 rw\n"
		 "27 22 0:29 / /my\\040data rw shared:3 master:2 - fuse.sshfs me@there:/ rw\n"
		 "cut short\n\n28 22 0:30 /\n");
	assert_local("/", "local");
	assert_local("/srv/x", "local");
	assert_local("/homes", "local");
	assert_local("/home", "/home is of type autofs");
	/* Whoever walks to it has to pass by what mounts it. */
	assert_local("/home/ada/x", "/home is of type autofs");
	assert_local("/my data/x", "/my data is of type fuse.sshfs");
	assert_local("my data", "/my data is of type fuse.sshfs");
	assert_local("//srv/..//./my data", "/my data is of type fuse.sshfs");
	assert_local("/../../home", "/home is of type autofs");
}

static void of_two_mounts_at_one_place_the_last_counts(void **state)
{
	(void)state;
	put_text("proc/self/mountinfo", "22 1 259:2 / / rw - xfs /dev/root rw\n25 22 0:28 / /home rw - nfs filer:/ rw\n"
					"26 25 259:3 / /home rw - ext4 /dev/sdb1 rw\n");
	assert_local("/home/bob", "local");
	put_text("proc/self/mountinfo",
		 "22 1 259:2 / / rw - xfs /dev/root rw\n26 22 259:3 / /home rw - ext4 /dev/sdb1 rw\n"
		 "25 26 0:28 / /home rw - nfs filer:/ rw\n");
	assert_local("/home/bob", "/home is of type nfs");
}

static void links_are_followed_as_the_kernel_does(void **state)
{
	(void)state;
	put_text("proc/self/mountinfo",
		 "22 1 259:2 / / rw - xfs /dev/root rw\n25 22 0:28 / /net rw - nfs filer:/ rw\n");
	put_link("home", "data/homes");
	put_link("data/homes/ada", "../../net/ada");
	put_link("data/homes/bob", "/net/bob");
	put_link("data/homes/eve", "eve");
	put_text("data/homes/carl/x", "");
	put_link("data/homes/dan", "carl/x/..");
	assert_local("/home/carl/x", "local");
	assert_local("/home/nobody/x", "local");
	assert_local("/home/ada", "/net is of type nfs");
	assert_local("/home/bob/y", "/net is of type nfs");
	assert_local("/home/dan", "local");
	assert_local("/home/eve", "its links lead on and on");
}

#define IN_A_TREE(function) cmocka_unit_test_setup_teardown(function, tree_make, tree_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_TREE(each_containerd_has_a_folder),
		IN_A_TREE(roots_podman_has_two_folders),
		IN_A_TREE(podmans_folder_has_the_graph_drivers_name),
		IN_A_TREE(users_have_containers_too),
		IN_A_TREE(a_home_on_a_file_server_is_not_touched),
		IN_A_TREE(nor_is_one_that_a_user_links_to),
		IN_A_TREE(nor_is_what_root_keeps_on_a_file_server),
		IN_A_TREE(what_is_not_where_it_should_be_is_said_to_be_missing),
		IN_A_TREE(many_users_are_too_many),
		IN_A_TREE(a_path_is_local_by_what_is_mounted),
		IN_A_TREE(of_two_mounts_at_one_place_the_last_counts),
		IN_A_TREE(links_are_followed_as_the_kernel_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
