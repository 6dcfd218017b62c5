// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_klog_prefilter.c - the prefilter finds the same places as plain code does. That nothing the catalogue
 * understands is without one, tests/unit/test_klog_prefilter.c shows for each pattern: bytes at random would also make
 * lines that no kernel prints, with blanks within fixed words.
 */
#include "base/compat.h"

#include "klog/prefilter.h"
#include "tests/unit/prefilter_literals.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = text + size;
	uint64_t feeds = 0;

	for (const char *at = text; at < end; at++) {
		const char *found = klog_next_candidate(at, end);

		if (found != plain_next_candidate(at, end))
			abort();
		if (found == end)
			break;
		at = found;
	}
	for (const char *at = text; at < end; at++)
		feeds += *at == '\n';
	if (klog_count_lines(text, end) != feeds)
		abort();
	return 0;
}
