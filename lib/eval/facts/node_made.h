/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_made.h - whether a GPU's device node should have been made. */
#ifndef GPUDIAG_EVAL_NODE_MADE_H
#define GPUDIAG_EVAL_NODE_MADE_H

#include "snapshot/snapshot.h"

/* Other GPUs of its driver have theirs, in a way that this one should have its own: check gpu-access tells. */
bool node_was_made_for_others(const struct snapshot *snapshot, const struct gpu *gpu);

#endif
