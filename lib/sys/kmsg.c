// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int kmsg_next(int fd, char buf[KMSG_RECORD_BYTES])
{
	ssize_t got;

	do
		got = read(fd, buf, KMSG_RECORD_BYTES);
	while (got < 0 && errno == EINTR);
	if (got >= 0)
		return (int)got;
	return errno == EAGAIN ? 0 : -errno;
}
