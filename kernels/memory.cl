// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.cl - memory bandwidth in one direction, and in both without any
 * arithmetic. Why several widths: triad.cl.
 *
 * Every buffer holds as many vectors as the items of a run go over: the host
 * makes it so.
 */

/*
 * Numbers from 1 to 2, each from its own place, 64 bytes an item: no zeros,
 * which some memories compress, and none that a kernel is slow with. In pieces:
 * first is the number of the first item's vector.
 */
__kernel void memory_fill(__global uint16 *restrict out, abi_u32 seed, abi_u32 first)
{
	abi_u32 i = first + (abi_u32)get_global_id(0);
	uint16 x = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

	x = (x + (i << 4)) ^ seed;
	x = (x ^ (x >> 16)) * ABI_ANSWER_MULTIPLY_1;
	x = (x ^ (x >> 15)) * ABI_ANSWER_MULTIPLY_2;
	out[i] = ((x ^ (x >> 16)) & 0x007fffffu) | 0x3f800000u;
}

/*
 * A group reads a run of local size x per_item vectors. An item may take
 * neighbours (item_step per_item, step 1): a CPU's thread goes through the
 * memory in its order. Or neighbouring items do (item_step 1, step the local
 * size): on a GPU their reads are merged, and a CPU's thread goes through
 * per_item places at once. per_item is a multiple of 4: four sums wait for
 * four reads at once.
 */
#define MEMORY_READ(width, vector, sum)                                                          \
	__kernel void memory_read_w##width(__global float *restrict out,                         \
					   __global const vector *restrict in, abi_u32 per_item, \
					   abi_u32 item_step, abi_u32 step)                      \
	{                                                                                        \
		size_t at = get_group_id(0) * get_local_size(0) * per_item +                     \
			    get_local_id(0) * item_step;                                         \
		vector x0 = (vector)(0.0f), x1 = x0, x2 = x0, x3 = x0;                           \
												 \
		for (abi_u32 i = 0; i < per_item; i += 4, at += (size_t)4 * step) {              \
			x0 += in[at];                                                            \
			x1 += in[at + step];                                                     \
			x2 += in[at + (size_t)2 * step];                                         \
			x3 += in[at + (size_t)3 * step];                                         \
		}                                                                                \
		x0 = (x0 + x1) + (x2 + x3);                                                      \
		out[get_global_id(0)] = sum(x0);                                                 \
	}

#define MEMORY_SUM_1(v) (v)
#define MEMORY_SUM_2(v) ((v).s0 + (v).s1)
#define MEMORY_SUM_4(v) ((v).s0 + (v).s1 + (v).s2 + (v).s3)
#define MEMORY_SUM_8(v) MEMORY_SUM_4((v).lo + (v).hi)
#define MEMORY_SUM_16(v) MEMORY_SUM_8((v).lo + (v).hi)

MEMORY_READ(1, float, MEMORY_SUM_1)
MEMORY_READ(2, float2, MEMORY_SUM_2)
MEMORY_READ(4, float4, MEMORY_SUM_4)
MEMORY_READ(8, float8, MEMORY_SUM_8)
MEMORY_READ(16, float16, MEMORY_SUM_16)

/* Not one value for all, which some memories compress: an item's own, at the cost of one conversion. */
#define MEMORY_WRITE(width, vector)                                                              \
	__kernel void memory_write_w##width(__global vector *restrict out, abi_f32 s)            \
	{                                                                                        \
		size_t i = get_global_id(0);                                                     \
												 \
		out[i] = (vector)(s + (float)(abi_u32)i);                                        \
	}

MEMORY_WRITE(1, float)
MEMORY_WRITE(2, float2)
MEMORY_WRITE(4, float4)
MEMORY_WRITE(8, float8)
MEMORY_WRITE(16, float16)

#define MEMORY_COPY(width, vector)                                                               \
	__kernel void memory_copy_w##width(__global vector *restrict out,                        \
					   __global const vector *restrict in)                   \
	{                                                                                        \
		size_t i = get_global_id(0);                                                     \
												 \
		out[i] = in[i];                                                                  \
	}

MEMORY_COPY(1, float)
MEMORY_COPY(2, float2)
MEMORY_COPY(4, float4)
MEMORY_COPY(8, float8)
MEMORY_COPY(16, float16)
