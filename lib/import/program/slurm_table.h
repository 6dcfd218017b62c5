/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_table.h - tables of sinfo, "PARTITION AVAIL TIMELIMIT NODES STATE NODELIST", of -N -l and of --Format, and sinfo -R,
 * "REASON USER TIMESTAMP NODELIST" with "gres/gpu count repor slurm  2025-04-02T15:47:44 gpu002" below it: of several nodes, and cut.
 */
#pragma once

#include "import/dump/dump.h"

/* Is it the head of one? */
bool slurm_table_begins(const char *text);

/* Takes the table whose head the first line is, and puts the nodes that get no jobs. How many lines it has. */
size_t slurm_table_read(struct reading *reading, struct dump_line *lines, size_t nr);
