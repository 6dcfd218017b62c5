// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * triad.cl - memory bandwidth: two reads and a write for two operations, so
 * that memory is what is waited for.
 *
 * Each work item moves one vector. The width is a matter of the device: a CPU
 * driver runs the items of a group one after the other and does not merge
 * them, so an item takes a whole cache line (float16); on a GPU neighbouring
 * items are merged into one access, which is largest with 16 bytes each
 * (float4), while a 64-byte item would make each access a stride. Which is
 * fastest is tried (lib/bench/bench_memory.c).
 *
 * The buffers hold as many vectors as the items take: the host makes it so.
 *
 * In rows an item takes ABI_ROWS vectors, each the length of its group from
 * the last. A processor that runs the items one after the other then goes
 * through so many places of each buffer at once, which some processors fetch
 * ahead of and others do not.
 */
#define TRIAD(width, vector)                                                                     \
	__kernel void triad_w##width(__global vector *restrict a, __global const vector *restrict b, \
				     __global const vector *restrict c, abi_f32 s)               \
	{                                                                                        \
		size_t i = get_global_id(0);                                                     \
												 \
		a[i] = b[i] + s * c[i];                                                          \
	}

TRIAD(1, float)
TRIAD(2, float2)
TRIAD(4, float4)
TRIAD(8, float8)
TRIAD(16, float16)

#define TRIAD_ROWS(width, vector)                                                                \
	__kernel void triad_rows_w##width(__global vector *restrict a, __global const vector *restrict b, \
					  __global const vector *restrict c, abi_f32 s)          \
	{                                                                                        \
		size_t step = get_local_size(0);                                                 \
		size_t at = get_group_id(0) * step * ABI_ROWS + get_local_id(0);                 \
												 \
		for (abi_u32 i = 0; i < ABI_ROWS; i++, at += step)                               \
			a[at] = b[at] + s * c[at];                                               \
	}

TRIAD_ROWS(16, float16)
