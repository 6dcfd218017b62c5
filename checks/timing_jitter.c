// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/stats.h"
#include "checks/playbook.h"
#include "eval/permit.h"

/* Fewer have no 95th percentile to speak of. */
enum { LEAST_SAMPLES = 3 };

/* Of all tests the one whose times are furthest apart. */
struct worst {
	const struct timing *timing;
	struct stats stats;
	double spread;
};

static void look_at(const struct timing *timing, struct worst *worst)
{
	struct stats stats;

	/* A launch of microseconds always has stragglers. */
	if (str_is(timing->key, "launch-latency") || timing->samples_ns.nr < LEAST_SAMPLES)
		return;
	stats_of(timing->samples_ns.v, timing->samples_ns.nr, &stats);
	if (stats.p5 <= 0.0 || stats.p95 / stats.p5 <= worst->spread)
		return;
	*worst = (struct worst){ .timing = timing, .stats = stats, .spread = stats.p95 / stats.p5 };
}

static void judge_spread(struct judgement *j)
{
	struct worst worst = { .spread = 0.0 };

	for (size_t i = 0; i < j->device->nr_timings; i++)
		look_at(&j->device->timings[i], &worst);
	need(j, timing, worst.timing, key);
	if (!worst.timing)
		return;
	derive(j, "fast", UNIT_NS, worst.stats.p5, "samples_ns, 5th percentile");
	derive(j, "slow", UNIT_NS, worst.stats.p95, "samples_ns, 95th percentile");
	expect_f64(j, "slow", j->policy->jitter_note_ratio * worst.stats.p5);
	if (worst.spread > j->policy->jitter_note_ratio)
		finding_add(j, TIMING_JITTER_UNEVEN);
}

static void judge_disturbance(struct judgement *j)
{
	for (size_t i = 0; i < j->device->nr_timings; i++) {
		const struct timing *timing = &j->device->timings[i];

		if (!is_known(timing->disturbed))
			continue;
		question(j);
		need(j, timing, timing, key);
		need(j, timing, timing, disturbed);
		finding_add(j, TIMING_JITTER_DISTURBED);
		return;
	}
}

static void eval(struct judgement *j)
{
	const char *refused = permit_load(j->arena, j->snapshot, j->policy, j->log, j->device);

	if (refused) {
		skip_check(j, refused);
		return;
	}
	need(j, ocl_device, j->device, builds_kernels);
	judge_spread(j);
	judge_disturbance(j);
}

const struct check check_timing_jitter = {
	.name = "timing-jitter",
	.title = "Timing jitter",
	.doc = "Does the same work take the same time? A test whose 95th percentile is more than jitter.note_ratio times "
	       "its 5th is a note, and so is one that had fewer CPUs than it had work for: its figure is of the "
	       "machine as it was, not of what the device can.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.says = "even times",
	.may_emit = IDS(TIMING_JITTER_UNEVEN, TIMING_JITTER_DISTURBED),
	.eval = eval,
};
