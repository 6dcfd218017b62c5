// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/amend.h"

enum { NEAR_LINES = 50 };	/* stand for a moment, where there are no stamps */

static const struct amends {
	enum klog_row_id from, to;
	uint64_t beside, unless;
	int64_t within_us;
} amends[] = {
#define AMENDS(from_, beside_, unless_, seconds, to_) \
	{ .from = KLOG_ROW_##from_, .to = KLOG_ROW_##to_, .beside = beside_, .unless = unless_, \
	  .within_us = (seconds) * INT64_C(1000000) },
#include "klog/amends.def"
};

static bool is_xid_beside(const struct klog_event *event, const struct klog_event *other, uint64_t code)
{
	return klog_rows[other->row].kind == KLOG_NVIDIA_XID && other->has_code && other->code == code &&
	       other->boot == event->boot && !strcmp(other->device, event->device);
}

static bool is_near(const struct klog_event *event, const struct klog_event *other, int64_t within_us)
{
	int64_t us;

	if (klog_time_between(event->last, other->last, true, &us))
		return us >= -within_us && us <= within_us;
	return other->last_line <= event->last_line + NEAR_LINES && event->last_line <= other->last_line + NEAR_LINES;
}

static bool holds(const struct amends *rule, const struct klog_log *log, const struct klog_event *event)
{
	bool is_beside = false;

	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *other = &log->events[i];

		if (is_xid_beside(event, other, rule->unless))
			return false;
		is_beside |= is_xid_beside(event, other, rule->beside) && is_near(event, other, rule->within_us);
	}
	return is_beside;
}

void klog_amend(struct klog_folds *folds, const struct klog_devices *devices)
{
	struct klog_log *log = &folds->log;

	for (size_t i = 0; i < log->nr_events; i++) {
		struct klog_event *event = &log->events[i];
		const char *only = klog_devices_only(devices, folds->folded[i].group);

		if (!event->device[0] && only && klog_rows[event->row].age != KLOG_AGE_HOST)
			memcpy(event->device, only, sizeof(event->device));
	}
	for (size_t i = 0; i < log->nr_events; i++)
		for (size_t rule = 0; rule < ARRAY_SIZE(amends); rule++)
			if (log->events[i].row == amends[rule].from && holds(&amends[rule], log, &log->events[i])) {
				log->events[i].row = amends[rule].to;
				break;
			}
}
