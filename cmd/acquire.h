/* SPDX-License-Identifier: GPL-2.0-or-later */
/* acquire.h - takes a snapshot: what `run`, `collect` and `bench` share. */
#pragma once

#include "bench/bench_plan.h"
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
	struct snapshot snapshot;	/* its request is filled by options */
	const char *root;		/* recorded tree, or NULL */
	const char *policy_path;	/* --policy, or NULL */
	struct policy policy;		/* in force, once acquire_policy() was called; its texts: */
	struct arena policy_arena;
	struct acquire_log log;		/* private to acquire.c */
	unsigned timeout_ms;		/* 0: none */
	/*
	 * Where all that is asked is what hangs where: the probes of the node's and the devices' files that tell, ends
	 * with NULL. NULL: those that the checks need.
	 */
	const char *const *files;
	/* With those: such as say no more than whether a vendor's library may be called; ends with NULL. */
	const char *const *files_for_permit;
	bool is_bench;			/* nothing is judged: only what measuring needs is looked at */
	uint64_t load_began_ns;		/* when the first device was measured; 0: not yet */
	int signal;			/* that interrupted it; 0: none */
};

/* The options they take, each into the request but for those of the acquisition itself. */
extern const char *const acquire_levels[], *const acquire_opencl_types[];
void acquire_take_check(void *acq, const struct option_parser *parser);
void acquire_take_collective(void *acq, const struct option_parser *parser);
void acquire_take_expect_gpus(void *acq, const struct option_parser *parser);
void acquire_take_gpu(void *acq, const struct option_parser *parser);
void acquire_take_level(void *acq, const struct option_parser *parser);
void acquire_take_memory_share(void *acq, const struct option_parser *parser);
void acquire_take_pid(void *acq, const struct option_parser *parser);
void acquire_take_run_id(void *acq, const struct option_parser *parser);
void acquire_take_python(void *acq, const struct option_parser *parser);
void acquire_take_size(void *acq, const struct option_parser *parser);
void acquire_take_skip(void *acq, const struct option_parser *parser);
void acquire_take_storage(void *acq, const struct option_parser *parser);
void acquire_take_timeout(void *acq, const struct option_parser *parser);

/*
 * Where a struct `of` has its acquisition: whom to measure, how, and what to do with GPUs that are better left alone.
 */
#define LOAD_OPTION_ROWS(of, acq)                                                                                      \
	OPTION_VAL_CHOICE("opencl-type", "TYPE",                                                                       \
			  "devices to measure: gpu (default), cpu, all, or auto: the CPU where there is no GPU",       \
			  acquire_opencl_types, of, acq.snapshot.request.opencl_type),                                 \
	OPTION_LIST("gpu", 0, "GPU,…", "check and measure these only: number, PCI address, UUID or OpenCL key",        \
		    COMPLETE_NOTHING, acquire_take_gpu, of, acq),                                                      \
	OPTION_VAL_MS("seconds", "measuring time per device", 1, BENCH_MAX_MEASURE_MS, of,                             \
		      acq.snapshot.request.measure_ms),                                                                \
	OPTION_LIST("size", 0, "SIZE,…", "transfer sizes: 4K,1M or 4K..256M in powers of two", COMPLETE_NOTHING,       \
		    acquire_take_size, of, acq),                                                                       \
	OPTION_VAL_FLAG("numa", "measure transfers with host memory on each NUMA node", of,                            \
			acq.snapshot.request.per_numa_node),                                                           \
	OPTION_VAL_FLAG("together", "measure all devices at once", of, acq.snapshot.request.together),                 \
	OPTION_VAL_FOLDER("driver-root", "search vendor libraries below that folder first", of,                        \
			  acq.snapshot.request.driver_root),                                                           \
	OPTION_TAKE("timeout", 0, "TIME", "stop reading after that time, whatever hangs", COMPLETE_NOTHING,            \
		    acquire_take_timeout, of, acq),                                                                    \
	OPTION_FILE("policy", 0, "thresholds and pins from that file (gpudiag policy); built-in: defaults", of,        \
		    acq.policy_path),                                                                                  \
	OPTION_VAL_FLAG("even-if-busy", "measure GPUs in use, too", of, acq.snapshot.request.even_if_busy),            \
	OPTION_VAL_FLAG("wake", "read suspended GPUs, too, which wakes them", of, acq.snapshot.request.wake),          \
	OPTION_VAL_FLAG("touch-hung", "call a driver even if tasks are stuck in it", of,                               \
			acq.snapshot.request.touch_hung)

/* What to look at, and for how long: of run and collect, with those above. */
#define ACQUIRE_OPTION_ROWS(of, acq)                                                                                   \
	{ .name = "level", .argument = "LEVEL", .completion = COMPLETE_WORDS, .words = acquire_levels,                 \
	  .help = "read, quick (default), standard or deep: no load, 1 s, 10 s or minutes per GPU",                    \
	  .take = acquire_take_level, .at = offsetof(of, acq) },                                                       \
	OPTION_FOLDER("root", "check a recorded /sys and /proc tree instead of this machine", of, acq.root),           \
	OPTION_TAKE("run-id", 0, "ID", "name of a run of many nodes: gpudiag fleet --run-id takes its reports alone",          \
		    COMPLETE_NOTHING, acquire_take_run_id, of, acq),                                                   \
	OPTION_VAL_MS("window", "length of the sampling window (default 1s); 0: no rates", 0, MAX_WATCH_MS, of,        \
		      acq.snapshot.request.window_ms),                                                                 \
	OPTION_TAKE("pid", 0, "PID", "check CPU affinity, framework and GPUs of that process; self: of this run",            \
		    COMPLETE_NOTHING, acquire_take_pid, of, acq),                                                      \
	OPTION_LIST("python", 0, "PATH,…", "check frameworks of that Python interpreter or environment",               \
		    COMPLETE_FILE, acquire_take_python, of, acq),                                                      \
	OPTION_VAL_FLAG("framework", "import the frameworks found, and ask which GPUs they see", of,                   \
			acq.snapshot.request.framework),                                                               \
	OPTION_LIST("storage", 0, "PATH,…", "measure how fast storage at these paths can be read", COMPLETE_FILE,      \
		    acquire_take_storage, of, acq),                                                                    \
	OPTION_TAKE("collective", 0, "PATH",                                                                           \
		    "run that all_reduce_perf (nccl-tests, rccl-tests) on all GPUs and judge its figure",              \
		    COMPLETE_FILE, acquire_take_collective, of, acq),                                                  \
	OPTION_TAKE("memory-share", 0, "PERCENT",                                                                      \
		    "share of the free memory that level deep tests (default 90); 0: none", COMPLETE_NOTHING,          \
		    acquire_take_memory_share, of, acq),                                                               \
	OPTION_VAL_MS("sustain", "length of level deep's sustained load (default 2m); 0: none", 0, MAX_WATCH_MS, of,   \
		      acq.snapshot.request.sustain_ms),                                                                \
	LOAD_OPTION_ROWS(of, acq)

/* Of those who only read; begin: a beginning for their help. */
#define READ_OPTION_ROWS(begin, of, acq)                                                                               \
	OPTION_VAL_FOLDER("driver-root", begin "search vendor libraries below that folder first", of,                  \
			  acq.snapshot.request.driver_root),                                                           \
	OPTION_TAKE("timeout", 0, "TIME", begin "stop reading after that time, whatever hangs", COMPLETE_NOTHING,      \
		    acquire_take_timeout, of, acq),                                                                    \
	OPTION_VAL_FLAG("wake", begin "read suspended GPUs, too, which wakes them", of, acq.snapshot.request.wake),    \
	OPTION_VAL_FLAG("touch-hung", begin "call a driver even if tasks are stuck in it", of,                         \
			acq.snapshot.request.touch_hung)

#define EXPECT_GPUS_OPTION_ROW(of, acq)                                                                                \
	OPTION_TAKE("expect-gpus", 0, "N[:MODEL]", "expected GPUs and model; 0: no GPU is a pass", COMPLETE_NOTHING,   \
		    acquire_take_expect_gpus, of, acq)

/* A path whose storage is to be measured: kept absolute, without a slash at its end, and each once. */
void acquire_add_storage(struct acquisition *acq, const char *path);

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

/* ---- load_options.c: the part of looking that measures */

/*
 * Dies with status 64 where a selector of --gpu means nothing that is here,
 * naming what is; to be called once the devices are known.
 */
void load_check_selectors(const struct acquisition *acq);

/* Does a bench need that probe? */
bool load_needs(const struct acquisition *acq, const struct probe *probe);

/* "measuring GPU 3, 4 of 8 … about 12 s left": when the worker of that device is about to start. */
void load_progress(struct acquisition *acq, const char *target);
