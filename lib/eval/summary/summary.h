/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.h - from results to groups, stages, verdict, headline and decision: private to lib/eval. */
#pragma once

#include "eval/judge/report.h"

/* All of the below, in their order. report has its results and sorted findings. */
void report_summarise(struct report *report);

void report_group(struct report *report);		/* groups.c */
void report_list_gpus(struct report *report);		/* inventory.c */
void report_list_timings(struct report *report);	/* timings.c */
void report_stages(struct report *report);		/* stages.c */
void report_judge_node(struct report *report);		/* verdict.c: counts, verdict, exit status, headline */
void report_decide(struct report *report);		/* decide.c: the decision */

/* verdict.c: there are GPUs to judge, and every one slept. */
bool report_all_slept(const struct report *report);
