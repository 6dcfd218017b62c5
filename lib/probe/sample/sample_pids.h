/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample_pids.h - whether processes have the numbers here by which drivers know them. */
#pragma once

#include "snapshot/snapshot.h"
#include "sys/root.h"

/* What a worker is told by the sealed snapshot, as the value of a variable. */
const char *sample_pids_told(const struct snapshot *sealed);
/*
 * In the worker: drivers know processes by their numbers on the host. In a namespace of its own those match nothing, or
 * another process.
 */
bool sample_pids_are_hosts(const struct root *root, const char *told);
#define SAMPLE_PID_NAMESPACE "pid namespace"
