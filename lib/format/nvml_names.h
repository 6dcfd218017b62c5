/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvml_names.h - names of what NVIDIA's management library returns as numbers:
 * errors, throttle reasons and enumerations of nvml.h, CUDA 13.3. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* "NVML_ERROR_GPU_IS_LOST"; NULL for a number that none has. */
const char *nvml_error_name(int error);

/* "SwPowerCap, HwSlowdown" in nvml.h's names, "none" of 0. */
const char *nvml_reason_names(struct arena *arena, uint64_t reasons);

/* Names by number; NULL, or a number from nr on: none has it. */
struct nvml_names {
	size_t nr;
	const char *names[16];
};
extern const struct nvml_names nvml_architectures, nvml_virtualization_modes, nvml_compute_modes, nvml_addressing_modes;
extern const struct nvml_names nvml_fabric_states, nvml_link_kinds, nvml_recovery_actions;

/* The call returns the first two; the third is a value of NVML_FI_DEV_NVLINK_GET_STATE alone. */
enum { NVML_LINK_SLEEPS = 2 };
extern const struct nvml_names nvml_link_states;
