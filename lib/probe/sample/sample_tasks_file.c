// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_tasks_file.c - files of tasks: to keep one open saves two thirds of the cost of reading it. */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <unistd.h>

/* An open file of /proc that was read has some 5 KiB in the kernel. Others of this process need some too. */
enum { MOST_KEPT = 2048, LEFT_FOR_OTHERS = 800 };

void task_files_begin(struct task_files *files, const struct root *root)
{
	struct rlimit limit;

	*files = (struct task_files){ .root = root };
	/* In a recorded tree a file that is kept open does not notice that its task is gone. */
	if (!root_is_live(root) || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	if (limit.rlim_cur < MOST_KEPT + LEFT_FOR_OTHERS && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max < MOST_KEPT + LEFT_FOR_OTHERS ? limit.rlim_max : MOST_KEPT + LEFT_FOR_OTHERS;
		if (setrlimit(RLIMIT_NOFILE, &limit) && getrlimit(RLIMIT_NOFILE, &limit))
			return;
	}
	files->most = limit.rlim_cur < LEFT_FOR_OTHERS ? 0 : (size_t)limit.rlim_cur - LEFT_FOR_OTHERS;
	if (files->most > MOST_KEPT)
		files->most = MOST_KEPT;
}

static int read_text(int fd, char *text, size_t size)
{
	ssize_t got;

	do {
		got = pread(fd, text, size - 1, 0);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	text[got] = '\0';
	return 0;
}

int task_file_read(struct task_files *files, struct task_file *file, char *text, size_t size, const char *path_format, ...)
{
	char path[PATH_MAX];
	va_list args;
	int fd, error;

	if (file && file->fd >= 0)
		return read_text(file->fd, text, size);
	va_start(args, path_format);
	vsnprintf(path, sizeof(path), path_format, args);
	va_end(args);
	fd = root_open_file(files->root, "%s", path);
	if (fd < 0)
		return fd;
	error = read_text(fd, text, size);
	if (!error && file && files->kept < files->most) {
		file->fd = fd;
		files->kept++;
	} else {
		close(fd);
	}
	return error;
}

void task_file_close(struct task_files *files, struct task_file *file)
{
	if (file->fd < 0)
		return;
	close(file->fd);
	file->fd = -1;
	files->kept--;
}
