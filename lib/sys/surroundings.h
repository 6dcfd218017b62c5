/* SPDX-License-Identifier: GPL-2.0-or-later */
/* surroundings.h - what any process here needs before a word about the machine can be trusted. */
#ifndef GPUDIAG_SYS_SURROUNDINGS_H
#define GPUDIAG_SYS_SURROUNDINGS_H

#include <stddef.h>

enum {
	LEAST_OPEN_FILES = 256,		/* libraries open several for each GPU, and do not say what failed */
	USUAL_OPEN_FILES = 1024,
};

/*
 * Looks for /proc, /dev/null and room for open files; a limit on these is raised as far as it may be, up to what is
 * usual. NULL: all is there. Else what is missing and the way out, in buf: a library that fails for want of it would
 * read as a driver that is broken.
 */
const char *surroundings_lack(char *buf, size_t size);

#endif
