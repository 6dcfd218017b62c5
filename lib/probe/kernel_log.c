// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/kernel_log.h"

#include <errno.h>
#include <unistd.h>

#include "sys/kmsg.h"

int kernel_log_read(struct klog_reader *reader, const char **source)
{
	static char record[KMSG_RECORD_BYTES];
	int fd = kmsg_open(), len;

	*source = "/dev/kmsg";
	if (fd < 0)
		return fd;
	while ((len = kmsg_next(fd, record)) > 0 || len == -EPIPE) {
		if (len > 0)
			klog_reader_record(reader, record, (size_t)len);
		else
			klog_reader_lost(reader, 1);
	}
	close(fd);
	return len;
}
