// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_EVERY_MS = 250 };

bool follow_wait(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, LOOK_EVERY_MS) > 0;
}

void follow_descriptor(struct follow *ret, int fd)
{
	*ret = (struct follow){ .fd = fd };
}

int follow_open(struct follow *ret, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		int r = -errno;

		close(fd);
		return r;
	}
	if (S_ISDIR(st.st_mode)) {
		close(fd);
		return -EISDIR;
	}
	*ret = (struct follow){ .fd = fd, .device = st.st_dev, .inode = st.st_ino };
	if (S_ISREG(st.st_mode))
		ret->path = path;
	return 0;
}

void follow_close(struct follow *follow)
{
	close(follow->fd);
	follow->fd = -1;
}

static ssize_t read_more(struct follow *follow, char *buf, size_t size)
{
	ssize_t got;

	do
		got = read(follow->fd, buf, size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	follow->at += (uint64_t)got;
	return got;
}

/* Cut, and so begun anew? */
static bool was_cut(struct follow *follow)
{
	struct stat st;

	if (fstat(follow->fd, &st) || (uint64_t)st.st_size >= follow->at || lseek(follow->fd, 0, SEEK_SET) < 0)
		return false;
	follow->at = 0;
	return true;
}

/* Is there another file of that name by now? Then what was still written to the old one, or the new one: -ESTALE. */
static ssize_t look_for_another(struct follow *follow, char *buf, size_t size)
{
	struct follow other;
	struct stat st;
	ssize_t got;

	/* None there for a moment: it is being replaced. */
	if (stat(follow->path, &st) || !S_ISREG(st.st_mode) ||
	    (st.st_dev == follow->device && st.st_ino == follow->inode) || follow_open(&other, follow->path))
		return 0;
	got = read_more(follow, buf, size);
	if (got) {
		follow_close(&other);
		return got;
	}
	follow_close(follow);
	*follow = other;
	return -ESTALE;
}

ssize_t follow_read(struct follow *follow, char *buf, size_t size)
{
	ssize_t got;

	if (!follow->path)
		return follow_wait(follow->fd) ? read_more(follow, buf, size) : -EAGAIN;
	got = read_more(follow, buf, size);
	if (got)
		return got;
	if (was_cut(follow))
		return -ESTALE;
	got = look_for_another(follow, buf, size);
	if (got)
		return got;
	follow_wait(-1);
	return -EAGAIN;
}
