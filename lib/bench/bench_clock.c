// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "bench/bench_clock.h"

#include "base/alloc.h"
#include "base/stats.h"

/* By which the stamps of an operation may exceed the host's clock, whose ticks are not theirs. */
#define CLOCK_SKEW 1.02
#define CLOCK_STEP_NS 1000.0
/* An operation so long that its stamps must agree with the host's clock: what is left is the way there and back. */
#define LONG_NS 5e6
#define LEAST_RATIO 0.5
/* Below this, an event may be shorter than a step of the driver's stamps (NVIDIA's is a microsecond). */
#define SHORT_NS 1e5

static const char not_shown[] = "no operation was long enough to check events by";
static const char too_short[] = "events cover less than half of the time measured on the host";

bool bench_stamp_can_be(double event_ns, double host_ns)
{
	return event_ns > 0.0 && event_ns <= CLOCK_SKEW * host_ns + CLOCK_STEP_NS;
}

double bench_stamps_ratio(const struct bench_stamps *stamps)
{
	double *ratios = xcalloc(stamps->nr + 1, sizeof(*ratios));
	struct stats stats;

	for (size_t i = 0; i < stamps->nr; i++)
		ratios[i] = stamps->event_ns[i] / stamps->host_ns[i];
	stats_of(ratios, stamps->nr, &stats);
	free(ratios);
	return stats.median;
}

static bool is_long(const struct bench_stamps *stamps)
{
	struct stats stats;

	stats_of(stamps->host_ns, stamps->nr, &stats);
	return stats.median >= LONG_NS;
}

/* What no right clock gives, in the words of the first such stamp; NULL: there is none. */
static const char *impossible(const struct bench_stamps *stamps)
{
	for (size_t i = 0; i < stamps->nr; i++) {
		double event_ns = stamps->event_ns[i], host_ns = stamps->host_ns[i];

		if (event_ns == BENCH_NO_STAMP)
			return "no event timestamps from the driver";
		if (event_ns < 0.0)
			return "an event ends before it starts";
		if (event_ns == 0.0 && host_ns >= SHORT_NS)
			return "no time between an event's stamps";
		if (event_ns > 0.0 && !bench_stamp_can_be(event_ns, host_ns))
			return "an event is longer than the host waited for it";
	}
	return NULL;
}

void bench_clock_learn(struct bench_clock *clock, const struct bench_stamps *stamps)
{
	if (!clock->impossible)
		clock->impossible = impossible(stamps);
	if (!is_long(stamps))
		return;
	if (bench_stamps_ratio(stamps) < LEAST_RATIO)
		clock->some_short = true;
	else
		clock->some_right = true;
}

const char *bench_clock_why(const struct bench_clock *clock, const struct bench_stamps *stamps)
{
	if (clock->impossible)
		return clock->impossible;
	if (!clock->some_right)
		return clock->some_short ? too_short : not_shown;
	for (size_t i = 0; i < stamps->nr; i++)
		if (stamps->event_ns[i] == 0.0)
			return "an event is shorter than a step of its stamps";
	if (clock->some_short && !is_long(stamps))
		return "events of some longer operations are too short";
	if (clock->some_short && bench_stamps_ratio(stamps) < LEAST_RATIO)
		return too_short;
	return NULL;
}
