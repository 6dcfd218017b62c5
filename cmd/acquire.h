/* SPDX-License-Identifier: GPL-2.0-or-later */
/* acquire.h - takes a snapshot: what `run`, `collect` and `bench` share. */
#pragma once

#include "cmd/opts.h"
#include "eval/log/kernel_log.h"
#include "eval/policy/policy.h"
#include "probe/probe.h"
#include "snapshot/snapshot.h"

/* What the kernel's log says of the node as one phase knows it: asked before each worker that touches a driver. */
struct acquire_log {
	struct node_log log;
	const struct policy *policy;	/* of this node */
	/* Of what it was made; other GPUs have other incidents. */
	enum probe_phase phase;
	const struct gpu *gpus;
	size_t nr_gpus, nr_lines;
	bool is_read;
};

struct acquisition {
	struct snapshot snapshot;	/* its request is filled by acquire_option() */
	const char *root;		/* recorded tree, or NULL */
	const char *policy_path;	/* --policy, or NULL */
	struct policy policy;		/* in force, once acquire_policy() was called; its texts: */
	struct arena policy_arena;
	struct acquire_log log;		/* private to acquire.c */
	unsigned timeout_ms;		/* 0: none */
	bool is_bench;			/* nothing is judged: only what measuring needs is looked at */
	uint64_t load_began_ns;		/* when the first device was measured; 0: not yet */
	int signal;			/* that interrupted it; 0: none */
};

/* The options they take. */
enum {
	ACQUIRE_LEVEL,
	ACQUIRE_OPENCL_TYPE,
	ACQUIRE_ROOT,
	ACQUIRE_DRIVER_ROOT,
	ACQUIRE_TIMEOUT,
	ACQUIRE_EVEN_IF_BUSY,
	ACQUIRE_TOUCH_HUNG,
	ACQUIRE_WAKE,
	ACQUIRE_CHECK,
	ACQUIRE_SKIP,
	ACQUIRE_EXPECT_GPUS,
	ACQUIRE_WINDOW,
	ACQUIRE_PID,
	ACQUIRE_POLICY,
	ACQUIRE_MEMORY_SHARE,
	ACQUIRE_SUSTAIN,
	ACQUIRE_GPU,
	ACQUIRE_SECONDS,
	ACQUIRE_SIZE,
	ACQUIRE_NUMA,
	ACQUIRE_TOGETHER,
	ACQUIRE_STORAGE,
	ACQUIRE_PYTHON,
	ACQUIRE_FRAMEWORK,
	ACQUIRE_COLLECTIVE,
	NR_ACQUIRE_OPTIONS
};
extern const char *const acquire_levels[], *const acquire_opencl_types[];

/* Whom to measure, how, and what to do with GPUs that are better left alone: of run, collect and bench. */
#define LOAD_OPTION_ROWS                                                                                               \
	{"opencl-type", 0, "TYPE",                                                                                     \
	 "devices to measure: gpu (default), cpu, all, or auto: the CPU where there is no GPU",                        \
	 ACQUIRE_OPENCL_TYPE, COMPLETE_WORDS, acquire_opencl_types},                                                         \
		{"gpu", 0, "GPU,…", "check and measure these only: number, PCI address, UUID or OpenCL key", ACQUIRE_GPU,        \
		 COMPLETE_NOTHING, NULL},                                                                              \
		{"seconds", 0, "TIME", "measuring time per device", ACQUIRE_SECONDS, COMPLETE_NOTHING, NULL},     \
		{"size", 0, "SIZE,…", "transfer sizes: 4K,1M or 4K..256M in powers of two", ACQUIRE_SIZE,   \
		 COMPLETE_NOTHING, NULL},                                                                              \
		{"numa", 0, NULL, "measure transfers with host memory on each NUMA node", ACQUIRE_NUMA,                   \
		 COMPLETE_NOTHING, NULL},                                                                              \
		{"together", 0, NULL, "measure all devices at once", ACQUIRE_TOGETHER,              \
		 COMPLETE_NOTHING, NULL},                                                                              \
		{"driver-root", 0, "DIR", "search vendor libraries below that folder first",                   \
		 ACQUIRE_DRIVER_ROOT, COMPLETE_FOLDER, NULL},                                                             \
		{"timeout", 0, "TIME", "stop reading after that time, whatever hangs", ACQUIRE_TIMEOUT,                    \
		 COMPLETE_NOTHING, NULL},                                                                              \
		{"policy", 0, "FILE", "thresholds and pins from that file (gpudiag policy); built-in: defaults",           \
		 ACQUIRE_POLICY, COMPLETE_FILE, NULL},                                                                    \
		{"even-if-busy", 0, NULL, "measure GPUs in use, too", ACQUIRE_EVEN_IF_BUSY,                       \
		 COMPLETE_NOTHING, NULL},                                                                              \
		{"wake", 0, NULL, "read suspended GPUs, too, which wakes them", ACQUIRE_WAKE,                  \
		 COMPLETE_NOTHING, NULL},                                                                              \
	{                                                                                                              \
		"touch-hung", 0, NULL, "call a driver even if tasks are stuck in it", ACQUIRE_TOUCH_HUNG,                      \
			COMPLETE_NOTHING, NULL                                                                         \
	}

/* What to look at, and for how long: of run and collect, with those above. */
#define ACQUIRE_OPTION_ROWS                                                                                               \
	{"level", 0, "LEVEL", "read, quick (default), standard or deep: no load, 1 s, 10 s or minutes per GPU",        \
	 ACQUIRE_LEVEL, COMPLETE_WORDS, acquire_levels},                                                                     \
		{"root", 0, "DIR", "check a recorded /sys and /proc tree instead of this machine", ACQUIRE_ROOT,        \
		 COMPLETE_FOLDER, NULL},                                                                               \
		{"window", 0, "TIME", "length of the sampling window (default 1s); 0: no rates", ACQUIRE_WINDOW,       \
		 COMPLETE_NOTHING, NULL},                                                                              \
		{"pid", 0, "PID", "check CPU affinity and framework of that process; self: of this run", ACQUIRE_PID,  \
		 COMPLETE_NOTHING, NULL},                                                                              \
		{"python", 0, "PATH,…", "check frameworks of that Python interpreter or environment", ACQUIRE_PYTHON,  \
		 COMPLETE_FILE, NULL},                                                                                 \
		{"framework", 0, NULL, "import the frameworks found, and ask which GPUs they see", ACQUIRE_FRAMEWORK,  \
		 COMPLETE_NOTHING, NULL},                                                                              \
		{"storage", 0, "PATH,…", "measure how fast storage at these paths can be read", ACQUIRE_STORAGE,       \
		 COMPLETE_FILE, NULL},                                                                                 \
		{"collective", 0, "PATH", "run that all_reduce_perf (nccl-tests, rccl-tests) on all GPUs and judge its figure",    \
		 ACQUIRE_COLLECTIVE, COMPLETE_FILE, NULL},                                                             \
		{"memory-share", 0, "PERCENT", "share of the free memory that level deep tests (default 90); 0: none",\
		 ACQUIRE_MEMORY_SHARE, COMPLETE_NOTHING, NULL},                                                           \
		{"sustain", 0, "TIME", "length of level deep's sustained load (default 2m); 0: none",           \
		 ACQUIRE_SUSTAIN, COMPLETE_NOTHING, NULL},                                                                \
	LOAD_OPTION_ROWS

/* Takes one of the options above into the request. */
void acquire_option(struct acquisition *acq, const struct option_parser *parser, int id);

/* A path whose storage is to be measured: kept absolute, without a slash at its end, and each once. */
void acquire_add_storage(struct acquisition *acq, const char *path);

/* The all_reduce_perf to run: kept absolute, too. Dies where another one was named before. */
void acquire_set_collective(struct acquisition *acq, const char *path);

/*
 * Finds the policy in force, to be called before acquire_run() and before any
 * judgement. Dies with status 64 where its file cannot be used.
 */
void acquire_policy(struct acquisition *acq, bool is_replay);

/*
 * Looks at this machine or at the tree, as the request says. Dies with status
 * 64 where the tree cannot be used. acquire_release() frees the snapshot.
 */
void acquire_run(struct acquisition *acq, int argc, char **argv);
void acquire_release(struct acquisition *acq);

/*
 * From here on an interrupting signal ends the program, as by default: called
 * before the output is written, whose reader may never come. Until then a
 * report is made of what was seen, however often somebody presses Ctrl-C.
 */
void acquire_release_signals(void);
