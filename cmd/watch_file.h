/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch_file.h - where lines of a watch go while it lasts: standard output, or a file that grows. */
#pragma once

#include "sys/write_lines.h"

struct watch_file {
	const char *path;		/* NULL or "-": standard output */
	struct write_lines lines;
	bool has_begun, has_ended;
};

/* Finds the place and tries it: dies with status 64 where nothing can be written there. What was there stays. */
void watch_file_open(struct watch_file *ret, const char *path);

/* Adds lines. False: it could not be written, and ends here; *ret_why says why, "" where a pipe's reader went away. */
bool watch_file_put(struct watch_file *file, const char *data, size_t len, const char **ret_why);

/* The same way back. */
bool watch_file_close(struct watch_file *file, const char **ret_why);
