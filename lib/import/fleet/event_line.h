/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_line.h - events of NVSentinel as they are logged, an object in one line:
 * "checkName":"GpuXidError","isHealthy":false,
 * "entitiesImpacted":[{"entityType":"GPU","entityValue":"3"}],"errorCode":["79"]. As a note of a node it stands in a
 * string, where each quote has a backslash before it.
 */
#pragma once

#include "import/dump/dump.h"
#include "import/program/recoveries.h"

/* Those of a part. */
struct event_lines {
	const struct dump_part *part;	/* NULL: it is not at hand, and nothing is over */
	struct recoveries well;
	bool is_listed;			/* they were looked for */
};

/* Is a line one that tells of an error? */
bool event_line_is(const char *text);

/* The error, unless the part says further down that it is over; false: there is none. */
bool event_line_take(struct arena *arena, struct event_lines *events, const struct dump_line *line,
		     struct xid_report *ret);
