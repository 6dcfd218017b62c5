// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads below a recorded tree are tested twice: with openat2() and, in a
 * second run of this program, with a filter that makes the kernel an old one.
 */
#include "base/compat.h"
#include "sys/root.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "tests/unit/support.h"

enum { CHILD_SKIPS = 77 };

static struct root tree;
static bool is_old_kernel;	/* no openat2() */

static const struct root live = ROOT_LIVE;

static int make_tree(void **state)
{
	(void)state;
	if (!scratch_make() || mkdir(scratch("tree"), 0755) || mkdir(scratch("tree/sys"), 0755) ||
	    mkdir(scratch("tree/sys/b"), 0755) || mkdir(scratch("tree/sys/a"), 0755) ||
	    mkdir(scratch("tree/empty"), 0755))
		return -1;
	if (!scratch_write("outside", "outside\n", 8) || !scratch_write("tree/sys/vendor", "0x10de\n", 7) ||
	    !scratch_write("tree/sys/a/config", "\0\1\2\3", 4) || !scratch_write("tree/sys/nothing", "", 0))
		return -1;
	return root_open(&tree, scratch("tree"));
}

static int remove_tree(void **state)
{
	(void)state;
	root_close(&tree);
	scratch_remove();
	return 0;
}

static void link_to(const char *target, const char *name)
{
	(void)unlink(scratch(name));
	assert_int_equal(symlink(target, scratch(name)), 0);
}

static void assert_reads(const struct root *root, const char *path, const char *expected)
{
	STRBUF_AUTO content = STRBUF_INIT;

	assert_int_equal(root_read(root, &content, "%s", path), 0);
	assert_string_equal(content.buf, expected);
}

static void assert_read_fails(const struct root *root, const char *path, int err)
{
	STRBUF_AUTO content = STRBUF_INIT;

	strbuf_addstr(&content, "kept");
	assert_int_equal(root_read(root, &content, "%s", path), err);
	assert_string_equal(content.buf, "kept");
}

static void reads_live(void **state)
{
	char longer[PATH_MAX + 10];

	(void)state;
	assert_true(root_is_live(&live));
	assert_reads(&live, "/proc/sys/kernel/ostype", "Linux\n");
	assert_read_fails(&live, "/proc/no/such", -ENOENT);
	assert_read_fails(&live, "/proc", -EISDIR);
	assert_read_fails(&live, "/dev/null", -EBADF);
	assert_read_fails(&live, "proc/sys/kernel/ostype", -EINVAL);
	memset(longer, 'x', sizeof(longer));
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	assert_read_fails(&live, longer, -ENAMETOOLONG);
	assert_int_equal(root_exists(&live, "/proc/%s", "self"), 0);
	assert_int_equal(root_exists(&live, "/proc/%s", "no such"), -ENOENT);
}

static void reads_a_tree(void **state)
{
	STRBUF_AUTO content = STRBUF_INIT;

	(void)state;
	assert_false(root_is_live(&tree));
	assert_int_equal(root_read(&tree, &content, "/%s/vendor", "sys"), 0);
	assert_string_equal(content.buf, "0x10de\n");
	assert_int_equal(content.len, 7);
	assert_int_equal(root_read(&tree, &content, "/sys/a/config"), 0);
	assert_int_equal(content.len, 4);
	assert_memory_equal(content.buf, "\0\1\2\3", 4);
	assert_reads(&tree, "/sys/nothing", "");
	assert_reads(&tree, "//sys/./a//../vendor", "0x10de\n");
	assert_read_fails(&tree, "/sys/none", -ENOENT);
	assert_read_fails(&tree, "/sys/vendor/below", -ENOTDIR);
	assert_read_fails(&tree, "/sys", -EISDIR);
	assert_read_fails(&tree, "/", -EISDIR);
	assert_read_fails(&tree, "sys/vendor", -EINVAL);
}

static void follows_links_inside(void **state)
{
	STRBUF_AUTO link = STRBUF_INIT;

	(void)state;
	link_to("vendor", "tree/sys/relative");
	link_to("/sys/vendor", "tree/sys/absolute");
	link_to("../sys/a", "tree/sys/folder");
	link_to("/sys/relative", "tree/sys/chain");
	link_to("/nowhere", "tree/sys/dangling");
	assert_reads(&tree, "/sys/relative", "0x10de\n");
	assert_reads(&tree, "/sys/absolute", "0x10de\n");
	assert_reads(&tree, "/sys/chain", "0x10de\n");
	assert_reads(&tree, "/sys/folder/../vendor", "0x10de\n");
	assert_int_equal(root_exists(&tree, "/sys/folder/config"), 0);
	assert_int_equal(root_exists(&tree, "/sys/folder/none"), -ENOENT);
	assert_int_equal(root_exists(&tree, "/sys/dangling"), -ENOENT);
	assert_read_fails(&tree, "/sys/dangling", -ENOENT);

	/* Unresolved, though what leads there is resolved. */
	link_to("/sys", "tree/class");
	assert_int_equal(root_readlink(&tree, &link, "/class/%s", "folder"), 0);
	assert_string_equal(link.buf, "../sys/a");
	assert_int_equal(root_readlink(&tree, &link, "/sys/dangling"), 0);
	assert_string_equal(link.buf, "/nowhere");
	assert_int_equal(root_readlink(&tree, &link, "/sys/vendor"), -EINVAL);
	assert_int_equal(root_readlink(&tree, &link, "/sys/none"), -ENOENT);
	assert_string_equal(link.buf, "/nowhere");
}

static void never_leaves_the_tree(void **state)
{
	STRBUF_AUTO content = STRBUF_INIT;
	/* An old kernel's walk refuses what climbs; the kernel's own stays at the top. */
	int climbed = is_old_kernel ? -EXDEV : -ENOENT;

	(void)state;
	link_to(scratch("outside"), "tree/out");
	link_to("../../../../../../../../../../../../etc/passwd", "tree/climb");
	link_to("/proc/self/root", "tree/magic");
	assert_read_fails(&tree, "/out", -ENOENT);
	assert_read_fails(&tree, "/climb", climbed);
	assert_read_fails(&tree, "/../outside", climbed);
	assert_read_fails(&tree, "/sys/../../outside", climbed);
	assert_read_fails(&tree, "/magic/etc/passwd", -ENOENT);
	link_to("loop", "tree/loop");
	assert_read_fails(&tree, "/loop", -ELOOP);
	/* Even a tree that is a mounted proc. */
	link_to("/proc", "proc");
	{
		struct root proc;

		assert_int_equal(root_open(&proc, scratch("proc")), 0);
		assert_int_equal(root_read(&proc, &content, "/self/root/etc/passwd"),
				 is_old_kernel ? -ENOENT : -EXDEV);
		root_close(&proc);
	}
}

static void opens_no_device(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(mkfifo(scratch("tree/fifo"), 0644), 0);
	assert_read_fails(&tree, "/fifo", -EBADF);	/* at once, though nobody writes */
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", scratch("tree/socket"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_read_fails(&tree, "/socket", -EBADF);
	if (mknod(scratch("tree/null"), S_IFCHR | 0666, (1 << 8) | 3)) {
		print_message("# device node not tested: mknod: %s\n", strerror(errno));
		return;
	}
	assert_read_fails(&tree, "/null", -EBADF);
}

static void limits_the_size(void **state)
{
	size_t len = ROOT_MAX_FILE_BYTES;
	char *bytes = calloc(1, len + 1);
	STRBUF_AUTO content = STRBUF_INIT;

	(void)state;
	assert_non_null(bytes);
	bytes[len - 1] = 'z';
	assert_true(scratch_write("tree/largest", bytes, len));
	assert_true(scratch_write("tree/larger", bytes, len + 1));
	assert_true(scratch_write("tree/page", bytes + len - 4096, 4096));
	assert_int_equal(root_read(&tree, &content, "/largest"), 0);
	assert_int_equal(content.len, len);
	assert_memory_equal(content.buf, bytes, len);
	assert_read_fails(&tree, "/larger", -EFBIG);
	assert_int_equal(root_read(&tree, &content, "/page"), 0);
	assert_int_equal(content.len, 4096);
	free(bytes);
}

static void reads_first_bytes(void **state)
{
	unsigned char buf[8];
	size_t len = 99;

	(void)state;
	assert_int_equal(root_read_bytes(&tree, buf, 2, &len, "/sys/%s/config", "a"), 0);
	assert_int_equal(len, 2);
	assert_memory_equal(buf, "\0\1", 2);
	assert_int_equal(root_read_bytes(&tree, buf, sizeof(buf), &len, "/sys/a/config"), 0);
	assert_int_equal(len, 4);
	assert_int_equal(root_read_bytes(&tree, buf, sizeof(buf), &len, "/sys/a/none"), -ENOENT);
	assert_int_equal(len, 4);
	assert_int_equal(root_read_bytes(&live, buf, 5, &len, "/proc/sys/kernel/ostype"), 0);
	assert_int_equal(len, 5);
	assert_memory_equal(buf, "Linux", 5);
	assert_int_equal(root_read_at(&tree, buf, sizeof(buf), &len, 1, "/sys/%s/config", "a"), 0);
	assert_int_equal(len, 3);
	assert_int_equal(buf[0], 1);
	assert_int_equal(root_read_at(&tree, buf, sizeof(buf), &len, 4096, "/sys/a/config"), 0);
	assert_int_equal(len, 0);
	assert_int_equal(root_read_at(&tree, buf, sizeof(buf), &len, 0, "/sys/a/none"), -ENOENT);
}

static void lists_folders(void **state)
{
	struct name_list list = { .nr = 0 }, kept;
	char name[32];

	(void)state;
	assert_int_equal(root_list(&tree, &list, "/empty"), 0);
	assert_int_equal(list.nr, 0);
	name_list_release(&list);

	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "tree/sys/b/%d", i);
		assert_true(scratch_write(name, "", 0));
	}
	assert_true(scratch_write("tree/sys/b/.hidden", "", 0));
	assert_true(scratch_write("tree/sys/b/\xc3\xa9", "", 0));
	assert_int_equal(root_list(&tree, &list, "/%s/b", "sys"), 0);
	assert_int_equal(list.nr, 22);
	assert_string_equal(list.names[0], ".hidden");
	assert_string_equal(list.names[1], "0");
	assert_string_equal(list.names[3], "10");	/* by byte */
	assert_string_equal(list.names[21], "\xc3\xa9");
	kept = list;
	assert_int_equal(root_list(&tree, &list, "/sys/none"), -ENOENT);
	assert_int_equal(root_list(&tree, &list, "/sys/vendor"), -ENOTDIR);
	assert_ptr_equal(list.names, kept.names);
	name_list_release(&list);
	assert_int_equal(list.nr, 0);

	assert_int_equal(root_list(&live, &list, "/proc/self/task"), 0);
	assert_int_equal(list.nr, 1);
	name_list_release(&list);
	assert_int_equal(root_list(&live, &list, "/proc/none"), -ENOENT);
}

static void opens_only_folders(void **state)
{
	struct root root = ROOT_LIVE;

	(void)state;
	assert_int_equal(root_open(&root, scratch("none")), -ENOENT);
	assert_int_equal(root_open(&root, scratch("tree/sys/vendor")), -ENOTDIR);
	assert_true(root_is_live(&root));
	root_close(&root);
}

/* More folders than are kept open, in turn: each name is found in its own folder, and what is new or gone is seen. */
static void tells_folders_apart(void **state)
{
	enum { NR = 9 };
	STRBUF_AUTO link = STRBUF_INIT;
	char path[80], text[8];
	struct stat st;

	(void)state;
	for (int i = 0; i < NR; i++) {
		snprintf(path, sizeof(path), "tree/sys/f%d", i);
		assert_int_equal(mkdir(scratch(path), 0755), 0);
		snprintf(path, sizeof(path), "tree/sys/f%d/name", i);
		snprintf(text, sizeof(text), "%d\n", i);
		assert_non_null(scratch_write(path, text, 2));
		snprintf(path, sizeof(path), "tree/sys/f%d/driver", i);
		link_to(i % 2 ? "/sys/f0/name" : "name", path);
	}
	for (int i = 0; i < 3 * NR; i++) {
		int folder = i % NR;

		snprintf(path, sizeof(path), "/sys/f%d/name", folder);
		snprintf(text, sizeof(text), "%d\n", folder);
		assert_reads(&tree, path, text);
		assert_int_equal(root_readlink(&tree, &link, "/sys/f%d/driver", folder), 0);
		assert_string_equal(link.buf, folder % 2 ? "/sys/f0/name" : "name");
		assert_int_equal(root_readlink(&tree, &link, "%s", path), -EINVAL);
		assert_int_equal(root_readlink(&tree, &link, "/sys/f%d/none", folder), -ENOENT);
		snprintf(path, sizeof(path), "/sys/f%d/driver", folder);
		snprintf(text, sizeof(text), "%d\n", folder % 2 ? 0 : folder);
		assert_reads(&tree, path, text);
		assert_int_equal(root_exists(&tree, "/sys/f%d/driver", folder), 0);
		assert_int_equal(root_exists(&tree, "/sys/f%d/none", folder), -ENOENT);
		assert_int_equal(root_stat(&tree, &st, "/sys/f%d/driver", folder), 0);
		assert_int_equal(st.st_size, 2);
	}
	assert_int_equal(unlink(scratch("tree/sys/f8/name")), 0);
	assert_int_equal(root_exists(&tree, "/sys/f8/name"), -ENOENT);
	assert_read_fails(&tree, "/sys/f8/driver", -ENOENT);
}

static void leaks_no_descriptor(void **state)
{
	size_t before;

	(void)state;
	/* Folders of an open tree are kept. */
	root_close(&tree);
	before = count_open_files();
	assert_int_equal(root_open(&tree, scratch("tree")), 0);
	reads_live(NULL);
	reads_a_tree(NULL);
	follows_links_inside(NULL);
	never_leaves_the_tree(NULL);
	reads_first_bytes(NULL);
	lists_folders(NULL);
	opens_only_folders(NULL);
	root_close(&tree);
	assert_int_equal(count_open_files(), before);
	assert_int_equal(root_open(&tree, scratch("tree")), 0);
}

/* The same once more, on a kernel without openat2(). */
static void works_on_older_kernels(void **state)
{
	int status;

	(void)state;
	if (is_old_kernel)
		return;
	status = run_self("old-kernel");
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_SKIPS) {
		print_message("# no system call filters here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_live),
		cmocka_unit_test(reads_a_tree),
		cmocka_unit_test(follows_links_inside),
		cmocka_unit_test(never_leaves_the_tree),
		cmocka_unit_test(opens_no_device),
		cmocka_unit_test(limits_the_size),
		cmocka_unit_test(reads_first_bytes),
		cmocka_unit_test(lists_folders),
		cmocka_unit_test(opens_only_folders),
		cmocka_unit_test(tells_folders_apart),
		cmocka_unit_test(leaks_no_descriptor),
		cmocka_unit_test(works_on_older_kernels),
	};

	if (argc > 1 && !strcmp(argv[1], "old-kernel") && !forbid_call(SYS_openat2))
		return CHILD_SKIPS;
	is_old_kernel = syscall(SYS_openat2, -1, "", NULL, (size_t)0) < 0 && errno == ENOSYS;
	return cmocka_run_group_tests_name("root", tests, make_tree, remove_tree);
}
