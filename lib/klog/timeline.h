/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.h - which boot a line is of, and after which load of its driver. Private to the scan. */
#pragma once

#include "klog/line.h"
#include "klog/source.h"

struct klog_timeline {
	unsigned boot;				/* from 0 */
	unsigned loads;				/* drivers loaded, of any vendor */
	unsigned driver_loads[NR_KLOG_FAMILIES];	/* of each driver */
	unsigned driver_loads_before[NR_KLOG_FAMILIES];	/* of them, those before this boot */
	uint64_t load_lines[NR_KLOG_FAMILIES];	/* where each was loaded last */
	struct klog_time last;			/* of the newest line of this boot that had stamps */
	char boot_id[33];
	bool others;				/* lines were seen of this boot, */
	unsigned said;				/* and what begins one, by enum klog_boot_words */
};

/* What begins a boot in a log: journalctl says so first, then the kernel itself. */
enum klog_boot_words { KLOG_BOOT_NO_WORDS, KLOG_BOOT_MARKER = 1, KLOG_BOOT_KERNEL = 2 };

/* Moves on to a line. true: a new boot begins with it. */
bool klog_timeline_line(struct klog_timeline *timeline, const struct klog_line *line, enum klog_boot_words words);
/* This family's driver is loaded. */
void klog_timeline_driver_loaded(struct klog_timeline *timeline, enum klog_family family, uint64_t line);
/* How often its driver was loaded before; of the bus and the host, how often any driver was. */
unsigned klog_driver_load(const struct klog_timeline *timeline, enum klog_family family);
