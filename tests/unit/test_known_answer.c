// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "bench/known_answer.h"
#include "kernels/abi.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/*
 * By hand for 1: hashed 1, 7feb352d, 7febcafb, 6889f849, 688990c0. Of that,
 * f = 0xc0 * 0x99 + 0x688 = 31048, g = 15 * 31048 + 0x321 = 466521 (0x71e59);
 * rotated 1132180d, high half of the product 49fa3350; the sum is 5b3369b6.
 */
static void rounds_are_as_by_hand(void **state)
{
	static const struct { uint32_t x, after; } rounds[] = {
		{ .x = 0, .after = 0 },
		{ .x = 1, .after = 0x5b3369b6 },
		{ .x = 0x80000000, .after = 0x1a0740fc },
		{ .x = 0xffffffff, .after = 0x36508e2c },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rounds); i++)
		assert_int_equal(known_answer_round(rounds[i].x), rounds[i].after);
}

/* From a version in another language, with floats. */
static void words_are_as_elsewhere(void **state)
{
	static const struct { uint32_t seed, index, word; } words[] = {
		{ .seed = 0, .index = 0, .word = 0 },
		{ .seed = 0, .index = 1, .word = 0x31bc7080 },
		{ .seed = 1, .index = 0, .word = 0xcad5032b },
		{ .seed = 0x6770, .index = 0, .word = 0x00314cfc },
		{ .seed = 0x6770, .index = 1, .word = 0x4eefe4f3 },
		{ .seed = 0x6770, .index = 262143, .word = 0x679ddab9 },
		{ .seed = 0xffffffff, .index = 0xffffffff, .word = 0xe3ce4f06 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(known_answer_word(words[i].seed, words[i].index), words[i].word);
}

/* The kernel's own steps: what it does in floats must not round, fused or not, in the worst case either. */
static void floats_are_exact(void **state)
{
	float f = fmaf(4095, 255, 4095), g = fmaf(f, 15, 4095);

	(void)state;
	assert_true(g == 15728895.0f && g < 0x1p24f);
	for (uint32_t i = 0, x = 1; i < 1000000; i++, x += ABI_ANSWER_STEP) {
		uint32_t a = x & 0xfff, b = (x >> 12) & 0xff, c = x >> 20, d = (x >> 7) & 0xfff;
		volatile float product = (float)a * (float)b;	/* rounds here, if ever */

		f = fmaf((float)a, (float)b, (float)c);
		g = fmaf(f, 15.0f, (float)d);
		if (f != product + (float)c || (uint32_t)f != a * b + c || (uint32_t)g != (a * b + c) * 15 + d)
			fail_msg("rounded at 0x%08x", x);
	}
}

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* Rounded in whole numbers as this machine's processor rounds. volatile: one operation after the other. */
static void floats_are_rounded_right(void **state)
{
	static const int64_t hard[] = {
		/* halves between two neighbours, to both sides of even, and up to the next power of two */
		0x1000001, 0x1000003, 0x1ffffff, 0x1fffffe, 0x3fffffe, 0x3ffffff, 0x2000002, 0x2000006,
		(INT64_C(0xffffff) << 23) + 0x400000, (INT64_C(0xfffffe) << 23) + 0x400000, 1, 3, 0,
	};
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hard); i++) {
		volatile float f = (float)hard[i], g = -f;

		assert_int_equal(known_answer_float_bits(hard[i], 0), bits_of(f));
		if (hard[i])
			assert_int_equal(known_answer_float_bits(-hard[i], 0), bits_of(g));
	}
	for (int i = 0; i < 100000; i++, x = known_answer_round(x + 1)) {
		const int64_t a = (x & 0x7fffff) | 0x800000, b = (x >> 9) | 0x800000, c = ((x * 77) >> 9) | 0x800000;
		volatile float fa = (float)a / 0x800000, fb = (float)b / 0x800000, fc = (float)c / 0x800000, f;

		f = fa * fb;
		assert_int_equal(known_answer_float_bits(a * b, -46), bits_of(f));
		f = fa + fb;
		assert_int_equal(known_answer_float_bits(a + b, -23), bits_of(f));
		f = fa - fc;
		assert_int_equal(known_answer_float_bits(a - c, -23), bits_of(f));
		f = fmaf(fa, fb, -fc);
		assert_int_equal(known_answer_float_bits(a * b - c * 0x800000, -46), bits_of(f));
	}
}

static void fills_words_in_order(void **state)
{
	uint32_t words[100];

	(void)state;
	known_answer_fill(words, ARRAY_SIZE(words), 7);
	for (uint32_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(words[i], known_answer_word(7, i));
	known_answer_float_fill(words, ARRAY_SIZE(words), 7, true);
	for (uint32_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(words[i], known_answer_float_word(7, i, true));
	assert_int_not_equal(known_answer_float_word(7, 3, true), known_answer_float_word(7, 3, false));
}

/* A result that a fault could give by itself must not look right. */
static void words_differ(void **state)
{
	enum { NR = 1 << 12 };
	static uint32_t words[NR];

	(void)state;
	known_answer_fill(words, NR, 0x6770);
	for (size_t i = 0; i < NR; i++) {
		assert_int_not_equal(words[i], 0);
		for (size_t k = 0; k < i; k++) {
			if (words[i] == words[k])
				fail_msg("words %zu and %zu are both 0x%08x", k, i, words[i]);
		}
	}
}

static void counts_wrong_words(void **state)
{
	uint32_t expected[50], got[50];
	struct known_answer_tally tally = { .checked = 0 };

	(void)state;
	known_answer_fill(expected, ARRAY_SIZE(expected), 3);
	memcpy(got, expected, sizeof(got));
	known_answer_compare(&tally, expected, NULL, got, ARRAY_SIZE(got));
	assert_int_equal(tally.checked, 50);
	assert_int_equal(tally.wrong, 0);

	got[17] ^= 1u << 31;
	got[49] = 0;
	known_answer_compare(&tally, expected, NULL, got, ARRAY_SIZE(got));
	assert_int_equal(tally.checked, 100);
	assert_int_equal(tally.wrong, 2);
	assert_int_equal(tally.first_wrong, 17);
	assert_int_equal(tally.expected, expected[17]);
	assert_int_equal(tally.got, got[17]);

	/* The first of all results stays the first. */
	got[0]++;
	known_answer_compare(&tally, expected, NULL, got, ARRAY_SIZE(got));
	assert_int_equal(tally.wrong, 5);
	assert_int_equal(tally.first_wrong, 17);
	known_answer_compare(&tally, expected, NULL, got, 0);
	assert_int_equal(tally.checked, 150);
	assert_int_equal(tally.flipped, 1u << 31 | expected[49] | (expected[0] ^ got[0]));

	/* Wrong twice in the same way is wrong and stable. */
	assert_int_equal(tally.unstable, 0);
	known_answer_compare(&tally, expected, got, got, ARRAY_SIZE(got));
	assert_int_equal(tally.unstable, 0);
	known_answer_compare(&tally, expected, expected, got, ARRAY_SIZE(got));
	assert_int_equal(tally.unstable, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_are_as_by_hand),
		cmocka_unit_test(words_are_as_elsewhere),
		cmocka_unit_test(floats_are_exact),
		cmocka_unit_test(floats_are_rounded_right),
		cmocka_unit_test(fills_words_in_order),
		cmocka_unit_test(words_differ),
		cmocka_unit_test(counts_wrong_words),
	};

	return cmocka_run_group_tests_name("known_answer", tests, NULL, NULL);
}
