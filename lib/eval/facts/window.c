// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/window.h"

#include "eval/facts/holders.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

const char *no_window(const struct snapshot *snapshot)
{
	if (is_known(snapshot->window.length_ms) || find_probe_run(snapshot, "window", NULL))
		return NULL;
	if (!snapshot_is_live(snapshot))
		return "not possible on a recording";
	if (is_known(snapshot->request.window_ms) && !u64_or(snapshot->request.window_ms, 0))
		return "no window (--window 0)";
	return "not collected (no window)";
}

bool has_window(struct judgement *j)
{
	const char *no_rates = no_window(j->snapshot);

	if (no_rates)
		skip_check(j, no_rates);
	return !no_rates;
}

static bool holds(const struct holder *holder, const struct gpu *gpu)
{
	return is_known(holder->gpu) && str_is(holder->gpu, str_or(gpu->key, "")) && !holder_is_idle(holder);
}

static bool process_holds(const struct snapshot *snapshot, const char *pid, const struct gpu *gpu)
{
	size_t len = strlen(pid);

	/* A holder's key is its process and the node. */
	for (size_t i = 0; i < snapshot->nr_holders; i++) {
		const char *key = str_or(snapshot->holders[i].key, "");

		if (!strncmp(key, pid, len) && key[len] == ':' && holds(&snapshot->holders[i], gpu))
			return true;
	}
	return false;
}

/* A process that holds this GPU to work on it: displays and monitors do not count. */
static bool gpu_is_held(const struct snapshot *snapshot, const struct gpu *gpu)
{
	for (size_t i = 0; i < snapshot->nr_holders; i++)
		if (holds(&snapshot->holders[i], gpu))
			return true;
	return false;
}

bool gpu_is_held_idle(const struct snapshot *snapshot, const struct policy *policy, const struct gpu *gpu)
{
	return is_known(gpu->use.busy_percent) && f64_or(gpu->use.busy_percent, 0.0) < policy->gpu_idle_percent &&
	       gpu_is_held(snapshot, gpu);
}

/* Mostly in the kernel: it calls sched_yield() in a loop, as CUDA and NCCL wait, and prepares nothing. */
static bool gives_cpu_away(const struct process_use *use)
{
	double all = f64_or(use->busiest_thread_percent, 0.0);

	return 2.0 * f64_or(use->busiest_thread_system_percent, 0.0) > all;
}

const struct gpu_process *gpu_feeder(const struct snapshot *snapshot, const struct gpu *gpu, double percent)
{
	const struct gpu_process *feeder = NULL;
	double most = 0.0;

	for (size_t i = 0; i < snapshot->nr_gpu_processes; i++) {
		const struct gpu_process *process = &snapshot->gpu_processes[i];
		double used = f64_or(process->use.busiest_thread_percent, 0.0);

		if (used < percent || used <= most || gives_cpu_away(&process->use) ||
		    !process_holds(snapshot, str_or(process->key, ""), gpu))
			continue;
		feeder = process;
		most = used;
	}
	return feeder;
}

const struct task *gpu_waiter(const struct snapshot *snapshot, const struct gpu *gpu)
{
	for (size_t i = 0; i < snapshot->nr_tasks; i++) {
		const struct task *task = &snapshot->tasks[i];

		/* One that waits in a GPU's driver waits for no disk. */
		if (is_known(task->driver))
			continue;
		for (size_t k = 0; k < snapshot->nr_holders; k++)
			if (is_known(task->pid) && holds(&snapshot->holders[k], gpu) &&
			    u64_or(snapshot->holders[k].pid, 0) == u64_or(task->pid, 0))
				return task;
	}
	return NULL;
}
