/* SPDX-License-Identifier: GPL-2.0-or-later */
/* klog_feed.h - lines into a scan, as a reader hands them on. */
#pragma once

#include "base/compat.h"
#include "klog/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct feed {
	struct klog_scan *scan;
	uint64_t lines;
	const struct klog_log *log;	/* once feed_end() was called */
};

static inline struct feed feed_begin(void)
{
	return (struct feed){ .scan = klog_scan_new() };
}

static inline unsigned feed_line(struct feed *feed, struct klog_time time, const char *boot_id, const char *text)
{
	struct klog_line line = {
		.text = span_of(text), .number = ++feed->lines, .time = time, .level = -1,
		.origin = KLOG_ORIGIN_KERNEL,
	};

	snprintf(line.boot_id, sizeof(line.boot_id), "%s", boot_id);
	return klog_scan_line(feed->scan, &line);
}

/* So many seconds since boot; below 0: no stamp. */
static inline unsigned feed_at(struct feed *feed, double boot_s, const char *text)
{
	struct klog_time time = { .has_boot = boot_s >= 0, .boot_us = boot_s < 0 ? 0 : (uint64_t)(boot_s * 1e6 + 0.5) };

	return feed_line(feed, time, "", text);
}

static inline const struct klog_log *feed_end(struct feed *feed)
{
	struct klog_coverage coverage = { .lines = feed->lines };

	feed->log = klog_scan_end(feed->scan, &coverage);
	return feed->log;
}

static inline void feed_free(struct feed *feed)
{
	klog_scan_free(feed->scan);
}

#define XID_LINE(address, rest) "NVRM: Xid (PCI:" address "): " rest
