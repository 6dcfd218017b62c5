/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write_internal.h - write_beside.c: the steps of replacing a file. Private to write_*.c. */
#pragma once

#include <signal.h>
#include <sys/stat.h>

#include "sys/write_file.h"

struct write_temporary {
	int fd;
	char name[64];
};

/* The file that was checked, not one put in its place since. A descriptor or -errno. */
int write_open_same(const struct write_target *target, const struct stat *looked_at) MUST_CHECK;
/* A new file in the same folder. */
int write_create_beside(const struct write_target *target, mode_t mode, struct write_temporary *ret) MUST_CHECK;
/*
 * A new file with that content under the target's name. old: what is there now, or NULL. ret_fd: gets its descriptor,
 * open for more; NULL: it is closed. 0 or -errno, and then what was there is unchanged.
 */
int write_replace(const struct write_target *target, const struct stat *old, const void *data, size_t len,
		  int *ret_fd) MUST_CHECK;
/* Signals that end the program wait until there is no temporary file that they would leave behind. */
void write_hold_signals(sigset_t *ret_before);
