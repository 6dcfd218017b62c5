/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels.h - the OpenCL program, as the compiler of a device gets it.
 *
 * All kernels but the memory test's are one program: building costs by the program, not by the
 * kernel (PoCL takes 20 ms for the second program of a process, nothing for
 * the second kernel of one).
 */
#pragma once

#include "base/compat.h"

enum { NR_KERNEL_SOURCES = 6, NR_MEMORY_TEST_SOURCES = 2 };

/* kernels/abi.h, then every other .cl file of kernels/ by name: the strings for clCreateProgramWithSource(). */
extern const char *const kernel_sources[NR_KERNEL_SOURCES];

/* The memory test, which a quick run has no need of: its kernels would cost it their compiling. */
extern const char *const memory_test_sources[NR_MEMORY_TEST_SOURCES];
