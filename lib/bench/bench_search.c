// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_search.c - what a device is, and which form of a kernel it runs fastest. */
#include "base/compat.h"
#include "bench/bench.h"

#include "sys/clock.h"

enum {
	QUICK_NS = 60000000,		/* of a search: a test's share of what is left beside the samples */
	FINE_NS = 1000000000,
	QUICK_TRIES = 2, FINE_TRIES = 5,
};
/* What a later form must be faster by: less is noise, and the same device should get the same form tomorrow. */
#define CLEARLY_FASTER 1.03

/* ---- the device */

static bool has_extension(const char *extensions, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = strstr(extensions, name); at; at = strstr(at + 1, name))
		if ((at == extensions || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

void bench_ask_device(struct bench *bench)
{
	const struct opencl_asked asked = {
		.sink = bench->run->sink, .device = bench->run->device, .label = bench->run->key,
	};
	const char *extensions = str_or(opencl_str(&asked, CL_DEVICE_EXTENSIONS), "");
	struct bench_traits *device = &bench->device;

	device->is_cpu = u64_or(opencl_u64(&asked, CL_DEVICE_TYPE), 0) & CL_DEVICE_TYPE_CPU;
	device->cache_bytes = u64_or(opencl_u64(&asked, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE), 0);
	/* OpenCL 1.2 has doubles without the extension's name, and this instead. */
	device->has_fp64 = has_extension(extensions, "cl_khr_fp64") ||
			   u64_or(opencl_u64(&asked, CL_DEVICE_DOUBLE_FP_CONFIG), 0);
	device->has_fp16 = has_extension(extensions, "cl_khr_fp16");
	device->fp64_width = u64_or(opencl_u64(&asked, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE), 0);
	device->fp16_width = u64_or(opencl_u64(&asked, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF), 0);
}

/* ---- the search */

static double work(const struct bench_test *test)
{
	return (double)(test->moved_bytes ? test->moved_bytes : test->operations);
}

static void drop(struct bench *bench, struct bench_test *trial)
{
	if (trial->own)
		trial->kind->close(bench, trial);
	trial->own = NULL;
}

struct search {
	struct bench *bench;
	bool (*open)(struct bench *bench, struct bench_test *test, struct bench_form form);
	struct bench_test best;
	double best_rate;
	const char *missing_feature;		/* why the last form made no figure; NULL */
	uint64_t until_ns;
};

static void try_form(struct search *search, const struct bench_test *test, struct bench_form form)
{
	struct bench *bench = search->bench;
	struct bench_test trial = *test;
	double rate = 0.0, ns;

	/* One of any speed is better than none. */
	if (search->best_rate > 0.0 && clock_now_ns() > search->until_ns)
		return;
	if (search->open(bench, &trial, form)) {
		ns = bench_try_ns(bench, &trial, bench->plan->fine ? FINE_TRIES : QUICK_TRIES);
		rate = ns > 0.0 ? work(&trial) / ns : 0.0;
	}
	search->missing_feature = trial.missing_feature;
	if (rate <= CLEARLY_FASTER * search->best_rate) {
		drop(bench, &trial);
		return;
	}
	drop(bench, &search->best);
	search->best = trial;
	search->best_rate = rate;
}

bool bench_search(struct bench *bench, struct bench_test *test, const struct bench_form *forms, size_t nr,
		  bool (*open)(struct bench *bench, struct bench_test *test, struct bench_form form))
{
	static const size_t smaller_groups[] = { 128, 64 };
	struct search search = {
		.bench = bench, .open = open, .best = *test,
		.until_ns = clock_now_ns() + (bench->plan->fine ? FINE_NS : QUICK_NS),
	};
	char why[sizeof(bench->run->why)];

	memcpy(why, bench->run->why, sizeof(why));
	for (size_t i = 0; i < nr; i++)
		try_form(&search, test, forms[i]);
	/* A driver for CPUs runs the items of a group one after the other, and compiles again for each size. */
	for (size_t i = 0; i < ARRAY_SIZE(smaller_groups) && bench->plan->fine && !bench->device.is_cpu; i++)
		if (search.best_rate > 0.0 && smaller_groups[i] < search.best.local_items)
			try_form(&search, test, (struct bench_form){
				.width = (unsigned)search.best.vector_width, .local_items = smaller_groups[i],
				.rows = (unsigned)search.best.rows,
			});
	if (search.best_rate <= 0.0) {
		test->missing_feature = search.missing_feature;
		return false;
	}
	/*
	 * Some variant ran: the failure reason kept from before the search counts, as variants that failed are no
	 * errors.
	 */
	memcpy(bench->run->why, why, sizeof(why));
	*test = search.best;
	return true;
}
