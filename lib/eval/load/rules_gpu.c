// SPDX-License-Identifier: GPL-2.0-or-later
/* rules_gpu.c - what shows on the GPU itself: spinning, throttled, short of VRAM, shared, at one of its own limits. */
#include "base/compat.h"
#include "eval/load/rule.h"

#include "base/text.h"
#include "eval/judge/vendor.h"
#include "snapshot/node.h"

/* ---- stuck and spinning */

/* Of 5.2: seen before it stopped; that long is no start-up. */
#define WORKED_S 10.0

/* Servers of models wait for requests so, for hours. */
static bool is_server(const struct job *job)
{
	static const char *const names[] = { "VLLM*", "vllm*", "sglang*", "tritonserver*", "text-generation*",
					     "ollama*", "llama-server*", "trtllm*", "*dynamo*" };

	for (size_t i = 0; job->main && i < ARRAY_SIZE(names); i++)
		if (glob_match(names[i], job->main->comm))
			return true;
	return false;
}

static struct rule rule_of_spinning(const struct scene *scene)
{
	const struct policy *policy = scene->policy;
	const struct gpu_figures *gpu = &scene->gpu;
	struct rule rule = RULE_FITS;

	rule_at_least(&rule, "utilization", gpu->busy, policy->watch_spin_percent);
	rule_at_least(&rule, "utilization", gpu->busy_p5, policy->watch_spin_percent - 4.0);
	rule_below(&rule, "power", gpu->power_ratio, policy->watch_spin_power_ratio);
	rule_below_if_known(&rule, gpu->memory, policy->watch_spin_memory_percent);
	rule_below_if_known(&rule, gpu->pcie_ratio, policy->watch_spin_link_ratio);
	rule_below_if_known(&rule, gpu->peer_ratio, policy->watch_spin_link_ratio);
	return rule;
}

/* One of the same job that does not spin, while this one does: it is the one that the others wait for. */
static const struct scene *odd_one(const struct scene *scene)
{
	const struct scene *odd = NULL;

	for (size_t i = 0; i < scene->nr_others; i++) {
		const struct scene *other = &scene->others[i];
		const struct rule spins = rule_of_spinning(other);

		if (other == scene || is_of_process(other) || !is_known(other->gpu.busy) || !spins.is_excluded)
			continue;
		if (odd && other->gpu.busy.v_ >= odd->gpu.busy.v_)
			continue;
		if (gpus_are_of_one_job(scene->fold, scene->roles, scene->place, other->place))
			odd = other;
	}
	return odd;
}

/*
 * Frameworks give up after 10 minutes at the soonest: who works for so long while the others wait may work for nothing.
 */
#define PATIENCE_S 600.0

/* It is slow, or has something to do alone, as a first rank that evaluates: the others wait, and are not stuck. */
static bool makes_progress(const struct scene *peer, const struct scene *scene)
{
	const struct policy *policy = scene->policy;

	if (f64_or(peer->gpu.busy, 0.0) < policy->gpu_idle_percent || scene->spun_s >= PATIENCE_S)
		return false;
	return f64_or(peer->gpu.busy, 0.0) < WAITS_BUSY_PERCENT ||
	       f64_or(scene->gpu.power_ratio, 1.0) <
		       policy->watch_twin_power_ratio * f64_or(peer->gpu.power_ratio, 0.0);
}

static void judge_spinning(struct scene *scene)
{
	struct rule spins = rule_of_spinning(scene), stuck;

	/* Its turn to work comes within seconds. */
	rule_requires(&spins, !scene->stragglers);
	stuck = scene->rules[BOTTLENECK_SPINNING] = spins;
	if (rule_fits(&spins))
		scene->peer = odd_one(scene);
	rule_requires(&stuck, !is_server(&scene->job));
	rule_requires(&stuck, scene->peer ? !makes_progress(scene->peer, scene) : scene->worked_s >= WORKED_S);
	scene->rules[BOTTLENECK_STUCK] = stuck;
}

/* ---- throttled */

static void judge_capped(struct scene *scene)
{
	const struct policy *policy = scene->policy;
	const struct gpu_figures *gpu = &scene->gpu;
	struct rule heat = RULE_FITS, brake = RULE_FITS, power = RULE_FITS;

	heat.key = "heat";
	brake.key = "brake";
	power.key = "power";
	rule_at_least(&heat, "thermal throttling", gpu->heat, policy->throttle_percent);
	rule_at_least(&brake, "power brake", gpu->brake, policy->throttle_percent);
	rule_at_least(&power, "time at the power limit", gpu->power_cap, policy->throttle_power_cap_percent);
	rule_requires(&power, gpu->power_is_lowered);
	scene->rules[BOTTLENECK_CAPPED] = rule_either(rule_either(heat, brake), power);
	/* An idle GPU loses nothing by it. */
	rule_requires(&scene->rules[BOTTLENECK_CAPPED], f64_or(gpu->busy, 100.0) >= policy->gpu_idle_percent);
}

/* ---- short of memory */

static struct rule rule_of_vram(const struct scene *scene)
{
	const struct policy *policy = scene->policy;
	struct rule evicted = RULE_FITS, moved = RULE_FITS, faults = RULE_FITS, rule;

	rule_at_least(&evicted, "evictions", scene->gpu.evicted, policy->watch_evicted_percent);
	rule_at_least(&moved, "moved pages", scene->gpu.page_moves, policy->watch_page_moves_per_s);
	rule_at_least(&faults, "GPU page faults", scene->node.gpu_fault_percent, policy->watch_fault_percent);
	rule_requires(&faults, gpu_vendor(scene->gpu.gpu) == VENDOR_NVIDIA);
	rule = rule_either(rule_either(evicted, moved), faults);
	rule_at_least(&rule, "VRAM in use", scene->gpu.vram_ratio, policy->vram_full_ratio);
	rule.key = "vram";
	return rule;
}

/* Of the memory limit of a group, from which its kernel makes room all the time. */
#define LIMIT_IN_USE 0.95
/*
 * The kernel adds up a group's counters every two seconds (FLUSH_TIME in its mm/memcontrol.c): this long none may
 * count.
 */
#define COUNTERS_LATE_SECONDS 4.5
/* Page faults a second that cost a thread a tenth of its time on the fastest of disks, 40 µs each. */
#define COSTLY_FAULTS 2500.0

/* Pages a second that were moved out and are read again; where it is too early to know, all that are read. */
static double moved_again(const struct job *job, double faults)
{
	double moved = f64_or(job->refaults, 0.0);

	if (is_known(job->refaults) && moved < 1.0 && span_seconds(&job->span) < COUNTERS_LATE_SECONDS)
		return faults;
	return moved < faults ? moved : faults;
}

/*
 * Its limit is full, and what its processes touch was moved out: pages of mapped files, which the kernel counts as no
 * pressure on memory unless they were used often.
 */
static struct rule rule_of_memory_limit(const struct scene *scene)
{
	const struct policy *policy = scene->policy;
	const struct job *job = &scene->job;
	struct rule rule = RULE_FITS;
	double faults = f64_or(job->major_faults, 0.0), moved = moved_again(job, faults);
	double page_bytes = page_bytes_of(scene->fold);

	rule_at_least(&rule, "page faults read from disk", job->major_faults, COSTLY_FAULTS);
	rule = rule_either(rule, rule_of_io_stall(scene));

	rule_requires(&rule, f64_or(job->memory_ratio, 0.0) >= LIMIT_IN_USE);
	/* A data set that is read again and again through read() is moved out as well, and is no working set. */
	rule_requires(&rule, moved * page_bytes >= policy->swap_in_bytes_per_s &&
			     2.0 * faults * page_bytes >= f64_or(job->read, 0.0));
	rule.key = "limit";
	return rule;
}

static struct rule rule_of_host_memory(const struct scene *scene)
{
	const struct policy *policy = scene->policy;
	struct rule stalled = RULE_FITS, swapped = RULE_FITS, rule;

	rule_at_least(&stalled, "memory pressure", scene->job.memory_full_percent, policy->watch_memory_stall_percent);
	rule_at_least(&swapped, "memory pressure", scene->job.memory_full_percent, policy->memory_pressure_percent);
	rule_at_least(&swapped, "swap-in", scene->node.swap_in, policy->swap_in_bytes_per_s);
	rule = rule_either(stalled, swapped);
	rule.key = "host";
	rule = rule_either(rule, rule_of_memory_limit(scene));
	rule_requires(&rule, is_starved(scene));
	return rule;
}

static void judge_memory(struct scene *scene)
{
	struct rule host = rule_of_host_memory(scene);

	scene->rules[BOTTLENECK_THRASHING] = is_of_process(scene) ? host : rule_either(rule_of_vram(scene), host);
}

/* ---- shared */

/*
 * They are not of one job. Of two that are not visible here nothing tells: one alone is hidden because it is somebody
 * else's, or of another container.
 */
static bool are_strangers(const struct fold *fold, const struct track *one, const struct track *other)
{
	uint64_t a, b;

	if (parse_u64(one->key, &a) || parse_u64(other->key, &b) ||
	    (!fold_process_of(fold, a) && !fold_process_of(fold, b)))
		return false;
	return !is_one_job(fold, a, b);
}

/* Two of them are. */
static bool has_strangers(const struct scene *scene, const struct track *const *sharers, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t k = i + 1; k < nr; k++)
			if (are_strangers(scene->fold, sharers[i], sharers[k]))
				return true;
	return false;
}

static bool is_shared_on_purpose(const struct scene *scene)
{
	const struct track_list *clients = &scene->gpu.folded->clients;

	if (bool_or(scene->gpu.gpu->nvml.mig_enabled, false) || mps_daemon(scene->fold->sealed))
		return true;
	for (size_t i = 0; i < scene->fold->processes.nr; i++) {
		const struct fold_process *process = fold_process_at(scene->fold, i);

		if (!strncmp(process->comm, "nvidia-cuda-mps", strlen("nvidia-cuda-mps")) &&
		    (has_gpu(process, scene->place) || track_find(clients, process->track.key)))
			return true;
	}
	return false;
}

/* Those that its driver counts, and those that have it open. */
enum { MAX_USERS = 32 };
static size_t users_of_gpu(const struct scene *scene, const struct track *ret[MAX_USERS])
{
	const struct track_list *clients = &scene->gpu.folded->clients;
	size_t nr = 0;

	for (size_t i = 0; i < clients->nr && nr < MAX_USERS; i++)
		ret[nr++] = clients->items[i];
	for (size_t i = 0; i < scene->roles->nr && nr < MAX_USERS; i++)
		if (job_holds(scene->fold, scene->roles, i, scene->place) &&
		    !track_find(clients, scene->fold->processes.items[i]->key))
			ret[nr++] = scene->fold->processes.items[i];
	return nr;
}

static void judge_shared(struct scene *scene)
{
	const struct track *sharers[MAX_SHARERS], *users[MAX_USERS];
	size_t nr = sharers_of(scene, sharers, MAX_SHARERS), nr_users = users_of_gpu(scene, users);
	struct rule by_use = RULE_FITS, by_switches = RULE_FITS;

	rule_requires(&by_use, nr >= 2 && has_strangers(scene, sharers, nr));
	/* Switching needs several: processes that are not visible here take part too. */
	rule_at_least(&by_switches, "context switches", scene->gpu.switching, scene->policy->watch_switch_percent);
	rule_requires(&by_switches, nr_users >= 2 && has_strangers(scene, users, nr_users));
	scene->rules[BOTTLENECK_SHARED] = rule_either(by_use, by_switches);
	rule_requires(&scene->rules[BOTTLENECK_SHARED], !is_shared_on_purpose(scene));
}

/* ---- its own limits */

static void judge_memory_bound(struct scene *scene)
{
	const struct policy *policy = scene->policy;
	const struct gpu_figures *gpu = &scene->gpu;
	struct rule rule = RULE_FITS;

	if (is_known(gpu->memory)) {
		rule_at_least(&rule, "DRAM activity", gpu->memory, policy->watch_memory_percent);
		rule_below_if_known(&rule, gpu->tensor, policy->watch_memory_tensor_percent);
	} else {
		rule_at_least(&rule, "utilization", gpu->busy, policy->watch_low_percent);
		rule_at_least(&rule, "memory utilization", gpu->memory_busy, policy->gpu_memory_bound_percent);
		rule_below(&rule, "power", gpu->power_ratio, policy->watch_memory_power_ratio);
	}
	scene->rules[BOTTLENECK_MEMORY_BOUND] = rule;
}

static void judge_compute_bound(struct scene *scene)
{
	const struct policy *policy = scene->policy;
	const struct gpu_figures *gpu = &scene->gpu;
	struct rule tensor = RULE_FITS, rule = RULE_FITS;

	rule_at_least(&tensor, "tensor activity", gpu->tensor, policy->watch_tensor_percent);
	if (is_known(gpu->sm)) {
		rule_at_least(&rule, "SM activity", gpu->sm, policy->watch_sm_percent);
		if (is_known(gpu->power_ratio))
			rule_at_least(&rule, "power", gpu->power_ratio, policy->watch_compute_power_ratio);
	} else {
		rule_at_least(&rule, "utilization", gpu->busy, policy->watch_full_percent);
		rule_at_least(&rule, "power", gpu->power_ratio, policy->watch_compute_power_ratio);
	}
	scene->rules[BOTTLENECK_COMPUTE_BOUND] = rule_either(rule, tensor);
}

/* A kernel is in every sample of it. */
static bool never_rests(const struct scene *scene)
{
	return f64_or(scene->gpu.busy, 0.0) >= scene->policy->watch_spin_percent &&
	       f64_or(scene->gpu.busy_p5, 0.0) >= scene->policy->watch_spin_percent - 4.0;
}

/* Waiting in collectives a part of each second looks so on all GPUs of a job: small kernels leave gaps. */
static bool may_wait_for_ranks(const struct scene *scene)
{
	for (size_t i = 0; never_rests(scene) && i < scene->nr_others; i++) {
		const struct scene *other = &scene->others[i];

		if (other != scene && !is_of_process(other) && never_rests(other) &&
		    gpus_are_of_one_job(scene->fold, scene->roles, scene->place, other->place))
			return true;
	}
	return false;
}

static void judge_small_kernels(struct scene *scene)
{
	struct rule rule = RULE_FITS;

	rule_at_least(&rule, "utilization", scene->gpu.busy, scene->policy->watch_busy_percent);
	rule_below(&rule, "SM activity", scene->gpu.sm, scene->policy->watch_small_sm_percent);
	/* Collectives keep a few SMs busy all the time: where much is exchanged, the kernels are not what is small. */
	rule_below_if_known(&rule, scene->gpu.peer_ratio, scene->policy->watch_link_ratio / 2.0);
	rule_below_if_known(&rule, scene->node.port.ratio, scene->policy->watch_network_ratio / 2.0);
	if (rule_fits(&rule) && may_wait_for_ranks(scene))
		rule_below_if_known(&rule, scene->gpu.busy, scene->policy->watch_spin_percent);
	scene->rules[BOTTLENECK_SMALL_KERNELS] = rule;
}

void judge_gpu(struct scene *scene)
{
	judge_memory(scene);
	if (is_of_process(scene))
		return;
	judge_spinning(scene);
	judge_capped(scene);
	judge_shared(scene);
	judge_memory_bound(scene);
	judge_compute_bound(scene);
	judge_small_kernels(scene);
}
