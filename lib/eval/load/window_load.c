// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window_load.c - the observation window of a run in the figures of a watch: its rates as the counters of two ticks, at
 * its start and its end. What the window does not read stays unknown, and the rules that need it stay open.
 */
#include "base/compat.h"
#include "eval/load/load_internal.h"

#include "base/alloc.h"

/* More than any node has at work; a snapshot that was made up may have thousands, each compared with each. */
enum { MAX_WINDOW_GPUS = 64, MAX_WINDOW_PROCESSES = 512 };

/* A snapshot may be made up, and its numbers any. */
#define LONGEST_S 86400.0
#define MOST_COUNTED 1e18

/* The tick at the start has seconds 0, that at the end the length of the window. */
struct moment_of_window {
	const struct snapshot *sealed;
	struct arena *arena;
	double seconds;
};

/* A counter that grew by so much a second. */
static struct val_u64 counted(const struct moment_of_window *at, struct val_f64 per_s, double factor)
{
	double grown = per_s.v_ * factor * at->seconds;

	if (!is_known(per_s))
		return no_u64(per_s.state, per_s.why);
	if (grown > MOST_COUNTED)
		return no_u64(VAL_ERROR, "more than there can be");
	return val_u64(grown > 0.0 ? (uint64_t)(grown + 0.5) : 0);
}

/* Per cent of the time, as nanoseconds. */
static struct val_u64 time_of(const struct moment_of_window *at, struct val_f64 percent)
{
	return counted(at, percent, 1e7);
}

static struct val_f64 known_of(struct val_f64 first, struct val_f64 second)
{
	return is_known(first) ? first : second;
}

/* ---- GPUs */

static void add_gpu(const struct moment_of_window *at, const struct gpu *gpu, struct tick_gpu *ret)
{
	const struct gpu_use *use = &gpu->use;
	const struct throttle *throttle = &gpu->throttle;

	ret->key = gpu->key;
	ret->busy_percent = use->busy_percent;
	ret->busy_min_percent = use->busy_p5_percent;
	ret->busy_max_percent = known_of(use->busy_p95_percent, use->busy_max_percent);
	ret->memory_busy_percent = use->memory_busy_percent;
	ret->power_mw = use->power_mw;
	ret->clock_mhz = use->clock_busy_mhz;
	ret->power_cap_ns = time_of(at, known_of(throttle->power_cap_counter_percent, throttle->power_cap_percent));
	ret->thermal_ns = time_of(at, known_of(throttle->thermal_counter_percent, throttle->thermal_percent));
	ret->hw_thermal_ns = time_of(at, throttle->hw_thermal_percent);
	ret->brake_ns = time_of(at, throttle->brake_percent);
}

static void add_gpus(const struct moment_of_window *at, struct tick *tick)
{
	const struct snapshot *sealed = at->sealed;

	tick->gpus = arena_alloc(at->arena, MAX_WINDOW_GPUS * sizeof(*tick->gpus));
	for (size_t i = 0; i < sealed->nr_gpus && tick->nr_gpus < MAX_WINDOW_GPUS; i++)
		if (is_known(sealed->gpus[i].key) && is_known(sealed->gpus[i].use.busy_percent))
			add_gpu(at, &sealed->gpus[i], &tick->gpus[tick->nr_gpus++]);
}

/* ---- processes */

static void add_open_gpus(const struct moment_of_window *at, const struct gpu_process *process, struct strs *ret)
{
	for (size_t i = 0; i < at->sealed->nr_holders; i++) {
		const struct holder *holder = &at->sealed->holders[i];

		if (!is_known(holder->gpu) || !is_known(process->pid) || u64_or(holder->pid, 0) != process->pid.v_)
			continue;
		ret->v = arena_grow(at->arena, ret->v, ret->nr, sizeof(*ret->v));
		ret->v[ret->nr++] = holder->gpu.v_;
	}
}

/* Its busiest thread, where it is known how it spends its time: one that gives its CPU away all the time only waits. */
static void add_thread(const struct moment_of_window *at, const struct process_use *use, struct tick_process *ret)
{
	struct tick_thread *thread;

	if (!is_known(use->busiest_thread) || !is_known(use->busiest_thread_percent) ||
	    !is_known(use->busiest_thread_system_percent))
		return;
	thread = arena_alloc(at->arena, sizeof(*thread));
	thread->key = val_str(arena_printf(at->arena, "%llu", (unsigned long long)use->busiest_thread.v_));
	thread->comm = ret->comm;
	thread->cpu = use->busiest_thread_cpu;
	thread->system_ns = time_of(at, use->busiest_thread_system_percent);
	thread->user_ns =
		time_of(at, val_f64(use->busiest_thread_percent.v_ - use->busiest_thread_system_percent.v_));
	ret->threads_seen = thread;
	ret->nr_threads_seen = 1;
}

static void add_process(const struct moment_of_window *at, const struct gpu_process *process, struct tick_process *ret)
{
	ret->key = process->key;
	ret->comm = process->comm;
	ret->role = val_str("holder");
	ret->requested = process->requested;
	ret->group = process->cgroup;
	ret->user_ns = time_of(at, process->use.cpu_percent);
	/* That it has others keeps its own time from being taken for that of its only thread. */
	ret->threads = val_u64(u64_or(process->threads, 0) > 2 ? process->threads.v_ : 2);
	add_open_gpus(at, process, &ret->gpus);
	add_thread(at, &process->use, ret);
}

static void add_processes(const struct moment_of_window *at, struct tick *tick)
{
	const struct snapshot *sealed = at->sealed;
	size_t nr = sealed->nr_gpu_processes < MAX_WINDOW_PROCESSES ? sealed->nr_gpu_processes : MAX_WINDOW_PROCESSES;

	tick->processes = arena_alloc(at->arena, (nr + 1) * sizeof(*tick->processes));
	for (size_t i = 0; i < nr; i++)
		if (is_known(sealed->gpu_processes[i].key))
			add_process(at, &sealed->gpu_processes[i], &tick->processes[tick->nr_processes++]);
}

/* ---- the node */

static void add_host(const struct moment_of_window *at, struct tick_host *ret)
{
	const struct window *window = &at->sealed->window;

	ret->cpu_busy_ns = time_of(at, window->cpu_busy_percent);
	ret->cpu_iowait_ns = time_of(at, window->cpu_iowait_percent);
	ret->cpu_steal_ns = time_of(at, window->cpu_steal_percent);
	ret->cpu_some_ns = time_of(at, window->cpu_some_percent);
	ret->io_some_ns = time_of(at, window->io_some_percent);
	ret->io_full_ns = time_of(at, window->io_full_percent);
	ret->memory_some_ns = time_of(at, window->memory_some_percent);
	ret->memory_full_ns = time_of(at, window->memory_full_percent);
	ret->page_bytes = val_u64((uint64_t)PAGE_BYTES);
	ret->swap_in_pages = counted(at, window->swap_in_bytes_per_s, 1.0 / PAGE_BYTES);
}

static void add_disks(const struct moment_of_window *at, struct tick *tick)
{
	const struct snapshot *sealed = at->sealed;

	tick->disks = arena_alloc(at->arena, (sealed->nr_disks + 1) * sizeof(*tick->disks));
	for (size_t i = 0; i < sealed->nr_disks; i++) {
		const struct disk_use *use = &sealed->disks[i].use;
		struct tick_disk *disk = &tick->disks[tick->nr_disks];

		if (!is_known(sealed->disks[i].key) || !is_known(use->busy_percent))
			continue;
		disk->key = sealed->disks[i].key;
		disk->reads = counted(at, use->reads_per_s, 1.0);
		disk->read_bytes = counted(at, use->read_bytes_per_s, 1.0);
		disk->written_bytes = counted(at, use->written_bytes_per_s, 1.0);
		disk->read_ms = counted(at, use->reads_per_s, f64_or(use->read_ms, 0.0));
		disk->busy_ms = counted(at, use->busy_percent, 10.0);
		tick->nr_disks++;
	}
}

static void add_moment(struct load *load, const struct snapshot *sealed, double seconds)
{
	struct tick tick = { .at_ns = val_u64((uint64_t)(seconds * 1e9)) };
	const struct moment_of_window at = { .sealed = sealed, .arena = &tick.arena, .seconds = seconds };

	add_host(&at, &tick.host);
	add_gpus(&at, &tick);
	add_processes(&at, &tick);
	add_disks(&at, &tick);
	load_add(load, &tick);
	arena_release(&tick.arena);
}

/* Of --pid: 0 where neither that process nor one below it holds a GPU, and all GPUs are meant. */
static uint64_t holder_asked_for(const struct snapshot *sealed)
{
	for (size_t i = 0; i < sealed->nr_gpu_processes; i++) {
		const struct gpu_process *process = &sealed->gpu_processes[i];

		for (size_t k = 0; bool_or(process->requested, false) && k < sealed->nr_holders; k++)
			if (is_known(sealed->holders[k].gpu) && is_known(process->pid) &&
			    u64_or(sealed->holders[k].pid, 0) == process->pid.v_)
				return u64_or(sealed->request.pid, 0);
	}
	return 0;
}

struct load *load_of_window(const struct snapshot *sealed, const struct policy *policy)
{
	double seconds = (double)u64_or(sealed->window.length_ms, 0) / 1e3;
	struct load *load;

	if (seconds <= 0.0 || seconds > LONGEST_S || sealed->nr_gpus > MAX_WINDOW_GPUS)
		return NULL;
	load = load_new(sealed, policy, holder_asked_for(sealed));
	add_moment(load, sealed, 0.0);
	add_moment(load, sealed, seconds);
	return load;
}

const struct load_gpu *load_gpu_of(struct load *load, const struct gpu *gpu)
{
	const struct load_view *view = load ? load_now(load) : NULL;

	for (size_t i = 0; view && span_seconds(&load->fold.span) >= LEAST_S && i < view->nr_gpus; i++)
		if (view->gpus[i].gpu == gpu)
			return &view->gpus[i];
	return NULL;
}

enum bottleneck load_word_of(struct load *load, const struct gpu *gpu)
{
	const struct load_gpu *found = load_gpu_of(load, gpu);

	return found ? found->word : BOTTLENECK_NOT_JUDGED;
}
