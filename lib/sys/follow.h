/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow.h - what is written to a file as it comes, also after the file was
 * rotated: cut to nothing, or replaced by another of its name.
 *
 * Four times a second is asked whether there is more. inotify would say so at
 * once, but not for a file that another machine writes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compat.h"

struct follow {
	int fd;
	const char *path;	/* of a file; NULL: a pipe or the like, which ends when nobody writes to it any more */
	uint64_t at;		/* so many bytes of the file were read */
	dev_t device;
	ino_t inode;
};

/* path must outlive it. 0 or -errno: -EISDIR for a folder. */
int follow_open(struct follow *ret, const char *path) MUST_CHECK;
/* A descriptor that somebody else closes. */
void follow_descriptor(struct follow *ret, int fd);
/*
 * Reads what there is, waiting a quarter of a second for it. How many bytes;
 * 0: it ended; -EAGAIN: nothing came, or a signal did; -ESTALE: what comes next
 * is the beginning of another file, or of the same anew; else -errno.
 */
ssize_t follow_read(struct follow *follow, char *buf, size_t size);
void follow_close(struct follow *follow);

/* Waits until there is something to read, the end too, or for a quarter of a second (false); of -1 for that long. */
bool follow_wait(int fd);
