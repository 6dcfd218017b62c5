/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_report.h - the parts of the report as a page, in the order they stand on it. Private to html_*.c. */
#pragma once

#include "render/html.h"

struct html_page {
	struct html html;
	const struct report *report;
};

/* html_findings.c: findings that ask for something; notes. */
void html_findings(struct html_page *page);
void html_notes(struct html_page *page);
/* html_results.c: what could not be judged and why; what passed and what did not apply, folded. */
void html_not_judged(struct html_page *page);
void html_results(struct html_page *page);
/* html_node.c: which GPUs and which machine. */
void html_gpus(struct html_page *page);
void html_machine(struct html_page *page);
/* html_topology.c: what hangs where, drawn. */
void html_topology(struct html_page *page);
/* html_timings.c: what was measured, each figure with its spread drawn. */
void html_timings(struct html_page *page);
