// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/probe_runs.h"

const struct probe_run *find_probe_run(const struct snapshot *snapshot, const char *probe, const char *target)
{
	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *run = &snapshot->probes[i];

		if (str_is(run->probe, probe) && (!target || str_is(run->target, target)))
			return run;
	}
	return NULL;
}
