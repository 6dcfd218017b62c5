/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_runs.h - what became of the workers of a snapshot. */
#ifndef GPUDIAG_SNAPSHOT_PROBE_RUNS_H
#define GPUDIAG_SNAPSHOT_PROBE_RUNS_H

#include "snapshot/snapshot.h"

/*
 * The worker of that probe ("ocl-run") for that target, a GPU's address or the key of an OpenCL device or driver;
 * target NULL: the first of any. NULL: none was started or refused.
 */
const struct probe_run *find_probe_run(const struct snapshot *snapshot, const char *probe, const char *target);

#endif
