// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory_test.cl - writes patterns into memory, and says where it reads others.
 *
 * A program of its own, built at level deep alone, with -D MEMORY_WIDTH: the
 * 32-bit words that an item moves at once. 16 on a CPU, a cache line, as its
 * driver does not merge items; 4 on a GPU, whose neighbouring items make one
 * access of theirs. A word's pattern depends on its place in its buffer, and
 * on a and b, which the host sets for each buffer: no table of what belongs
 * where is needed.
 *
 * Where all is as written nothing is counted and nothing stored.
 */
#if MEMORY_WIDTH == 16
typedef uint16 memory_words;
#define MEMORY_RAMP (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define MEMORY_STORE(words, to) vstore16(words, 0, to)
#define MEMORY_OR(w) memory_or_16(w)
/* By halves: sixteen single words taken out of a vector cost more than reading it. */
static abi_u32 memory_or_16(uint16 w)
{
	uint8 eight = w.lo | w.hi;
	uint4 four = eight.lo | eight.hi;
	uint2 two = four.lo | four.hi;

	return two.x | two.y;
}
#elif MEMORY_WIDTH == 4
typedef uint4 memory_words;
#define MEMORY_RAMP (uint4)(0, 1, 2, 3)
#define MEMORY_STORE(words, to) vstore4(words, 0, to)
#define MEMORY_OR(w) ((w).s0 | (w).s1 | (w).s2 | (w).s3)
#else /* in C, for the unit test */
typedef abi_u32 memory_words;
#define MEMORY_RAMP 0
#define MEMORY_STORE(words, to) (*(to) = (words))
#define MEMORY_OR(w) (w)
#endif

/* A bit that is the only one of its value, in another place in each word, by a: 1, or all but 1. */
static memory_words memory_walk(memory_words place, abi_u32 a, abi_u32 b)
{
	return rotate((memory_words)(a), (place + b) & 31u);
}

/* A number for every 8 bytes, low half first: what one address line confuses with another is seen. */
static memory_words memory_address(memory_words place, abi_u32 a, abi_u32 b)
{
	memory_words odd = (memory_words)(0u) - (place & 1u);

	return ((a + (place >> 1)) & ~odd) | (b & odd);
}

/* Half the bits of a word, unlike its neighbours'. */
static memory_words memory_random(memory_words place, abi_u32 a, abi_u32 b)
{
	memory_words x = (place + a) ^ b;

	x ^= x >> 16;
	x *= ABI_ANSWER_MULTIPLY_1;
	x ^= x >> 15;
	x *= ABI_ANSWER_MULTIPLY_2;
	x ^= x >> 16;
	return x;
}

/* All words of an item that were wrong: counted, and the first of all of them kept. */
static void memory_tell(__global abi_u32 *restrict found, abi_u32 place, memory_words wanted, memory_words got)
{
	abi_u32 want[MEMORY_WIDTH], have[MEMORY_WIDTH], nr = 0;

	MEMORY_STORE(wanted, want);
	MEMORY_STORE(got, have);
	atomic_or(&found[ABI_MEMORY_FLIPPED], MEMORY_OR(wanted ^ got));
	for (abi_u32 i = 0; i < MEMORY_WIDTH; i++) {
		abi_u32 slot;

		if (want[i] == have[i])
			continue;
		nr++;
		slot = atomic_inc(&found[ABI_MEMORY_SLOTS]);
		if (slot < ABI_MEMORY_ERRORS) {
			__global abi_u32 *error = found + ABI_MEMORY_HEAD + slot * ABI_MEMORY_ERROR_WORDS;

			error[0] = place + i;
			error[1] = want[i];
			error[2] = have[i];
		}
	}
	atomic_add(&found[ABI_MEMORY_WRONG], nr);
}

/*
 * first is the place of the first item of this launch, in items. invert is 0
 * or all ones. turn: what was verified is overwritten with its inverse.
 */
#define MEMORY_TEST(pattern)                                                                                       \
	__kernel void memory_write_##pattern(__global memory_words *restrict memory, abi_u32 first, abi_u32 a,     \
					     abi_u32 b, abi_u32 invert)                                            \
	{                                                                                                          \
		abi_u32 i = first + (abi_u32)get_global_id(0);                                                     \
														   \
		memory[i] = memory_##pattern((memory_words)(i * MEMORY_WIDTH) + MEMORY_RAMP, a, b) ^ invert;       \
	}                                                                                                          \
														   \
	__kernel void memory_verify_##pattern(__global memory_words *restrict memory, abi_u32 first, abi_u32 a,    \
					      abi_u32 b, abi_u32 invert, __global abi_u32 *restrict found,         \
					      abi_u32 turn)                                                        \
	{                                                                                                          \
		abi_u32 i = first + (abi_u32)get_global_id(0);                                                     \
		memory_words want = memory_##pattern((memory_words)(i * MEMORY_WIDTH) + MEMORY_RAMP, a, b) ^       \
				    invert;                                                                        \
		memory_words got = memory[i];                                                                      \
														   \
		if (MEMORY_OR(want ^ got))                                                                         \
			memory_tell(found, i * MEMORY_WIDTH, want, got);                                           \
		if (turn)                                                                                          \
			memory[i] = ~want;                                                                         \
	}

MEMORY_TEST(walk)
MEMORY_TEST(address)
MEMORY_TEST(random)
