/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.h - ticks folded: what is known of the node, its GPUs and their processes over the judged span. Pure. */
#pragma once

#include "eval/load/track.h"
#include "eval/policy/policy.h"
#include "snapshot/throttle_kinds.h"

enum {
	MAX_FOLDED_THREADS = 2048, MAX_FOLDED_DEVICES = 256, MAX_FOLDED_CLIENTS = 256, GPU_WORDS = MAX_GPUS / 64,
	NAME_BYTES = 32, WCHAN_BYTES = 48, FAULT_BYTES = 160,
};

struct fold_gpu {
	struct track track;
	const struct gpu *gpu;			/* of the sealed snapshot */
	size_t index;				/* "GPU 3" */
	bool was_seen;
	struct track_list clients;		/* of record tick_client */
	struct track_list instances;		/* of record tick_instance */
	float low[NR_SLOTS], high[NR_SLOTS];	/* least and most use within a slot; low above high: none */
	float reason[NR_SLOTS][NR_THROTTLE_KINDS], reasons_told[NR_SLOTS];	/* seconds at work */
	uint64_t worked_at_ns;			/* when it was last seen to do anything */
	char log_fault[FAULT_BYTES];		/* that the kernel's log told since, and no reset ended; "" none */
};

struct fold_process {
	struct track track;
	uint64_t pid, parent, started_ns;
	char comm[NAME_BYTES], state;
	bool is_holder, is_asked;
	uint64_t gpus[GPU_WORDS];		/* by place in fold.gpus: those it has open */
	char *group;				/* key of its control group; NULL: not known */
	float io_wait[NR_SLOTS], told[NR_SLOTS];	/* of its samples, the share that waits for I/O */
	float ready[NR_SLOTS];			/* of them, those with a thread that runs or is ready to */
	uint64_t in_driver_ns;			/* the longest of its threads */
	bool is_requested;			/* --pid, or its family, also where a parent between them has ended */
	char driver_wchan[WCHAN_BYTES];
};

struct fold_thread {
	struct track track;
	uint64_t pid;
	char comm[NAME_BYTES], wchan[WCHAN_BYTES], state;
	uint64_t cpu;
	uint64_t switches;			/* how often it had gone to sleep by itself */
	/* for how long it has been in one sleep in a GPU driver, uninterruptibly */
	uint64_t in_driver_ns;
};

struct fold_source {
	struct track track;
	uint64_t silent_ns;
	char state[NAME_BYTES], call[WCHAN_BYTES];
	char lack[NAME_BYTES * 4];		/* why it is not read, though there is something to read; "" it is */
};

struct fold {
	const struct snapshot *sealed;
	double span_s;
	struct watch_span span;
	uint64_t at_ns, watched_ns, ticks, late;
	bool has_processes;			/* the newest tick has them: one that is not in it may have ended */
	struct reasons reasons;
	size_t nr_gpus;
	struct fold_gpu *gpus;
	struct track host;
	struct track_list processes, threads, groups, disks, mounts, networks, rdma_ports, sources;
};

void load_fold_init(struct fold *fold, const struct snapshot *sealed, const struct policy *policy);
void load_fold_release(struct fold *fold);
void load_fold_tick(struct fold *fold, const struct tick *tick);

#define fold_process_at(fold_, i) ((struct fold_process *)(fold_)->processes.items[i])
#define fold_thread_at(fold_, i) ((struct fold_thread *)(fold_)->threads.items[i])
#define NO_PLACE SIZE_MAX
size_t fold_place_of(const struct fold *fold, uint64_t pid);
struct fold_process *fold_process_of(const struct fold *fold, uint64_t pid);
static inline bool has_gpu(const struct fold_process *process, size_t place)
{
	return process->gpus[place / 64] & (UINT64_C(1) << (place % 64));
}
bool has_any_gpu(const struct fold_process *process);
/* It is still kept for its figures. */
bool has_ended(const struct fold *fold, const struct fold_process *process);

/* Share, per cent, of what was counted by slot. */
struct val_f64 slots_share(const float *part, const float *whole, const struct watch_span *span);

/* ---- fold_process.c */

void fold_processes(struct fold *fold, const struct tick *tick, const struct moment *now);
void fold_process_turn(struct fold *fold, size_t slot);
void fold_process_release(struct track *item);

/* ---- fold_log.c */

void fold_log(struct fold *fold, const struct tick *tick);

/* What a kernel function tells that a task sleeps in. */
bool wchan_is_io(const char *wchan);
bool wchan_is_gpu_driver(const char *wchan);
