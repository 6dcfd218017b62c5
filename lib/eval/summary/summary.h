/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.h - from results to groups, stages, verdict, headline and decision: private to lib/eval. */
#pragma once

#include "eval/judge/report.h"

/* groups.c: what tells each finding. findings: the report's own, sorted, whose groups are set. */
void report_group(struct report *report, struct finding **findings, size_t nr);

/* All of the below, in their order. report has its results, its sorted findings and their groups. */
void report_summarise(struct report *report);

void report_list_gpus(struct report *report);		/* inventory.c */
void report_list_timings(struct report *report);	/* inventory.c */
void report_stages(struct report *report);		/* stages.c */
void report_judge_node(struct report *report);		/* verdict.c: counts, verdict, exit status, headline */
void report_decide(struct report *report);		/* decide.c: the decision */

/* verdict.c: there are GPUs to judge, and every one slept. */
bool report_all_slept(const struct report *report);

/*
 * maintenance.c: work on a GPU driver that is under way: what it may explain is
 * not blamed meanwhile.
 *
 * Which work explains what is causes.def's. What it explains keeps its words
 * and is a note; its check is unknown, which is no pass: a run answers 3, and a
 * gate cannot decide. What work on a driver cannot explain (a link, a GPU that
 * fell off the bus, heat) is judged as ever.
 *
 * Has the causes of all findings. Sets report->maintenance, and turns what it explains into notes.
 */
void maintenance_excuse(struct report *report, struct result *results, size_t nr_results, struct finding **findings,
			size_t nr);
