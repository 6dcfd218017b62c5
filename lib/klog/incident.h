/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident.h - events that belong together, told as one: from the first cause to
 * what came of it. Which event leads to which is data: follows.def.
 */
#pragma once

#include "base/arena.h"
#include "klog/event.h"

struct klog_incident {
	char device[PCI_TEXT_BYTES];	/* the GPU it is about, else the first device it names; "": none */
	bool is_gpu;
	size_t nr;
	const struct klog_event *const *events;	/* in the order of the log; the first is the first cause */
	const struct klog_event *recovery;	/* its GPU was reset with success, and this ends it; or NULL */
	enum klog_currency currency;	/* of its newest event */
	uint64_t last_line;
	struct klog_time first, last;
};

struct klog_incidents {
	size_t nr;
	const struct klog_incident *items;	/* newest fault first */
};

/* Every event is in one incident. What ret points to comes from the arena, the events stay the log's. */
void klog_find_incidents(struct arena *arena, const struct klog_log *log, struct klog_incidents *ret);

/* A line by a bridge about itself, or by firmware about a device that may be a bridge. */
bool klog_event_is_of_bridge(const struct klog_event *event);

/* Is it of a port of the switch that AMD puts on its own cards, between the slot and the GPU? */
bool klog_event_is_of_card_switch(const struct klog_event *event);

/* Is a driver not to be called after it (hangs.def)? True too of an Xid 154 that asks for a reset or a reboot. */
bool klog_event_hangs(const struct klog_event *event);

/*
 * cause.c, by follows.def: the first cause of each event, both by their places in the log: an event that nothing led to
 * is its own.
 */
size_t *klog_first_causes(struct arena *arena, const struct klog_log *log);
