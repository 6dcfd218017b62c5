// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * native.c - what the processor gives without OpenCL: the peers that PoCL's figures are set beside.
 *
 * native BYTES ROUNDS prints "NAME MEDIAN" lines: triad, triad-nt (stores past the caches), read, memset and fp32 by
 * all CPUs, each with a thread of its own; memcpy by one, as a driver copies. Buffers are of BYTES each. GB/s, GFLOP/s.
 */
#include "base/compat.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/alloc.h"
#include "base/stats.h"
#include "sys/clock.h"

enum { MAX_THREADS = 256, MAX_ROUNDS = 1000, ALIGN = 4096, FMA_STEPS = 400000000 };

#ifdef __x86_64__
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST
#endif
typedef float line __attribute__((vector_size(64)));

static size_t bytes;
static line *a, *b, *c;
static volatile float sink;

/* ---- what is measured: a part of the buffers, of `nr` lines from `at` on */

WIDEST static void triad(size_t at, size_t nr)
{
	for (size_t i = at; i < at + nr; i++)
		a[i] = b[i] + 3.0f * c[i];
}

static void triad_nt(size_t at, size_t nr)
{
#ifdef __SSE2__
	const __m128 s = _mm_set1_ps(3.0f);
	const float *from = (const float *)&b[at], *other = (const float *)&c[at];
	float *to = (float *)&a[at];

	for (size_t i = 0; i < nr * sizeof(line) / sizeof(float); i += 4)
		_mm_stream_ps(to + i, _mm_add_ps(_mm_load_ps(from + i), _mm_mul_ps(s, _mm_load_ps(other + i))));
	_mm_sfence();
#else
	triad(at, nr);
#endif
}

WIDEST static void read_all(size_t at, size_t nr)
{
	line sums[4] = { { 0 } };

	for (size_t i = at; i + 4 <= at + nr; i += 4)
		for (int k = 0; k < 4; k++)
			sums[k] += b[i + (size_t)k];
	sums[0] += sums[1] + sums[2] + sums[3];
	sink = sums[0][0];
}

static void set(size_t at, size_t nr)
{
	memset(&a[at], 0x5a, nr * sizeof(line));
}

static void copy(size_t at, size_t nr)
{
	memcpy(&a[at], &b[at], nr * sizeof(line));
}

/* Independent chains, as many as the registers hold. */
#define FMA(name, attribute, width, chains)                                                                            \
	attribute static void name(size_t at, size_t nr)                                                               \
	{                                                                                                              \
		typedef float vector __attribute__((vector_size(width)));                                              \
		vector x[chains], sum = { 0 }, scale = { 0 }, offset = { 0 };                                          \
                                                                                                                       \
		(void)nr;                                                                                              \
		scale += 0.999f;                                                                                       \
		offset += 0.001f;                                                                                      \
		for (int k = 0; k < (chains); k++)                                                                     \
			x[k] = sum + (float)(at % 1000 + (size_t)k);                                                   \
		for (int i = 0; i < FMA_STEPS / (width); i++)                                                          \
			_Pragma("GCC unroll 16") for (int k = 0; k < (chains); k++) x[k] = x[k] * scale + offset;      \
		for (int k = 0; k < (chains); k++)                                                                     \
			sum += x[k];                                                                                   \
		sink = sum[0];                                                                                         \
	}

#ifdef __x86_64__
FMA(fma_avx512, __attribute__((target("avx512f"))), 64, 12)
FMA(fma_avx2, __attribute__((target("avx2,fma"))), 32, 12)
#endif
FMA(fma_any, , 16, 8)

static const struct way { void (*run)(size_t at, size_t nr); int chains; } ways[] = {
	{ fma_any, 8 },
#ifdef __x86_64__
	{ fma_avx2, 12 },
	{ fma_avx512, 12 },
#endif
};

static const struct way *widest(void)
{
	const struct way *way = &ways[0];

#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		way = &ways[1];
	if (__builtin_cpu_supports("avx512f"))
		way = &ways[2];
#endif
	return way;
}

/* ---- all threads at once */

static struct crew {
	pthread_barrier_t begin, end;
	void (*run)(size_t at, size_t nr);
	size_t nr;			/* threads */
	int cpus[MAX_THREADS];
} crew;

static void pin(size_t number)
{
	cpu_set_t set_of_one;

	CPU_ZERO(&set_of_one);
	CPU_SET((size_t)crew.cpus[number], &set_of_one);
	pthread_setaffinity_np(pthread_self(), sizeof(set_of_one), &set_of_one);
}

static void do_part(size_t number)
{
	const size_t part = bytes / sizeof(line) / crew.nr;

	crew.run(number * part, part);
}

static void *member(void *data)
{
	const size_t number = (size_t)(uintptr_t)data;

	pin(number);
	for (;;) {
		pthread_barrier_wait(&crew.begin);
		do_part(number);
		pthread_barrier_wait(&crew.end);
	}
	return NULL;
}

static void start_crew(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		abort();
	for (int cpu = 0; cpu < CPU_SETSIZE && crew.nr < MAX_THREADS; cpu++)
		if (CPU_ISSET((size_t)cpu, &allowed))
			crew.cpus[crew.nr++] = cpu;
	pthread_barrier_init(&crew.begin, NULL, (unsigned)crew.nr);
	pthread_barrier_init(&crew.end, NULL, (unsigned)crew.nr);
	for (size_t i = 1; i < crew.nr; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, member, (void *)(uintptr_t)i))
			abort();
	}
	pin(0);
}

/* Seconds that it takes all threads, or, alone, this one over the whole buffer. */
static double time_of(void (*run)(size_t at, size_t nr), bool alone)
{
	uint64_t begin_ns = clock_now_ns();

	if (alone) {
		run(0, bytes / sizeof(line));
	} else {
		crew.run = run;
		pthread_barrier_wait(&crew.begin);
		do_part(0);
		pthread_barrier_wait(&crew.end);
	}
	return (double)(clock_now_ns() - begin_ns) / 1e9;
}

int main(int argc, char **argv)
{
	struct measured { const char *name; void (*run)(size_t,
		size_t); bool alone; double work; double rates[MAX_ROUNDS]; };
	const long rounds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	static struct measured all[] = {
		{ .name = "triad", .run = triad }, { .name = "triad-nt", .run = triad_nt },
		{ .name = "read", .run = read_all }, { .name = "memset", .run = set },
		{ .name = "memcpy", .run = copy, .alone = true }, { .name = "fp32" },
	};

	bytes = argc == 3 ? (size_t)strtoull(argv[1], NULL, 10) & ~(size_t)(ALIGN - 1) : 0;
	if (!bytes || rounds < 1 || rounds > MAX_ROUNDS || posix_memalign((void **)&a, ALIGN, bytes) ||
	    posix_memalign((void **)&b, ALIGN, bytes) || posix_memalign((void **)&c, ALIGN, bytes)) {
		fputs("usage: native BYTES ROUNDS\n", stderr);
		return 64;
	}
	for (size_t i = 0; i < bytes / sizeof(line); i++)
		for (size_t k = 0; k < 16; k++)
			a[i][k] = b[i][k] = c[i][k] = 1.0f + (float)((i * 16 + k) * 2654435761u % 1000) / 1000.0f;
	start_crew();
	for (size_t k = 0; k < ARRAY_SIZE(all); k++)
		all[k].work = (double)bytes * (k < 2 ? 3 : 1) / 1e9;
	all[5].run = widest()->run;
	/* A step of a chain is a multiply and an add of each of its floats: FMA_STEPS bytes a chain. */
	all[5].work = 2.0 * FMA_STEPS / sizeof(float) * widest()->chains * (double)crew.nr / 1e9;
	for (long round = -1; round < rounds; round++) {
		for (size_t k = 0; k < ARRAY_SIZE(all); k++) {
			double s = time_of(all[k].run, all[k].alone);

			/* The first round warms up. */
			if (round >= 0)
				all[k].rates[round] = all[k].work / s;
		}
	}
	for (size_t k = 0; k < ARRAY_SIZE(all); k++) {
		struct stats stats;

		stats_of(all[k].rates, (size_t)rounds, &stats);
		printf("%s %.3f\n", all[k].name, stats.median);
	}
	return 0;
}
