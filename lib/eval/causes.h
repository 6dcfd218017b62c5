/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causes.h - which finding explains another one.
 *
 * A slow figure of stage 8 that an earlier stage explains is a symptom: it
 * keeps its outcome, and what is to be done is the cause's. The rules are a
 * table (causes.c): check of the effect, beginning of the cause's id, and what
 * must be true of both beyond being of one GPU, or of the node. Where numbers
 * can tell, they must: what is slower than its cause makes it has a second
 * one, and stays a finding of its own.
 */
#ifndef GPUDIAG_EVAL_CAUSES_H
#define GPUDIAG_EVAL_CAUSES_H

#include "eval/report.h"

/* Sets caused_by of the findings that others explain. */
void causes_find(const struct snapshot *snapshot, struct finding **findings, size_t nr);

#endif
