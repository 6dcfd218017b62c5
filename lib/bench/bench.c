// SPDX-License-Identifier: GPL-2.0-or-later
/* bench.c - the tests of a device, from the plan to the timings. */
#include "base/compat.h"
#include "bench/bench.h"

static void close_tests(struct bench *bench)
{
	for (size_t i = 0; i < bench->nr_tests; i++) {
		struct bench_test *test = bench->tests[i];

		if (test->kind->close)
			test->kind->close(bench, test);
		free(test->host_ns);
		free(test->event_ns);
		free(test);
	}
}

void ocl_run_timing(struct ocl_run *run, const struct bench_plan *plan)
{
	struct bench bench = { .run = run, .plan = plan };

	bench_place_open(&bench);
	bench_ask_device(&bench);
	bench_add_transfers(&bench);
	bench_add_memory(&bench);
	bench_add_compute(&bench);
	bench_add_latency(&bench);
	bench_measure(&bench);
	ocl_step(run, "clReleaseMemObject");
	close_tests(&bench);
	bench_release_transfers(&bench);
	bench_release_memory(&bench);
	bench_place_close(&bench);
}
