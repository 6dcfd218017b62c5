/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gpu_trace.h - on a machine whose bus has no GPU: does anything on it know of one?
 *
 * A driver loaded or installed, a device node, a slot with a card that does not respond, a kernel log that names a GPU
 * which is gone, a container that was started to have one. Without any of them the machine may well be one that was
 * never to have a GPU. What an operator says (--expect-gpus, a policy, a baseline) is no trace, and asked before.
 */
#pragma once

#include "eval/log/kernel_log.h"

/*
 * The first trace as the end of a sentence: "module nvidia is loaded", "the kernel log of this boot has one at
 * 0000:51:00.0"; NULL: none. Modules count that drive no display or integrated graphics which is there.
 */
const char *gpu_trace(struct arena *arena, const struct snapshot *snapshot, const struct node_log *log);

/* Is that incident, since boot, the newest of a GPU that is not on the bus any more? Each such GPU has one. */
bool is_newest_of_gone_gpu(const struct node_log *log, size_t at);

/*
 * "NVIDIA_VISIBLE_DEVICES=all" of a container that its runtime meant to give GPUs, as images for CUDA ask; NULL: none.
 */
const char *gpu_request_of_container(const struct snapshot *snapshot);
