/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_internal.h - the parts of a gate's answer, for each other. Private to lib/eval/gate*.c. */
#pragma once

#include "eval/gate/gate.h"

/* ---- gate_unknown.c */

/* What was not judged, growing. */
struct gate_unknown_list {
	struct arena *arena;
	struct gate_unknown *items;
	size_t nr;
};

void gate_add_unknown(struct gate_unknown_list *list, struct gate_unknown open);
/* Adds all that keeps the gate from deciding; strict: of every check, required or not. */
void gate_list_unknown(struct report *report, bool strict, struct gate_unknown_list *list);

/* ---- gate_baseline.c */

/* Fills answer->against, and adds what keeps the two from being compared. */
void gate_compare_baseline(struct report *report, struct gate_answer *answer, struct gate_unknown_list *open,
		       const struct diff *diff);
/* Adds to the blockers what got worse; returns the list, grown. */
struct gate_item *gate_add_worse(struct report *report, struct gate_item *items, size_t *nr, const struct diff *diff);
