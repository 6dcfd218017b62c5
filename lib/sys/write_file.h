/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write_file.h - a file is written whole, or it stays as it was.
 */
#ifndef GPUDIAG_SYS_WRITE_FILE_H
#define GPUDIAG_SYS_WRITE_FILE_H

#include "base/compat.h"

#include <stdbool.h>

/*
 * Writes data to path. A regular file, or one that does not exist, is written
 * under a temporary name beside it, synced and renamed over it, keeping the
 * mode of the old one; a symbolic link is followed, so that the file it leads
 * to is replaced and not the link. Anything else (a terminal, a pipe,
 * /dev/full, /dev/stdout) is written to directly. 0 or -errno; on failure the
 * old content is untouched and no temporary file is left.
 */
int write_file(const char *path, const void *data, size_t len) MUST_CHECK;

/*
 * Would what is written to one replace what is written to the other, however the two spell it ("a", "./a", a link)?
 * Two names of a terminal or a pipe share it and replace nothing.
 */
bool is_same_file(const char *one, const char *two);

/* Writes all of data to an open descriptor, however often it is interrupted. 0 or -errno. */
int write_all(int fd, const void *data, size_t len) MUST_CHECK;

#endif
