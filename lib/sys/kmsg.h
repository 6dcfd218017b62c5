/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmsg.h - /dev/kmsg, the running kernel's log, record by record (Linux
 * Documentation/ABI/testing/dev-kmsg). Reading takes nothing away from other
 * readers and never waits.
 */
#pragma once

#include "base/compat.h"

/* What no record exceeds: the kernel's own limit for one, with its prefix and dictionary escaped. */
enum { KMSG_RECORD_BYTES = 16 * 1024 };

/* Opens it at the oldest record there is. A descriptor, or -errno: -EPERM and -EACCES where only root may. */
int kmsg_open(void);
/*
 * The next record into buf. Its length; 0: no more for now; -EPIPE: records
 * were overwritten before they were read, the next call goes on with the
 * oldest there is; else -errno.
 */
int kmsg_next(int fd, char buf[KMSG_RECORD_BYTES]);
