// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rules_waits.c - where nothing on this node is at its limit: the job sleeps, holds a GPU for nothing, or there is
 * none.
 */
#include "base/compat.h"
#include "eval/load/rule.h"

#include "base/text.h"

/* Samples with a thread that runs or is ready to, from which a process does not sleep. */
#define READY_PERCENT 75.0

static bool worked_lately(const struct scene *scene)
{
	const struct fold_gpu *gpu = scene->gpu.folded;

	return gpu->worked_at_ns &&
	       scene->fold->at_ns - gpu->worked_at_ns < (uint64_t)(scene->policy->watch_pause_s * 1e9);
}

/* Too few samples to accuse a disk are enough not to say that it is none. */
static void require_samples(struct rule *rule, const struct scene *scene)
{
	if (scene->job.io_seen_percent >= scene->policy->watch_io_wait_percent)
		rule_at_least(rule, "states of its processes", scene->job.io_wait_percent, 0.0);
}

/* Of all of them together or, as each of many may sleep and wake a little, of the busiest one. */
static struct val_f64 awake_percent(const struct job *job)
{
	double main = f64_or(job->main_percent, 0.0) - job->polite_percent, most = main;

	if (job->worker && f64_or(process_percent(job->worker, &job->span), 0.0) > most)
		most = f64_or(process_percent(job->worker, &job->span), 0.0);
	return f64_or(job->all_percent, 0.0) > most ? val_f64(most > 0.0 ? most : 0.0) : job->all_percent;
}

/* Its processes sleep, and not for a disk. */
static void require_sleep(struct rule *rule, const struct scene *scene)
{
	const struct job *job = &scene->job;

	rule_below(rule, "CPU use of its processes", awake_percent(job), scene->policy->watch_asleep_percent);
	rule_below_if_known(rule, job->io_wait_percent, scene->policy->watch_io_wait_percent);
	/* Ready to run and not running is no sleep, however little CPU time it gets. */
	rule_below_if_known(rule, job->run_wait_percent, scene->policy->watch_cpu_wait_percent);
	if (!job->thread_is_polite)
		rule_below_if_known(rule, job->ready_percent, READY_PERCENT);
	require_samples(rule, scene);
	if (!job->pressure_is_of_node)
		rule_below_if_known(rule, job->io_full_percent, scene->policy->io_pressure_percent);
}

/* A rank of a job whose other ranks work, or wait for it: that it does nothing is no waste, but what to look at. */
static bool is_awaited(const struct scene *scene)
{
	for (size_t i = 0; i < scene->nr_others; i++) {
		const struct scene *other = &scene->others[i];

		if (other->job.main && scene->job.main && other->job.main != scene->job.main &&
		    f64_or(other->gpu.busy, 0.0) >= scene->policy->gpu_idle_percent &&
		    is_one_job(scene->fold, other->job.main->pid, scene->job.main->pid))
			return true;
	}
	return false;
}

/* Most of its threads wait for an answer over a socket. */
static bool waits_for_answer(const struct scene *scene)
{
	static const char *const waits[] = { "sk_wait_data", "tcp_recvmsg*", "inet_csk_accept", "unix_stream_*",
					     "__skb_wait_for_more_packets", "skb_wait_for_more_packets" };
	const struct job *job = &scene->job;

	for (size_t i = 0; job->nr_wchans && i < ARRAY_SIZE(waits); i++)
		if (glob_match(waits[i], job->wchans[0].name))
			return true;
	return false;
}

/* It does nothing now, and has a reason other than that nobody wants anything of it. */
static bool has_work(const struct scene *scene)
{
	return worked_lately(scene) || is_awaited(scene) || waits_for_answer(scene);
}

static void judge_elsewhere(struct scene *scene)
{
	struct rule rule = RULE_FITS;

	require_sleep(&rule, scene);
	rule_requires(&rule, is_starved(scene));
	if (!is_of_process(scene))
		rule_requires(&rule,
			      f64_or(scene->gpu.busy, 0.0) >= scene->policy->gpu_idle_percent || has_work(scene));
	scene->rules[BOTTLENECK_WAITS_ELSEWHERE] = rule;
}

static void judge_held(struct scene *scene)
{
	struct rule held = RULE_FITS, idle;

	rule_below(&held, "utilization", scene->gpu.busy, scene->policy->gpu_idle_percent);
	idle = held;
	rule_requires(&held, is_held(scene) && !has_work(scene));
	rule_below_if_known(&held, awake_percent(&scene->job), scene->policy->watch_asleep_percent);
	if (!scene->job.thread_is_polite)
		rule_below_if_known(&held, scene->job.ready_percent, READY_PERCENT);
	rule_requires(&idle, !is_held(scene));
	/* Those of others may hold it: its memory tells. */
	if (!sees_processes(scene))
		rule_at_least(&idle, "VRAM in use", scene->gpu.vram_used_bytes, 0.0);
	/* Suspended: nothing runs on it, and asking would wake it. */
	if (scene->gpu.busy.state == VAL_ASLEEP)
		idle = RULE_FITS;
	scene->rules[BOTTLENECK_HELD_IDLE] = held;
	scene->rules[BOTTLENECK_IDLE] = idle;
}

/* What is left, where enough is known to say that it is no other. */
static void judge_rest(struct scene *scene)
{
	const struct gpu_figures *gpu = &scene->gpu;
	struct rule rule = RULE_FITS;

	if (is_of_process(scene) || gpu->is_low) {
		rule_at_least(&rule, "CPU use of its processes", scene->job.all_percent, 0.0);
		require_samples(&rule, scene);
	}
	if (!is_of_process(scene)) {
		rule_at_least(&rule, "utilization", gpu->busy, 0.0);
		if (!gpu->is_low && !is_known(gpu->sm))
			rule_at_least(&rule, "SM activity and power", gpu->power_ratio, 0.0);
	}
	scene->rules[BOTTLENECK_MIXED] = rule;
}

void judge_waits(struct scene *scene)
{
	judge_elsewhere(scene);
	if (!is_of_process(scene))
		judge_held(scene);
	judge_rest(scene);
}
