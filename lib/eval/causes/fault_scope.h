/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault_scope.h - whose fault it is where all GPUs of a node have it, or one
 * alone: words for why, and what to do, from fault_scope.def. GPUs that could
 * not be judged, idle ones among them, count as neither.
 */
#pragma once

#include "eval/judge/report.h"

void fault_scope(struct arena *arena, const struct result *results, size_t nr_results, struct finding **findings,
		  size_t nr);
