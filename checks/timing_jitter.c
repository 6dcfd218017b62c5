// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/stats.h"
#include "checks/playbook.h"
#include "eval/timing/timing_precondition.h"

enum {
	LEAST_SAMPLES = 8,		/* fewer tell little but their extremes */
	SHORT_NS = 100 * 1000,		/* what is over sooner is a launch, which always has stragglers */
};

/* Of all tests the one whose times are furthest apart. */
struct worst {
	const struct timing *timing;
	double fast, slow;
};

static void look_at(const struct timing *timing, struct worst *worst)
{
	double fast, slow;

	if (timing->samples_ns.nr < LEAST_SAMPLES ||
	    !stats_without_extremes(timing->samples_ns.v, timing->samples_ns.nr, &fast, &slow) || fast < SHORT_NS)
		return;
	if (!worst->timing || slow * worst->fast > worst->slow * fast)
		*worst = (struct worst){ .timing = timing, .fast = fast, .slow = slow };
}

static void judge_spread(struct judgement *j)
{
	struct worst worst = { .timing = NULL };

	for (size_t i = 0; i < j->device->nr_timings; i++)
		look_at(&j->device->timings[i], &worst);
	if (!worst.timing) {
		skip_check(j, "no test was repeated often enough to tell");
		return;
	}
	need(j, timing, worst.timing, key);
	derive(j, "fast", UNIT_NS, worst.fast, "samples_ns, without the fastest twentieth");
	derive(j, "slow", UNIT_NS, worst.slow, "samples_ns, without the slowest twentieth");
	expect_f64(j, "slow", j->policy->jitter_note_ratio * worst.fast);
	if (worst.slow > j->policy->jitter_note_ratio * worst.fast)
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
	if (!load_is_permitted(j))
		return;
	need(j, ocl_device, j->device, builds_kernels);
	if (!all_known(j))
		return;
	/* Whatever else runs on a processor is in its times: only what spoils the figures is reported. */
	if (str_is(j->device->kind, "cpu"))
		skip_check(j, "on a CPU, other processes affect the timing");
	else
		judge_spread(j);
	judge_disturbance(j);
}

const struct check check_timing_jitter = {
	.name = "timing-jitter",
	.title = "Timing jitter",
	.doc = "Does the same work take the same time? A test whose slow times exceed jitter.note_ratio times its "
	       "fast ones is a note; the most extreme twentieth of each and tests of microseconds are left out. A CPU "
	       "is shared with other processes, so only a test with too few free CPUs is reported there: its timing "
	       "is of the machine under load, not of the device.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.says = "low jitter",
	.may_emit = IDS(TIMING_JITTER_UNEVEN, TIMING_JITTER_DISTURBED),
	.eval = eval,
};
