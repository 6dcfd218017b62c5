/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gpu_nodes.h - device nodes of GPUs: whose they are, by their names alone.
 *
 * A node is never opened, and never stat()ed: opening one can wake a GPU or
 * hang in its driver.
 */
#ifndef GPUDIAG_PROBE_GPU_NODES_H
#define GPUDIAG_PROBE_GPU_NODES_H

#include "probe/probe.h"

#define NVIDIA_GPUS "/proc/driver/nvidia/gpus"

/* N of the /dev/nvidiaN of the GPU at that address; false where the driver does not tell. */
bool nvidia_minor_of(struct probe_env *env, struct arena *arena, const char *address, uint64_t *ret);

struct gpu_node {
	const char *path;		/* "/dev/nvidia0" */
	struct val_str gpu;		/* PCI address; absent for a node that serves every GPU */
	const char *driver;		/* "nvidia", "amdgpu", "i915", "xe"; NULL: another or not known */
};

/* Nodes looked up so far. Zeroed is empty; all memory is the arena's. */
struct gpu_nodes {
	struct arena arena;
	const struct gpu_node **nodes;
	size_t nr;
};

/*
 * The node of that path, or NULL where the path is none of a GPU. A path as
 * /proc/PID/fd shows it: " (deleted)" may follow.
 */
const struct gpu_node *gpu_nodes_find(struct gpu_nodes *nodes, struct probe_env *env, const char *path);
/* Is the path one of a GPU or of what belongs to its driver (nvidiactl)? */
bool gpu_nodes_may_be(const char *path);
void gpu_nodes_release(struct gpu_nodes *nodes);

#endif
