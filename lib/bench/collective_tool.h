/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collective_tool.h - may that file be run as all_reduce_perf? And what steers NCCL from outside. */
#pragma once

#include <limits.h>

#include "snapshot/snapshot.h"

/*
 * NULL: it is a program of this architecture, by its name all_reduce_perf, and where root runs this nobody else could
 * have put it there; real is then its path without links. Otherwise why not, and the way out, the arena's or static.
 */
const char *collective_tool_refusal(struct arena *arena, const char *path, char real[PATH_MAX]);

/*
 * Variables by which the loader or NCCL would load a library that root should not run, as LD_LIBRARY_PATH with a user's
 * folder; NULL: none, or this is not root.
 */
const char *collective_foreign_library(struct arena *arena);

/*
 * "NCCL_P2P_DISABLE=1" of the environment and of nccl.conf: what may limit the rate of an all-reduce on one node.
 * Values are told where they are numbers or keywords.
 */
void collective_settings(struct arena *arena, struct strs *ret);

/*
 * In the child that becomes the tool: which GPUs it may use, and no variable that lets it write a file or wait for
 * others.
 */
void collective_child_environment(const char *mask);
