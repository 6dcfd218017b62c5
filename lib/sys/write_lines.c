// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/write_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sys/write_file.h"
#include "sys/write_internal.h"

static int begin_file(struct write_lines *lines, const struct stat *old, const void *data, size_t len)
{
	int err = write_replace(&lines->target, old, data, len, &lines->fd);

	lines->is_file = !err;
	lines->len = err ? 0 : len;
	return err;
}

static int begin_directly(struct write_lines *lines, const struct stat *looked_at, const void *data, size_t len)
{
	int err, fd = write_open_same(&lines->target, looked_at);

	if (fd < 0)
		return fd;
	err = write_all(fd, data, len);
	if (err)
		close(fd);
	else
		lines->fd = fd;
	return err;
}

int write_lines_begin(struct write_lines *lines, const void *data, size_t len)
{
	struct write_target *target = &lines->target;
	sigset_t before;
	struct stat st;
	int r;

	if (target->own_fd >= 0) {
		lines->fd = target->own_fd;
		r = write_all(lines->fd, data, len);
		lines->is_open = !r;
		return r;
	}
	r = write_target_look(target, &st);
	if (r < 0)
		return r;
	if (r && !S_ISREG(st.st_mode)) {
		r = begin_directly(lines, &st, data, len);
	} else {
		write_hold_signals(&before);
		r = begin_file(lines, r ? &st : NULL, data, len);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	lines->is_open = !r;
	return r;
}

int write_lines_add(struct write_lines *lines, const void *data, size_t len)
{
	int err = write_all(lines->fd, data, len);

	if (!err) {
		lines->len += len;
		return 0;
	}
	/* Half a line is worth less than none. Where it cannot be taken back a reader finds a last line that is cut. */
	if (lines->is_file && ftruncate(lines->fd, (off_t)lines->len))
		errno = 0;
	(void)write_lines_end(lines);
	return err;
}

int write_lines_end(struct write_lines *lines)
{
	int err = 0;

	if (lines->is_open && lines->target.own_fd < 0 && close(lines->fd) && errno != EINTR)
		err = -errno;
	lines->is_open = false;
	write_target_close(&lines->target);
	return err;
}
