/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write_file.h - a file is written whole, or it stays as it was.
 *
 * A regular file, or one that does not exist, is written under a temporary
 * name beside it, synced and renamed over it, keeping owner and mode of the
 * old one; a symbolic link is followed, so that the file it leads to is
 * replaced and not the link. Anything else (a terminal, a pipe, /dev/full,
 * /dev/stdout) is written to directly. On failure the old content is
 * untouched and no temporary file is left. Whom it trusts: write_target.h.
 */
#pragma once

#include "sys/write_target.h"

/*
 * Could the target be written? Where it would be replaced a temporary file is made and taken away again, so that a
 * folder that is read-only or full is found before there is anything to lose. 0 or -errno, as write_to() would fail.
 */
int write_try(struct write_target *target) MUST_CHECK;

/* Is it written to directly, so that writing may wait: for a terminal, for whoever is to read a pipe? */
bool write_may_wait(const struct write_target *target);

/* Writes data there. 0 or -errno; -EPERM may have a reason in target->refused. The target stays open. */
int write_to(struct write_target *target, const void *data, size_t len) MUST_CHECK;

/* All at once: finds the target of the path and writes to it. */
int write_file(const char *path, const void *data, size_t len) MUST_CHECK;

/* Writes all of data to an open descriptor, however often it is interrupted. 0 or -errno. */
int write_all(int fd, const void *data, size_t len) MUST_CHECK;
