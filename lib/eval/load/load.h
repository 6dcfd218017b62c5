/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.h - from ticks of a node at work to one sentence: what holds its GPUs back, how sure that is, what shows it and
 * what was ruled out. Pure, and of constant memory however long it is watched.
 *
 *	struct load *load = load_new(&sealed, policy);
 *	while (… a tick …) {
 *		load_add(load, &tick);
 *		… load_now(load) …
 *	}
 *	… load_story(load) …
 *	load_free(load);
 */
#pragma once

#include "eval/findings/findings.h"
#include "eval/policy/policy.h"
#include "snapshot/snapshot.h"

/* What may hold a GPU back, in the order in which the first that fits wins: bottlenecks.def. */
enum bottleneck {
	BOTTLENECK_NOT_JUDGED,		/* nothing that would tell was known */
#define BOTTLENECK(id, ...) BOTTLENECK_##id,
#include "eval/load/bottlenecks.def"
	NR_BOTTLENECKS
};

/* What a word counts for in the exit status of watch. */
enum bottleneck_counts {
	COUNTS_NOTHING,			/* compute-bound, idle …: nothing to mend here */
	COUNTS_REMOVABLE,		/* somebody here can remove it: exit status 1 */
	COUNTS_FAULT,			/* exit status 2 */
};

struct bottleneck_def {
	const char *word;		/* "starved-loader" */
	enum bottleneck_counts counts;
	enum blame blame;
	unsigned seconds;		/* how long it must be seen before it is said */
	const char *phase;		/* of a stretch of time: "waiting for the loader" */
	const char *title;		/* template of the sentence, after "GPU 3" or "GPUs 0-7" */
	const char *why;		/* what it means */
	const char *next;		/* template: what to do; NULL nothing */
	const char *command;		/* template of one line to paste; NULL none */
};
extern const struct bottleneck_def bottleneck_defs[NR_BOTTLENECKS];

enum load_confidence {
	LOAD_SETTLING,			/* watched for less than 10 s, or of a job that is not 30 s old */
	LOAD_COARSE,			/* by utilization alone: the driver tells nothing finer */
	LOAD_SURE,
};
const char *load_confidence_name(enum load_confidence confidence);

/* A figure that shows it, or one that rules another word out: "disk nvme0n1: 0.4 ms a read, 80 MB/s". */
struct load_reason {
	const char *what;		/* "disk", "link", "loader": a field's noun */
	const char *text;
};

/* A GPU, as it is now. Figures are means over the judged span (10 s, or less at first). */
struct load_gpu {
	const struct gpu *gpu;		/* of the sealed snapshot */
	size_t index;
	enum bottleneck word;		/* what is shown: it changed only after it had won three ticks of five */
	enum load_confidence confidence;
	uint64_t held_ns;		/* for how long it has been so */
	struct val_f64 busy_percent, busy_p5_percent, busy_p95_percent;
	/* it waits for a good part of the time: its use is low, or swings from idle to busy */
	bool waits, swings;
	struct val_f64 sm_active_percent, tensor_active_percent, memory_active_percent;
	struct val_f64 power_ratio;	/* of its enforced limit */
	struct val_f64 clock_ratio;	/* of its highest clock */
	struct val_u64 power_mw, power_limit_mw, clock_mhz, clock_max_mhz;
	struct val_u64 vram_used_bytes, vram_total_bytes;
	struct val_f64 link_sent_bytes_per_s, link_received_bytes_per_s;
	struct val_f64 link_limit_bytes_per_s;	/* what the trained link can carry, one way */
	struct val_f64 temperature_c;
	const char *holder;		/* "python3 18422", "" nobody; the busiest of several */
	size_t nr_holders;
	const char *sentence;		/* "GPU 3 waits for …", one line */
};

/*
 * GPUs with one word and one reason, as one. Where the process of --pid holds no GPU (a command on a node without any,
 * or one that has not opened it yet), it is judged itself, by the words of the host alone: there is one group then, of
 * 0 GPUs, whose sentence begins with the process ("python3 (pid 18422) waits for storage: …"), and no load_gpu.
 */
struct load_group {
	enum bottleneck word;
	enum load_confidence confidence;
	uint64_t held_ns;
	size_t nr_gpus;
	const size_t *gpus;		/* places in load_view.gpus */
	/* "GPUs 0-7 wait for the loader: 8 of 8 worker processes at 100 % of a CPU, …" */
	const char *sentence;
	const char *why, *next, *command;	/* filled templates, or NULL */
	size_t nr_shown, nr_ruled_out;
	const struct load_reason *shown, *ruled_out;
};

struct load_host {
	struct val_f64 cpu_busy_percent, io_full_percent, memory_full_percent;
	struct val_f64 swap_in_bytes_per_s;
	const char *busiest_thread;	/* "pt_data_worker 4711 99 %", "" none */
	size_t workers, workers_pegged;
	const char *disk;		/* the busiest: "nvme0n1 2.1 GB/s 0.4 ms", "" none */
	const char *network;		/* the busiest interface or RDMA port, "" none */
};

/* All there is to show after a tick. It lives until the next load_add(). */
struct load_view {
	uint64_t at_ns;			/* of the newest tick */
	uint64_t ticks, late;		/* so far; of them, with a source that was late */
	size_t nr_gpus, nr_groups;
	const struct load_gpu *gpus;
	const struct load_group *groups;	/* the main one first: what counts most, then the most GPUs */
	struct load_host host;
	const char *headline;		/* one sentence, that of the main group or "No GPU …" */
	const char *trouble;		/* "NVML has not answered for 7 s (in nvmlDeviceGetSamples)", or NULL */
};

/* A stretch of time by what it was lost to, most of it first. */
struct load_phase {
	enum bottleneck word;
	double share;			/* of the time watched, 0 to 1 */
	uint64_t ns;			/* in all */
	size_t times;			/* how often it began */
	const char *sentence;		/* the latest one of that word */
};
struct load_gpu_story {
	size_t index;
	enum bottleneck word;		/* which had most of its time */
	double share;
	bool differs;			/* from most of the GPUs: the odd one of a collective */
};

struct load_story {
	uint64_t watched_ns, ticks, late;
	size_t nr_phases, nr_gpus;
	const struct load_phase *phases;	/* over all GPUs */
	const struct load_gpu_story *gpus;
	enum bottleneck word;		/* the main one: which decides the exit status */
	/* "62 % loader, 30 % compute-bound, 8 % writing a checkpoint: …", its sentence first */
	const char *headline;
	const char *next, *command;	/* of the main word, or NULL */
	int exit_status;		/* 0, 1, 2 or 3, as gpudiag-watch(1) says */
};

struct load;
/* Both must outlive it. pid: --pid or the command, whose GPUs alone are judged once it holds any; 0: all. */
struct load *load_new(const struct snapshot *sealed, const struct policy *policy, uint64_t pid);
void load_add(struct load *load, const struct tick *tick);
const struct load_view *load_now(struct load *load);
const struct load_story *load_story(struct load *load);
void load_free(struct load *load);

/* The window of a run, judged as two ticks. NULL: there was none, or there are more GPUs than a node has at work. */
struct load *load_of_window(const struct snapshot *sealed, const struct policy *policy);
/* The word of that GPU of the sealed snapshot; BOTTLENECK_NOT_JUDGED where nothing would show one. load may be NULL. */
enum bottleneck load_word_of(struct load *load, const struct gpu *gpu);
/* What else there is of it; NULL: it is none of those that are judged, or was watched for less than a second. */
const struct load_gpu *load_gpu_of(struct load *load, const struct gpu *gpu);
