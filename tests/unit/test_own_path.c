// SPDX-License-Identifier: GPL-2.0-or-later
/* test_own_path.c - which paths root may trust, and that a user's files are opened with the user's rights. */
#include "base/compat.h"

#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/prctl.h>

#include <cmocka.h>

#include "probe/nvidia/nvml.h"
#include "sys/as_user.h"
#include "sys/own_path.h"
#include "tests/unit/support.h"

enum { NOBODY = 65534 };

static int set_up(void **state)
{
	(void)state;
	return scratch_make() ? 0 : -1;
}

static int clean_up(void **state)
{
	(void)state;
	scratch_remove();
	return 0;
}

/* In a child that is root of a user namespace, where what is the machine's is nobody's. */
static int look_from_user_namespace(void)
{
	static const char map[] = "0 1000 1";
	int fd;

	if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000) || prctl(PR_SET_DUMPABLE, 1) ||
	    unshare(CLONE_NEWUSER))
		return 77;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, map, strlen(map)) != (ssize_t)strlen(map))
		return 77;
	close(fd);
	return !geteuid() && path_is_own("/usr/lib") ? 0 : 1;
}

static void root_of_a_user_namespace_is_no_root(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid())
		skip();
	pid = fork();
	if (!pid)
		_exit(look_from_user_namespace());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void what_others_may_write_is_not_own(void **state)
{
	static const struct {
		const char *name;
		mode_t mode;
	} open_to_others[] = { { "lib", 0777 }, { "lib/deep", 0722 }, { "lib/deep/file.so", 0666 } };

	(void)state;
	if (geteuid())
		skip();
	assert_true(scratch_write("lib/deep/file.so", "", 0));
	assert_true(path_is_own(scratch("lib/deep/file.so")));
	assert_true(path_is_own(scratch("lib/none/file.so")));
	for (size_t i = 0; i < ARRAY_SIZE(open_to_others); i++) {
		const char *path = scratch(open_to_others[i].name);

		assert_int_equal(chmod(path, open_to_others[i].mode), 0);
		assert_false(path_is_own(scratch("lib/deep/file.so")));
		assert_int_equal(chmod(path, 0755), 0);
		assert_int_equal(chown(path, NOBODY, 0), 0);
		assert_false(path_is_own(scratch("lib/deep/file.so")));
		assert_int_equal(chown(path, 0, 0), 0);
	}
	/* Debian's staff is let in by root; a group of users is not. */
	assert_int_equal(chmod(scratch("lib"), 0775), 0);
	assert_int_equal(chown(scratch("lib"), 0, 50), 0);
	assert_true(path_is_own(scratch("lib/deep/file.so")));
	assert_int_equal(chown(scratch("lib"), 0, 1000), 0);
	assert_false(path_is_own(scratch("lib/deep/file.so")));
	assert_int_equal(chown(scratch("lib"), 0, 0), 0);
	/* Names in a sticky folder are their owners'. */
	assert_int_equal(chmod(scratch("lib"), 01777), 0);
	assert_true(path_is_own(scratch("lib/deep/file.so")));
	/* Somebody's link, and a link of root's to what is somebody's. */
	assert_int_equal(symlink("deep", scratch("lib/link")), 0);
	assert_true(path_is_own(scratch("lib/link/file.so")));
	assert_int_equal(lchown(scratch("lib/link"), NOBODY, NOBODY), 0);
	assert_false(path_is_own(scratch("lib/link/file.so")));
	assert_int_equal(lchown(scratch("lib/link"), 0, 0), 0);
	assert_int_equal(chown(scratch("lib/deep"), NOBODY, NOBODY), 0);
	assert_false(path_is_own(scratch("lib/link/file.so")));
}

enum { MADE_NOTHING = 77 };	/* exit status of a child that could not have a /home of its own */

/* In a child: a library where Google's nodes have it, in a folder of that user. Exits 0 where why has words. */
NORETURN static void look_at_a_library_of(uid_t user, const char *words)
{
	static const char place[] = "/home/kubernetes/bin/nvidia/lib64/libnvidia-ml.so.1";
	struct root live = ROOT_LIVE;
	struct probe_env env = { .root = &live, .lock_fd = -1 };
	struct sink sink = { .fd = open("/dev/null", O_WRONLY | O_CLOEXEC), .lock_fd = -1 };
	struct nvml_library library;
	char why[NVML_WHY_BYTES] = "", path[PATH_MAX];
	FILE *file;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/home", "tmpfs", 0, NULL))
		_exit(MADE_NOTHING);
	for (const char *end = strchr(place + 6, '/'); end; end = strchr(end + 1, '/')) {
		snprintf(path, sizeof(path), "%.*s", (int)(end - place), place);
		if (mkdir(path, 0755) || chown(path, user, 0))
			_exit(MADE_NOTHING);
	}
	file = fopen(place, "we");
	if (!file || fputs("no library", file) < 0 || fclose(file))
		_exit(MADE_NOTHING);
	nvml_open(&env, &sink, &library, NULL, why);
	if (!strstr(why, words))
		print_message("why: %s\n", why);
	_exit(strstr(why, words) ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void assert_told_of_a_library_of(uid_t user, const char *words)
{
	pid_t child = fork();
	int status;

	if (!child)
		look_at_a_library_of(user, words);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == MADE_NOTHING)
		skip();
	assert_int_equal(status, 0);
}

/* /home/kubernetes is root's on Google's nodes, and elsewhere the home of a user of that name. */
static void no_library_is_loaded_that_others_may_exchange(void **state)
{
	(void)state;
	if (geteuid() || !access("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", F_OK))
		skip();
	assert_told_of_a_library_of(NOBODY, "not loaded: others than root may write there");
	assert_told_of_a_library_of(0, "file too short");
}

static void rights_are_the_users_and_come_back(void **state)
{
	struct as_user as;
	gid_t groups[AS_USER_MAX_GROUPS];
	int before = getgroups(AS_USER_MAX_GROUPS, groups), fd;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(chmod(scratch_folder, 0755), 0);
	assert_true(scratch_write("secret", "", 0));
	assert_int_equal(chown(scratch("secret"), 0, 0), 0);
	/* Root's group is not the user's either. */
	assert_int_equal(chmod(scratch("secret"), 0640), 0);
	assert_int_equal(as_user_begin(&as, NOBODY, NOBODY), 0);
	fd = open(scratch("secret"), O_RDONLY | O_CLOEXEC);
	assert_true(fd < 0 && errno == EACCES);
	as_user_end(&as);
	fd = open(scratch("secret"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(getegid(), as.own_group);
	assert_int_equal(getgroups(AS_USER_MAX_GROUPS, groups), before);
	/* Root's own, and nobody's who is not root: nothing changes. */
	assert_int_equal(as_user_begin(&as, 0, 0), 0);
	assert_false(as.is_other);
	as_user_end(&as);
	assert_int_equal(seteuid(NOBODY), 0);
	assert_int_equal(as_user_begin(&as, 1000, 1000), 0);
	assert_false(as.is_other);
	as_user_end(&as);
	assert_int_equal(seteuid(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_others_may_write_is_not_own, set_up, clean_up),
		cmocka_unit_test(root_of_a_user_namespace_is_no_root),
		cmocka_unit_test(no_library_is_loaded_that_others_may_exchange),
		cmocka_unit_test_setup_teardown(rights_are_the_users_and_come_back, set_up, clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
