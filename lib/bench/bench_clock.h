/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_clock.h - whose times are right, the driver's or the host's. Pure.
 *
 * A driver's event stamps leave out the way there and back, so they are better
 * for what is short. Some lie: Mesa's rusticl on llvmpipe gives every event the
 * same stamp and calls that success. They are used where all that is known of
 * them agrees with the host's clock, and only differences of them: drivers
 * count from different beginnings.
 */
#pragma once

#include <stdbool.h>

#include "base/compat.h"

/* What stands in place of an event's time. Both stamps equal: 0.0. */
#define BENCH_NO_STAMP (-1.0)
#define BENCH_STAMPED_BACKWARDS (-2.0)

/* A test's operations. */
struct bench_stamps {
	size_t nr;
	const double *host_ns, *event_ns;
};

/* Can that be an event's time, by the host's clock around it? */
bool bench_stamp_can_be(double event_ns, double host_ns);

/* Median of the events' time over the host's; 0.0 without a sample. */
double bench_stamps_ratio(const struct bench_stamps *stamps);

/* What all tests of a device show. Begins as all zeros. */
struct bench_clock {
	const char *impossible;	/* what no right clock gives; NULL: there was no such stamp */
	bool some_right;	/* events of some long operations agree with the host's clock */
	bool some_short;	/* and of some they are too short */
};
/* Each test whose operations had events. */
void bench_clock_learn(struct bench_clock *clock, const struct bench_stamps *stamps);
/* Why the host's clock is used for this test; NULL: its events are used. After all were learnt. */
const char *bench_clock_why(const struct bench_clock *clock, const struct bench_stamps *stamps);
