// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_klog_prefilter.c - the prefilter finds the same places as plain code does, and nothing that the catalogue
 * understands is without one.
 */
#include "base/compat.h"

#include "klog/match.h"
#include "klog/prefilter.h"
#include "tests/unit/gates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = text + size;
	struct klog_line line = { .text = { text, end }, .level = -1, .origin = KLOG_ORIGIN_KERNEL };
	struct klog_match match;
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
	if (klog_match(&line, &match) && (match.role == KLOG_ROLE_EVENT || match.role == KLOG_ROLE_MARK) &&
	    klog_next_candidate(text, end) == end)
		abort();
	return 0;
}
