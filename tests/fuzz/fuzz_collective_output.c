// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_collective_output.c - what a program prints that is taken for all_reduce_perf. */
#include "base/compat.h"

#include "format/collective_output.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { .blocks = NULL };
	struct collective_test test = { .nr_ranks = 0 };

	collective_output_parse(&arena, (const char *)data, size, &test);
	if (f64_or(test.best_bus_bytes_per_s, 1.0) <= 0.0 || (is_known(test.best_bytes) && !u64_or(test.best_bytes, 0)))
		abort();	/* a best figure is one */
	arena_release(&arena);
	return 0;
}
