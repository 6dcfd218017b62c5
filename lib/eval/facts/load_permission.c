// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/load_permission.h"

#include "eval/facts/holders.h"
#include "eval/facts/memory_use.h"
#include "eval/judge/vendor.h"
#include "snapshot/collective_group.h"
#include "snapshot/node.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

static const char unseen[] =
	"not root in the host's process namespace: the GPU's users are unknown; --even-if-busy overrides";

bool task_is_stuck_in_driver(const struct task *task, const struct policy *policy)
{
	return is_known(task->driver) && is_known(task->asleep_s) &&
	       (double)u64_or(task->asleep_s, 0) > policy->task_stuck_s;
}

/*
 * May it be one? A task in a GPU driver of which nobody knows for how long,
 * or one that sleeps for long and does not let a user see where.
 */
static bool task_may_be_stuck_in_driver(const struct task *task, const struct policy *policy)
{
	if (task_is_stuck_in_driver(task, policy) || (is_known(task->driver) && !is_known(task->asleep_s)))
		return true;
	return task->driver.state == VAL_DENIED && (double)u64_or(task->asleep_s, UINT64_MAX) > policy->task_stuck_s;
}

static const struct task *stuck_task(const struct snapshot *snapshot, const struct policy *policy)
{
	for (size_t i = 0; i < snapshot->nr_tasks; i++)
		if (task_may_be_stuck_in_driver(&snapshot->tasks[i], policy))
			return &snapshot->tasks[i];
	return NULL;
}

/* PoCL drives the processor and opens no GPU. Of any other library it is not known which driver it calls. */
static bool drives_cpu_only(const char *icd)
{
	return !strncmp(icd, "pocl", strlen("pocl"));
}

static const char *stuck_reason(struct arena *arena, const struct task *task)
{
	unsigned long long pid = u64_or(task->pid, 0);
	const char *comm = str_or(task->comm, "a task"), *driver = str_or(task->driver, NULL);

	if (!driver)
		return arena_printf(
			arena, "%s (pid %llu) may be stuck in a driver; root can check; --touch-hung overrides",
			comm, pid);
	return arena_printf(arena, "%s (pid %llu) is stuck in the %s driver; --touch-hung overrides", comm, pid,
			    driver);
}

static bool is_gone(const struct gpu *gpu)
{
	return bool_or(gpu->pci.config_all_ones, false) || gpu->pci.link_width.state == VAL_LOST;
}

/* Since its driver was loaded, and no reset has helped since. */
static const char *hang_reason(struct arena *arena, const struct snapshot *snapshot, const struct node_log *log,
			       const struct gpu *gpu)
{
	const struct klog_event *event;
	const struct log_incident *incident = node_log_hang(log, gpu, &event);
	const char *when;

	if (!incident)
		return NULL;
	when = event_time(arena, log, &event->last);
	return arena_printf(arena, "GPU %zu: %s in the kernel log%s%s; --touch-hung overrides",
			    gpu_number(snapshot, incident->gpu), log_name(arena, event), *when ? ", " : "", when);
}

/* Why one GPU is not accessed: it is gone, or access would wake it. */
static const char *one_gpu_reason(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	if (is_gone(gpu) && !bool_or(snapshot->request.touch_hung, false))
		return arena_printf(arena, "GPU %zu does not respond on the bus; --touch-hung overrides",
				    gpu_number(snapshot, gpu));
	if (gpu_is_asleep(gpu) && !bool_or(snapshot->request.wake, false))
		return arena_printf(arena, "GPU %zu is suspended and would be woken; --wake overrides",
				    gpu_number(snapshot, gpu));
	return NULL;
}

/* An OpenCL library opens every GPU it drives: one that sleeps would be woken, one that is gone may hang it. */
static const char *gpu_reason(struct arena *arena, const struct snapshot *snapshot, const struct node_log *log)
{
	if (!bool_or(snapshot->request.touch_hung, false)) {
		const char *reason = hang_reason(arena, snapshot, log, NULL);

		if (reason)
			return reason;
	}
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];
		const char *reason =
			gpu_is_under_test(snapshot, gpu) ? one_gpu_reason(arena, snapshot, gpu) : NULL;

		if (reason)
			return reason;
	}
	return NULL;
}

/* What keeps us from calling into any driver at all, or NULL. */
static const char *driver_reason(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy)
{
	const struct task *task = stuck_task(snapshot, policy);

	if (bool_or(snapshot->request.touch_hung, false))
		return NULL;
	if (task)
		return stuck_reason(arena, task);
	if (!is_known(snapshot->processes.seen))
		return "processes not readable, so whether a driver hangs is unknown; --touch-hung overrides";
	return NULL;
}

/* NVIDIA's OpenCL driver calls the kernel driver that its management library calls. */
static bool calls_nvidia(const struct snapshot *snapshot, const char *icd)
{
	const struct icd *registered = list_find(snapshot, icds, icd, icd);

	return strcasestr(icd, "nvidia") || (registered && strcasestr(str_or(registered->library, ""), "nvidia"));
}

/*
 * A worker of this run that NVIDIA's library did not let come back, or took
 * down. probe: of that one only; NULL: of any.
 */
static const struct probe_run *silent_nvml(const struct snapshot *snapshot, const char *probe)
{
	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *run = &snapshot->probes[i];
		bool is_silent = str_is(run->outcome, "timeout") || str_is(run->outcome, "stuck") ||
				 str_is(run->outcome, "crashed");

		if (is_silent && (probe ? str_is(run->probe, probe) :
					  !strncmp(str_or(run->probe, ""), "nvml", strlen("nvml"))))
			return run;
	}
	return NULL;
}

/* Whoever calls the same driver next would hang or crash beside it. */
static const char *silent_reason(struct arena *arena, const struct snapshot *snapshot, const char *probe)
{
	const struct probe_run *run = silent_nvml(snapshot, probe);
	const struct gpu *gpu = run ? gpu_at(snapshot, str_or(run->target, NULL)) : NULL;
	const char *call;

	if (!run || bool_or(snapshot->request.touch_hung, false))
		return NULL;
	call = str_or(run->call, "its start");
	return arena_printf(arena, "NVIDIA's management library %s in %s%s; --touch-hung overrides",
			    str_is(run->outcome, "crashed") ? "crashed" : "did not come back", call,
			    gpu ? arena_printf(arena, " of GPU %zu", gpu_number(snapshot, gpu)) : "");
}

const char *permit_icd(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
		       const struct node_log *log, const char *icd)
{
	const char *reason;

	if (drives_cpu_only(icd))
		return NULL;
	reason = driver_reason(arena, snapshot, policy);
	if (!reason && calls_nvidia(snapshot, icd))
		reason = silent_reason(arena, snapshot, NULL);
	return reason ? reason : gpu_reason(arena, snapshot, log);
}

const char *permit_nvml(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			const struct node_log *log, const char *address)
{
	const char *reason = driver_reason(arena, snapshot, policy);
	const struct gpu *gpu = gpu_at(snapshot, address);

	if (!reason && gpu)
		reason = silent_reason(arena, snapshot, "nvml");
	if (!reason && gpu)
		reason = one_gpu_reason(arena, snapshot, gpu);
	if (!reason && gpu && !bool_or(snapshot->request.touch_hung, false))
		reason = hang_reason(arena, snapshot, log, gpu);
	return reason;
}

bool permit_nvml_serially(const struct snapshot *snapshot, const struct node_log *log)
{
	const struct klog_event *event;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (str_is(gpu->pci.vendor_id, "0x10de") && gpu_is_under_test(snapshot, gpu) &&
		    (is_gone(gpu) || node_log_hang(log, gpu, &event)))
			return true;
	}
	return false;
}

static const struct holding *holding_at(const struct holding_list *holdings, const char *address)
{
	for (size_t i = 0; i < holdings->nr; i++) {
		const struct holding *holding = &holdings->items[i];

		if (holder_is_idle(&holding->all))
			continue;
		if (holding->may_be_any || !address || holding_has(holding, address))
			return holding;
	}
	return NULL;
}

/* An MPS server takes over the GPU of the first client that comes, for all that come later. */
static const char *mps_reason(struct arena *arena, const struct snapshot *snapshot, const char *address)
{
	const struct daemon *mps = mps_daemon(snapshot);
	const struct gpu *gpu = gpu_at(snapshot, address);

	if (!mps || (gpu && is_known(gpu->pci.driver) && !str_is(gpu->pci.driver, "nvidia")))
		return NULL;
	return arena_printf(arena,
			    "an MPS daemon (pid %s) shares the GPUs: a measurement could keep a job from starting; "
			    "--even-if-busy overrides", str_or(mps->key, "?"));
}

/* Compute mode: exclusive to one process, or prohibited. */
static const char *mode_reason(struct arena *arena, const struct gpu *gpu)
{
	const char *mode = gpu ? str_or(gpu->nvml.compute_mode, "default") : "default";

	if (!strcmp(mode, "default"))
		return NULL;
	if (!strcmp(mode, "prohibited"))
		return "compute mode prohibits all work; --even-if-busy overrides";
	return arena_printf(
		arena,
		"compute mode %s allows one process: a measurement could keep a job from starting; --even-if-busy overrides",
		mode);
}

static bool is_exclusive(const struct gpu *gpu)
{
	return gpu && str_is(gpu->nvml.compute_mode, "exclusive-process");
}

/* A client of its driver that works, and whose process has no number here. */
static bool has_unseen_client(const struct gpu *gpu)
{
	for (size_t i = 0; i < gpu->nr_clients; i++)
		if (!u64_or(gpu->clients[i].pid, 0) && bool_or(gpu->clients[i].alive, true) &&
		    !str_is(gpu->clients[i].kind, "graphics"))
			return true;
	return false;
}

/* With less free than our buffers take, ours could make another process's next allocation fail. */
enum { LEAST_FREE_MIB = 256 };

static const char *memory_reason(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct val_u64 total = vendor_u64(gpu, "vram_total_bytes"), used = vendor_u64(gpu, "vram_used_bytes");
	uint64_t free_mib;

	if (!is_known(total) || !is_known(used) || gpu_shares_main_memory(snapshot, gpu))
		return NULL;
	free_mib = u64_or(total, 0) > u64_or(used, 0) ? (u64_or(total, 0) - u64_or(used, 0)) >> 20 : 0;
	if (free_mib >= LEAST_FREE_MIB)
		return NULL;
	return arena_printf(arena, "only %llu MiB of VRAM are free; --even-if-busy overrides",
			    (unsigned long long)free_mib);
}

/* What the GPU itself shows of work that no process was seen to do. */
static const char *work_reason(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			       const struct holding_list *users, const struct gpu *gpu)
{
	struct memory_use use;
	const char *reason;

	if (!gpu)
		return bool_or(snapshot->host.sees_all_processes, false) ? NULL : unseen;
	if (has_unseen_client(gpu))
		return "in use by a process that is not visible here; --even-if-busy overrides";
	if (f64_or(gpu->use.busy_percent, 0.0) >= policy->gpu_idle_percent)
		return arena_printf(arena, "%.0f %% busy in the window; --even-if-busy overrides",
				    f64_or(gpu->use.busy_percent, 0.0));
	reason = memory_reason(arena, snapshot, gpu);
	if (reason || bool_or(snapshot->host.sees_all_processes, false))
		return reason;
	memory_use_of(snapshot, users, gpu, &use);
	if (!use.is_known || (double)memory_unexplained(&use, use.used_bytes) >= policy->vram_unexplained_bytes)
		return unseen;
	return NULL;
}

/*
 * A gate of a node that is said to be drained: no job is there to be kept from starting. Whoever holds the GPU all the
 * same is looked for as ever.
 */
static bool is_drained_for_gate(const struct request *request)
{
	return bool_or(request->gate, false) && (bool_or(request->drained, false) || is_known(request->to_driver));
}

static const char *busy_reason(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			       const char *address)
{
	const struct gpu *gpu = gpu_at(snapshot, address);
	const struct holding *holding;
	struct holding_list holdings;
	const char *reason;

	if (bool_or(snapshot->request.even_if_busy, false))
		return NULL;
	/* Its clients are seen only where all processes are. */
	reason = is_drained_for_gate(&snapshot->request) && bool_or(snapshot->host.sees_all_processes, false) ?
			 NULL : mps_reason(arena, snapshot, address);
	if (!reason && !(is_drained_for_gate(&snapshot->request) && is_exclusive(gpu)))
		reason = mode_reason(arena, gpu);
	if (reason)
		return reason;
	users_of(arena, snapshot, &holdings);
	holding = holding_at(&holdings, address);
	if (holding)
		return arena_printf(arena, "in use by %s; --even-if-busy overrides", holding_words(arena, holding));
	if (!is_known(snapshot->processes.seen))
		return "processes not readable, so the GPU's users are unknown; --even-if-busy overrides";
	return work_reason(arena, snapshot, policy, &holdings, gpu);
}

/* What the live run decided stands, e.g. another gpudiag was measuring. */
static const struct probe_run *was_refused(const struct snapshot *snapshot, const struct ocl_device *device)
{
	const struct probe_run *run = find_probe_run(snapshot, "ocl-run", str_or(device->key, ""));

	return run && str_is(run->outcome, "refused") ? run : NULL;
}

const char *permit_load(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			const struct node_log *log, const struct ocl_device *device)
{
	const struct probe_run *refused = was_refused(snapshot, device);
	const char *reason;

	if (refused)
		return str_or(refused->why, "not measured");
	if (str_is(snapshot->request.level, "read"))
		return "level read does not load devices";
	if (!ocl_device_is_selected(snapshot, device))
		return "not selected (--gpu)";
	if (str_is(device->kind, "cpu"))
		return NULL;
	reason = permit_icd(arena, snapshot, policy, log, str_or(device->icd, ""));
	return reason ? reason : busy_reason(arena, snapshot, policy, str_or(device->pci_address, NULL));
}

/* Nobody else's GPU, however idle, is loaded for a figure of ours. */
static const char *member_reason(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
				 const struct node_log *log, const struct gpu *gpu)
{
	const char *reason = one_gpu_reason(arena, snapshot, gpu);

	if (!reason && !bool_or(snapshot->request.touch_hung, false))
		reason = hang_reason(arena, snapshot, log, gpu);
	if (reason)
		return reason;
	reason = busy_reason(arena, snapshot, policy, str_or(gpu->key, NULL));
	return reason ? arena_printf(arena, "GPU %zu: %s", gpu_number(snapshot, gpu), reason) : NULL;
}

const char *permit_collective(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			      const struct node_log *log)
{
	const struct probe_run *run = find_probe_run(snapshot, "collective", str_or(snapshot->request.collective, ""));
	struct collective_group group;
	const char *reason;

	if (run && str_is(run->outcome, "refused"))
		return str_or(run->why, "not measured");
	if (str_is(snapshot->request.level, "read"))
		return "level read does not load devices";
	collective_group_of(arena, snapshot, &group);
	if (group.why_not)
		return group.why_not;
	reason = driver_reason(arena, snapshot, policy);
	if (!reason && !strcmp(group.driver, "nvidia"))
		reason = silent_reason(arena, snapshot, NULL);
	for (size_t i = 0; i < group.nr && !reason; i++)
		reason = member_reason(arena, snapshot, policy, log, group.gpus[i]);
	return reason;
}

const char *permit_watch(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			 const struct node_log *log, const char *address)
{
	const struct gpu *gpu = gpu_at(snapshot, address);
	const char *reason;

	if (!gpu || !str_is(gpu->pci.driver, "nvidia"))
		return NULL;
	reason = permit_nvml(arena, snapshot, policy, log, address);
	return reason ? reason : silent_reason(arena, snapshot, "load-watch");
}
