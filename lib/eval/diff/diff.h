/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - what changed between two looks at a node, and whether it got worse.
 *
 * What a change of a field means the field tables say (snapshot/records.def,
 * column class), and diff_rules.c where that is too coarse. The rules:
 *
 *  - Noise is no difference: processes, what is in use at the moment, what a
 *    run was asked, lines of the log (their meaning is a finding).
 *  - Unknown is no value. What was known before and now cannot be read, for an
 *    error, a timeout or a lost device, is told as that, and is worse. What
 *    nobody looked at, or nobody may ask, is no difference; a message says so.
 *  - A counter that grew is told. One that counts errors which are not
 *    corrected, or rows and pages out of use, is worse for it. A counter that
 *    a boot or the loading of a driver sets to 0 is compared over one with
 *    that in mind: it did not get better by falling, and what it shows now was
 *    counted since.
 *  - A narrower or slower link, fewer GPUs, lanes or links between GPUs, less
 *    memory: worse; the other way: better. Versions and settings: neither.
 *  - Timings are compared where they were measured alike, by medians, and are
 *    a difference only beyond the noise of both.
 *
 *  - Of a host and its container: what the container was not given. That is
 *    beside the differences, and by itself neither worse nor better.
 *
 * GPUs are the same by UUID or serial number, else by PCI address; of two
 * different machines by their number. Linear in the size of the snapshots, but
 * for sorting short lists. The same input gives the same differences.
 */
#pragma once

#include "base/arena.h"
#include "eval/judge/report.h"

enum diff_group {
	DIFF_HARDWARE,		/* devices, slots, what they can do, links as trained */
	DIFF_FIRMWARE,		/* VBIOS and firmware of devices */
	DIFF_DRIVER,		/* modules, libraries, software of the GPUs' stack */
	DIFF_KERNEL,		/* kernel and distribution */
	DIFF_SETTINGS,		/* what somebody set */
	DIFF_HEALTH,		/* error counters that grew, flags, what can no longer be told */
	DIFF_TIMING,		/* figures beyond noise */
	DIFF_VERDICT,		/* findings that came and went, checks that can no longer be judged */
	NR_DIFF_GROUPS
};
const char *diff_group_name(enum diff_group group);

/* Changed without a direction; better; worse. */
enum diff_weight { DIFF_OTHER, DIFF_BETTER, DIFF_WORSE };
const char *diff_weight_name(enum diff_weight weight);

struct difference {
	enum diff_group group;
	enum diff_weight weight;
	const char *thing;	/* "GPU 3 (0000:5d:00.0)", "host", "module nvidia" */
	const char *what;	/* field, figure or finding: "link_width", "h2d-pinned", "ecc-errors.new" */
	const char *before, *after;	/* as a person reads them; NULL: was not there */
	const struct field *field;	/* or NULL */
	const char *why;	/* what the values alone do not say: "9 times the noise", or NULL */
	const char *gpu;	/* PCI address, in the later snapshot where it is in both; NULL: no GPU's */
	size_t gpu_index;	/* its number there; valid with gpu */
};

/* What a container was not given, of what its host has. */
struct container_loss {
	const char *what;	/* its kind: "gpu", "device-node", "shm-size" … */
	const char *thing;	/* "GPU 3 (0000:5d:00.0)" by the host's number, "/dev/nvidia-uvm", "memlock limit" */
	const char *host, *inside;	/* as a person reads them: "1007 GiB", "64 MiB"; "present", "no device node" */
	const char *option;	/* of docker or podman, that gives it; NULL: not known */
	const char *kubernetes;	/* what gives it to a pod; NULL: nothing of its own */
	const char *gpu;	/* PCI address on the host, or NULL */
	const char *uuid;	/* of that GPU, or NULL */
	size_t gpu_index;	/* its number on the host; valid with gpu */
};

/* One side was taken on a host, the other in a container of it, in one boot. */
struct container_diff {
	bool is_pair;		/* false: they are no such pair, and the rest is empty */
	bool inside_is_after;	/* the second is the container's */
	const char *runtime;	/* "docker": what is told of the container */
	size_t nr;
	struct container_loss *losses;	/* by kind */
	size_t nr_compared;	/* kinds that both sides tell */
	struct strs not_compared;	/* those that one does not: "memlock limit" */
};

struct diff {
	struct arena arena;
	const struct snapshot *before, *after;
	bool same_machine, machine_known;	/* machine_known false: nothing tells whether it is one machine */
	size_t nr_compared;	/* what is known of both sides; 0: nothing could be compared */
	struct container_diff container;
	size_t nr;
	const struct difference *items;	/* by group; in it node first, then GPUs by number, then by field */
	struct strs messages;	/* what the reader should know of the comparison itself */
	bool is_worse;		/* any item is */
	size_t nr_worse, nr_better;
};

/*
 * Facts alone. *ret is made whole; it must be released before either snapshot,
 * as texts of it may be theirs.
 */
void diff_facts(struct diff *ret, const struct snapshot *before, const struct snapshot *after);

/* The same, and what was judged of both: findings that came and went, checks that can no longer be judged. */
void diff_reports(struct diff *ret, const struct report *before, const struct report *after);

void diff_release(struct diff *diff);

/*
 * Is it a difference from how a node was when it was well? What it is made of, what runs on it, how it is set, and
 * health that got worse: measures of the moment are none.
 */
bool counts_against_baseline(const struct difference *item);
