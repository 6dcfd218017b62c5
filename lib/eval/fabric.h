/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric.h - the NVSwitches of a board, and the daemon without which they, and
 * so its GPUs, are of no use.
 */
#ifndef GPUDIAG_EVAL_FABRIC_H
#define GPUDIAG_EVAL_FABRIC_H

#include "snapshot/snapshot.h"

/* There are NVSwitches, and NVLink is not turned off by a parameter of the module. */
bool is_fabric_managed(const struct snapshot *snapshot);

/* Why a daemon that is not seen need not be missing, or NULL. */
const char *daemon_excuse(const struct snapshot *snapshot);

/* It should run, and certainly does not. */
bool is_fabric_manager_missing(const struct snapshot *snapshot);

#endif
