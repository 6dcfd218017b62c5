/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_table.h - tables of sacct, and which of their jobs Slurm ended as a node failed or did not start. */
#pragma once

#include "import/dump/dump.h"

/* Is it the head of one? "JobID  JobName  …  State  ExitCode", or with bars between (-p, -P). */
bool job_table_begins(const char *text);
/* Takes the table whose head the first line is, and puts those jobs. How many lines it has. */
size_t job_table_read(struct reading *reading, struct dump_line *lines, size_t nr);
