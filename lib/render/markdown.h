/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markdown.h - the parts of the report in Markdown. Private to lib/render. */
#pragma once

#include "eval/judge/report.h"
#include "render/md.h"

struct markdown {
	struct md md;
	const struct report *report;
	struct arena arena;
};

/* Observed of a finding, GPUs of which the same was seen in one row. */
void markdown_evidence(struct markdown *markdown, const struct group *group);

/* What was measured, of all but a few GPUs the slowest and the fastest. */
void markdown_timings(struct markdown *markdown);
