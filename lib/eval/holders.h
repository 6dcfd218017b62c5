/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holders.h - who holds a GPU, in words. */
#ifndef GPUDIAG_EVAL_HOLDERS_H
#define GPUDIAG_EVAL_HOLDERS_H

#include "snapshot/snapshot.h"

/*
 * "python3 (pid 18422), python3 (pid 18423) and 2 more"; NULL where no process
 * is seen to hold a node of this GPU.
 */
const char *gpu_holders(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu);

#endif
