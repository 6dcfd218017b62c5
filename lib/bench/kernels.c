// SPDX-License-Identifier: GPL-2.0-or-later
/* kernels.c - the texts of kernels/, which the build turns into strings (kernels/embed.sh), in order. */
#include "base/compat.h"
#include "bench/kernels.h"

extern const char embedded_kernels_abi_h[];
extern const char embedded_kernels_chains_cl[];
extern const char embedded_kernels_known_answer_cl[];
extern const char embedded_kernels_launch_cl[];
extern const char embedded_kernels_memory_cl[];
extern const char embedded_kernels_memory_test_cl[];
extern const char embedded_kernels_triad_cl[];

const char *const kernel_sources[NR_KERNEL_SOURCES] = {
	embedded_kernels_abi_h,
	embedded_kernels_chains_cl,
	embedded_kernels_known_answer_cl,
	embedded_kernels_launch_cl,
	embedded_kernels_memory_cl,
	embedded_kernels_triad_cl,
};

const char *const memory_test_sources[NR_MEMORY_TEST_SOURCES] = {
	embedded_kernels_abi_h,
	embedded_kernels_memory_test_cl,
};
