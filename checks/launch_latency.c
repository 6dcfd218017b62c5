// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/expect.h"
#include "eval/permit.h"

static void eval(struct judgement *j)
{
	const char *refused = permit_load(j->arena, j->snapshot, j->policy, j->log, j->device);
	const struct timing *timing;
	struct stats stats;
	enum unit unit;
	double twins;

	if (refused) {
		skip_check(j, refused);
		return;
	}
	timing = device_timing(j->device, "launch-latency");
	need(j, ocl_device, j->device, builds_kernels);
	need(j, timing, timing, method);
	if (!timing || !all_known(j))
		return;
	if (!timing_figure(timing, &unit, &stats)) {
		unknown(j, "its samples are none, or no times");
		return;
	}
	derive(j, "launch", unit, stats.median, "samples_ns, median");
	derive(j, "launch_p99", unit, stats.p99, "samples_ns, 99th percentile");
	if (!j->gpu || !twins_figure(j->snapshot, j->gpu, "launch-latency", &twins)) {
		skip_check(j, "launch {launch}, p99 {launch_p99}: a figure, there is no twin to compare with");
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
	       "the GPU, so it is a figure; beyond launch.twin_ratio times that of the other GPUs of its model it is "
	       "a note.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.says = "launch {launch}, p99 {launch_p99}",
	.may_emit = IDS(LAUNCH_LATENCY_BEYOND_TWINS),
	.eval = eval,
};
