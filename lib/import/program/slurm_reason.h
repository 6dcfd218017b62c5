/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_reason.h - why nodes are out of use, as people, scripts and Slurm itself wrote it, and states in which they
 * are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { MOST_REASON_WORDS = 120 };	/* characters of what somebody wrote that are told */

enum slurm_reason {
	SLURM_PLANNED,		/* maintenance and the like */
	SLURM_OF_GPUS,		/* a trouble of GPUs */
	SLURM_SETTINGS,		/* the node has less than Slurm is configured for, but for GPUs */
	SLURM_OTHER,
};

enum slurm_reason slurm_reason_of(const char *words);

/* As what an error with that reason counts among errors of services; NULL: as none. */
const char *slurm_reason_key(enum slurm_reason reason);

/*
 * Is it a state of a node, "idle", "drng", "down*", "DOWN+DRAIN", "idle~"; *ret_is_out: it gets no jobs and nobody
 * planned that, as a restart, a reservation or saving of power.
 */
bool slurm_is_state(const char *word, size_t len, bool *ret_is_out);

/* Does a node in that state get jobs? */
bool slurm_is_in_use(const char *word, size_t len);
