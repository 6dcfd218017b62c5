// SPDX-License-Identifier: GPL-2.0-or-later
/* scan.c - lines to events: repeats are folded, lines that go on are joined, the time line is split. */
#include "base/compat.h"
#include "base/alloc.h"
#include "klog/event.h"
#include "klog/match.h"

enum { NR_BUCKETS = 2 * MAX_LOG_EVENTS };

struct klog_scan {
	struct klog_log log;
	size_t room;
	uint16_t buckets[NR_BUCKETS];	/* 1 + index of an event, by its hash; 0: free */
	struct klog_open open;		/* the event that lines may go on with, the last of log.events; no row: none */
	uint64_t open_until;		/* the last line that may */
	unsigned lives[NR_KLOG_FAMILIES];	/* how often the driver was loaded */
	uint64_t last_boot_us;
	bool has_last;
	char boot_id[33];
};

struct klog_scan *klog_scan_new(void)
{
	struct klog_scan *scan = xcalloc(1, sizeof(*scan));

	scan->log.boots = 1;
	return scan;
}

void klog_scan_free(struct klog_scan *scan)
{
	if (!scan)
		return;
	free(scan->log.events);
	free(scan);
}

static struct klog_event *new_event(struct klog_scan *scan)
{
	struct klog_event *event;

	if (scan->log.nr_events == scan->room) {
		scan->room = scan->room ? 2 * scan->room : 16;
		scan->log.events = xrealloc(scan->log.events, scan->room * sizeof(*event));
	}
	event = &scan->log.events[scan->log.nr_events++];
	memset(event, 0, sizeof(*event));
	return event;
}

/* The open event is another than it seemed, or more of it is told. */
static unsigned turn(struct klog_scan *scan, const struct klog_match *match, const struct klog_line *line)
{
	struct klog_event *event = &scan->log.events[scan->log.nr_events - 1];
	unsigned follow = klog_follow(match);

	event->row = match->row;
	event->last_line = line->number;
	event->last = line->time;
	if (!event->device[0])
		memcpy(event->device, match->fields.pci, sizeof(event->device));
	scan->open.row = match->row;
	scan->open.pattern = match->pattern;
	memcpy(scan->open.device, event->device, sizeof(scan->open.device));
	scan->open_until = line->number + follow;
	return follow;
}

unsigned klog_scan_line(void *to, const struct klog_line *line)
{
	struct klog_scan *scan = to;
	struct klog_event *event;
	struct klog_match match;

	if (scan->open.row && line->number > scan->open_until)
		scan->open.row = KLOG_NO_ROW;
	if (scan->open.row && klog_match_turn(line, &scan->open, &match))
		return turn(scan, &match, line);
	if (!klog_match(line, &match) || match.role != KLOG_ROLE_EVENT)
		return 0;
	if (scan->log.nr_events == MAX_LOG_EVENTS) {
		scan->log.dropped++;
		return 0;
	}
	event = new_event(scan);
	event->row = match.row;
	memcpy(event->device, match.fields.pci, sizeof(event->device));
	event->is_gpu = klog_family_drives_gpus(match.speaker.family);
	event->has_code = match.fields.has_code;
	event->code = match.fields.code;
	event->count = 1;
	event->first_line = event->last_line = line->number;
	event->first = event->last = line->time;
	span_copy(line->text, event->text, sizeof(event->text));
	scan->open = (struct klog_open){ .row = match.row, .pattern = match.pattern };
	memcpy(scan->open.device, match.fields.pci, sizeof(scan->open.device));
	memcpy(scan->open.speaker, match.speaker.pci, sizeof(scan->open.speaker));
	scan->open_until = line->number + klog_follow(&match);
	return klog_follow(&match);
}

const struct klog_log *klog_scan_end(struct klog_scan *scan, const struct klog_coverage *coverage)
{
	scan->log.coverage = *coverage;
	return &scan->log;
}
