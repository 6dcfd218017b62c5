// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory test: its plan, and its kernels, which are C enough to be run
 * here, one item after the other.
 */
#include "base/compat.h"
#include "bench/memory_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "kernels/abi.h"

static uint32_t item;

static uint32_t get_global_id(unsigned dimension)
{
	(void)dimension;
	return item;
}

static uint32_t rotate(uint32_t x, uint32_t by)
{
	return by ? x << by | x >> (32 - by) : x;
}

static uint32_t atomic_add(uint32_t *at, uint32_t more)
{
	*at += more;
	return *at - more;
}

static uint32_t atomic_inc(uint32_t *at)
{
	return atomic_add(at, 1);
}

static uint32_t atomic_or(uint32_t *at, uint32_t bits)
{
	*at |= bits;
	return *at;
}

#define __kernel static
#define __global
#define MEMORY_WIDTH 1
#include "kernels/memory_test.cl"

enum { WORDS = 256 };
static uint32_t memory[WORDS], found[ABI_MEMORY_FOUND_WORDS];

static void sweep(const struct memory_pass *pass, const struct memory_sweep *how, unsigned chunk)
{
	uint32_t a, b;

	memory_pass_arguments(pass, chunk, &a, &b);
	for (item = 0; item < WORDS; item++) {
		if (!how->verifies && pass->kernel == MEMORY_WALK)
			memory_write_walk(memory, 0, a, b, how->invert);
		else if (!how->verifies && pass->kernel == MEMORY_ADDRESS)
			memory_write_address(memory, 0, a, b, how->invert);
		else if (!how->verifies)
			memory_write_random(memory, 0, a, b, how->invert);
		else if (pass->kernel == MEMORY_WALK)
			memory_verify_walk(memory, 0, a, b, how->invert, found, how->turns);
		else if (pass->kernel == MEMORY_ADDRESS)
			memory_verify_address(memory, 0, a, b, how->invert, found, how->turns);
		else
			memory_verify_random(memory, 0, a, b, how->invert, found, how->turns);
	}
}

/* Every pass finds nothing in memory that keeps what is written, and one bit in each sweep where one is stuck. */
static void passes_find_a_stuck_bit(void **state)
{
	struct memory_pass pass;
	unsigned nr_found = 0, n;

	(void)state;
	for (n = 0; memory_pass_at(n, &pass); n++) {
		memset(found, 0, sizeof(found));
		for (unsigned i = 0; i < pass.nr_sweeps; i++)
			sweep(&pass, &pass.sweeps[i], 3);
		assert_int_equal(found[ABI_MEMORY_WRONG], 0);
		for (unsigned i = 0; i < pass.nr_sweeps; i++) {
			memory[77] |= 1u << 9;
			sweep(&pass, &pass.sweeps[i], 3);
			memory[77] |= 1u << 9;
		}
		if (!found[ABI_MEMORY_WRONG])
			continue;
		nr_found++;
		assert_int_equal(found[ABI_MEMORY_FLIPPED], 1u << 9);
		assert_int_equal(found[ABI_MEMORY_HEAD], 77);
		assert_int_equal(found[ABI_MEMORY_HEAD + 1] | 1u << 9, found[ABI_MEMORY_HEAD + 2]);
	}
	assert_int_equal(n, memory_passes());
	/* All walking ones but one, one walking zero, one of the two addresses, the moving inversions. */
	assert_true(nr_found >= 34);
}

/* One bit in each place, of each word: alone of its value. */
static void walks_reach_every_bit(void **state)
{
	uint32_t ones[WORDS] = { 0 }, zeros[WORDS];
	struct memory_pass pass;

	(void)state;
	memset(zeros, 0xff, sizeof(zeros));
	for (unsigned n = 0; memory_pass_at(n, &pass); n++) {
		if (pass.kernel != MEMORY_WALK)
			continue;
		sweep(&pass, &pass.sweeps[0], 5);
		for (size_t i = 0; i < WORDS; i++) {
			bool is_one = pass.value == 1;

			assert_int_equal(__builtin_popcount(memory[i]), is_one ? 1 : 31);
			ones[i] |= is_one ? memory[i] : 0;
			zeros[i] &= is_one ? ~0u : memory[i];
		}
	}
	for (size_t i = 0; i < WORDS; i++) {
		assert_int_equal(ones[i], ~0u);
		assert_int_equal(zeros[i], 0);
	}
}

/* Two words for each 8 bytes, their number in all of the memory: over 16 GiB too. */
static void addresses_differ(void **state)
{
	struct memory_pass pass;

	(void)state;
	assert_true(memory_pass_at(0, &pass));
	sweep(&pass, &pass.sweeps[0], 0);
	for (uint32_t i = 0; i < WORDS; i++)
		assert_int_equal(memory[i], i & 1 ? 0 : i / 2);
	sweep(&pass, &pass.sweeps[0], 31);
	assert_int_equal(memory[2], 31u * (1u << 27) + 1);
	assert_int_equal(memory[3], 0);
	sweep(&pass, &pass.sweeps[0], 33);
	assert_int_equal(memory[2], (1u << 27) + 1);
	assert_int_equal(memory[3], 1);
}

static void counts_and_keeps_the_first(void **state)
{
	struct memory_pass pass;

	(void)state;
	assert_true(memory_pass_at(4, &pass));
	sweep(&pass, &pass.sweeps[0], 0);
	memset(found, 0, sizeof(found));
	for (size_t i = 0; i < 100; i++)
		memory[i] ^= 6;
	sweep(&pass, &pass.sweeps[1], 0);
	assert_int_equal(found[ABI_MEMORY_WRONG], 100);
	assert_int_equal(found[ABI_MEMORY_FLIPPED], 6);
	for (uint32_t i = 0; i < ABI_MEMORY_ERRORS; i++)
		assert_int_equal(found[ABI_MEMORY_HEAD + i * ABI_MEMORY_ERROR_WORDS], i);
}

#define GIB (UINT64_C(1) << 30)

static void asks_for_no_more_than_there_is(void **state)
{
	(void)state;
	/* A GPU: a share of what is free, else of all. */
	assert_int_equal(memory_to_ask(&(struct memory_room){ .total_bytes = 100 * GIB }, 90), 90 * GIB);
	assert_int_equal(memory_to_ask(&(struct memory_room){ .total_bytes = 100 * GIB, .free_bytes = 50 * GIB }, 100),
			 50 * GIB / 100 * 100);
	assert_true(memory_to_ask(&(struct memory_room){ .total_bytes = GIB, .free_bytes = 50 * GIB }, 250) <= GIB);
	assert_int_equal(memory_to_ask(&(struct memory_room){ .free_bytes = 1, .total_bytes = GIB }, 90), 0);
	/* The host's: half of what is available, 4 GiB at most, nothing where nobody knows. */
	assert_int_equal(memory_to_ask(&(struct memory_room){ .total_bytes = 100 * GIB, .is_host = true,
							      .host_available_bytes = 6 * GIB }, 90), 3 * GIB);
	assert_int_equal(memory_to_ask(&(struct memory_room){ .total_bytes = 100 * GIB, .is_host = true,
							      .host_available_bytes = 60 * GIB }, 90), 4 * GIB);
	assert_int_equal(memory_to_ask(&(struct memory_room){ .total_bytes = 100 * GIB, .is_host = true }, 90), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_find_a_stuck_bit),
		cmocka_unit_test(walks_reach_every_bit),
		cmocka_unit_test(addresses_differ),
		cmocka_unit_test(counts_and_keeps_the_first),
		cmocka_unit_test(asks_for_no_more_than_there_is),
	};

	return cmocka_run_group_tests_name("memory_plan", tests, NULL, NULL);
}
