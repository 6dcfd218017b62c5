/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi.h - what the host and the kernels must agree on.
 *
 * This text comes first in the one program that all *.cl files but
 * memory_test.cl are built as, and in that one's own,
 * and is included by the host: so only plain #defines, and types that both
 * languages have under other names.
 */
/* A guard of macros, as #pragma once would be a warning in a kernel's own text. */
#ifndef GPUDIAG_KERNELS_ABI_H
#define GPUDIAG_KERNELS_ABI_H

#ifdef __OPENCL_VERSION__
typedef uint abi_u32;
typedef float abi_f32;
#else
#include <stdint.h>
typedef uint32_t abi_u32;
typedef float abi_f32;
#endif

/*
 * Work items of a group, for every kernel: one fixed size, since some drivers
 * compile a kernel again for each. Four waves of 64 or eight of 32 fill a GPU.
 */
#define ABI_LOCAL_ITEMS 256

/* triad.cl: vectors of an item that takes several. */
#define ABI_ROWS 4

/* chains.cl: independent chains of a work item, and operations of one step of one lane (a multiply and an add). */
#define ABI_CHAINS 8
#define ABI_CHAIN_OPERATIONS 2

/* known_answer.cl. The multipliers are the two of a 32-bit hash of low bias, the steps odd fractions of 2^32. */
#define ABI_ANSWER_ROUNDS 8
#define ABI_ANSWER_STEP 0x9e3779b9u
#define ABI_ANSWER_MULTIPLY_1 0x7feb352du
#define ABI_ANSWER_MULTIPLY_2 0x846ca68bu
#define ABI_ANSWER_HIGH 0xb5297a4du
#define ABI_ANSWER_FLOAT_ROUNDS 4
/* What answer_compare found: words of its buffer. */
#define ABI_FOUND_WRONG 0
#define ABI_FOUND_UNSTABLE 1
#define ABI_FOUND_FLIPPED 2
#define ABI_FOUND_PLACE 3
#define ABI_FOUND_EXPECTED 4
#define ABI_FOUND_GOT 5
#define ABI_FOUND_WORDS 6

/*
 * What memory_test.cl found: words of its buffer. After the head place (in words), right and wrong value of the first.
 */
#define ABI_MEMORY_WRONG 0
#define ABI_MEMORY_FLIPPED 1
#define ABI_MEMORY_SLOTS 2
#define ABI_MEMORY_HEAD 3
#define ABI_MEMORY_ERRORS 64
#define ABI_MEMORY_ERROR_WORDS 3
#define ABI_MEMORY_FOUND_WORDS (ABI_MEMORY_HEAD + ABI_MEMORY_ERRORS * ABI_MEMORY_ERROR_WORDS)

#endif
