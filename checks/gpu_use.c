// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/window.h"

/* Held and idle is common and healthy, as of a server that waits for questions: only a cause is worth a note. */
static void judge_idle(struct judgement *j)
{
	const struct gpu_process *feeder = gpu_feeder(j->snapshot, j->gpu, j->policy->cpu_pegged_percent);
	double stalled;

	if (feeder) {
		about(j, "the process that holds it");
		derive_str(j, "pid", str_or(feeder->key, "?"), "/proc");
		look(j, process_use, &feeder->use, busiest_thread_percent);
		need(j, process_use, &feeder->use, busiest_thread_cpu);
		about(j, NULL);
		finding_add(j, GPU_USE_STARVED_CPU);
		return;
	}
	stalled = look(j, window, &j->snapshot->window, io_full_percent);
	if (stalled > j->policy->io_pressure_percent)
		finding_add(j, GPU_USE_STARVED_STORAGE);
}

static void eval(struct judgement *j)
{
	const struct gpu_use *use = &j->gpu->use;
	double busy, memory;

	if (!has_window(j))
		return;
	if (use->busy_percent.state == VAL_ASLEEP) {
		skip_check(j, "the GPU is suspended, and looking would wake it");
	} else if (use->busy_percent.state == VAL_UNSUPPORTED) {
		skip_check(j, arena_printf(j->arena, "how busy it is, no file tells: %s",
					   use->busy_percent.why ? use->busy_percent.why : "no reason given"));
	} else {
		busy = need(j, gpu_use, use, busy_percent);
		if (!all_known(j))
			return;
		memory = look(j, gpu_use, use, memory_busy_percent);
		if (gpu_is_held_idle(j->snapshot, j->policy, j->gpu))
			judge_idle(j);
		else if (busy < j->policy->gpu_low_percent && memory >= j->policy->gpu_memory_bound_percent)
			finding_add(j, GPU_USE_MEMORY_BOUND);
	}
}

const struct check check_gpu_use = {
	.name = "gpu-use",
	.title = "GPU use",
	.doc = "Is the GPU used, starved or waiting for its own memory? Held and idle with a thread of its process that "
	       "pegs a CPU, or while the node waits for disks: starved. Where nothing is broken this is the headline. "
	       "NVIDIA's driver tells no use in files.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_WINDOW | NEEDS_LINKS | NEEDS_VENDOR,
	.says = "{busy_percent} busy",
	.may_emit = IDS(GPU_USE_STARVED_CPU, GPU_USE_STARVED_STORAGE, GPU_USE_MEMORY_BOUND),
	.eval = eval,
};
