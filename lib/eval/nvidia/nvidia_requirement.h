/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvidia_requirement.h - what an image of NVIDIA's asks of the driver (NVIDIA_REQUIRE_CUDA).
 *
 * "cuda>=12.4 brand=tesla,driver>=470,driver<471": of what spaces part one must hold, of what commas part all, and
 * nothing between two of them asks for nothing (NVIDIA's nvidia-container-runtime, README, "NVIDIA_REQUIRE_*";
 * libnvidia-container, src/cli/dsl.c). NVIDIA's prestart hook starts no container whose
 * requirement the driver does not meet; where GPUs come by CDI nobody looks at it (nvidia-container-toolkit, issue
 * 1470, open as of version 1.20 of August 2026). Pure.
 */
#pragma once

#include "base/arena.h"

/* UNSURE: it depends on what is not looked at here (brand, arch), or is not understood. */
enum requirement_answer { REQUIREMENT_MET, REQUIREMENT_NOT_MET, REQUIREMENT_UNSURE };

/* By a driver of that version; a branch alone, "550", may be any of its versions. */
enum requirement_answer nvidia_requirement_by(const char *requirement, const char *driver_version);

/* The CUDA it asks for at least, "12.4": of alternatives the oldest one's, as that one would do; or NULL. */
const char *nvidia_requirement_cuda(struct arena *arena, const char *requirement);
