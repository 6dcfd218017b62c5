// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/throttle.h"
#include "eval/facts/window.h"
#include "eval/judge/vendor.h"
#include "eval/load/load.h"

static void add_feeder(struct judgement *j, const struct gpu_process *feeder)
{
	about(j, "the process that holds it");
	derive_str(j, "pid", str_or(feeder->key, "?"), "/proc");
	want(j, process_use, &feeder->use, busiest_thread_percent);
	need(j, process_use, &feeder->use, busiest_thread_cpu);
	about(j, NULL);
	finding_add(j, GPU_USE_STARVED_CPU);
}

/* Held and idle is common and healthy, as of a server that waits for questions: only a cause is worth a note. */
static void judge_idle(struct judgement *j)
{
	const struct gpu_process *feeder = gpu_feeder(j->snapshot, j->gpu, j->policy->cpu_pegged_percent);
	double stalled;

	if (feeder) {
		add_feeder(j, feeder);
		return;
	}
	stalled = want(j, window, &j->snapshot->window, io_full_percent);
	if (stalled > j->policy->io_pressure_percent)
		finding_add(j, GPU_USE_STARVED_STORAGE);
}

/* Busy, at clocks far below what it can do, and something says why. */
static bool judge_choked(struct judgement *j)
{
	double clock = (double)u64_or(j->gpu->use.clock_busy_mhz, 0);
	double able = (double)u64_or(vendor_u64(j->gpu, "clock_max_mhz"), 0);
	const struct gpu_work work = gpu_in_window(j->gpu);
	const char *reason = throttle_reason(j, &work);

	if (!reason || !gpu_worked(j->policy, j->gpu) || clock <= 0.0 ||
	    clock >= j->policy->throttle_clock_ratio * able)
		return false;
	want(j, gpu_use, &j->gpu->use, clock_busy_mhz);
	want_vendor_u64(j, "clock_max_mhz");
	want(j, throttle, &j->gpu->throttle, reasons);
	phrase(j, "held", arena_printf(j->arena, "%g of %s", clock, figure_words(j, UNIT_MHZ, able)));
	phrase(j, "held.many",
	       arena_printf(j->arena, "less than %g %% of their clocks", j->policy->throttle_clock_ratio * 100.0));
	derive_str(j, "reason", reason, "its throttle reasons in the window");
	finding_add(j, GPU_USE_CHOKED);
	return true;
}

/* A GPU at work is that of a job: that one of its tasks waits in the kernel tells that the disks are this job's. */
static bool waits_for_storage(struct judgement *j)
{
	const struct task *task = gpu_waiter(j->snapshot, j->gpu);
	const struct load_gpu *judged = load_gpu_of(j->load, j->gpu);

	if (!task || !judged || !judged->waits ||
	    f64_or(j->snapshot->window.io_full_percent, 0.0) <= j->policy->io_pressure_percent)
		return false;
	need(j, window, &j->snapshot->window, io_full_percent);
	about(j, "a task of its process");
	need(j, task, task, comm);
	need(j, task, task, pid);
	want(j, task, task, wchan);
	about(j, NULL);
	finding_add(j, GPU_USE_STARVED_STORAGE);
	return true;
}

/* The mean of a GPU that is idle and busy by turns tells of neither. */
static void tell_swing(struct judgement *j)
{
	const struct load_gpu *judged = load_gpu_of(j->load, j->gpu);
	const struct gpu_use *use = &j->gpu->use;
	double low, high;

	if (!judged || !judged->swings || !is_known(use->busy_p5_percent) || !is_known(use->busy_p95_percent)) {
		phrase(j, "swing", "");
		return;
	}
	low = want(j, gpu_use, use, busy_p5_percent);
	high = want(j, gpu_use, use, busy_p95_percent);
	phrase(j, "swing", arena_printf(j->arena, ", from %s to %s", figure_words(j, UNIT_PERCENT, low),
					figure_words(j, UNIT_PERCENT, high)));
}

/* In use, and not throttled: what the judge of gpudiag watch says of the same figures. */
static void judge_use(struct judgement *j, double busy, double memory)
{
	enum bottleneck word = load_word_of(j->load, j->gpu);
	const struct gpu_process *feeder;

	if (waits_for_storage(j))
		return;

	if (word == BOTTLENECK_STARVED_THREAD) {
		feeder = gpu_feeder(j->snapshot, j->gpu, j->policy->cpu_pegged_percent);
		if (feeder)
			add_feeder(j, feeder);
	} else if (word == BOTTLENECK_MEMORY_BOUND ||
		   (busy < j->policy->gpu_low_percent && memory >= j->policy->gpu_memory_bound_percent)) {
		finding_add(j, GPU_USE_MEMORY_BOUND);
	}
}

static void eval(struct judgement *j)
{
	const struct gpu_use *use = &j->gpu->use;
	double busy, memory;

	if (!has_window(j))
		return;
	if (use->busy_percent.state == VAL_ASLEEP) {
		skip_check(j, "GPU suspended (--wake reads it)");
	} else if (use->busy_percent.state == VAL_UNSUPPORTED) {
		skip_check(j, arena_printf(j->arena, "utilization not reported: %s",
					   use->busy_percent.why ? use->busy_percent.why : "no reason given"));
	} else {
		busy = need(j, gpu_use, use, busy_percent);
		if (!all_known(j))
			return;
		tell_swing(j);
		memory = want(j, gpu_use, use, memory_busy_percent);
		if (gpu_is_held_idle(j->snapshot, j->policy, j->gpu))
			judge_idle(j);
		else if (!judge_choked(j))
			judge_use(j, busy, memory);
	}
}

const struct check check_gpu_use = {
	.name = "gpu-use",
	.title = "GPU use",
	.doc = "Is the GPU used, waiting for a CPU or storage, throttled, or memory-bound? Held but idle, with a "
	       "thread of its process at 100 % of a CPU, or while the node waits for disks: it waits for these. In use "
	       "below 50 %, or idle and busy by turns (p5 below 10 %, p95 from 70 %), with a task of its process asleep in the "
	       "kernel while the node waits for disks: it waits for storage. In use below 80 %, with such a thread that does "
	       "not merely give its CPU away: it waits for that thread. Busy at 80 % of its memory's time, below 80 % of its "
	       "power limit: memory-bound. Busy below 80 % of its highest clock, because of temperature, a power brake, a "
	       "lowered power limit or a setting: throttled. If nothing is broken, this is the headline. On NVIDIA GPUs only "
	       "the library NVML reports utilization.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_WINDOW | NEEDS_LINKS | NEEDS_VENDOR,
	.says = "{busy_percent} busy{swing}",
	.may_emit = IDS(GPU_USE_STARVED_CPU, GPU_USE_STARVED_STORAGE, GPU_USE_CHOKED, GPU_USE_MEMORY_BOUND),
	.eval = eval,
};
