/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xid_monitor.h - Xids that monitors know of: DCGM's dmon, the metrics of its exporter, conditions of Kubernetes nodes,
 * and
 * histories that people write. They are events of the kernel's log that somebody else wrote down, and judged as such:
 * log_parts.c has them in its log.
 *
 *	struct xid_monitor at = { .metrics.part = part, .events.part = part };
 *
 *	for each line of the part, while (xid_monitor_next(arena, &at, line, &xid))
 */
#pragma once

#include "import/dump/dump.h"
#include "import/dump/xid_report.h"
#include "import/fleet/event_line.h"
#include "import/fleet/gpu_metrics.h"

struct xid_monitor {
	struct gpu_metrics metrics;
	struct event_lines events;
	size_t column;			/* of the Xid in rows of dmon, by their words; 0: there is none */
	const struct dump_line *line;	/* at hand, */
	const char *rest;		/* and what of it was not looked at; */
	bool has_reasons, has_codes;	/* it is a node's condition, or has codes of errors */
};

/* The next Xid of a line; those that are none (0) are left out. */
bool xid_monitor_next(struct arena *arena, struct xid_monitor *at, const struct dump_line *line,
		      struct xid_report *ret);

/* Puts what it tells but for its Xid; returns its GPU, or NULL: none is told. */
struct gpu *xid_report_put(struct reading *reading, struct dump_line *line, const struct xid_report *report);

/* The line of a log that says so. */
const char *xid_monitor_text(struct arena *arena, const struct xid_report *xid);
