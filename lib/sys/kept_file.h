/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept_file.h - a file that is kept open and read again and again from its
 * beginning: half the cost of opening it each time.
 */
#ifndef GPUDIAG_SYS_KEPT_FILE_H
#define GPUDIAG_SYS_KEPT_FILE_H

#include <errno.h>

#include "sys/root.h"

/* The descriptor, or the -errno of opening it. */
struct kept_file { int fd; };

#define KEPT_FILE_NONE { .fd = -ENOENT }

/* Replaces *ret by the file's bytes of this moment, up to the first max_bytes. 0 or -errno. */
int kept_file_read(const struct kept_file *file, struct strbuf *ret, size_t max_bytes) MUST_CHECK;
void kept_file_close(struct kept_file *file);

#endif
