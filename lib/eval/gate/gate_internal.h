/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_internal.h - what keeps a gate from deciding (gate_unknown.c). Private to lib/eval/gate*.c. */
#pragma once

#include "eval/gate/gate.h"

/* What was not judged, growing. */
struct gate_unknown_list {
	struct arena *arena;
	struct gate_unknown *items;
	size_t nr;
};

void gate_add_unknown(struct gate_unknown_list *list, struct gate_unknown open);
/* Adds all that keeps the gate from deciding; strict: of every check, required or not. */
void gate_list_unknown(struct report *report, bool strict, struct gate_unknown_list *list);
