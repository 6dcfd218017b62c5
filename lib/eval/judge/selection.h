/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selection.h - which checks a request is for (gpudiag gate, --check, --skip), and whom they have asked. Pure. */
#pragma once

#include "eval/judge/check.h"

/* Does the request ask for this row's check? */
bool row_is_selected(const struct request *request, const struct playbook_row *row);

/* The same by its name, of a check that gpudiag gate alone asks: for a check that leaves something to it. */
bool gate_check_is_selected(const struct request *request, const char *name);

/*
 * Was a level asked for by name (--level) of whose purpose that check is? Where it could not be done then, it counts
 * like a required one. The level that a run has by itself promises nothing.
 */
bool level_asks_for(const struct request *request, const struct check *check);

/* What the checks that it asks for read (NEEDS_…), and what has to be known before that may be read. */
unsigned needs_of(const struct request *request, const struct playbook *playbook);

/*
 * A run for a few checks that left out this one, of workers, without saying so (--skip): whoever did not answer what
 * those few ask is told of all the same, as what they found without it is no pass.
 */
bool row_is_of_failed_workers(const struct request *request, const struct playbook_row *row);

/* Did this worker not come to its end (by a fault, a deadline or a signal), and is it one that such needs start? */
bool worker_failed(const struct probe_run *run, unsigned needs);
