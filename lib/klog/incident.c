// SPDX-License-Identifier: GPL-2.0-or-later
/* incident.c - events with the same first cause are one incident. */
#include "base/compat.h"
#include "klog/incident.h"

static void add_to_story(struct klog_incident *incident, const struct klog_event **events,
			 const struct klog_event *event)
{
	if (!incident->nr)
		incident->first = event->first;
	if (event->device[0] && (!incident->device[0] || (event->is_gpu && !incident->is_gpu))) {
		memcpy(incident->device, event->device, sizeof(incident->device));
		incident->is_gpu = event->is_gpu;
	}
	if (event->last_line >= incident->last_line) {
		incident->last_line = event->last_line;
		incident->last = event->last;
	}
	events[incident->nr++] = event;
	incident->events = events;
}

/* Several switches of one story: the one with the worst error is named, not the first that said anything. */
static void name_switch(struct klog_incident *incident)
{
	enum klog_severity worst = KLOG_INFO;

	for (size_t i = 0; !incident->is_gpu && i < incident->nr; i++) {
		const struct klog_event *event = incident->events[i];

		if (klog_rows[event->row].kind != KLOG_NVIDIA_SXID || klog_rows[event->row].severity <= worst)
			continue;
		worst = klog_rows[event->row].severity;
		memcpy(incident->device, event->device, sizeof(incident->device));
	}
}

/* What ended it is no news of the fault: the newest of the others says how things stand. */
static void end_story(struct klog_incident *incident)
{
	const struct klog_event *newest = NULL;

	for (size_t i = 0; i < incident->nr; i++) {
		const struct klog_event *event = incident->events[i];

		if (event->heals)
			incident->recovery = event;
		else if (!newest || event->last_line > newest->last_line)
			newest = event;
	}
	incident->currency = newest ? newest->currency : incident->recovery->currency;
	if (newest && newest->currency != KLOG_BEFORE_RESET)
		incident->recovery = NULL;
}

static int by_newest(const void *a, const void *b)
{
	const struct klog_incident *left = a, *right = b;

	if (left->last_line != right->last_line)
		return left->last_line > right->last_line ? -1 : 1;
	return left->events[0]->first_line > right->events[0]->first_line ? -1 : 1;
}

void klog_find_incidents(struct arena *arena, const struct klog_log *log, struct klog_incidents *ret)
{
	const size_t *firsts = klog_first_causes(arena, log);
	size_t nr_events = log->nr_events, nr = 0, at = 0;
	size_t *sizes = arena_alloc(arena, nr_events * sizeof(*sizes));
	size_t *numbers = arena_alloc(arena, nr_events * sizeof(*numbers));
	const struct klog_event **events = arena_alloc(arena, nr_events * sizeof(*events));
	const struct klog_event ***places;
	struct klog_incident *incidents;

	for (size_t i = 0; i < nr_events; i++) {
		if (firsts[i] == i)
			numbers[i] = nr++;
		sizes[numbers[firsts[i]]]++;
	}
	incidents = arena_alloc(arena, nr * sizeof(*incidents));
	places = arena_alloc(arena, nr * sizeof(*places));
	for (size_t i = 0; i < nr; i++) {
		places[i] = &events[at];
		at += sizes[i];
	}
	for (size_t i = 0; i < nr_events; i++) {
		size_t number = numbers[firsts[i]];

		add_to_story(&incidents[number], places[number], &log->events[i]);
	}
	for (size_t i = 0; i < nr; i++) {
		name_switch(&incidents[i]);
		end_story(&incidents[i]);
	}
	qsort(incidents, nr, sizeof(*incidents), by_newest);
	*ret = (struct klog_incidents){ .nr = nr, .items = incidents };
}

/* ---- after which events a driver is not to be called */

enum { XID_RECOVERY_ACTION = 154 };

/* "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"; 2 is a reboot. The words vary. */
static bool asks_for_reset(const char *text)
{
	const char *to = strstr(text, " to 0x");

	return to && (to[6] == '1' || to[6] == '2') && hex_digit(to[7]) < 0;
}

bool klog_event_hangs(const struct klog_event *event)
{
	static const uint64_t xids[] = {
#define HANG_XID(number) number,
#define HANG_ROW(id)
#include "klog/hangs.def"
	};
	static const enum klog_row_id rows[] = {
#define HANG_XID(number)
#define HANG_ROW(id) KLOG_ROW_##id,
#include "klog/hangs.def"
	};

	if (klog_rows[event->row].kind == KLOG_NVIDIA_XID && event->has_code) {
		for (size_t i = 0; i < ARRAY_SIZE(xids); i++)
			if (event->code == xids[i])
				return true;
		return event->code == XID_RECOVERY_ACTION && asks_for_reset(event->text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (event->row == rows[i])
			return true;
	return false;
}
