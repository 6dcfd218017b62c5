/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prefilter_literals.h - klog_next_candidate() as one would write it where time does not matter. */
#pragma once

#include "base/compat.h"

static const char *const gates[] = {
#define GATE(text) text,
#include "klog/prefilter.def"
};

static inline const char *plain_next_candidate(const char *at, const char *end)
{
	for (; at < end; at++)
		for (size_t i = 0; i < ARRAY_SIZE(gates); i++) {
			size_t len = strlen(gates[i]);

			if ((size_t)(end - at) >= len && !memcmp(at, gates[i], len))
				return at;
		}
	return end;
}
