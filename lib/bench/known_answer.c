// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * known_answer.c - the same as kernels/known_answer.cl, written a second time
 * on purpose: one text for both could be wrong on both sides and agree.
 */
#include "base/compat.h"
#include "bench/known_answer.h"
#include "kernels/abi.h"

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

/* ---- known_answer_float, in whole numbers: no compiler and no processor of ours has a say in how they round */

uint32_t known_answer_float_bits(int64_t value, int exponent)
{
	const uint32_t sign = value < 0 ? 0x80000000u : 0;
	uint64_t m = value < 0 ? -(uint64_t)value : (uint64_t)value;
	int top, shift;

	if (!m)
		return 0;
	top = 63 - __builtin_clzll(m);
	shift = top - 23;
	if (shift > 0) {
		const uint64_t half = UINT64_C(1) << (shift - 1), rest = m & (2 * half - 1);

		m >>= shift;
		m += rest > half || (rest == half && m & 1);
		top += (int)(m >> 24);	/* rounded up to the next power of two, whose fraction is 0 either way */
	} else {
		m <<= -shift;
	}
	return sign | (uint32_t)(top + exponent + 127) << 23 | (uint32_t)(m & 0x7fffff);
}

/* answer_operand() in steps of 2^-23. */
static int64_t operand(uint32_t x)
{
	return (x & 0x7fffff) | 0x800000;
}

/* One mixing round of kernel known_answer_float. */
static uint32_t known_answer_float_round(uint32_t x, bool with_fma)
{
	uint32_t y, z, product, sum, difference, fused;
	int64_t a, b, c;

	x ^= x >> 16;
	x *= ABI_ANSWER_MULTIPLY_1;
	x ^= x >> 15;
	y = x * ABI_ANSWER_MULTIPLY_2;
	y ^= y >> 16;
	z = y * ABI_ANSWER_HIGH;
	z ^= z >> 15;
	a = operand(x);
	b = operand(y);
	c = operand(z);
	product = known_answer_float_bits(a * b, -46);
	sum = known_answer_float_bits(a + b, -23);
	difference = known_answer_float_bits(a - c, -23);
	fused = with_fma ? known_answer_float_bits(a * b - c * (1 << 23), -46) : z;
	return x + rotate_left(product, 5) + rotate_left(sum, 11) + rotate_left(difference, 17) +
	       rotate_left(fused, 23);
}

uint32_t known_answer_float_word(uint32_t seed, uint32_t index, bool with_fma)
{
	uint32_t x = seed + index * ABI_ANSWER_STEP;

	for (int round = 0; round < ABI_ANSWER_FLOAT_ROUNDS; round++)
		x = known_answer_float_round(x, with_fma);
	return x;
}

/* ---- all words */

void known_answer_fill(uint32_t *words, size_t nr, uint32_t seed)
{
	for (size_t i = 0; i < nr; i++)
		words[i] = known_answer_word(seed, (uint32_t)i);
}

void known_answer_float_fill(uint32_t *words, size_t nr, uint32_t seed, bool with_fma)
{
	for (size_t i = 0; i < nr; i++)
		words[i] = known_answer_float_word(seed, (uint32_t)i, with_fma);
}

static void count_unstable(struct known_answer_tally *tally, const uint32_t *before, const uint32_t *got, size_t nr)
{
	if (!memcmp(before, got, nr * sizeof(*got)))
		return;
	for (size_t i = 0; i < nr; i++)
		tally->unstable += before[i] != got[i];
}

void known_answer_compare(struct known_answer_tally *tally, const uint32_t *expected, const uint32_t *before,
			  const uint32_t *got, size_t nr)
{
	tally->checked += nr;
	if (before)
		count_unstable(tally, before, got, nr);
	if (!memcmp(expected, got, nr * sizeof(*got)))
		return;
	for (size_t i = 0; i < nr; i++) {
		if (expected[i] == got[i])
			continue;
		tally->flipped |= expected[i] ^ got[i];
		if (!tally->wrong++) {
			tally->first_wrong = i;
			tally->expected = expected[i];
			tally->got = got[i];
		}
	}
}
