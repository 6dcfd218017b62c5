/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_or_node.h - whose fault it is where all GPUs of a node have it, or one
 * alone: words for why, and what to do, from card_or_node.def. GPUs that could
 * not be judged, idle ones among them, count as neither.
 */
#ifndef GPUDIAG_EVAL_CARD_OR_NODE_H
#define GPUDIAG_EVAL_CARD_OR_NODE_H

#include "eval/judge/report.h"

void card_or_node(struct arena *arena, const struct result *results, size_t nr_results, struct finding **findings,
		  size_t nr);

#endif
