/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fold.h - events told once: repeats are counted. Where there are more
 * different ones than fit, the mildest and oldest go: no storm of corrected
 * errors pushes out what comes after it. Private to the scan.
 */
#pragma once

#include "klog/devices.h"
#include "klog/event.h"

enum { KLOG_FOLD_BUCKETS = 4 * MAX_LOG_EVENTS };

/* What tells an event in the log from another, beside what it holds itself. */
struct klog_folded {
	unsigned driver_load;			/* of its driver */
	enum klog_family group;
	uint64_t serial;		/* the same for as long as it is in the log */
	uint32_t next;			/* 1 + index of another one in the same bucket */
};

/* All zero is an empty one. */
struct klog_folds {
	struct klog_log log;
	struct klog_folded *folded;	/* beside each event */
	size_t room;
	uint64_t last_serial;
	uint32_t buckets[KLOG_FOLD_BUCKETS];	/* 1 + index of the first event with that hash; 0: none */
	uint64_t *seen;			/* hashes of event and process; 0: free */
	size_t nr_seen;
};

/* Counts an event as a repeat of one that is there, or adds it. */
void klog_fold(struct klog_folds *folds, const struct klog_event *event, unsigned driver_load, enum klog_family group);
void klog_folds_free(struct klog_folds *folds);

/*
 * Once the whole log is known: names the GPU of events without one where the log knows one GPU of that driver only, and
 * amends rows (amends.def).
 */
void klog_amend(struct klog_folds *folds, const struct klog_devices *devices);
