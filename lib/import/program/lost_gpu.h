/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lost_gpu.h - lines in which a program or a daemon was told by NVIDIA's library that a GPU is lost. */
#pragma once

#include "import/dump/dump.h"

/* Is the line such an error, and no sentence about one? */
bool lost_gpu_says(const char *text);

/* Puts it to the GPU that the line names by address, number or UUID, or to one that is not known. */
void lost_gpu_read(struct reading *reading, struct dump_line *line);
