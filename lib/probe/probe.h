/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - what a probe is, and what it may use.
 *
 * A probe reads one source and writes facts; it judges nothing. It runs in a
 * worker process (lib/sys/worker.h), so it may call what hangs or crashes, as
 * long as it says before each risky call what it is about to do:
 *
 *	static int run(struct probe_env *env, struct sink *sink)
 *	{
 *		struct snapshot *facts = &sink->facts;
 *
 *		sink_step(sink, "read numa_balancing");
 *		facts->host.numa_balancing = read_u64(env, &facts->arena, "/proc/sys/kernel/numa_balancing");
 *		sink_flush(sink);
 *		return sink_end(sink, PROBE_OK, NULL);
 *	}
 *
 * probe/read.h reads one value from one file, format/proc_text.h the lines of
 * /proc files, probe/library.h opens libraries. To add a probe: a file here, a
 * row in probe_table.c. See CONTRIBUTING.md.
 */
#pragma once

#include "snapshot/snapshot.h"
#include "sys/root.h"

/* How a worker ended, as probes[].outcome names it. */
enum probe_outcome {
	PROBE_OK,
	PROBE_PARTIAL,		/* some of it: why says what is missing */
	PROBE_UNAVAILABLE,	/* not installed */
	PROBE_DENIED,
	PROBE_TIMEOUT,
	PROBE_STUCK,
	PROBE_CRASHED,
	PROBE_GARBLED,
	PROBE_INTERRUPTED,
	PROBE_REFUSED,		/* not started: a permit said no */
	NR_PROBE_OUTCOMES
};
const char *probe_outcome_name(enum probe_outcome outcome);

/* The order of touching: each phase ends before the next begins, so files decide which drivers are called at all. */
enum probe_phase {
	PHASE_NODE,		/* files of the node; no device node, no library */
	PHASE_DEVICE_FILES,	/* files of each device */
	PHASE_MANAGEMENT,	/* vendors' management libraries are started; no GPU is opened */
	/* watch what changes, before load of ours makes it change; management libraries are asked beside */
	PHASE_WINDOW,
	/* load on storage that somebody named, one path at a time; nothing else is measured meanwhile */
	PHASE_STORAGE,
	PHASE_LIBRARY,		/* OpenCL drivers' libraries, side by side */
	PHASE_IMPORT,		/* frameworks, by their own interpreters, one at a time */
	PHASE_LOAD,		/* load, one device at a time */
	PHASE_COLLECTIVE,	/* load on all GPUs at once, by a program of the site */
	NR_PROBE_PHASES
};

/* What the riskiest call of a probe touches: says whose fault a hang or a crash is. */
enum probe_touches { TOUCHES_FILES, TOUCHES_LIBRARY, TOUCHES_DEVICE };
const char *probe_touches_name(enum probe_touches touches);

struct probe_env {
	const struct root *root;
	const char *target;	/* what is probed; NULL: the node */
	int lock_fd;		/* of this worker's lock, -1: none */
	bool may_wake;		/* --wake: a suspended GPU may be touched, after the node itself was probed */
	/* What hangs where is all that is asked: no error counters, slots and sizes, nor how busy the node is. */
	bool places_only;
};

/*
 * Where a probe puts what it found: `facts` is an empty snapshot to fill in,
 * with strings and list elements from facts.arena. sink_flush() sends it on
 * and empties it, so a crash later loses nothing said before. A scalar is
 * said once in a run.
 */
struct sink {
	struct snapshot facts;
	int fd;
	int lock_fd;
	/*
	 * How long the calls announced from now on may take, each: said with each step, and after that time without
	 * another frame the worker is killed as one that hangs. 0: as long as its first call.
	 */
	unsigned quiet_ms;
	/* Where a call is told in place of a frame, as a source of ticks tells it (probe/sample); NULL: in a frame. */
	void (*told)(void *to, const char *call);
	void *to;
};
/* What a call of a library may take that is up, and has its GPU awake. */
enum { PROBE_LATER_CALLS_MS = 5000 };

/* How long after a value failed it is asked for again: many fail for a moment on nodes that are well. */
#define PROBE_AGAIN_NS UINT64_C(500000000)

/* In a process that several probes share: what follows is of that one of them. */
void sink_begin(struct sink *sink, size_t number);
/* Before each call that may hang or crash. */
void sink_step(struct sink *sink, const char *call);
/* Sleeps; a long sleep is announced, so that it is not taken for a hanging call. */
void sink_sleep_ns(struct sink *sink, uint64_t ns);
void sink_flush(struct sink *sink);
/*
 * Flushes and says that the probe is done. why may be NULL for PROBE_OK; it
 * must not live in facts.arena, which the flush empties. Returns the exit
 * status of the worker.
 */
int sink_end(struct sink *sink, enum probe_outcome outcome, const char *why);

enum { MAX_WATCH_MS = 3600 * 1000 };	/* the longest observation window */

/* What a probe does not say of itself is false, 0 or NULL. */
struct probe {
	const char *name;		/* "pci-link" */
	const char *help;		/* one line for `gpudiag list probes` */
	enum probe_phase phase;
	enum probe_touches touches;
	/* makes no sense on a recorded tree, unless its library was put beside that (--driver-root) */
	bool live_only;
	bool takes_driver_root;		/* looks for its library below --driver-root first */
	/* worker_child_catch_sigterm(): it says what it has when the run is interrupted */
	bool ends_on_sigterm;
	bool target_is_prefix; /* writes list elements whose keys begin "opencl:TARGET:", beside the one of key TARGET
				*/
	/* of a call: for silence; the worker may take longer while it goes on answering */
	unsigned deadline_ms;
	unsigned kept_awake_deadline_ms; /* the same where a daemon keeps GPUs awake; 0: no other */
	const char *const *provides;	/* paths it may write (struct merge_scope), ends with NULL */
	/* Does this probe apply to the node, by what earlier phases found? NULL: always. */
	bool (*applies)(const struct snapshot *snapshot);
	/*
	 * The targets to start a worker for, from what earlier phases found:
	 * adds them to *ret. NULL: one worker, no target.
	 */
	void (*targets)(const struct snapshot *snapshot, struct arena *arena, struct strs *ret);
	/*
	 * It has no workers of its own accord: one runs beside each of that probe's workers, from before it until it
	 * ended, and is then told to end by SIGTERM. NULL: it has.
	 */
	const struct probe *beside;
	/* Its own target beside a worker of that target; NULL: none. */
	const char *(*target_beside)(const struct snapshot *snapshot, const char *target);
	/* Environment for a target's worker, as NAME=value; NULL: none. */
	void (*environment)(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret);
	/* Requested time in addition to its deadline, at most MAX_WATCH_MS; NULL: none. */
	unsigned (*watches_ms)(const struct snapshot *snapshot);
	int (*run)(struct probe_env *env, struct sink *sink);
};

/* All probes in the order of their phases; ends with NULL. */
extern const struct probe *const probes[];
const struct probe *probe_by_name(const char *name);

/*
 * Processes that several probes share are told all of these, each as its name, its target ("": none), the variables of
 * its environment and "". They share a pipe (WORKER_SHARED_FD) with the numbers of those that are still to be run, in
 * this form: whoever is free takes the next.
 */
struct probe_turn { uint16_t number; };

/* Of a worker's process, before the name of its probe: "gpudiag:window". */
#define PROBE_WORKER_NAME "gpudiag:"

/*
 * What a driver may take for each GPU at its first call: without persistence
 * each is woken anew, and healthy nodes of eight have taken 10 to 24 s.
 */
enum { PROBE_WAKE_MS_PER_GPU = 3000 };

/* What a driver may take to wake the GPUs that nothing keeps awake: any call may wait for that. */
unsigned probe_wake_ms(const struct snapshot *snapshot);

/* Does it load devices? Not what merely runs beside. */
bool probe_puts_load(const struct probe *probe);

/*
 * The name of a worker's lock: the worker takes it and the next run looks for
 * it, so both ask here. target may be NULL. Load has one for the whole node;
 * where devices are loaded side by side the run itself holds that, and each of
 * its workers, told so by the variable, one of its own: a worker that hangs
 * outlives the run, and the next one must know.
 */
enum { PROBE_LOCK_NAME_BYTES = 512 };
void probe_lock_name(const struct probe *probe, const char *target, char ret[PROBE_LOCK_NAME_BYTES]);
void probe_own_lock_name(const struct probe *probe, const char *target, char ret[PROBE_LOCK_NAME_BYTES]);
#define PROBE_SIDE_BY_SIDE_VARIABLE "GPUDIAG_SIDE_BY_SIDE"
