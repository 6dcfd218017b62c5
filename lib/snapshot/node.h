/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node.h - the node of a snapshot: its loaded modules, its daemons, and what became of the workers. */
#pragma once

#include "snapshot/snapshot.h"

/*
 * Was it made of dumps of other tools? Then what it lacks says nothing of the node: a dump tells what its tool prints,
 * and a paste what somebody chose.
 */
bool is_imported(const struct snapshot *snapshot);

/*
 * Would a GPU of another snapshot of this node be listed here if it were there? Where the bus was read it would; else
 * where NVIDIA's library had it there, and here tells as many GPUs as it counts: a dump may be a part.
 */
bool lists_gpu_if_there(const struct snapshot *snapshot, const struct gpu *of_another);

/* ---- modules */

/* NVIDIA's kernel module, also where a distribution gives it another name; NULL: not loaded, or not known to be. */
const struct module *nvidia_module(const struct snapshot *snapshot);

/* It has a parameter of that value, "NvLinkDisable=1"; NULL has none. */
bool module_has_parameter(const struct module *module, const char *assignment);

/* ---- network */

/*
 * Does an earlier interface stand for the same port of an RDMA device? Several may share one, and have all of it. In an
 * import one may be a name alone: it stands for none that tells a state.
 */
bool port_is_listed_before(const struct snapshot *snapshot, size_t at);

/* ---- probe runs */

/*
 * The worker of that probe ("ocl-run") for that target, a GPU's address or the key of an OpenCL device or driver;
 * target NULL: the first of any. NULL: none was started or refused.
 */
const struct probe_run *find_probe_run(const struct snapshot *snapshot, const char *probe, const char *target);

/* ---- daemons, by their programs' names, whole as in daemon.comm */

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
