/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_log.h - what the kernel log of a snapshot tells: its lines scanned
 * once for a whole judgement, and whose affair each incident is.
 */
#pragma once

#include "eval/log/log_outcome.h"
#include "eval/policy/policy.h"
#include "snapshot/snapshot.h"

enum incident_place {
	/* of one GPU under test: itself, another function of its card, or a bridge that is its alone */
	INCIDENT_OF_GPU,
	INCIDENT_OF_PORT,		/* of a bridge above several GPUs */
	INCIDENT_OF_GONE_GPU,	/* of a GPU that is not on the bus now */
	INCIDENT_OF_NODE,		/* of the machine, or of a device that its lines do not name */
	INCIDENT_OF_OTHER,		/* of a device that has to do with no GPU */
	INCIDENT_OF_NOBODY,	/* of a GPU that is not under test: somebody else's, or a display */
};

struct log_incident {
	const struct klog_incident *incident;
	enum incident_place place;
	const struct gpu *gpu;		/* INCIDENT_OF_GPU */
	/* INCIDENT_OF_GPU: the bridge above it that the incident is about; NULL: the card itself */
	const char *bridge;
	const char *gpus;		/* INCIDENT_OF_PORT: "GPUs 0-3" */
	const char *address;		/* of its device; of another function of a GPU's card that GPU's; "": none */
	/* INCIDENT_OF_NODE: the GPU of the driver that it happened in, the only one in the dumps; "": not known */
	const char *driver_gpu;
	const struct klog_event *worst;	/* that decides what to do now */
	enum outcome outcome;		/* its own, by its age */
	bool is_current;		/* nothing has ended it, and it is not too old */
};

struct node_log {
	struct arena arena;
	struct klog_scan *scan;
	const struct klog_log *log;
	struct klog_time now;		/* of the snapshot, by the clocks that its lines have */
	struct log_limits limits;
	bool has_taken;
	int64_t taken_us;		/* since 1970, of a live snapshot: what stamps since boot are by the clock */
	size_t nr;
	struct log_incident *incidents;	/* newest fault first */
	uint64_t *left_out;		/* for each event of the log, how many of its lines the snapshot left out */
};

/* A line of a snapshot as a scan takes it; ret lives as long as the snapshot. */
void log_line_read(const struct log_line *fact, struct klog_line *ret);

/* The N of /dev/nvidiaN, in text, of the GPU that an event names by that alone; NULL: it names it otherwise, or not. */
const char *log_minor(const struct klog_event *event);

/* Are the addresses of functions of one card? They differ in the last digit. */
bool log_is_same_card(const char *a, const char *b);

/*
 * Whose is what the driver of a GPU says of that device ("": it names none)? *ret: the GPU under test, of
 * INCIDENT_OF_GPU; otherwise NULL.
 */
enum incident_place log_place_of_gpu(const struct snapshot *snapshot, const char *device, const struct gpu **ret);

/* Is there a warning or failure of that device ("": of any), or of none that is named, which is still so? */
bool node_log_has_fault(const struct node_log *log, const char *device);

/* Which line of which dump told the line of that number, `from` of value.h; 0: no dump did. */
uint32_t log_line_from(const struct snapshot *snapshot, uint64_t number);

/* Scans the lines of a snapshot. node_log_release() ends it. */
void node_log_read(struct node_log *ret, const struct snapshot *snapshot, const struct policy *policy);
void node_log_release(struct node_log *log);

/* Dumps that list neither GPUs nor the bus: whose a device is that a log names, they do not tell. */
bool log_tells_no_gpus(const struct snapshot *snapshot);

/*
 * An event after which a driver is not to be touched, of that GPU or, with gpu
 * NULL, of any under test, that neither a reset nor a new load of the driver
 * has ended; NULL: none.
 */
const struct log_incident *node_log_hang(const struct node_log *log, const struct gpu *gpu,
				      const struct klog_event **ret);

/* Does the log have an Xid of that number? */
bool node_log_has_xid(const struct node_log *log, uint64_t number);

/* What NVIDIA calls it: "GPU_HAS_FALLEN_OFF_THE_BUS". */
const char *log_xid_name(uint64_t number);

/* All that check klog-errors may raise; ends with NO_FINDING. */
extern const enum finding_id klog_may_emit[];

/* How often it was, with what the snapshot left out. */
uint64_t event_count(const struct node_log *log, const struct klog_event *event);

/* "14:01 UTC", "2026-11-18 14:01 UTC", "41 d after boot"; "" where nothing is known. */
const char *event_time(struct arena *arena, const struct node_log *log, const struct klog_time *time);
