/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gpus.h - which GPU an address, and which one an OpenCL device, means. */
#ifndef GPUDIAG_SNAPSHOT_GPUS_H
#define GPUDIAG_SNAPSHOT_GPUS_H

#include "snapshot/snapshot.h"

/* The GPU at that PCI address, or NULL; NULL is no address. */
const struct gpu *gpu_at(const struct snapshot *snapshot, const char *address);

/* The GPU that an OpenCL device is; NULL: a processor, or one whose driver does not tell where it is. */
const struct gpu *ocl_device_gpu(const struct snapshot *snapshot, const struct ocl_device *device);

/* The OpenCL device is that GPU: one of several, where several OpenCL drivers serve it. */
bool ocl_device_is_of(const struct ocl_device *device, const struct gpu *gpu);

#endif
