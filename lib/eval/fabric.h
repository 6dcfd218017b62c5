/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.h - who serves the NVSwitches that GPUs hang on. */
#ifndef GPUDIAG_EVAL_FABRIC_H
#define GPUDIAG_EVAL_FABRIC_H

#include "snapshot/snapshot.h"

/* GPUs hang on NVSwitches of this node, which a fabric manager of its own has to set up. */
bool is_fabric_managed(const struct snapshot *snapshot);

/* NULL: it does not run, or is not seen. */
const struct daemon *find_daemon(const struct snapshot *snapshot, const char *program);

/* Why a daemon that is not seen need not be missing, or NULL. */
const char *daemon_excuse(const struct snapshot *snapshot);

/* Check daemons says so: that no GPU joins the fabric follows from it. */
bool is_fabric_manager_missing(const struct snapshot *snapshot);

#endif
