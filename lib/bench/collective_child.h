/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collective_child.h - runs a program that is not ours: for so long, with so much output, and nothing of it is left.
 *
 * The worker takes in the orphans of what it starts, so that a process that left for a session of its own is ended,
 * too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

enum { COLLECTIVE_MAX_OUTPUT_BYTES = 1 << 20 };

enum child_end { CHILD_NOT_STARTED, CHILD_EXITED, CHILD_SIGNALLED, CHILD_TIMED_OUT, CHILD_TOO_MUCH_OUTPUT,
	CHILD_CANCELLED };

struct child {
	/* set by the caller */
	const char *path;
	const char *const *argv;		/* ends with NULL */
	const char *mask;			/* NAME=value, or NULL */
	uint64_t deadline_ns;			/* by clock_now_ns() */
	const volatile int *please_end;

	/* set when it ends */
	enum child_end end;
	int status;				/* exit status, signal, or the -errno of exec() */
	uint64_t elapsed_ns;
	unsigned nr_ended;			/* processes that it left, and that were ended */
	bool is_left;				/* one of them cannot be ended */
	struct strbuf output;			/* stdout and stderr; the caller releases it */
};

/* For a process of one thread that has no other children. */
void child_run(struct child *child);
