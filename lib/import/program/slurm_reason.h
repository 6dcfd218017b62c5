/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_reason.h - why nodes are out of use, as people and scripts wrote it for Slurm. */
#pragma once

#include "import/dump/dump.h"

enum { MOST_REASON_WORDS = 120 };	/* characters of what somebody wrote that are told */

/* Is it a trouble of GPUs, and nothing planned? */
bool slurm_reason_is_of_gpus(const char *words);

/*
 * sinfo -R, "REASON  USER  TIMESTAMP  NODELIST", and below it "gres/gpu count repor slurm  2025-04-02T15:47:44 gpu002": of
 * several nodes, and cut.
 */
bool slurm_reasons_begin(const char *text);

/* Takes the list whose head the first line is, and puts its troubles of GPUs. How many lines it has. */
size_t slurm_reasons_read(struct reading *reading, struct dump_line *lines, size_t nr);
