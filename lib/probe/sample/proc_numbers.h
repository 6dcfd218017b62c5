/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_numbers.h - the entries of /proc or of a task folder that are numbers, one after another, so that a list of
 * 100,000 can be read in pieces.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include "sys/root.h"

struct proc_numbers {
	DIR *folder;			/* live */
	uint64_t *numbers;		/* of a recorded tree, rising */
	size_t nr, at;
};

/* Zeroed is closed. 0 or -errno. */
int proc_numbers_open(struct proc_numbers *ret, const struct root *root, const char *path_format, ...)
	PRINTF_LIKE(3, 4) MUST_CHECK;
static inline bool proc_numbers_is_open(const struct proc_numbers *numbers)
{
	return numbers->folder || numbers->numbers;
}
/* False: there is no other. The kernel lists processes by rising number, threads in no order. */
bool proc_numbers_next(struct proc_numbers *numbers, uint64_t *ret);
void proc_numbers_close(struct proc_numbers *numbers);
int compare_numbers(const void *a, const void *b);
