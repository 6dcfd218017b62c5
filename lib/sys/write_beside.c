// SPDX-License-Identifier: GPL-2.0-or-later
/* write_beside.c - what a file is written to before it has its name, and what is opened in its place. */
#include "base/compat.h"
#include "sys/write_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

#include "sys/clock.h"

enum { MAX_NAME_TRIES = 100 };

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

int write_open_same(const struct write_target *target, const struct stat *looked_at)
{
	struct stat st;
	int fd;

	do {
		fd = openat(target->folder, target->name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_dev == looked_at->st_dev && st.st_ino == looked_at->st_ino)
		return fd;
	close(fd);
	return -ESTALE;
}

int write_create_beside(const struct write_target *target, mode_t mode, struct write_temporary *ret)
{
	/* Not mkostemp(): the mode of a new file is to come from the umask. */
	for (unsigned i = 0; i < MAX_NAME_TRIES; i++) {
		snprintf(ret->name, sizeof(ret->name), ".gpudiag-%d-%" PRIx64 ".tmp", (int)getpid(), clock_now_ns());
		ret->fd = openat(target->folder, ret->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, mode);
		if (ret->fd >= 0 || errno != EEXIST)
			break;
	}
	return ret->fd < 0 ? -errno : 0;
}

/* Access as before. The owner is kept where we may: root must not take a user's file away. */
static int keep_access(int fd, const struct stat *old)
{
	const mode_t bits = S_IRWXU | S_IRWXG | S_IRWXO;
	struct stat now;

	if (fstat(fd, &now))
		return -errno;
	if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) && fchown(fd, old->st_uid, old->st_gid))
		errno = 0;	/* not ours to give: it becomes ours */
	if ((now.st_mode & bits) != (old->st_mode & bits) && fchmod(fd, old->st_mode & bits))
		return -errno;
	return 0;
}

/* Makes the rename last. Not being able to changes nothing about what a reader sees. */
static void sync_folder(const struct write_target *target)
{
	int fd = openat(target->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

void write_hold_signals(sigset_t *ret_before)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, ret_before);
}

int write_replace(const struct write_target *target, const struct stat *old, const void *data, size_t len, int *ret_fd)
{
	struct write_temporary new;
	int err = write_create_beside(target, old ? S_IRUSR | S_IWUSR : 0666, &new);

	if (err)
		return err;
	if (old)
		err = keep_access(new.fd, old);
	else if (target->is_for_others && fchmod(new.fd, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH))
		err = -errno;
	if (!err)
		err = write_all(new.fd, data, len);
	/* EINVAL: a file system that has no syncing. */
	if (!err && fsync(new.fd) && errno != EINVAL)
		err = -errno;
	/* Network file systems tell of a full disk or quota here. */
	if (!ret_fd && close(new.fd) && !err && errno != EINTR)
		err = -errno;
	if (!err && renameat(target->folder, new.name, target->folder, target->name))
		err = -errno;
	if (!err) {
		sync_folder(target);
		if (ret_fd)
			*ret_fd = new.fd;
		return 0;
	}
	if (ret_fd)
		close(new.fd);
	unlinkat(target->folder, new.name, 0);
	return err;
}
