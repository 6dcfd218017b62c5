// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chains.cl - floating-point rate, in single precision and in those of double
 * and half that the device has.
 *
 * One operation waits some cycles for the one before it, so a single chain
 * measures that wait (a factor of ten on a CPU). Eight independent chains keep
 * two units of four cycles busy. A chain holds vectors as wide as the device's
 * own registers: wider ones spill where registers are few, narrower ones leave
 * lanes of a CPU empty, as drivers do not merge work items around a loop.
 * Devices that merge items (GPUs) get along with one number a chain; pairs
 * are for those that issue two at once or pack two halves. Which is fastest is
 * tried (lib/bench/bench_compute.c).
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
 *
 * out has a place for every work item: the host makes it so.
 */
#pragma OPENCL FP_CONTRACT ON
#define CHAINS_STEP(x) x = a * x + b

#define CHAINS_SUM_1(v) (v)
#define CHAINS_SUM_2(v) ((v).s0 + (v).s1)
#define CHAINS_SUM_4(v) ((v).s0 + (v).s1 + (v).s2 + (v).s3)
#define CHAINS_SUM_8(v) CHAINS_SUM_4((v).lo + (v).hi)
#define CHAINS_SUM_16(v) CHAINS_SUM_8((v).lo + (v).hi)

#define CHAINS_RAMP_1(type) ((type)0.0f)
#define CHAINS_RAMP_2(type) ((type##2)((type)0.0f, (type)0.01f))
#define CHAINS_RAMP_4(type) ((type##4)(CHAINS_RAMP_2(type), CHAINS_RAMP_2(type) + (type)0.02f))
#define CHAINS_RAMP_8(type) ((type##8)(CHAINS_RAMP_4(type), CHAINS_RAMP_4(type) + (type)0.04f))
#define CHAINS_RAMP_16(type) ((type##16)(CHAINS_RAMP_8(type), CHAINS_RAMP_8(type) + (type)0.08f))

#define CHAINS(name, type, width, vector)                                                        \
	__kernel void name##_w##width(__global float *restrict out, abi_f32 scale,               \
				      abi_f32 offset, abi_u32 iterations)                        \
	{                                                                                        \
		const vector a = (vector)((type)scale), b = (vector)((type)offset);              \
		const type item = (type)(float)(get_global_id(0) & 1023) * (type)0.001f;         \
		vector x0 = CHAINS_RAMP_##width(type) + item;                                    \
		vector x1 = x0 + (type)0.16f, x2 = x0 + (type)0.32f, x3 = x0 + (type)0.48f;      \
		vector x4 = x0 + (type)0.64f, x5 = x0 + (type)0.80f, x6 = x0 + (type)0.96f;      \
		vector x7 = x0 + (type)1.12f;                                                    \
												 \
		for (abi_u32 i = 0; i < iterations; i++) {                                       \
			CHAINS_STEP(x0);                                                         \
			CHAINS_STEP(x1);                                                         \
			CHAINS_STEP(x2);                                                         \
			CHAINS_STEP(x3);                                                         \
			CHAINS_STEP(x4);                                                         \
			CHAINS_STEP(x5);                                                         \
			CHAINS_STEP(x6);                                                         \
			CHAINS_STEP(x7);                                                         \
		}                                                                                \
		x0 = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;                                      \
		out[get_global_id(0)] = (float)(CHAINS_SUM_##width(x0));                         \
	}

CHAINS(fp32, float, 1, float)
CHAINS(fp32, float, 2, float2)
CHAINS(fp32, float, 4, float4)
CHAINS(fp32, float, 8, float8)
CHAINS(fp32, float, 16, float16)

/* A device without has no such type, and would refuse the whole program. */
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
CHAINS(fp64, double, 1, double)
CHAINS(fp64, double, 2, double2)
CHAINS(fp64, double, 4, double4)
CHAINS(fp64, double, 8, double8)
#endif

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
CHAINS(fp16, half, 2, half2)
CHAINS(fp16, half, 4, half4)
CHAINS(fp16, half, 8, half8)
CHAINS(fp16, half, 16, half16)
#endif
