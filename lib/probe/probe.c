// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probe.c - what a probe's row says of it, in names: of its locks, of what it touches, of how it ended; and what waking
 * takes.
 */
#include "base/compat.h"
#include "probe/probe.h"

#include "snapshot/node.h"
#include "snapshot/under_test.h"

bool probe_puts_load(const struct probe *probe)
{
	return (probe->phase == PHASE_LOAD || probe->phase == PHASE_COLLECTIVE) && !probe->beside;
}

void probe_lock_name(const struct probe *probe, const char *target, char ret[PROBE_LOCK_NAME_BYTES])
{
	if (probe_puts_load(probe))
		snprintf(ret, PROBE_LOCK_NAME_BYTES, "load");
	else
		probe_own_lock_name(probe, target, ret);
}

void probe_own_lock_name(const struct probe *probe, const char *target, char ret[PROBE_LOCK_NAME_BYTES])
{
	snprintf(ret, PROBE_LOCK_NAME_BYTES, "%s-%s", probe->name, target ? target : "node");
}

const char *probe_outcome_name(enum probe_outcome outcome)
{
	static const char *const names[] = {
		[PROBE_OK] = "ok",
		[PROBE_PARTIAL] = "partial",
		[PROBE_UNAVAILABLE] = "unavailable",
		[PROBE_DENIED] = "denied",
		[PROBE_TIMEOUT] = "timeout",
		[PROBE_STUCK] = "stuck",
		[PROBE_CRASHED] = "crashed",
		[PROBE_GARBLED] = "garbled",
		[PROBE_INTERRUPTED] = "interrupted",
		[PROBE_REFUSED] = "refused",
	};

	_Static_assert(ARRAY_SIZE(names) == NR_PROBE_OUTCOMES, "every outcome has a name");
	return names[outcome];
}

const char *probe_touches_name(enum probe_touches touches)
{
	static const char *const names[] = {
		[TOUCHES_FILES] = "files",
		[TOUCHES_LIBRARY] = "library",
		[TOUCHES_DEVICE] = "device",
	};

	return names[touches];
}

unsigned probe_wake_ms(const struct snapshot *snapshot)
{
	return persistenced_runs(snapshot) ? 0 : PROBE_WAKE_MS_PER_GPU * (unsigned)gpus_under_test(snapshot);
}
