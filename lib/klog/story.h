/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * story.h - events that belong together, told as one: from the first cause to
 * what came of it. Which event leads to which is data: follows.def.
 */
#ifndef GPUDIAG_KLOG_STORY_H
#define GPUDIAG_KLOG_STORY_H

#include "base/arena.h"
#include "klog/event.h"

struct klog_story {
	char device[PCI_TEXT_BYTES];	/* of all its events that name one; "": of none */
	bool is_gpu;
	size_t nr;
	const struct klog_event *const *events;	/* in the order of the log; the first is the first cause */
	const struct klog_event *worst;	/* the one that decides what to do */
	enum klog_currency currency;	/* of its newest event */
	struct klog_time first, last;
};

struct klog_stories {
	size_t nr;
	const struct klog_story *items;	/* newest fault first */
};

/* Every event is in one story. What ret points to comes from the arena, the events stay the log's. */
void klog_tell(struct arena *arena, const struct klog_log *log, struct klog_stories *ret);

#endif
