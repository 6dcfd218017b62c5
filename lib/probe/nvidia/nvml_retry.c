// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_retry.c - values that failed are read again before the failure is reported.
 *
 * Healthy nodes have calls that fail for a moment: what fails once says little.
 * A value that failed is held back, and its part is read anew half a second
 * later; what fails then, and was asked for in vain for five seconds on this GPU
 * alone, says something (eval/summary/unanswered.h). Nothing waits where nothing failed.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "sys/clock.h"

#define MS_NS UINT64_C(1000000)
#define LATE_NS (5000 * MS_NS)
#define SPARE_NS (2000 * MS_NS)		/* for the calls, before the worker's time is up */

_Static_assert((int)NR_FIELDS_nvml_gpu <= (int)NVML_MOST_HELD, "room for each value of a GPU");

static void (*const parts[])(struct nvml_session *session) = {
	nvml_read_identity, nvml_read_health, nvml_read_state, nvml_read_fabric,
};

_Static_assert(ARRAY_SIZE(parts) == NVML_PARTS, "struct nvml_session counts them");

void nvml_read_part(struct nvml_session *session, unsigned part)
{
	session->retry.part = part;
	parts[part - 1](session);
	session->retry.part = 0;
}

/* An error of one call that says nothing by itself is none where the call then answers. */
static void forget_trouble(struct nvml_session *session)
{
	if (session->worst_error == NVML_ERROR_UNKNOWN && session->worst_error_part) {
		session->worst_error = 0;
		session->worst_error_call = NULL;
	}
}

/* Each part with values held back; the last time they are reported as they are. */
static void read_again(struct nvml_session *session, bool is_last)
{
	bool wanted[NVML_PARTS + 1] = { false };

	for (size_t i = 0; i < ARRAY_SIZE(session->retry.part_of); i++)
		wanted[session->retry.part_of[i]] = true;
	session->retry.passes++;
	session->retry.is_last = is_last;
	session->retry.fails_again = false;
	forget_trouble(session);
	for (unsigned part = 1; part <= NVML_PARTS; part++)
		if (wanted[part])
			nvml_read_part(session, part);
}

static void sleep_until(struct sink *sink, uint64_t at_ns)
{
	uint64_t now_ns = clock_now_ns();

	if (at_ns > now_ns)
		sink_sleep_ns(sink, at_ns - now_ns);
}

bool nvml_has_time(const struct nvml_session *session, uint64_t until_ns, uint64_t deadline_ms)
{
	return !deadline_ms || until_ns < session->first_look.began_ns + deadline_ms * MS_NS;
}

void nvml_retry_soon(struct nvml_session *session)
{
	if (!session->retry.since_ns || session->is_lost)
		return;
	/* What others have read since is not to be sorted. */
	sink_flush(session->sink);
	sleep_until(session->sink, session->retry.since_ns + PROBE_AGAIN_NS);
	read_again(session, false);
}

void nvml_retry_late(struct nvml_session *session, bool has_twins, uint64_t deadline_ms)
{
	const uint64_t due_ns = session->retry.since_ns + LATE_NS;

	if (!session->retry.since_ns || (session->retry.passes && !session->retry.fails_again))
		return;
	sink_flush(session->sink);
	if (!session->is_lost && has_twins && nvml_has_time(session, due_ns + SPARE_NS, deadline_ms))
		sleep_until(session->sink, due_ns);
	read_again(session, true);
	if (session->retry.fails_again) {
		nvml_facts(session)->nvml.unanswered_ms = val_u64((clock_now_ns() - session->retry.since_ns) / MS_NS);
		sink_flush(session->sink);
	}
}
