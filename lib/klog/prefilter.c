// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/prefilter.h"

static const char *const gates[] = {
#define GATE(text) text,
#include "klog/gates.def"
#undef GATE
};

const char *klog_next_candidate_portable(const char *at, const char *end)
{
	const char *first = end;

	for (size_t i = 0; i < ARRAY_SIZE(gates); i++) {
		const char *found = memmem(at, (size_t)(first - at), gates[i], strlen(gates[i]));

		if (found)
			first = found;
	}
	return first;
}

const char *klog_next_candidate(const char *at, const char *end)
{
	return klog_next_candidate_portable(at, end);
}

uint64_t klog_count_lines(const char *at, const char *end)
{
	uint64_t nr = 0;

	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		nr++;
		at++;
	}
	return nr;
}
