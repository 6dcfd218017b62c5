/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maintenance.h - work on a GPU driver that is under way: what it may explain
 * is not blamed meanwhile.
 *
 * Which work explains what is causes.def's. What it explains keeps its words
 * and is a note; its check is unknown, which is no pass: a run answers 3, and a
 * gate cannot decide. What work on a driver cannot explain (a link, a GPU that
 * fell off the bus, heat) is judged as ever.
 */
#pragma once

#include "eval/judge/report.h"

/* Has the causes of all findings. Sets report->maintenance, and turns what it explains into notes. */
void maintenance_excuse(struct report *report, struct result *results, size_t nr_results, struct finding **findings,
			size_t nr);
