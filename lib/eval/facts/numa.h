/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numa.h - near and far. What is on one socket is near, also where the socket
 * is cut into several nodes (SNC, NPS); memory without CPUs is no place to run.
 */
#pragma once

#include "eval/judge/check.h"

/* Nodes that have CPUs; notes the lists of all as evidence, and a missing one leaves the question open. */
size_t numa_nodes_with_cpus(struct judgement *j);

/*
 * May the place of a process matter here? Notes each node's socket; false,
 * with the check skipped or unknown, where it cannot matter or is not known:
 * one node, one socket, the same distance everywhere.
 */
bool numa_matters(struct judgement *j);

/* The node of that number, or NULL. */
const struct numa_node *numa_node_at(const struct snapshot *snapshot, uint64_t number);

/* Sets of sockets, a bit for each; machines number them 0 and 1, 0 and 36, or by offsets into firmware tables. */
uint64_t packages_of_node(const struct snapshot *snapshot, const struct numa_node *node);
uint64_t packages_of_all(const struct snapshot *snapshot);
/* Of the GPU at that address; 0: not known. */
uint64_t packages_of_gpu(const struct snapshot *snapshot, const char *address);
/* Those in which the list has a CPU. */
uint64_t packages_of_cpus(const struct snapshot *snapshot, const char *cpulist);
/* All CPUs of them, as a list. */
const char *cpus_of_packages(struct arena *arena, const struct snapshot *snapshot, uint64_t packages);

/* A list of CPUs that fits into a sentence: "0-31", or "0,2,4,… (256 CPUs)". */
const char *short_cpulist(struct arena *arena, const char *cpulist);
