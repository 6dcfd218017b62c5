/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric.h - the NVSwitches of a board, and the daemon without which they, and
 * so its GPUs, are of no use.
 */
#pragma once

#include "snapshot/snapshot.h"

/* There are NVSwitches, and NVLink is not turned off by a parameter of the module. */
bool is_fabric_managed(const struct snapshot *snapshot);

/*
 * There are NVSwitches that a fabric manager serves: on the bus, or those of the fourth generation, which are on no bus
 * of this node. There the daemon, where it runs, tells that there are some.
 */
bool has_fabric_manager(const struct snapshot *snapshot);

/*
 * A part of the fabric's software that is installed as a package, "fabric-manager": that of the version or of the
 * branch alone, "580", else any; NULL: none that is known.
 */
const struct software *find_fabric_part(const struct snapshot *snapshot, const char *name, const char *version);

/*
 * A GPU is in an NVLink domain of several nodes, whose memory programs share by way of nvidia-imex. Switches on this
 * node's own bus make a board, which has no need of it.
 */
bool is_in_nvlink_domain(const struct snapshot *snapshot, const struct gpu *gpu);

/* Why a daemon that is not seen need not be missing, or NULL. */
const char *daemon_excuse(const struct snapshot *snapshot);

/* It should run, and certainly does not. */
bool is_fabric_manager_missing(const struct snapshot *snapshot);
