/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gpu_files.h - files of a GPU that failed, asked again. Private to gpu_files*.c. */
#ifndef GPUDIAG_PROBE_GPU_FILES_H
#define GPUDIAG_PROBE_GPU_FILES_H

#include "probe/device/card.h"

/*
 * Reads again what failed of amdgpu's and Intel's files since since_ns, half a second later and, where the GPU has two
 * twins, five (gpu_files_again.c). Sends what has answered.
 */
void gpu_files_ask_again(struct card *card, struct gpu *gpu, bool has_twins, uint64_t since_ns);

#endif
