// SPDX-License-Identifier: GPL-2.0-or-later
/* write_file.c - a file is written whole, or it stays as it was. */
#include "base/compat.h"
#include "sys/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/write_internal.h"

int write_all(int fd, const void *data, size_t len)
{
	const char *left = data;

	while (len) {
		ssize_t written = write(fd, left, len);

		if (written > 0) {
			left += written;
			len -= (size_t)written;
		} else if (!written) {
			return -EIO;
		} else if (errno == EAGAIN) {
			/* Somebody who shares our stdout made it non-blocking: CI runners do. */
			struct pollfd writable = { .fd = fd, .events = POLLOUT, .revents = 0 };

			if (poll(&writable, 1, -1) < 0 && errno != EINTR)
				return -errno;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

static int write_directly(const struct write_target *target, const struct stat *looked_at, const void *data, size_t len)
{
	int fd = write_open_same(target, looked_at), err;

	if (fd < 0)
		return fd;
	err = write_all(fd, data, len);
	if (close(fd) && !err && errno != EINTR)
		err = -errno;
	return err;
}

/* old: what is there now, or NULL. */
static int replace_file(const struct write_target *target, const struct stat *old, const void *data, size_t len)
{
	struct write_temporary new;
	int err = write_create_beside(target, old ? S_IRUSR | S_IWUSR : 0666, &new);

	if (err)
		return err;
	if (old)
		err = write_keep_access(new.fd, old);
	if (!err)
		err = write_all(new.fd, data, len);
	/* EINVAL: a file system that has no syncing. */
	if (!err && fsync(new.fd) && errno != EINVAL)
		err = -errno;
	/* Network file systems tell of a full disk or quota here. */
	if (close(new.fd) && !err && errno != EINTR)
		err = -errno;
	if (!err && renameat(target->folder, new.name, target->folder, target->name))
		err = -errno;
	if (err)
		unlinkat(target->folder, new.name, 0);
	else
		write_sync_folder(target);
	return err;
}

static int try_beside(const struct write_target *target)
{
	struct write_temporary new;
	int err = write_create_beside(target, S_IRUSR | S_IWUSR, &new);

	if (err)
		return err;
	close(new.fd);
	unlinkat(target->folder, new.name, 0);
	return 0;
}

int write_to(struct write_target *target, const void *data, size_t len)
{
	struct stat st;
	sigset_t before;
	int r;

	if (target->own_fd >= 0)
		return write_all(target->own_fd, data, len);
	r = write_target_look(target, &st);
	if (r < 0)
		return r;
	if (r && S_ISDIR(st.st_mode))
		return -EISDIR;
	if (r && !S_ISREG(st.st_mode))
		return write_directly(target, &st, data, len);
	write_hold_signals(&before);
	r = replace_file(target, r ? &st : NULL, data, len);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

int write_try(struct write_target *target)
{
	struct stat st;
	sigset_t before;
	int r;

	if (target->own_fd >= 0)
		return 0;
	r = write_target_look(target, &st);
	if (r < 0)
		return r;
	if (r && S_ISDIR(st.st_mode))
		return -EISDIR;
	/* Not opened: a pipe would wait for its reader, and a device may take it for the beginning of something. */
	if (r && !S_ISREG(st.st_mode))
		return faccessat(target->folder, target->name, W_OK, AT_EACCESS) ? -errno : 0;
	write_hold_signals(&before);
	r = try_beside(target);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

bool write_may_wait(const struct write_target *target)
{
	struct stat st;

	return target->own_fd >= 0 ||
	       (!fstatat(target->folder, target->name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode));
}

int write_file(const char *path, const void *data, size_t len)
{
	struct write_target target;
	int err = write_target_find(&target, path);

	if (err)
		return err;
	err = write_to(&target, data, len);
	write_target_close(&target);
	return err;
}
