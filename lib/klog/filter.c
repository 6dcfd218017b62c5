// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/filter.h"

#include <errno.h>

#include "klog/match.h"

static int64_t by_the_clock_of(const struct klog_time *time, const struct klog_time_arg *moment)
{
	return time->wall_is_local ? moment->local_us : moment->utc_us;
}

static bool is_before(const struct klog_time *time, const struct klog_time_arg *moment)
{
	return time->wall_us < by_the_clock_of(time, moment);
}

static bool has_role(const struct klog_line *line, enum klog_role role)
{
	struct klog_match match;

	return klog_match(line, &match) && match.role == role;
}

static bool is_wanted(struct klog_filter *filter, const struct klog_line *line)
{
	if (!filter->has_since && !filter->has_until)
		return true;
	if (!line->time.has_wall) {
		filter->undated += has_role(line, KLOG_ROLE_EVENT);
		return true;
	}
	if (filter->has_until && !is_before(&line->time, &filter->until))
		return false;
	if (filter->has_since && is_before(&line->time, &filter->since))
		return has_role(line, KLOG_ROLE_MARK);
	return true;
}

unsigned klog_filter_line(void *to, const struct klog_line *raw)
{
	struct klog_filter *filter = to;
	struct klog_line line = *raw;

	line.number += filter->lines_before;
	if (filter->has_boot_began && line.time.has_boot && !line.time.has_wall) {
		line.time.has_wall = true;
		line.time.wall_us = filter->boot_began_us + (int64_t)line.time.boot_us;
	}
	return is_wanted(filter, &line) ? filter->to.line(filter->to.to, &line) : 0;
}

void klog_filter_passed(void *to)
{
	const struct klog_filter *filter = to;

	if (filter->to.passed)
		filter->to.passed(filter->to.to);
}

int klog_log_of_boot(struct arena *arena, const struct klog_log *log, int boot, struct klog_log *ret)
{
	int64_t wanted = boot > 0 ? (int64_t)boot - 1 : (int64_t)log->boots - 1 + boot;

	if (wanted < 0 || wanted >= (int64_t)log->boots)
		return -ENOENT;
	*ret = *log;
	ret->events = arena_alloc(arena, (log->nr_events + 1) * sizeof(*ret->events));
	ret->nr_events = 0;
	ret->boots = (unsigned)wanted + 1;
	if (ret->boots != log->boots)
		ret->coverage.last = (struct klog_time){ .has_boot = false };
	for (size_t i = 0; i < log->nr_events; i++) {
		struct klog_event *event = &ret->events[ret->nr_events];

		if (log->events[i].boot != wanted)
			continue;
		*event = log->events[i];
		event->currency = event->then;
		ret->nr_events++;
	}
	return 0;
}
