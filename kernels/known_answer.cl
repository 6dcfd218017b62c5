// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * known_answer.cl - a result that every conforming device gives bit for bit,
 * so that one wrong word is a fault and not a matter of precision.
 *
 * Each work item goes on its own: shifts, logic, both halves of a 32-bit
 * product, a rotation; and two fused multiply-adds of whole numbers which
 * together fill the 24 bits of a float without ever rounding (the bounds stand
 * beside them), so fma() has one right result with any rounding mode, fused
 * or not. The float goes back into the integers, so a wrong bit anywhere
 * reaches the word that is stored.
 *
 * lib/probe/known_answer.c computes the same.
 */
static abi_u32 answer_round(abi_u32 x)
{
	float f, g;

	x ^= x >> 16;
	x *= ABI_ANSWER_MULTIPLY_1;
	x ^= x >> 15;
	x *= ABI_ANSWER_MULTIPLY_2;
	x ^= x >> 16;
	/* at most 4095 * 255 + 4095 = 1048320, then 1048320 * 15 + 4095 = 15728895, below 2^24 */
	f = fma(convert_float(x & 0xfffu), convert_float((x >> 12) & 0xffu), convert_float(x >> 20));
	g = fma(f, 15.0f, convert_float((x >> 7) & 0xfffu));
	return rotate(x, 5u) + mul_hi(x, ABI_ANSWER_HIGH) + convert_uint(g);
}

__kernel void known_answer(__global abi_u32 *restrict out, abi_u32 seed)
{
	abi_u32 i = (abi_u32)get_global_id(0);
	abi_u32 x = seed + i * ABI_ANSWER_STEP;

	for (int round = 0; round < ABI_ANSWER_ROUNDS; round++)
		x = answer_round(x);
	out[i] = x;
}
