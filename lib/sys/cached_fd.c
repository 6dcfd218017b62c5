// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/cached_fd.h"

#include <errno.h>
#include <unistd.h>

enum { CHUNK_BYTES = 4096 };		/* what a sysfs attribute fits in */

int cached_fd_read(const struct cached_fd *file, struct strbuf *ret, size_t max_bytes)
{
	strbuf_reset(ret);
	if (file->fd < 0)
		return file->fd;
	while (ret->len < max_bytes) {
		size_t room = max_bytes - ret->len < CHUNK_BYTES ? max_bytes - ret->len : CHUNK_BYTES;
		ssize_t got;

		strbuf_grow(ret, room);
		got = pread(file->fd, ret->buf + ret->len, room, (off_t)ret->len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		strbuf_setlen(ret, ret->len + (size_t)got);
	}
	return 0;
}

void cached_fd_close(struct cached_fd *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -EBADF;
}
