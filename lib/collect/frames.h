/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frames.h - the parent's end of the frame pipe: what a worker said, line by line. */
#pragma once

#include "probe/probe.h"

struct frame_reader {
	struct snapshot *snapshot;
	struct merge_scope scope;
	char call[128];			/* the last step */
	unsigned quiet_ms;		/* how long it may take; 0: it did not say */
	bool ended;
	enum probe_outcome outcome;	/* as the worker said it */
	char why[200];
	struct json_error error;	/* of the line that was refused */
};

/*
 * Does this line say which of the probes that share the process the next are of? "{"begin":3}". A line that looks so
 * and names none is an error of frame_read().
 */
bool frame_begins(const char *line, size_t *ret_number);
/* One line of a worker. 0, or -EINVAL with reader->error filled: garbled. */
int frame_read(struct frame_reader *reader, const char *line, size_t len) MUST_CHECK;
