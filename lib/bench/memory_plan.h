/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_plan.h - what the memory test writes and verifies, in which order,
 * and how much of the memory it takes. Pure.
 *
 * The patterns that find most come first, since time may run out: a number for
 * each place, and its inverse; moving inversions of random words, in which each
 * word is verified and inverted upwards, then downwards, so that a cell which
 * disturbs another is seen from both sides; random words; then one bit alone in
 * each place of a word, and one bit missing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

enum memory_kernel { MEMORY_WALK, MEMORY_ADDRESS, MEMORY_RANDOM, NR_MEMORY_KERNELS };

/* One go over all of the memory. */
struct memory_sweep {
	bool verifies;		/* else it writes */
	bool turns;		/* what was verified is inverted */
	bool downwards;
	uint32_t invert;	/* 0 or all ones */
};

/* A pattern as it is written and verified once. */
struct memory_pass {
	const char *pattern;	/* "walking-ones" */
	enum memory_kernel kernel;
	unsigned shift, seed;	/* of the walk; of the random words */
	uint32_t value;		/* what walks */
	unsigned nr_sweeps;
	struct memory_sweep sweeps[4];
};

/* The nth pass, from 0; false after the last. */
bool memory_pass_at(unsigned n, struct memory_pass *ret);
unsigned memory_passes(void);
extern const char memory_pattern_names[];	/* all of them, in a list */

/* The kernel's a and b for one of the buffers, which has MEMORY_CHUNK_BYTES or less. */
#define MEMORY_CHUNK_BYTES (UINT64_C(1) << 30)
void memory_pass_arguments(const struct memory_pass *pass, unsigned chunk, uint32_t *ret_a, uint32_t *ret_b);

/*
 * How much of a device's memory to ask for: percent of what is free; free_bytes
 * 0: not known, and all there is counts as free. Of the
 * host's memory half of what is available and 4 GiB at most: whoever else needs
 * memory on this machine must not be driven into swap or killed. Nothing where
 * that is not known.
 */
struct memory_room {
	uint64_t total_bytes, free_bytes;	/* the device's own; 0: not known */
	bool is_host;				/* it is the host's memory */
	uint64_t host_available_bytes;		/* 0: not known */
};
uint64_t memory_to_ask(const struct memory_room *room, unsigned percent);
