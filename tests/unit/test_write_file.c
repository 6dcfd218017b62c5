// SPDX-License-Identifier: GPL-2.0-or-later
/* Needs a disk: it asks a file system to keep what is written. */
#include "base/compat.h"
#include "sys/write_file.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "tests/unit/support.h"

enum { NOBODY = 65534, CHILD_SKIPS = 77 };

static size_t open_before;

static int begin(void **state)
{
	(void)state;
	open_before = count_open_files();
	umask(022);
	return scratch_make() ? 0 : -1;
}

/* Whatever a test did: nothing is left open, and no temporary file anywhere. */
static int end(void **state)
{
	bool is_clean = count_open_files() == open_before;
	const struct dirent *entry;
	DIR *folder = opendir(scratch_folder);

	(void)state;
	while (folder && (entry = readdir(folder)))
		is_clean &= strncmp(entry->d_name, ".gpudiag", 8) != 0;
	if (folder)
		closedir(folder);
	scratch_remove();
	return is_clean ? 0 : -1;
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return stat(scratch(name), &st) ? 0 : st.st_mode & 07777;
}

static ino_t inode_of(const char *name)
{
	struct stat st;

	return stat(scratch(name), &st) ? 0 : st.st_ino;
}

static void writes_a_new_file(void **state)
{
	(void)state;
	assert_int_equal(write_file(scratch("new"), "abc", 3), 0);
	assert_string_equal(scratch_content("new"), "abc");
	assert_int_equal(mode_of("new"), 0644);
	umask(027);
	assert_int_equal(write_file(scratch("empty"), "", 0), 0);
	assert_string_equal(scratch_content("empty"), "");
	assert_int_equal(mode_of("empty"), 0640);
	assert_int_equal(count_entries(scratch_folder), 2);
}

static void writes_beside_without_a_folder_in_the_path(void **state)
{
	char here[PATH_MAX];

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(scratch_folder), 0);
	assert_int_equal(write_file("bare", "abc", 3), 0);
	assert_int_equal(symlink("bare", "link"), 0);
	assert_int_equal(write_file("link", "def", 3), 0);
	assert_int_equal(chdir(here), 0);
	assert_string_equal(scratch_content("bare"), "def");
}

static void replaces_a_file(void **state)
{
	ino_t before;

	(void)state;
	assert_true(scratch_write("old", "a long old content", 18));
	assert_int_equal(chmod(scratch("old"), 0604), 0);
	before = inode_of("old");
	assert_int_equal(write_file(scratch("old"), "new", 3), 0);
	assert_string_equal(scratch_content("old"), "new");
	assert_int_equal(mode_of("old"), 0604);
	assert_true(inode_of("old") != before);	/* whoever has it open goes on reading the old one */
	if (geteuid())
		return;
	assert_int_equal(chown(scratch("old"), NOBODY, NOBODY), 0);
	assert_int_equal(write_file(scratch("old"), "root's", 6), 0);
	{
		struct stat st;

		assert_int_equal(stat(scratch("old"), &st), 0);
		assert_int_equal(st.st_uid, NOBODY);
		assert_int_equal(st.st_gid, NOBODY);
		assert_int_equal(st.st_mode & 07777, 0604);
	}
}

static void follows_links(void **state)
{
	char target[PATH_MAX];
	ssize_t len;

	(void)state;
	assert_int_equal(mkdir(scratch("sub"), 0755), 0);
	assert_true(scratch_write("sub/file", "old", 3));
	assert_int_equal(symlink("sub/file", scratch("relative")), 0);
	assert_int_equal(symlink(scratch("relative"), scratch("absolute")), 0);
	assert_int_equal(write_file(scratch("absolute"), "one", 3), 0);
	assert_string_equal(scratch_content("sub/file"), "one");
	len = readlink(scratch("relative"), target, sizeof(target));
	assert_int_equal(len, 8);	/* it is a link still */
	assert_true(readlink(scratch("absolute"), target, sizeof(target)) > 0);

	assert_int_equal(symlink("sub/later", scratch("dangling")), 0);
	assert_int_equal(write_file(scratch("dangling"), "two", 3), 0);
	assert_string_equal(scratch_content("sub/later"), "two");
	assert_int_equal(count_entries(scratch("sub")), 2);

	assert_int_equal(symlink("loop", scratch("loop")), 0);
	assert_int_equal(write_file(scratch("loop"), "x", 1), -ELOOP);
}

static void refuses_what_it_cannot_write(void **state)
{
	(void)state;
	assert_int_equal(mkdir(scratch("folder"), 0755), 0);
	assert_true(scratch_write("file", "x", 1));
	assert_int_equal(write_file(scratch("folder"), "x", 1), -EISDIR);
	assert_int_equal(write_file(scratch("none/file"), "x", 1), -ENOENT);
	assert_int_equal(write_file(scratch("file/below"), "x", 1), -ENOTDIR);
	assert_int_equal(write_file("", "x", 1), -ENOENT);
	assert_int_equal(write_file("/dev/full", "x", 1), -ENOSPC);
	assert_int_equal(write_file("/dev/null", "x", 1), 0);
	assert_int_equal(write_file("/dev/fd/987", "x", 1), -EBADF);
}

/* Not allowed to write in the folder: the file in it stays, even one that could be written. */
static void needs_the_folder(void **state)
{
	int err;

	(void)state;
	assert_true(scratch_write("file", "old", 3));
	assert_int_equal(chmod(scratch("file"), 0666), 0);
	assert_int_equal(chmod(scratch_folder, 0555), 0);
	if (!geteuid())
		assert_int_equal(seteuid(NOBODY), 0);
	err = write_file(scratch("file"), "new", 3);
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(scratch_folder, 0755), 0);
	assert_int_equal(err, -EACCES);
	assert_string_equal(scratch_content("file"), "old");
}

static void writes_to_what_is_open(void **state)
{
	char path[64], buf[16] = "";
	int fd, pair[2];
	ino_t before;

	(void)state;
	/* As `gpudiag --output /dev/stdout >> log` : behind what is there, in the same file. */
	fd = open(scratch("log"), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(write(fd, "first ", 6), 6);
	before = inode_of("log");
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_int_equal(write_file(path, "second ", 7), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(symlink(path, scratch("link")), 0);
	assert_int_equal(write_file(scratch("link"), "third", 5), 0);
	close(fd);
	assert_string_equal(scratch_content("log"), "first second third");
	assert_int_equal(inode_of("log"), before);

	/* A socket cannot be opened by its name in /dev/fd. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", pair[0]);
	assert_int_equal(write_file(path, "hello", 5), 0);
	assert_int_equal(read(pair[1], buf, sizeof(buf)), 5);
	assert_string_equal(buf, "hello");
	close(pair[0]);
	close(pair[1]);
}

static void writes_to_a_fifo(void **state)
{
	char buf[16] = "";
	int fd;

	(void)state;
	assert_int_equal(mkfifo(scratch("fifo"), 0644), 0);
	fd = open(scratch("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(write_file(scratch("fifo"), "hello", 5), 0);
	assert_int_equal(read(fd, buf, sizeof(buf)), 5);
	close(fd);
	assert_int_equal(mode_of("fifo"), 0644);
}

/* A folder in which everybody may put something, as /tmp is, and what somebody put there. Needs to be root. */
static void make_shared(const char *name, mode_t mode)
{
	assert_int_equal(mkdir(scratch(name), 0755), 0);
	assert_int_equal(chmod(scratch(name), mode), 0);
}

static void give(const char *name, mode_t mode)
{
	assert_true(scratch_write(name, "theirs", 6));
	assert_int_equal(chmod(scratch(name), mode), 0);
	assert_int_equal(chown(scratch(name), NOBODY, NOBODY), 0);
}

static void give_link(const char *to, const char *name)
{
	assert_int_equal(symlink(to, scratch(name)), 0);
	assert_int_equal(lchown(scratch(name), NOBODY, NOBODY), 0);
}

static void assert_refused(const char *name, const char *says)
{
	struct write_target target;
	int err = write_target_find(&target, scratch(name));

	if (!err) {
		err = write_try(&target);
		assert_int_equal(err, write_to(&target, "root's", 6));
		write_target_close(&target);
	}
	assert_int_equal(err, -EPERM);
	assert_string_equal(target.refused, says);
}

#define THEIR(what) what " of another user (uid 65534), in a folder that others may write"

static void trusts_nobody_where_others_may_write(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	make_shared("tmp", 01777);
	make_shared("group", 0775);
	assert_true(scratch_write("victim", "root's own", 10));
	give("tmp/file", 0666);
	assert_refused("tmp/file", THEIR("a file"));
	give("group/file", 0666);
	assert_refused("group/file", THEIR("a file"));
	assert_string_equal(scratch_content("tmp/file"), "theirs");
	assert_int_equal(mkfifo(scratch("tmp/fifo"), 0666), 0);
	assert_int_equal(chown(scratch("tmp/fifo"), NOBODY, NOBODY), 0);
	assert_refused("tmp/fifo", THEIR("a file"));
	give_link("../victim", "tmp/link");
	assert_refused("tmp/link", THEIR("a link"));
	give_link("../none", "tmp/dangling");
	assert_refused("tmp/dangling", THEIR("a link"));
	give_link("..", "tmp/folder");
	assert_refused("tmp/folder/victim", THEIR("a link"));
	assert_string_equal(scratch_content("victim"), "root's own");
	/* The owner of a folder may exchange all that is in it. */
	make_shared("theirs", 0755);
	give("theirs/file", 0644);
	assert_int_equal(chown(scratch("theirs"), NOBODY, NOBODY), 0);
	assert_refused("theirs/file", THEIR("a file"));
}

static void writes_its_own_where_others_may_write(void **state)
{
	(void)state;
	make_shared("tmp", 01777);
	assert_int_equal(write_file(scratch("tmp/new"), "one", 3), 0);
	assert_int_equal(chmod(scratch("tmp/new"), 0600), 0);
	assert_int_equal(symlink("new", scratch("tmp/own-link")), 0);
	assert_int_equal(write_file(scratch("tmp/own-link"), "two", 3), 0);
	assert_string_equal(scratch_content("tmp/new"), "two");
	assert_int_equal(mode_of("tmp/new"), 0600);
	if (geteuid())
		return;
	/* Who may write a folder of root's alone was let in by root: links there lead where root wants. */
	give("file", 0644);
	give_link("file", "link");
	assert_int_equal(write_file(scratch("link"), "root's", 6), 0);
	assert_string_equal(scratch_content("file"), "root's");
}

/* What is done to its folder's name in between: the folder that was found is held. */
static void holds_what_it_found(void **state)
{
	struct write_target target;

	(void)state;
	assert_int_equal(mkdir(scratch("a"), 0755), 0);
	assert_int_equal(mkdir(scratch("b"), 0755), 0);
	assert_int_equal(write_target_find(&target, scratch("a/file")), 0);
	assert_int_equal(write_try(&target), 0);
	assert_int_equal(count_entries(scratch("a")), 0);
	assert_int_equal(rename(scratch("a"), scratch("c")), 0);
	assert_int_equal(symlink("b", scratch("a")), 0);
	assert_int_equal(write_to(&target, "x", 1), 0);
	assert_string_equal(scratch_content("c/file"), "x");
	assert_int_equal(count_entries(scratch("b")), 0);
	/* It has become a link: nobody asked for that one. */
	assert_int_equal(unlink(scratch("c/file")), 0);
	assert_int_equal(symlink("../b/other", scratch("c/file")), 0);
	assert_int_equal(write_to(&target, "x", 1), -ELOOP);
	assert_int_equal(count_entries(scratch("b")), 0);
	write_target_close(&target);
}

static void tries_without_writing(void **state)
{
	struct write_target target;

	(void)state;
	assert_true(scratch_write("file", "old", 3));
	assert_int_equal(mkfifo(scratch("fifo"), 0644), 0);
	assert_int_equal(write_target_find(&target, scratch("file")), 0);
	assert_int_equal(write_try(&target), 0);
	assert_false(write_may_wait(&target));
	write_target_close(&target);
	assert_int_equal(write_target_find(&target, scratch("fifo")), 0);
	assert_int_equal(write_try(&target), 0);
	assert_true(write_may_wait(&target));
	write_target_close(&target);
	assert_int_equal(write_target_find(&target, scratch("file/")), -ENOTDIR);
	assert_int_equal(write_target_find(&target, scratch("")), 0);
	assert_int_equal(write_try(&target), -EISDIR);
	write_target_close(&target);
	assert_string_equal(scratch_content("file"), "old");
	assert_int_equal(count_entries(scratch_folder), 2);
}

static void keeps_the_old_when_a_write_fails(void **state)
{
	struct rlimit limit, small;
	char data[8192] = "";
	int err;

	(void)state;
	assert_true(scratch_write("file", "old", 3));
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	err = write_file(scratch("file"), data, sizeof(data));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(err, -EFBIG);
	assert_string_equal(scratch_content("file"), "old");
	assert_int_equal(count_entries(scratch_folder), 1);
}

/* In a child with mounts of its own; no assertions there. */
static int fill_a_small_disk(void)
{
	static char data[1 << 20];
	char content[8] = "";
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", "", MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", scratch("disk"), "tmpfs", 0, "size=64k"))
		return CHILD_SKIPS;
	if (write_file(scratch("disk/file"), "old", 3))
		return 1;
	if (write_file(scratch("disk/file"), data, sizeof(data)) != -ENOSPC)
		return 2;
	if (count_entries(scratch("disk")) != 1)
		return 3;
	fd = open(scratch("disk/file"), O_RDONLY | O_CLOEXEC);
	if (read(fd, content, sizeof(content)) != 3 || strcmp(content, "old"))
		return 4;
	close(fd);
	return write_file(scratch("disk/file"), "new", 3) ? 5 : 0;
}

static void keeps_the_old_when_the_disk_is_full(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(mkdir(scratch("disk"), 0755), 0);
	pid = fork();
	if (!pid)
		_exit(fill_a_small_disk());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CHILD_SKIPS) {
		print_message("# no mounts of our own here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void do_nothing(int number)
{
	(void)number;
}

/* The reader is slow, the descriptor does not wait, and a timer keeps interrupting. */
static void write_all_is_patient(void **state)
{
	static char data[1 << 20];
	struct sigaction action = { .sa_handler = do_nothing };
	struct itimerval often = { .it_interval = { .tv_usec = 2000 }, .it_value = { .tv_usec = 2000 } };
	struct itimerval never = { .it_value = { .tv_usec = 0 } };

	(void)state;
	sigaction(SIGALRM, &action, NULL);
	for (int is_non_blocking = 0; is_non_blocking < 2; is_non_blocking++) {
		int ends[2], status, err;
		pid_t pid;

		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		pid = fork();
		if (!pid) {
			size_t have = 0;
			ssize_t got;

			close(ends[1]);
			while ((got = read(ends[0], data, 32768)) > 0) {
				have += (size_t)got;
				usleep(1000);
			}
			_exit(have == sizeof(data) ? 0 : 1);
		}
		close(ends[0]);
		if (is_non_blocking)
			assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
		setitimer(ITIMER_REAL, &often, NULL);
		err = write_all(ends[1], data, sizeof(data));
		setitimer(ITIMER_REAL, &never, NULL);
		close(ends[1]);
		assert_int_equal(err, 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

static void write_all_tells_what_failed(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(write_all(-1, "x", 1), -EBADF);
	assert_int_equal(write_all(-1, "", 0), 0);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	assert_int_equal(write_all(ends[1], "x", 1), -EPIPE);
	close(ends[1]);
}

#define file_test(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		file_test(writes_a_new_file),
		file_test(writes_beside_without_a_folder_in_the_path),
		file_test(replaces_a_file),
		file_test(follows_links),
		file_test(refuses_what_it_cannot_write),
		file_test(needs_the_folder),
		file_test(writes_to_what_is_open),
		file_test(writes_to_a_fifo),
		file_test(trusts_nobody_where_others_may_write),
		file_test(writes_its_own_where_others_may_write),
		file_test(holds_what_it_found),
		file_test(tries_without_writing),
		file_test(keeps_the_old_when_a_write_fails),
		file_test(keeps_the_old_when_the_disk_is_full),
		file_test(write_all_is_patient),
		file_test(write_all_tells_what_failed),
	};

	return cmocka_run_group_tests_name("write_file", tests, NULL, NULL);
}
