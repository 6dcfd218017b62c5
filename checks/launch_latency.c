// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/timing/timing_precondition.h"

static void eval(struct judgement *j)
{
	struct stats stats;
	enum unit unit;
	double twins;

	if (!measured_figure(j, "launch-latency", &unit, &stats))
		return;
	derive(j, "launch", unit, stats.median, "samples_ns, median");
	derive(j, "launch_p99", unit, stats.p99, "samples_ns, 99th percentile");
	if (!j->gpu || !twins_figure(j->snapshot, j->gpu, "launch-latency", &twins)) {
		skip_check(j, "launch {launch}, p99 {launch_p99}; no twin to compare with");
		return;
	}
	derive(j, "twin_launch", unit, twins, "median of the other GPUs of this model");
	expect_f64(j, "launch", j->policy->launch_twin_ratio * twins);
	if (stats.median > j->policy->launch_twin_ratio * twins)
		finding_add(j, LAUNCH_LATENCY_BEYOND_TWINS);
}

const struct check check_launch_latency = {
	.name = "launch-latency",
	.title = "Launch latency",
	.doc = "How long does an empty kernel take, there and back? It depends on CPU, clocks and driver more than on "
	       "the GPU, so it is informational; beyond launch.twin_ratio times its twins' it is a note.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.says = "launch {launch}, p99 {launch_p99}",
	.may_emit = IDS(LAUNCH_LATENCY_BEYOND_TWINS),
	.eval = eval,
};
