/* SPDX-License-Identifier: GPL-2.0-or-later */
/* surroundings.h - what any process here needs before a word about the machine can be trusted. */
#pragma once

#include <stddef.h>

enum {
	LEAST_OPEN_FILES = 256,		/* libraries open several for each GPU, and do not say what failed */
	USUAL_OPEN_FILES = 1024,
};

/* How many files a process here may open; where the limit may be raised it is, up to what is usual. */
unsigned long long surroundings_open_files(void);

/*
 * Looks for /proc and /dev/null, without which no process can be started. NULL: both are there. Else what is missing
 * and the way out, in buf.
 */
const char *surroundings_lack(char *buf, size_t size);
