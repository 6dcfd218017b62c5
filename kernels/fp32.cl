// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fp32.cl - single-precision rate.
 *
 * One operation waits some cycles for the one before it, so a single chain
 * measures that wait (a factor of ten on a CPU). Eight independent chains keep
 * two units of four cycles busy. A chain holds vectors as wide as the device's
 * own registers: wider ones spill where registers are few, narrower ones leave
 * lanes of a CPU empty, as drivers do not merge work items around a loop.
 * Devices that merge items (GPUs, native width 1) get float4: 32 chains an
 * item, and pairs for those that issue two at once.
 *
 * Chains begin at different values, else the compiler might make one of them;
 * x = a * x + b with a below 1 settles at b / (1 - a): no overflow, no
 * denormals, however long it runs. The sum is stored, else nothing would have
 * to be computed.
 *
 * The multiply and the add are written apart, for the compiler to contract:
 * it makes an fma of them where the device has one. fma() by name would be
 * done in software elsewhere, a hundred times slower, and mad() keeps them
 * apart on PoCL.
 */
#pragma OPENCL FP_CONTRACT ON
#define FP32_STEP(x) x = a * x + b

#define FP32_SUM_4(v) ((v).s0 + (v).s1 + (v).s2 + (v).s3)
#define FP32_SUM_8(v) FP32_SUM_4((v).lo + (v).hi)
#define FP32_SUM_16(v) FP32_SUM_8((v).lo + (v).hi)

#define FP32_RAMP_4 (float4)(0.0f, 0.01f, 0.02f, 0.03f)
#define FP32_RAMP_8 (float8)(FP32_RAMP_4, FP32_RAMP_4 + 0.04f)
#define FP32_RAMP_16 (float16)(FP32_RAMP_8, FP32_RAMP_8 + 0.08f)

#define FP32(width, vector)                                                                      \
	__kernel void fp32_w##width(__global float *restrict out, abi_f32 scale, abi_f32 offset, \
				    abi_u32 iterations)                                          \
	{                                                                                        \
		vector a = (vector)(scale), b = (vector)(offset);                                \
		vector x0 = FP32_RAMP_##width + (float)(get_global_id(0) & 1023) * 0.001f;       \
		vector x1 = x0 + 0.16f, x2 = x0 + 0.32f, x3 = x0 + 0.48f;                        \
		vector x4 = x0 + 0.64f, x5 = x0 + 0.80f, x6 = x0 + 0.96f, x7 = x0 + 1.12f;       \
												 \
		for (abi_u32 i = 0; i < iterations; i++) {                                       \
			FP32_STEP(x0);                                                           \
			FP32_STEP(x1);                                                           \
			FP32_STEP(x2);                                                           \
			FP32_STEP(x3);                                                           \
			FP32_STEP(x4);                                                           \
			FP32_STEP(x5);                                                           \
			FP32_STEP(x6);                                                           \
			FP32_STEP(x7);                                                           \
		}                                                                                \
		x0 = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;                                      \
		out[get_global_id(0)] = FP32_SUM_##width(x0);                                    \
	}

FP32(4, float4)
FP32(8, float8)
FP32(16, float16)
