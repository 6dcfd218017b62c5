// SPDX-License-Identifier: GPL-2.0-or-later
/* test_write_lines.c - a file that grows holds whole lines only, and replaces another with its first. */
#include "base/compat.h"
#include "sys/write_lines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "sys/write_file.h"

static char folder[] = "/tmp/gpudiag-lines-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink("a");
	unlink("to-a");
	return chdir("/") || rmdir(folder);
}

static void put(const char *path, const char *text)
{
	assert_int_equal(write_file(path, text, strlen(text)), 0);
}

static void assert_holds(const char *path, const char *text)
{
	char buf[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = read(fd, buf, sizeof(buf) - 1);

	close(fd);
	assert_true(got >= 0);
	buf[got] = '\0';
	assert_string_equal(buf, text);
}

static size_t nr_files(void)
{
	DIR *files = opendir(".");
	size_t nr = 0;

	while (readdir(files))
		nr++;
	closedir(files);
	return nr - 2;
}

static void the_first_line_replaces_what_was_there(void **state)
{
	struct write_lines lines = { .fd = -1 };
	struct stat st;

	(void)state;
	put("a", "old");
	assert_int_equal(chmod("a", 0600), 0);
	assert_int_equal(symlink("a", "to-a"), 0);
	assert_int_equal(write_target_find(&lines.target, "to-a"), 0);
	assert_holds("a", "old");
	assert_int_equal(write_lines_begin(&lines, "1\n", 2), 0);
	assert_holds("a", "1\n");
	assert_int_equal(write_lines_add(&lines, "2\n", 2), 0);
	assert_holds("a", "1\n2\n");
	assert_int_equal(write_lines_end(&lines), 0);
	assert_int_equal(lstat("a", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(lstat("to-a", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(nr_files(), 2);
}

/* As a full disk: part of the line fits. */
static void half_a_line_is_taken_back(void **state)
{
	struct rlimit least = { .rlim_cur = 8, .rlim_max = RLIM_INFINITY }, before;
	struct write_lines lines = { .fd = -1 };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	put("a", "what was there");
	assert_int_equal(write_target_find(&lines.target, "a"), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	least.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &least), 0);
	assert_int_equal(write_lines_begin(&lines, "longer than that\n", 17), -EFBIG);
	assert_holds("a", "what was there");
	assert_int_equal(nr_files(), 2);
	assert_int_equal(write_lines_begin(&lines, "12345\n", 6), 0);
	assert_int_equal(write_lines_add(&lines, "67890\n", 6), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_holds("a", "12345\n");
}

static void a_device_is_written_to_directly(void **state)
{
	struct write_lines lines = { .fd = -1 };

	(void)state;
	assert_int_equal(write_target_find(&lines.target, "/dev/full"), 0);
	assert_int_equal(write_lines_begin(&lines, "1\n", 2), -ENOSPC);
	assert_int_equal(write_lines_end(&lines), 0);
	assert_int_equal(write_target_find(&lines.target, "/dev/null"), 0);
	assert_int_equal(write_lines_begin(&lines, "1\n", 2), 0);
	assert_int_equal(write_lines_add(&lines, "2\n", 2), 0);
	assert_int_equal(write_lines_end(&lines), 0);
}

static void a_folder_is_refused(void **state)
{
	struct write_lines lines = { .fd = -1 };

	(void)state;
	assert_int_equal(write_target_find(&lines.target, "."), 0);
	assert_int_equal(write_lines_begin(&lines, "1\n", 2), -EISDIR);
	assert_int_equal(write_lines_end(&lines), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_replaces_what_was_there),
		cmocka_unit_test(half_a_line_is_taken_back),
		cmocka_unit_test(a_device_is_written_to_directly),
		cmocka_unit_test(a_folder_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
