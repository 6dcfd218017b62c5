// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/window.h"
#include "eval/judge/subject.h"
#include "snapshot/under_test.h"

/* A GPU that does next to nothing while a process that holds it works for what it can get of a CPU. */
static bool find_hungry(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];
		const struct gpu_process *feeder = gpu_feeder(snapshot, gpu, j->policy->cpu_hungry_percent);
		size_t index = gpu_index(snapshot, gpu);

		if (!gpu_is_judged(snapshot, gpu) || !feeder || !gpu_is_held_idle(snapshot, j->policy, gpu))
			continue;
		derive_str(j, "gpu_waiting", gpu_ranges(j->arena, &index, 1), "held and nearly idle");
		derive_str(j, "pid", str_or(feeder->key, "?"), "/proc");
		want(j, process_use, &feeder->use, busiest_thread_percent);
		need(j, gpu_use, &gpu->use, busy_percent);
		return true;
	}
	return false;
}

static void eval(struct judgement *j)
{
	const struct window *window = &j->snapshot->window;

	if (!has_window(j))
		return;
	want(j, window, window, cpu_some_percent);
	want(j, window, window, cpu_steal_percent);
	if (need(j, window, window, cpu_busy_percent) < j->policy->cpu_pegged_percent || !all_known(j))
		return;
	if (find_hungry(j))
		finding_add(j, CPU_SATURATION_STARVES);
	else
		finding_add(j, CPU_SATURATION_BUSY);
}

const struct check check_cpu_saturation = {
	.name = "cpu-saturation",
	.title = "CPU saturation",
	.doc = "Are the CPUs saturated? Busy CPUs alone are a note; a warning if a GPU waits for a process that "
	       "competes for them.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_WINDOW,
	.says = "CPUs {cpu_busy_percent} busy",
	.may_emit = IDS(CPU_SATURATION_STARVES, CPU_SATURATION_BUSY),
	.eval = eval,
};
