// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/window.h"
#include "eval/judge/subject.h"
#include "snapshot/under_test.h"

/*
 * Drivers whose "powersave" is no fixed lowest clock but a policy of their
 * own (K7.2 Documentation/admin-guide/pm/intel_pstate.rst, amd-pstate.rst).
 * Passive, they are called intel_cpufreq and amd-pstate, and it is the generic one.
 */
static bool has_own_powersave(const char *driver)
{
	return !strcmp(driver, "intel_pstate") || !strcmp(driver, "amd-pstate-epp");
}

static void judge_governor(struct judgement *j)
{
	const struct cpu *cpu = &j->snapshot->cpu;
	const char *driver, *governor;

	question(j);
	driver = need(j, cpu, cpu, scaling_driver);
	governor = need(j, cpu, cpu, governor);
	if (!strcmp(governor, "powersave") && !has_own_powersave(driver))
		finding_add(j, CPU_CLOCK_POWERSAVE);
}

static bool is_slow(const struct judgement *j, const struct cpu_use *use)
{
	double able = (double)u64_or(j->snapshot->cpu.clock_able_mhz, 0);

	return f64_or(use->busy_percent, 0.0) >= j->policy->cpu_pegged_percent && is_known(use->clock_mhz) &&
	       (double)u64_or(use->clock_mhz, 0) < j->policy->cpu_clock_ratio * able;
}

static void note_cpu(struct judgement *j, const struct cpu_use *use)
{
	about(j, "that CPU");
	derive_str(j, "cpu", str_or(use->key, "?"), "/proc/stat");
	need(j, cpu_use, use, busy_percent);
	need(j, cpu_use, use, clock_mhz);
	about(j, NULL);
}

/* The GPU that waits for a thread which pegs this very CPU, or NULL. */
static const struct gpu *starved_by(const struct judgement *j, const struct cpu_use *use)
{
	const struct snapshot *snapshot = j->snapshot;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];
		const struct gpu_process *feeder = gpu_feeder(snapshot, gpu, j->policy->cpu_pegged_percent);
		const char *number;

		if (!gpu_is_judged(snapshot, gpu) || !feeder || !gpu_is_held_idle(snapshot, j->policy, gpu))
			continue;
		number = arena_printf(j->arena, "%llu",
				      (unsigned long long)u64_or(feeder->use.busiest_thread_cpu, UINT64_MAX));
		if (str_is(use->key, number))
			return gpu;
	}
	return NULL;
}

static void judge_clocks(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct cpu_use *slowest = NULL;
	size_t nr = 0;

	question(j);
	need(j, listed, &snapshot->listed, cpu_uses);
	need(j, cpu, &snapshot->cpu, clock_able_mhz);
	for (size_t i = 0; i < snapshot->nr_cpu_uses; i++) {
		const struct cpu_use *use = &snapshot->cpu_uses[i];
		const struct gpu *gpu;

		if (!is_slow(j, use))
			continue;
		nr++;
		gpu = starved_by(j, use);
		if (gpu) {
			size_t index = gpu_index(snapshot, gpu);

			note_cpu(j, use);
			derive_str(j, "gpu_waiting", gpu_ranges(j->arena, &index, 1), "held and nearly idle");
			finding_add(j, CPU_CLOCK_STARVES);
			return;
		}
		if (!slowest || u64_or(use->clock_mhz, 0) < u64_or(slowest->clock_mhz, 0))
			slowest = use;
	}
	if (!slowest)
		return;
	note_cpu(j, slowest);
	derive(j, "slow_cpus", UNIT_COUNT, (double)nr, "busy CPUs below cpu.clock_ratio of clock_able_mhz");
	finding_add(j, CPU_CLOCK_SLOW);
}

static void eval(struct judgement *j)
{
	if (!is_known(j->snapshot->cpu.scaling_driver)) {
		skip_check(j, "CPU frequency scaling not reported");
		return;
	}
	judge_governor(j);
	if (!no_window(j->snapshot))
		judge_clocks(j);
}

const struct check check_cpu_clock = {
	.name = "cpu-clock",
	.title = "CPU clocks",
	.doc = "Do busy CPUs run as fast as they can? A governor that keeps them slow and CPUs far below their "
	       "highest clock are notes; a slow CPU that a GPU waits for is a warning. Not reported in virtual "
	       "machines.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_WINDOW,
	.says = "CPU clocks by {scaling_driver}, governor {governor}",
	.may_emit = IDS(CPU_CLOCK_STARVES, CPU_CLOCK_SLOW, CPU_CLOCK_POWERSAVE),
	.eval = eval,
};
