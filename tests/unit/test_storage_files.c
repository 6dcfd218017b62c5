// SPDX-License-Identifier: GPL-2.0-or-later
/* Needs a disk: it times files that are opened. */
/* test_storage_files.c - small files opened one after the other, with time for all of them and for none. */
#include "base/compat.h"
#include "bench/storage_files.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { FILES = 7 };
static char folder[] = "/tmp/gpudiag-storage-XXXXXX";
static char paths[FILES][64];
static const char *list[FILES];

static int make_files(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	for (int i = 0; i < FILES; i++) {
		int fd;

		snprintf(paths[i], sizeof(paths[i]), "%s/%d", folder, i);
		list[i] = paths[i];
		fd = open(paths[i], O_WRONLY | O_CREAT, 0600);
		/* The last is large, and has its place on the disk. */
		if (fd < 0 ||
		    (i < FILES - 1 ? write(fd, "small", 5) != 5 : posix_fallocate(fd, 0, STORAGE_LARGE_BYTES)))
			return -1;
		close(fd);
	}
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	for (int i = 0; i < FILES; i++)
		unlink(paths[i]);
	return rmdir(folder);
}

static void test_with_time(void **state)
{
	const struct storage_names names = { .nr = FILES, .paths = list, .folder = folder };
	const struct storage_limit most = { .bytes = 1 << 20, .ns = UINT64_C(10000000000) };
	struct storage_large large = { 0 };
	struct storage_opens opens;

	(void)state;
	storage_open_small(&names, false, &most, &large, &opens);
	assert_int_equal(opens.nr, FILES - 1);
	assert_int_equal(opens.nr_left, 0);
	assert_int_equal(large.nr, 1);
	free(opens.times_ns);
}

static void test_without(void **state)
{
	const struct storage_names names = { .nr = FILES, .paths = list, .folder = folder };
	const struct storage_limit none = { .bytes = 1 << 20, .ns = 0 };
	struct storage_large large = { 0 };
	struct storage_opens opens;

	(void)state;
	storage_open_small(&names, false, &none, &large, &opens);
	assert_int_equal(opens.nr, 0);
	assert_int_equal(opens.nr_left, FILES);
	assert_int_equal(large.nr, 0);
	free(opens.times_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_with_time), cmocka_unit_test(test_without) };

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
