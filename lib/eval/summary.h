/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.h - from results to groups, stages, verdict, headline and decision: private to lib/eval. */
#ifndef GPUDIAG_EVAL_SUMMARY_H
#define GPUDIAG_EVAL_SUMMARY_H

#include "eval/report.h"

/* All of the below, in their order. report has its results and sorted findings. */
void report_summarise(struct report *report);

void report_group(struct report *report);		/* groups.c */
void report_list_gpus(struct report *report);		/* inventory.c */
void report_list_timings(struct report *report);	/* timings.c */
void report_stages(struct report *report);		/* stages.c */
void report_decide(struct report *report);		/* decide.c: verdict, exit status, headline, decision */

#endif
