// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "bench/memory_plan.h"

#define HOST_MOST_BYTES (UINT64_C(4) << 30)
#define ALL_ONES 0xffffffffu
#define CHUNK_PLACES (uint32_t)(MEMORY_CHUNK_BYTES / 8)
/* Odd fractions of 2^32: neighbouring chunks and seeds have nothing in common. */
#define CHUNK_STEP 0x9e3779b9u
#define SEED_STEP 0xb5297a4du

enum { WORD_BITS = 32 };

static const struct memory_sweep write_it = { .invert = 0 }, verify_it = { .verifies = true };

static const struct {
	const char *name;
	enum memory_kernel kernel;
	unsigned times;
} patterns[] = {
	{ "own-address", MEMORY_ADDRESS, 2 },
	{ "moving-inversions", MEMORY_RANDOM, 1 },
	{ "random", MEMORY_RANDOM, 2 },
	{ "walking-ones", MEMORY_WALK, WORD_BITS },
	{ "walking-zeros", MEMORY_WALK, WORD_BITS },
};
const char memory_pattern_names[] = "own-address moving-inversions random walking-ones walking-zeros";

unsigned memory_passes(void)
{
	unsigned nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		nr += patterns[i].times;
	return nr;
}

static void once(struct memory_pass *pass, uint32_t invert)
{
	pass->nr_sweeps = 2;
	pass->sweeps[0] = write_it;
	pass->sweeps[1] = verify_it;
	pass->sweeps[0].invert = pass->sweeps[1].invert = invert;
}

static void move_inversions(struct memory_pass *pass)
{
	pass->nr_sweeps = 4;
	pass->sweeps[0] = write_it;
	pass->sweeps[1] = (struct memory_sweep){ .verifies = true, .turns = true };
	pass->sweeps[2] = (struct memory_sweep){ .verifies = true, .turns = true, .downwards = true,
						 .invert = ALL_ONES };
	pass->sweeps[3] = verify_it;
}

bool memory_pass_at(unsigned n, struct memory_pass *ret)
{
	const unsigned seed = n;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		if (n >= patterns[i].times) {
			n -= patterns[i].times;
			continue;
		}
		*ret = (struct memory_pass){ .pattern = patterns[i].name, .kernel = patterns[i].kernel, .seed = seed,
					     .shift = n, .value = 1 };
		if (!strcmp(ret->pattern, "moving-inversions"))
			move_inversions(ret);
		else
			once(ret, ret->kernel == MEMORY_ADDRESS && n ? ALL_ONES : 0);
		if (!strcmp(ret->pattern, "walking-zeros"))
			ret->value = ~1u;
		return true;
	}
	return false;
}

void memory_pass_arguments(const struct memory_pass *pass, unsigned chunk, uint32_t *ret_a, uint32_t *ret_b)
{
	switch (pass->kernel) {
	case MEMORY_WALK:
		*ret_a = pass->value;
		*ret_b = pass->shift + chunk;
		break;
	case MEMORY_ADDRESS:
		/* The number of its 8 bytes in all of the memory: CHUNK_PLACES divide 2^32, so no chunk carries. */
		*ret_a = chunk * CHUNK_PLACES;
		*ret_b = (uint32_t)((uint64_t)chunk * CHUNK_PLACES >> 32);
		break;
	default:
		*ret_a = chunk * CHUNK_STEP;
		*ret_b = pass->seed * SEED_STEP;
		break;
	}
}

static uint64_t memory_of_host(uint64_t available_bytes)
{
	return available_bytes / 2 < HOST_MOST_BYTES ? available_bytes / 2 : HOST_MOST_BYTES;
}

uint64_t memory_to_ask(const struct memory_room *room, unsigned percent)
{
	uint64_t bytes = room->free_bytes ? room->free_bytes : room->total_bytes;

	if (room->total_bytes && bytes > room->total_bytes)
		bytes = room->total_bytes;
	bytes = bytes / 100 * (percent < 100 ? percent : 100);
	if (room->is_host && bytes > memory_of_host(room->host_available_bytes))
		bytes = memory_of_host(room->host_available_bytes);
	return bytes;
}
