/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvidia_holders.h - which GPU a process holds through /dev/nvidiaN.
 *
 * Only NVIDIA's driver knows, and in a driver that hangs its answer does too.
 * It is asked after all else of the walk was sent, and not at all where a task
 * waits in it.
 */
#pragma once

#include "probe/device/gpu_nodes.h"
#include "probe/probe.h"

/* Keys of holders, for asking later. Zeroed is empty. */
struct nvidia_holders {
	struct arena arena;
	struct nvidia_holder *holders;
	size_t nr;
};

void nvidia_holders_note(struct nvidia_holders *holders, const char *key, struct gpu_node *node);
/* Says holders[].gpu of each that was noted; is_waited_in: a task waits in the driver. */
void nvidia_holders_send(struct nvidia_holders *holders, struct gpu_nodes *nodes, struct probe_env *env,
			 struct sink *sink, bool is_waited_in);
void nvidia_holders_release(struct nvidia_holders *holders);
