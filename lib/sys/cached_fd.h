/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cached_fd.h - a file that is kept open and read again and again from its
 * beginning: half the cost of opening it each time.
 */
#pragma once

#include <errno.h>

#include "sys/root.h"

/* The descriptor, or the -errno of opening it. */
struct cached_fd { int fd; };

#define CACHED_FD_NONE { .fd = -ENOENT }

/* Replaces *ret by the file's bytes of this moment, up to the first max_bytes. 0 or -errno. */
int cached_fd_read(const struct cached_fd *file, struct strbuf *ret, size_t max_bytes) MUST_CHECK;
void cached_fd_close(struct cached_fd *file);
