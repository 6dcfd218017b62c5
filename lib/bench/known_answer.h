/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known_answer.h - what kernels/known_answer.cl must give, computed by the
 * host, and the comparing of the two. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

/* One round of the kernel's mixing, and the word that work item `index` stores. */
uint32_t known_answer_round(uint32_t x);
uint32_t known_answer_word(uint32_t seed, uint32_t index);

/* The word stored by work item `index` of kernel known_answer_float. */
uint32_t known_answer_float_word(uint32_t seed, uint32_t index, bool with_fma);

/* value * 2^exponent as an IEEE single, rounded to nearest even. Not for what is too large or a denormal. */
uint32_t known_answer_float_bits(int64_t value, int exponent);

/* Words 0 … nr - 1. */
void known_answer_fill(uint32_t *words, size_t nr, uint32_t seed);
void known_answer_float_fill(uint32_t *words, size_t nr, uint32_t seed, bool with_fma);

/* What comparing found, summed over several results. Zeroed to begin with. */
struct known_answer_tally {
	uint64_t checked;
	uint64_t wrong;
	uint64_t unstable;	/* differ from what the same input gave before */
	uint32_t flipped;	/* every bit that was ever wrong */
	size_t first_wrong;	/* this and the next two only where wrong is not 0 */
	uint32_t expected;
	uint32_t got;
};
/* before: what the same input gave before; NULL: it is the first time. */
void known_answer_compare(struct known_answer_tally *tally, const uint32_t *expected, const uint32_t *before,
			  const uint32_t *got, size_t nr);
