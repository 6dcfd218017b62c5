/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvml_error.h - errors of NVIDIA's management library, where a snapshot keeps
 * them: as the reason why a value is not known, or as its own text. They bear
 * the names of nvml.h, with or without NVML_ERROR_ before.
 */
#pragma once

#include "snapshot/snapshot.h"

/* Is it that error, "GPU_IS_LOST"? */
bool nvml_error_is(const char *text, const char *error);

/* What the library said of the whole GPU: the error of its handle, else the gravest of any later call; NULL: none. */
const char *nvml_gpu_error(const struct gpu *gpu);
/* The call that said so. */
const char *nvml_gpu_error_call(const struct gpu *gpu);

/* The library did not come as far as this GPU: its start failed, whatever GPU it was loaded for. */
bool nvml_did_not_start(const struct gpu *gpu);
