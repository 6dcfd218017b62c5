// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/watch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/delivery.h"

/*
 * Opening a FIFO waits for who reads it, which would keep a command waiting that has been started by then; and whoever
 * reads it is gone once it was opened and closed. So it is opened now, and held. False: no process reads it.
 */
static bool hold_fifo(struct write_target *target)
{
	struct stat st;
	int fd;

	if (target->own_fd >= 0 || write_target_look(target, &st) != 1 || !S_ISFIFO(st.st_mode))
		return true;
	fd = openat(target->folder, target->name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno != ENXIO;
	fcntl(fd, F_SETFL, O_WRONLY);
	write_target_close(target);
	target->own_fd = fd;
	return true;
}

void watch_file_open(struct watch_file *ret, const char *path)
{
	*ret = (struct watch_file){ .path = path, .lines = { .fd = -1 } };
	if (is_stdout(path))
		return;
	delivery_try(&ret->lines.target, path);
	if (!hold_fifo(&ret->lines.target))
		die(EXIT_USAGE, "%s: cannot write: no process reads this FIFO: start the reader first", path);
}

bool watch_file_put(struct watch_file *file, const char *data, size_t len, const char **ret_why)
{
	int err;

	if (file->has_ended)
		return true;
	if (is_stdout(file->path))
		err = write_all(STDOUT_FILENO, data, len);
	else if (file->has_begun)
		err = write_lines_add(&file->lines, data, len);
	else
		err = write_lines_begin(&file->lines, data, len);
	if (!err) {
		file->has_begun = true;
		return true;
	}
	file->has_ended = true;
	*ret_why = err == -EPIPE ? "" : delivery_reason(&file->lines.target, err);
	return false;
}

bool watch_file_close(struct watch_file *file, const char **ret_why)
{
	int err = is_stdout(file->path) ? 0 : write_lines_end(&file->lines);

	*ret_why = err ? delivery_reason(&file->lines.target, err) : "";
	file->has_ended = true;
	return !err;
}
