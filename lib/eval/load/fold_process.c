// SPDX-License-Identifier: GPL-2.0-or-later
/* fold_process.c - the processes and threads of ticks: who they are, what they use, and what they wait for. */
#include "base/compat.h"
#include "eval/load/fold.h"

#include "base/alloc.h"
#include "base/text.h"

/*
 * Kernel functions in which a task waits for a disk, a file system or a file server. Some of these waits can be
 * interrupted (FUSE, CIFS), so that the state S does not tell them from others.
 */
static const char *const io_waits[] = {
	"rpc_wait_bit_killable", "nfs*", "cl_sync_io_wait", "ptlrpc_*", "osc_*", "fuse_*", "request_wait_answer",
	"__fuse_*", "folio_wait*", "wait_on_page_bit*", "__lock_page*", "io_schedule*", "blk*", "submit_bio_wait*",
	"wait_on_buffer*", "__wait_on_buffer", "jbd2_*", "xfs_*", "ext4_*", "btrfs_*", "balance_dirty_pages*",
	"ceph_*", "netfs_*", "p9_client_rpc", "wait_for_response", "cxiWaitEventWait", "read_events", "filemap_*",
	"rq_qos_wait", "wbt_wait", "dio_*", "iomap_*", "__iomap_dio_rw", "wait_on_inode",
};

/* Those of GPU drivers; NVIDIA's closed module has names like "_nv0123rm". */
static const char *const driver_waits[] = {
	"nvidia_*", "nv_*", "_nv0*", "os_acquire_*", "rm_*", "uvm_*", "nvkms_*", "amdgpu_*", "kfd_*", "kgd2kfd_*",
	"i915_*", "intel_gt_*", "xe_*", "drm_*", "dma_fence_*", "dma_resv_*", "ttm_*",
};

static bool is_one_of(const char *wchan, const char *const *patterns, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (glob_match(patterns[i], wchan))
			return true;
	return false;
}

bool wchan_is_io(const char *wchan)
{
	return is_one_of(wchan, io_waits, ARRAY_SIZE(io_waits));
}

bool wchan_is_gpu_driver(const char *wchan)
{
	return is_one_of(wchan, driver_waits, ARRAY_SIZE(driver_waits));
}

size_t fold_place_of(const struct fold *fold, uint64_t pid)
{
	size_t low = 0, high = fold->processes.nr;

	/* In the order of their keys, which for numbers is that of their values. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t there = fold_process_at(fold, middle)->pid;

		if (there == pid)
			return middle;
		if (there < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return NO_PLACE;
}

struct fold_process *fold_process_of(const struct fold *fold, uint64_t pid)
{
	size_t place = fold_place_of(fold, pid);

	return place == NO_PLACE ? NULL : fold_process_at(fold, place);
}

bool has_ended(const struct fold *fold, const struct fold_process *process)
{
	return fold->has_processes && process->track.unseen > 1;
}

void fold_process_release(struct track *item)
{
	free(((struct fold_process *)item)->group);
}

void fold_process_turn(struct fold *fold, size_t slot)
{
	track_list_turn(&fold->processes, slot);
	for (size_t i = 0; i < fold->processes.nr; i++) {
		struct fold_process *process = fold_process_at(fold, i);

		process->io_wait[slot] = process->ready[slot] = process->told[slot] = 0.0F;
	}
}

/* ---- threads */

/*
 * A sleep in a GPU's driver that goes on. Whoever opens a GPU, or starts eight one after the other, is found in its
 * driver at many ticks, in a sleep of another function, of another thread, or after having been awake between.
 */
static void add_driver_sleep(struct fold_thread *thread, const struct tick_thread *seen, const struct moment *now)
{
	const char *wchan = str_or(seen->wchan, "");
	uint64_t switches = u64_or(seen->voluntary_switches, thread->switches);
	bool goes_on = thread->state == 'D' && !strncmp(thread->wchan, wchan, sizeof(thread->wchan) - 1) &&
		       switches == thread->switches;

	if (!str_is(seen->state, "D") || !wchan_is_gpu_driver(wchan) || !goes_on)
		thread->in_driver_ns = 0;
	else
		thread->in_driver_ns += (uint64_t)(now->elapsed_s * 1e9);
	thread->switches = switches;
}

static void add_thread(struct fold *fold, struct fold_process *process, const struct tick_thread *seen,
		       const struct moment *now)
{
	uint64_t pid = process->pid;
	struct fold_thread *thread = (struct fold_thread *)track_take(&fold->threads, seen->key.v_, now);

	if (!thread)
		return;
	if (thread->pid != pid && thread->pid)
		*thread = (struct fold_thread){ .track = thread->track };
	if (!thread->pid)
		track_restart(&thread->track, now);
	add_driver_sleep(thread, seen, now);
	thread->pid = pid;
	thread->cpu = u64_or(seen->cpu, UINT64_MAX);
	thread->state = str_or(seen->state, "?")[0];
	snprintf(thread->comm, sizeof(thread->comm), "%s", str_or(seen->comm, ""));
	snprintf(thread->wchan, sizeof(thread->wchan), "%s", str_or(seen->wchan, ""));
	track_add(&thread->track, seen, now);
	if (thread->in_driver_ns <= process->in_driver_ns)
		return;
	process->in_driver_ns = thread->in_driver_ns;
	snprintf(process->driver_wchan, sizeof(process->driver_wchan), "%s", thread->wchan);
}

/* ---- what its threads do at that moment */

struct moment_of_process { size_t running, in_io; };

static void look_at(struct moment_of_process *at, char state, const char *wchan)
{
	if ((state == 'D' && !wchan_is_gpu_driver(wchan)) || wchan_is_io(wchan))
		at->in_io++;
	else if (state == 'R')
		at->running++;
}

static struct moment_of_process moment_of(const struct tick_process *seen)
{
	struct moment_of_process at = { 0 };
	bool has_main = false;

	for (size_t i = 0; i < seen->nr_threads_seen; i++) {
		const struct tick_thread *thread = &seen->threads_seen[i];

		has_main |= is_known(thread->key) && is_known(seen->key) && !strcmp(thread->key.v_, seen->key.v_);
		look_at(&at, str_or(thread->state, "?")[0], str_or(thread->wchan, ""));
	}
	if (!has_main)
		look_at(&at, str_or(seen->state, "?")[0], "");
	return at;
}

static void add_moment(struct fold_process *process, const struct tick_process *seen, const struct moment *now)
{
	struct moment_of_process at = moment_of(seen);

	if (is_known(seen->state) || seen->nr_threads_seen) {
		process->told[now->slot] += 1.0F;
		process->ready[now->slot] += at.running ? 1.0F : 0.0F;
		if (at.in_io)
			process->io_wait[now->slot] += (float)at.in_io / (float)(at.in_io + at.running);
	}
}

/* ---- processes */

static void set_gpus(struct fold *fold, struct fold_process *process, const struct strs *addresses)
{
	memset(process->gpus, 0, sizeof(process->gpus));
	for (size_t i = 0; i < addresses->nr; i++)
		for (size_t place = 0; place < fold->nr_gpus; place++)
			if (!strcmp(fold->gpus[place].track.key, addresses->v[i]))
				process->gpus[place / 64] |= UINT64_C(1) << (place % 64);
}

static void set_group(struct fold_process *process, const char *group)
{
	if (process->group && group && !strcmp(process->group, group))
		return;
	free(process->group);
	process->group = group ? xstrdup(group) : NULL;
}

static void add_process(struct fold *fold, const struct tick_process *seen, const struct moment *now)
{
	struct fold_process *process = (struct fold_process *)track_take(&fold->processes, seen->key.v_, now);
	uint64_t started_ns = u64_or(seen->started_ns, 0);

	if (!process)
		return;
	if (process->started_ns && started_ns && started_ns != process->started_ns)
		track_restart(&process->track, now);
	if (parse_u64(seen->key.v_, &process->pid))
		process->pid = UINT64_MAX;
	process->parent = u64_or(seen->parent, 0);
	process->started_ns = started_ns;
	process->state = str_or(seen->state, "?")[0];
	process->is_holder = str_is(seen->role, "holder") || seen->gpus.nr;
	process->is_asked = str_is(seen->role, "asked");
	process->is_requested = bool_or(seen->requested, false);
	process->in_driver_ns = 0;
	snprintf(process->comm, sizeof(process->comm), "%s", str_or(seen->comm, ""));
	set_gpus(fold, process, &seen->gpus);
	set_group(process, str_or(seen->group, NULL));
	track_add(&process->track, seen, now);
	add_moment(process, seen, now);
	for (size_t i = 0; i < seen->nr_threads_seen; i++)
		if (is_known(seen->threads_seen[i].key))
			add_thread(fold, process, &seen->threads_seen[i], now);
}

/* Did whoever reads processes answer for this tick? What a series does not say of it, it did. */
static bool have_answered(const struct tick *tick)
{
	const struct tick_source *source = list_find(tick, sources, tick_source, "sample-tasks");

	return !source || str_is(source->state, "ok");
}

void fold_processes(struct fold *fold, const struct tick *tick, const struct moment *now)
{
	fold->has_processes = have_answered(tick);
	track_list_begin(&fold->processes);
	track_list_begin(&fold->threads);
	for (size_t i = 0; i < tick->nr_processes; i++)
		if (is_known(tick->processes[i].key))
			add_process(fold, &tick->processes[i], now);
	track_list_end(&fold->processes);
	track_list_end(&fold->threads);
}
