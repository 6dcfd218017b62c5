/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events_sheet.h - the parts of a log's incidents as a text, for each other. */
#pragma once

#include "render/events.h"
#include "render/term_writer.h"

#define DOT " · "

enum { SHEET_HANG = 6 };		/* below "FAIL  " */

/* A incident as it counts now. */
struct telling {
	const struct klog_incident *incident;
	const struct klog_event *worst;
	enum outcome outcome;
	size_t nr_alike;		/* so many GPUs have the same, this one too, */
	const struct telling *teller;	/* and are told where this one is: the newest of them */
};

struct sheet {
	struct term_writer term;
	const struct told_log *told;
	struct arena arena;
	size_t nr;
	struct telling *tellings;	/* of each incident, in their order */
};

/* A line of its own, what goes on below it as far in. */
void sheet_line(struct term_writer *term, size_t hang, const char *text);
/* "line 123: NVRM: …", and what went on with it. */
void sheet_quote(struct term_writer *term, size_t indent, const struct klog_event *event);
/* A fault in full, below that sentence. */
/* What to do about an event. */
void sheet_steps(struct sheet *sheet, const struct klog_event *event);
void sheet_fault(struct sheet *sheet, const struct telling *telling, const char *sentence);
