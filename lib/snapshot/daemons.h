/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daemons.h - daemons of a snapshot by their programs' names, whole as in daemon.comm. */
#ifndef GPUDIAG_SNAPSHOT_DAEMONS_H
#define GPUDIAG_SNAPSHOT_DAEMONS_H

#include "snapshot/snapshot.h"

/* The first of the daemons that bears that name, or NULL. */
const struct daemon *find_daemon(const struct snapshot *snapshot, const char *program);
/* The first that bears one of the names, which end with NULL. */
const struct daemon *find_daemon_of(const struct snapshot *snapshot, const char *const *programs);

/* The MPS daemon, which serves GPUs to several processes at once, or NULL. */
const struct daemon *mps_daemon(const struct snapshot *snapshot);

/*
 * nvidia-persistenced opens every GPU of its driver at its start and keeps it initialised: every node has been made,
 * and no call wakes a GPU.
 */
bool persistenced_runs(const struct snapshot *snapshot);

#endif
