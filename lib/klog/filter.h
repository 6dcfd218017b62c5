/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.h - a part of a log: what was said within a time, or in one boot. */
#pragma once

#include "base/arena.h"
#include "klog/event.h"
#include "klog/time_arg.h"

/*
 * Stands between a reader and its sink. What cannot be placed in time is let
 * through and counted. Where a boot or a driver begins is let through from
 * before since, so that events are told apart by it.
 */
struct klog_filter {
	struct klog_sink to;
	bool has_since, has_until;
	struct klog_time_arg since, until;	/* until is the first that is too late */
	bool has_boot_began;
	int64_t boot_began_us;		/* UTC: of a log whose kernel stamps count from there; such lines get a date */
	uint64_t lines_before;		/* in the files read before: lines are numbered through */
	uint64_t undated;		/* events let through that carry no date */
};

/* A reader's sink. */
unsigned klog_filter_line(void *filter, const struct klog_line *line);
void klog_filter_passed(void *filter);

/*
 * The events of one boot of the log: 0 is the last one, -1 the one before it,
 * 1 the first. They are told as if the log ended with that boot. ret is valid as long as arena and
 * log are. 0, or -ENOENT where the log has no such boot.
 */
int klog_log_of_boot(struct arena *arena, const struct klog_log *log, int boot, struct klog_log *ret) MUST_CHECK;
