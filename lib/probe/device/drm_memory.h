/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drm_memory.h - GPU memory that holders have, by /proc/PID/fdinfo.
 *
 * The driver writes these files, and amdgpu takes a lock of its own to do so:
 * in a driver that hangs they may hang. They are read after all else of the
 * walk was sent, and not at all of a driver in which a task waits, nor of a
 * GPU that sleeps.
 */
#pragma once

#include "probe/device/gpu_nodes.h"
#include "probe/probe.h"

/* Descriptors of DRM nodes that were seen, for reading later. Zeroed is empty. */
struct drm_memory {
	struct arena arena;
	struct drm_descriptor *descriptors;
	size_t nr;
	struct drm_client *clients;	/* counted already */
	size_t nr_clients;
};

/* Can fdinfo report the memory of this node's holders? */
bool drm_memory_counts(const struct gpu_node *node);
/* Notes that the process holds that node by that descriptor. */
void drm_memory_note(struct drm_memory *memory, const char *pid, const char *descriptor, const struct gpu_node *node);

/*
 * Says holders[].memory_bytes of each descriptor that was noted, one flush for
 * each process; is_waited_in(driver): a task waits in it.
 */
void drm_memory_send(struct drm_memory *memory, struct probe_env *env, struct sink *sink,
		     bool (*is_waited_in)(const char *driver, void *data), void *data);
void drm_memory_release(struct drm_memory *memory);
