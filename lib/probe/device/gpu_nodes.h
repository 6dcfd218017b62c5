/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gpu_nodes.h - device nodes of GPUs: whose they are, by their names alone.
 *
 * A node is never opened, and never stat()ed: opening one can wake a GPU or
 * hang in its driver. So can reading what NVIDIA's driver tells of a GPU
 * (nv-procfs.c: for it the GPU is resumed and the driver's own lock taken): it
 * is asked last, and never of one that sleeps.
 */
#pragma once

#include "probe/probe.h"

#define NVIDIA_GPUS "/proc/driver/nvidia/gpus"

/* N of the /dev/nvidiaN of the GPU at that address. Asks the driver, unless the GPU sleeps. */
struct val_u64 nvidia_minor_of(struct probe_env *env, struct arena *arena, const char *address);

struct gpu_node {
	const char *path;		/* "/dev/nvidia0" */
	struct val_str gpu;		/* PCI address; absent: it serves every GPU; unset: ask gpu_node_gpu() */
	const char *driver;		/* "nvidia", "amdgpu", "i915", "xe"; NULL: another or not known */
	uint64_t minor;			/* of an nvidia node */
};

/* Nodes looked up so far. Zeroed is empty; all memory is the arena's. */
struct gpu_nodes {
	struct arena arena;
	struct gpu_node **nodes;
	size_t nr;
	bool asked_nvidia;		/* which GPUs its driver has, and their minors: asked once */
	int nvidia_error;
	struct nvidia_minor *minors;
	size_t nr_minors;
};

/*
 * The node of that path, or NULL where the path is none of a GPU. A path as
 * /proc/PID/fd shows it: " (deleted)" may follow.
 */
struct gpu_node *gpu_nodes_find(struct gpu_nodes *nodes, struct probe_env *env, const char *path);
/* Whose node it is. May ask NVIDIA's driver, which may hang; the answer is kept in the node. */
struct val_str gpu_node_gpu(struct gpu_nodes *nodes, struct probe_env *env, struct gpu_node *node);
/* Is the path one of a GPU or of what belongs to its driver (nvidiactl)? */
bool gpu_nodes_may_be(const char *path);
void gpu_nodes_release(struct gpu_nodes *nodes);
