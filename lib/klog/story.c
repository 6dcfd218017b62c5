// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/story.h"

void klog_tell(struct arena *arena, const struct klog_log *log, struct klog_stories *ret)
{
	struct klog_story *items = arena_alloc(arena, log->nr_events * sizeof(*items));

	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *event = &log->events[log->nr_events - 1 - i];
		const struct klog_event **events = arena_alloc(arena, sizeof(event));

		events[0] = event;
		items[i] = (struct klog_story){
			.is_gpu = event->is_gpu, .nr = 1, .events = events, .worst = event,
			.currency = event->currency, .first = event->first, .last = event->last,
		};
		memcpy(items[i].device, event->device, sizeof(items[i].device));
	}
	*ret = (struct klog_stories){ .nr = log->nr_events, .items = items };
}
