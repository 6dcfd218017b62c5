/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.h - files a user hands us. */
#ifndef GPUDIAG_CMD_INPUT_H
#define GPUDIAG_CMD_INPUT_H

#include "snapshot/snapshot.h"

/* Loads a snapshot file, or standard input for "-"; dies with status 64, naming file, line and cause. */
void input_snapshot(const char *path, struct snapshot *ret, struct merge_unknown *unknown);

#endif
