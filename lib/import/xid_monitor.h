/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xid_monitor.h - Xids that monitors know of: DCGM's dmon, the metrics of its exporter, conditions of Kubernetes nodes, and
 * histories that people write. They are events of the kernel's log that somebody else wrote down, and judged as such:
 * log_parts.c has them in its log.
 *
 *	struct xid_monitor at = { .column = 0 };
 *
 *	for each line of the part, while (xid_monitor_next(arena, &at, line, &xid))
 */
#pragma once

#include "import/dump.h"

struct xid_monitor {
	const struct dump_part *part;	/* where metrics without a number of the GPU may find it; NULL: nowhere, or it was looked up */
	struct { const char *uuid; uint64_t index; } numbers[64];
	size_t nr_numbers;
	size_t column;			/* of the Xid in rows of dmon, by their words; 0: there is none */
	const char *host;		/* whose metrics these are, as the first of them says; in a text */
	const struct dump_line *line;	/* at hand, */
	const char *rest;		/* and what of it was not looked at; */
	bool has_reasons, has_codes;	/* it is a node's condition, or has codes of errors */
};

struct xid_report {
	uint64_t xid;
	const char *address;	/* of its GPU; NULL: not told, */
	uint64_t index;		/* or NVIDIA's number of it; UINT64_MAX: not told */
	const char *uuid;	/* NULL: not told */
	const char *error;	/* DCGM's name of an error that is no Xid; NULL: it is none, */
	const char *words;	/* and what was said of it; */
	bool is_mild;		/* it is no failure */
};

/* The next Xid of a line; those that are none (0) are left out. */
bool xid_monitor_next(struct arena *arena, struct xid_monitor *at, const struct dump_line *line,
		      struct xid_report *ret);

/* A code of an event, "79", "XID_79", "DCGM_FR_…", with what was said of it. */
void xid_report_code(struct arena *arena, const char *code, const char *words, bool is_mild, struct xid_report *ret);

/* Puts what it tells but for its Xid; returns its GPU, or NULL: none is told. */
struct gpu *xid_report_put(struct reading *reading, struct dump_line *line, const struct xid_report *report);

/* The line of a log that says so. */
const char *xid_monitor_text(struct arena *arena, const struct xid_report *xid);
