/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write_lines.h - a file that grows line by line while it is written, and holds whole lines only.
 *
 * A regular file, or one that does not exist, is begun under a temporary name beside it and renamed over it with its
 * first line: what was there is not lost to a start that fails. What cannot be written whole is taken back. Anything
 * else (a pipe, a terminal, /dev/full) is written to directly. Whom it trusts: write_file.h.
 */
#pragma once

#include <stdint.h>

#include "sys/write_file.h"

struct write_lines {
	struct write_target target;	/* of write_target_find() */
	/* private */
	int fd;
	bool is_open, is_file;
	uint64_t len;			/* of its whole lines */
};

/* Writes the first lines, which replace what was there. 0 or -errno, and then what was there is unchanged. */
int write_lines_begin(struct write_lines *lines, const void *data, size_t len) MUST_CHECK;
/* Adds lines. 0 or -errno: then it has ended with the lines before. */
int write_lines_add(struct write_lines *lines, const void *data, size_t len) MUST_CHECK;
/* Closes it, begun or not. 0 or -errno: network file systems report a full disk here. */
int write_lines_end(struct write_lines *lines);
