// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * known_answer.c - the same as kernels/known_answer.cl, written a second time
 * on purpose: one text for both could be wrong on both sides and agree.
 */
#include "base/compat.h"
#include "kernels/abi.h"
#include "probe/known_answer.h"

static uint32_t rotate_left(uint32_t x, unsigned by)
{
	return x << by | x >> (32 - by);
}

static uint32_t multiply_high(uint32_t x, uint32_t y)
{
	return (uint32_t)(((uint64_t)x * y) >> 32);
}

uint32_t known_answer_round(uint32_t x)
{
	uint32_t f, g;

	x ^= x >> 16;
	x *= ABI_ANSWER_MULTIPLY_1;
	x ^= x >> 15;
	x *= ABI_ANSWER_MULTIPLY_2;
	x ^= x >> 16;
	/* What the kernel does in floats is exact, so whole numbers say what it must be. */
	f = (x & 0xfff) * ((x >> 12) & 0xff) + (x >> 20);
	g = f * 15 + ((x >> 7) & 0xfff);
	return rotate_left(x, 5) + multiply_high(x, ABI_ANSWER_HIGH) + g;
}

uint32_t known_answer_word(uint32_t seed, uint32_t index)
{
	uint32_t x = seed + index * ABI_ANSWER_STEP;

	for (int round = 0; round < ABI_ANSWER_ROUNDS; round++)
		x = known_answer_round(x);
	return x;
}

void known_answer_fill(uint32_t *words, size_t nr, uint32_t seed)
{
	for (size_t i = 0; i < nr; i++)
		words[i] = known_answer_word(seed, (uint32_t)i);
}

void known_answer_compare(struct known_answer_tally *tally, const uint32_t *expected, const uint32_t *got, size_t nr)
{
	tally->checked += nr;
	if (!memcmp(expected, got, nr * sizeof(*got)))
		return;
	for (size_t i = 0; i < nr; i++) {
		if (expected[i] == got[i])
			continue;
		if (!tally->wrong++) {
			tally->first_wrong = i;
			tally->expected = expected[i];
			tally->got = got[i];
		}
	}
}
