/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selected.h - which devices --gpu chooses to be judged and put under load.
 * What is under test stays as it is, and with it the numbers of the GPUs, how
 * many belong here and who is whose twin.
 *
 * A selector is the number of a GPU, "3"; its PCI address, "0000:5d:00.0" or
 * "5d:00.0" of any domain; the beginning of its UUID as its vendor's tools or
 * OpenCL show it, of four characters or more; or the key of an OpenCL device,
 * "opencl:pocl.icd:0".
 */
#pragma once

#include "snapshot/snapshot.h"

/* Does that selector mean this GPU, which is under test? */
bool selector_is_of_gpu(const struct snapshot *snapshot, const char *selector, const struct gpu *gpu);

/* Does it mean this OpenCL device, by its own name or by the GPU it is on? */
bool selector_is_of_device(const struct snapshot *snapshot, const char *selector, const struct ocl_device *device);

/* By the request: any of its selectors does, or it has none. */
bool gpu_is_selected(const struct snapshot *snapshot, const struct gpu *gpu);
bool ocl_device_is_selected(const struct snapshot *snapshot, const struct ocl_device *device);

/* Is it under test and selected by --gpu? Node checks report on these GPUs only. */
bool gpu_is_judged(const struct snapshot *snapshot, const struct gpu *gpu);

/* How many GPUs under test it chooses. */
size_t gpus_selected(const struct snapshot *snapshot);
