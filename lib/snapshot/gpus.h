/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gpus.h - GPUs of a snapshot: by address, and the switch that some cards carry. */
#pragma once

#include "snapshot/snapshot.h"

/* ---- by address */

/* The GPU at that PCI address, or NULL; NULL is no address. */
const struct gpu *gpu_at(const struct snapshot *snapshot, const char *address);

/* Not one of a dump that tells no address, whose key is "gpu3" or "gpu?". */
bool gpu_has_address(const struct gpu *gpu);

/* Is it below the bridge of that address? */
bool gpu_is_below(const struct gpu *gpu, const char *bridge);

/* The GPU that an OpenCL device is; NULL: a CPU, or a driver that does not report its address. */
const struct gpu *ocl_device_gpu(const struct snapshot *snapshot, const struct ocl_device *device);

/* The OpenCL device is that GPU: one of several, where several OpenCL drivers serve it. */
bool ocl_device_is_of(const struct ocl_device *device, const struct gpu *gpu);

/* ---- card switch */

/*
 * The switch that some cards carry, which hides the slot's link.
 *
 * AMD cards since Navi1x and Vega20, and Intel Arc: the GPU's own link is
 * inside the card and tells nothing of the slot; the switch's upstream port
 * stands for the card. Shared by those who read that link and those who judge
 * it, so that they cannot disagree.
 */

/* Type of the bridge at that place above the GPU; by counting where it could not be read. */
const char *gpu_port_type(const struct gpu *gpu, size_t place);

bool gpu_has_card_switch(const struct gpu *gpu);
