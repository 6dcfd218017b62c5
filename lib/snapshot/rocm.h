/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Part of the reason in record rocm, member init: ROCm's programs found no kernel driver. */
#define ROCM_NOT_LOADED "amdgpu is not loaded"
