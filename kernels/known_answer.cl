// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * known_answer.cl - results that every conforming device gives bit for bit,
 * so that one wrong word is a fault and not a matter of precision.
 *
 * Each work item goes on its own. A wrong bit anywhere reaches the word that
 * is stored. lib/bench/known_answer.c computes the same.
 *
 * known_answer: shifts, logic, both halves of a 32-bit product, a rotation;
 * and two fused multiply-adds of whole numbers which together fill the 24 bits
 * of a float without ever rounding (the bounds stand beside them), so fma()
 * has one right result with any rounding mode, fused or not.
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

/*
 * known_answer_float: +, -, * and fma() that round, which OpenCL wants rounded
 * correctly, to nearest even. Operands are at least 1 and below 2, so no
 * result is a denormal, which a device may take for 0. No product feeds a sum:
 * every result becomes an integer first, so a compiler that contracts the two
 * finds nothing to contract. with_fma is 0 on devices without a fused
 * multiply-add of their own: what stands in for it is a library's code.
 */
static float answer_operand(abi_u32 x)
{
	return as_float((x & 0x007fffffu) | 0x3f800000u);
}

static abi_u32 answer_float_round(abi_u32 x, abi_u32 with_fma)
{
	abi_u32 y, z, product, sum, difference, fused;
	float a, b, c;

	x ^= x >> 16;
	x *= ABI_ANSWER_MULTIPLY_1;
	x ^= x >> 15;
	y = x * ABI_ANSWER_MULTIPLY_2;
	y ^= y >> 16;
	z = y * ABI_ANSWER_HIGH;
	z ^= z >> 15;
	a = answer_operand(x);
	b = answer_operand(y);
	c = answer_operand(z);
	product = as_uint(a * b);
	sum = as_uint(a + b);
	difference = as_uint(a - c);
	fused = with_fma ? as_uint(fma(a, b, -c)) : z;
	return x + rotate(product, 5u) + rotate(sum, 11u) + rotate(difference, 17u) + rotate(fused, 23u);
}

__kernel void known_answer_float(__global abi_u32 *restrict out, abi_u32 seed, abi_u32 with_fma)
{
	abi_u32 i = (abi_u32)get_global_id(0);
	abi_u32 x = seed + i * ABI_ANSWER_STEP;

	for (int round = 0; round < ABI_ANSWER_FLOAT_ROUNDS; round++)
		x = answer_float_round(x, with_fma);
	out[i] = x;
}

/*
 * Compares on the device, so that billions of words can be: with what the host
 * computed, and with what the device gave for the same input before. Only what
 * differs is counted and kept: where all is well nothing is written.
 */
__kernel void answer_compare(__global const abi_u32 *restrict out, __global const abi_u32 *restrict expected,
			     __global const abi_u32 *restrict before, __global abi_u32 *restrict found)
{
	abi_u32 i = (abi_u32)get_global_id(0);
	abi_u32 got = out[i];

	if (got != before[i])
		atomic_inc(&found[ABI_FOUND_UNSTABLE]);
	if (got != expected[i]) {
		atomic_or(&found[ABI_FOUND_FLIPPED], got ^ expected[i]);
		if (!atomic_inc(&found[ABI_FOUND_WRONG])) {
			found[ABI_FOUND_PLACE] = i;
			found[ABI_FOUND_EXPECTED] = expected[i];
			found[ABI_FOUND_GOT] = got;
		}
	}
}
