/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h - what a source of ticks is, for gpudiag watch: opened once, read again and again.
 *
 * A source runs in a worker process of its own (`gpudiag probe--worker sample-host`), as what it calls may hang or
 * crash. It is told by its environment what to watch, says before each call that may hang what it is about to do
 * (sample_step()), and fills its part of a tick. Of a call that may hang nothing else is promised: the parent goes on
 * without it (collect/live.h). Its lock has its name (sys/lock.h).
 *
 * Frames of a worker, a line each: {"opened": true}, or {"end": true, "why": "…"} where it cannot be had, and then
 * {"seq": k, "at_ns": …, "took_ns": …, "cpu_ns": …, "tick": {…}} for each tick.
 */
#pragma once

#include "probe/probe.h"

/*
 * Where it says what it is doing: a page that the parent can read while the worker hangs. A frame each would cost more.
 */
struct sample_page {
	char call[120];
	char gpu[32];			/* the GPU it is asking, by address; "" none */
	uint32_t writes;		/* so far, and odd during one: while it grows the worker is alive */
};
/* What it says now, ended by NUL each. Its writer may be at it, or dead in the middle of it. */
void sample_page_read(const struct sample_page *page, struct sample_page *ret);

struct sample_env {
	const struct root *root;
	struct sample_page *page;	/* shared with the parent; never NULL */
	uint64_t interval_ns;		/* between two ticks */
	uint64_t pid;			/* the process that is watched; 0: whoever holds the GPUs */
	int lock_fd;			/* of this worker's lock, -1: none */
	uint64_t noted_s;		/* when the lock was last told of a call */
	unsigned quiet_ms;		/* how long a call may take now */
};
/* Before each call that may hang. gpu: its address, NULL none. */
void sample_step(struct sample_env *env, const char *call, const char *gpu);

struct sample_source {
	const char *name;		/* "sample-host" */
	const char *help;
	enum probe_touches touches;
	const char *const *provides;	/* paths of record tick that it may write; ends with NULL */
	unsigned open_ms;		/* how long it may take to open: a driver may have to wake its GPUs */
	/* Has the node of this sealed snapshot anything for it to read? NULL: a GPU, or what every node has. */
	bool (*applies)(const struct snapshot *sealed);
	/* Does it read that GPU? Of these it is said that there was no answer. NULL: none. */
	bool (*reads_gpu)(const struct snapshot *sealed, const struct gpu *gpu);
	/*
	 * What its worker is told, as NAME=value; NULL nothing. skip: GPUs that it hung at and that are left out this
	 * time.
	 */
	void (*environment)(const struct snapshot *sealed, const struct strs *skip, struct arena *arena,
			    struct strs *ret);
	/* In the worker. NULL, with the reason in why: it cannot be had. */
	void *(*open)(struct sample_env *env, char why[256]);
	/* Adds its part to *ret, with texts in ret->arena. */
	void (*read)(void *own, struct tick *ret);
	void (*close)(void *own);
};

/* What every worker is told: the moment of tick 0 (clock_monotonic_ns()), the interval, and whom to watch. */
#define SAMPLE_START_VARIABLE "GPUDIAG_TICK_START_NS"
#define SAMPLE_INTERVAL_VARIABLE "GPUDIAG_TICK_INTERVAL_NS"
#define SAMPLE_PID_VARIABLE "GPUDIAG_WATCHED_PID"

/* How long a worker may say nothing, neither tick nor step, after it should have. */
enum { SAMPLE_SILENCE_MS = 5000 };

/* The worker: opens the source and reads it at each moment until it is to end. Returns its exit status. */
int sample_run(const struct sample_source *source, const struct root *root, int lock_fd);

/* All sources; ends with NULL. In collect/sample_table.c, which links against all of them. */
extern const struct sample_source *const sample_sources[];
const struct sample_source *sample_source_by_name(const char *name);
