/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gres_null.h - a node that has no GPUs by Slurm, beside the gres.conf that names them. */
#pragma once

#include "import/dump/dump.h"

bool gres_null_begins(const char *text);
/* A line of scontrol that says so; no other is taken. */
void gres_null_read(struct reading *reading, struct dump_line *line);
