// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/sample/sample_reasons.h"

#include "snapshot/throttle_kinds.h"

struct val_str sample_throttle_reasons(struct arena *arena, const struct gpu_sample *sample)
{
	char kinds[THROTTLE_KINDS_BYTES];
	unsigned bits = 0;

	if (!(sample->throttle.weight > 0))
		return no_str(sample->no_throttle.state, sample->no_throttle.why);
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		bits |= sample->throttle.share[kind] > 0 ? 1U << kind : 0;
	throttle_kinds_write(bits, kinds);
	return val_str(arena_strdup(arena, kinds));
}
