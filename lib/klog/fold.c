// SPDX-License-Identifier: GPL-2.0-or-later
/* fold.c - finds a repeat by a hash of what distinguishes events; a process of an event likewise. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/fnv.h"
#include "base/text.h"
#include "klog/fold.h"
#include "klog/source.h"
#include "klog/words.h"

enum {
	KEPT_EVENTS = MAX_LOG_EVENTS / 4 * 3,
	NR_SEEN = 1 << 15,		/* different processes of all events: beyond that counts say "at least" */
};

void klog_folds_free(struct klog_folds *folds)
{
	free(folds->log.events);
	free(folds->folded);
	free(folds->seen);
}

/* ---- what is in the log already */

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
	for (unsigned i = 0; i < sizeof(number); i++, number >>= 8)
		hash = fnv_byte(hash, (unsigned char)number);
	return hash;
}

static uint32_t *bucket_of(struct klog_folds *folds, const struct klog_event *event, unsigned driver_load)
{
	uint64_t hash = hash_number(FNV_START, (uint64_t)event->row << 32 | driver_load);

	hash = hash_number(hash, event->has_code ? event->code : UINT64_MAX);
	hash = hash_number(hash, event->boot);
	hash = fnv_text(fnv_text(hash, event->device), event->unit);
	return &folds->buckets[(hash ^ hash >> 32) % KLOG_FOLD_BUCKETS];
}

static bool is_repeat(const struct klog_event *a, const struct klog_event *b)
{
	return a->row == b->row && a->has_code == b->has_code && a->code == b->code && a->boot == b->boot &&
	       !strcmp(a->device, b->device) && !strcmp(a->unit, b->unit);
}

static size_t find_event(struct klog_folds *folds, const struct klog_event *event, unsigned driver_load)
{
	uint32_t at = *bucket_of(folds, event, driver_load);

	while (at &&
	       (folds->folded[at - 1].driver_load != driver_load || !is_repeat(&folds->log.events[at - 1], event)))
		at = folds->folded[at - 1].next;
	return at ? at - 1 : SIZE_MAX;
}

static void enter(struct klog_folds *folds, size_t at)
{
	uint32_t *bucket = bucket_of(folds, &folds->log.events[at], folds->folded[at].driver_load);

	folds->folded[at].next = *bucket;
	*bucket = (uint32_t)at + 1;
}

/* ---- more than fits */

struct rank {
	enum klog_severity severity;
	uint64_t last_line;
	size_t at;
};

static int by_rank(const void *a, const void *b)
{
	const struct rank *left = a, *right = b;

	if (left->severity != right->severity)
		return left->severity > right->severity ? -1 : 1;
	if (left->last_line != right->last_line)
		return left->last_line > right->last_line ? -1 : 1;
	return left->at < right->at ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
	const struct rank *left = a, *right = b;

	return left->at < right->at ? -1 : 1;
}

/* The mildest go, of those alike the oldest. Seldom: a quarter of all at once. */
static void make_room(struct klog_folds *folds)
{
	struct rank *ranks = xcalloc(folds->log.nr_events, sizeof(*ranks));
	struct klog_event *events = folds->log.events;

	for (size_t i = 0; i < folds->log.nr_events; i++)
		ranks[i] = (struct rank){ klog_rows[events[i].row].severity, events[i].last_line, i };
	qsort(ranks, folds->log.nr_events, sizeof(*ranks), by_rank);
	for (size_t i = KEPT_EVENTS; i < folds->log.nr_events; i++)
		folds->log.dropped += events[ranks[i].at].count;
	qsort(ranks, KEPT_EVENTS, sizeof(*ranks), by_place);
	memset(folds->buckets, 0, sizeof(folds->buckets));
	for (size_t i = 0; i < KEPT_EVENTS; i++) {
		if (ranks[i].at != i) {
			events[i] = events[ranks[i].at];
			folds->folded[i] = folds->folded[ranks[i].at];
		}
		enter(folds, i);
	}
	folds->log.nr_events = KEPT_EVENTS;
	free(ranks);
}

static size_t add_event(struct klog_folds *folds, const struct klog_event *event, unsigned driver_load,
			enum klog_family group)
{
	size_t at;

	if (folds->log.nr_events == MAX_LOG_EVENTS)
		make_room(folds);
	at = folds->log.nr_events++;
	if (at >= folds->room) {
		folds->room = folds->room ? 2 * folds->room : 16;
		folds->log.events = xrealloc(folds->log.events, folds->room * sizeof(*folds->log.events));
		folds->folded = xrealloc(folds->folded, folds->room * sizeof(*folds->folded));
	}
	folds->log.events[at] = *event;
	folds->folded[at] = (struct klog_folded){
		.driver_load = driver_load, .group = group, .serial = ++folds->last_serial,
	};
	enter(folds, at);
	return at;
}

/* ---- processes */

static bool is_process(const struct klog_process *a, const struct klog_process *b)
{
	if (a->has_pid || b->has_pid)
		return a->has_pid == b->has_pid && a->pid == b->pid;
	return !strcmp(a->name, b->name);
}

/* Was this process never seen in this event? Where too many were to remember, it counts as seen. */
static bool is_new_process(struct klog_folds *folds, uint64_t serial, const struct klog_process *process)
{
	uint64_t hash = hash_number(FNV_START, serial);
	size_t at;

	hash = process->has_pid ? hash_number(hash, process->pid) : fnv_text(hash, process->name);
	hash += !hash;
	if (!folds->seen)
		folds->seen = xcalloc(NR_SEEN, sizeof(*folds->seen));
	for (at = (hash ^ hash >> 32) % NR_SEEN; folds->seen[at]; at = (at + 1) % NR_SEEN)
		if (folds->seen[at] == hash)
			return false;
	if (folds->nr_seen >= NR_SEEN / 4 * 3)
		return false;
	folds->seen[at] = hash;
	folds->nr_seen++;
	return true;
}

/* Puts a process last, where the newest stand. Where there are too many, the second goes: the first one stays. */
static void keep_process(struct klog_event *event, const struct klog_process *process)
{
	struct klog_process *at = event->processes;
	size_t i = 0;

	while (i < event->nr_processes && !is_process(&at[i], process))
		i++;
	if (i == event->nr_processes && i < MAX_EVENT_PROCESSES)
		event->nr_processes++;
	if (i == MAX_EVENT_PROCESSES)
		i = 1;
	if (i) {
		memmove(&at[i], &at[i + 1], (event->nr_processes - 1 - i) * sizeof(*at));
		i = event->nr_processes - 1;
	}
	at[i] = *process;
}

static void fold_process(struct klog_folds *folds, size_t at, const struct klog_process *process)
{
	struct klog_event *event = &folds->log.events[at];

	event->processes_seen += is_new_process(folds, folds->folded[at].serial, process);
	keep_process(event, process);
	if (event->processes_seen < event->nr_processes)
		event->processes_seen = event->nr_processes;
}

/* ---- folding */

static void fold_into(struct klog_event *into, const struct klog_event *event)
{
	into->count += event->count;
	into->last_line = event->last_line;
	into->last = event->last;
	into->is_relayed &= event->is_relayed;
	if (event->has_told)
		into->told = event->told;
	into->has_told |= event->has_told;
	if (!into->status[0])
		memcpy(into->status, event->status, sizeof(into->status));
	if (!into->details[0])
		memcpy(into->details, event->details, sizeof(into->details));
}

void klog_fold(struct klog_folds *folds, const struct klog_event *event, unsigned driver_load, enum klog_family group)
{
	size_t at = find_event(folds, event, driver_load);

	if (at == SIZE_MAX)
		at = add_event(folds, event, driver_load, group);
	else
		fold_into(&folds->log.events[at], event);
	for (size_t i = 0; i < event->nr_processes; i++)
		fold_process(folds, at, &event->processes[i]);
}

/* ---- what is known of an event only once the whole log is */

enum { NEAR_LINES = 50 };	/* stand for a moment, where there are no stamps */
enum { MOMENT_US = 60 * 1000000 };

static const struct amends {
	enum klog_row_id from, to;
	uint64_t beside, unless;
	int64_t within_us;
} amends[] = {
#define AMENDS_NODE(...)
#define AMENDS_GPU(...)
#define AMENDS_GPU_AT_0(...)
#define AMENDS(from_, beside_, unless_, seconds, to_) \
	{ .from = KLOG_ROW_##from_, .to = KLOG_ROW_##to_, .beside = beside_, .unless = unless_, \
	  .within_us = (seconds) * INT64_C(1000000) },
#include "klog/amends.def"
};

static const struct amends_of_node {
	enum klog_row_id from, beside, unless, to;
	int64_t within_us;
} amends_of_node[] = {
#define AMENDS(...)
#define AMENDS_GPU(...)
#define AMENDS_GPU_AT_0(...)
#define AMENDS_NODE(from_, beside_, unless_, seconds, to_) \
	{ .from = KLOG_ROW_##from_, .beside = KLOG_ROW_##beside_, .unless = KLOG_ROW_##unless_, .to = KLOG_ROW_##to_, \
	  .within_us = (seconds) * INT64_C(1000000) },
#include "klog/amends.def"
};

static const struct amends_of_gpu {
	enum klog_row_id from, beside, to;
	bool is_at_0;
	int64_t within_us;
} amends_of_gpu[] = {
#define AMENDS(...)
#define AMENDS_NODE(...)
#define AMENDS_OF_GPU(from_, beside_, seconds, to_, is_at_0_) \
	{ .from = KLOG_ROW_##from_, .beside = KLOG_ROW_##beside_, .to = KLOG_ROW_##to_, .is_at_0 = is_at_0_, \
	  .within_us = (seconds) * INT64_C(1000000) },
#define AMENDS_GPU(from_, beside_, seconds, to_) AMENDS_OF_GPU(from_, beside_, seconds, to_, false)
#define AMENDS_GPU_AT_0(from_, beside_, seconds, to_) AMENDS_OF_GPU(from_, beside_, seconds, to_, true)
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

static bool has_near(const struct klog_log *log, const struct klog_event *event, enum klog_row_id row,
		     int64_t within_us)
{
	for (size_t i = 0; i < log->nr_events; i++)
		if (log->events[i].row == row && log->events[i].boot == event->boot &&
		    is_near(event, &log->events[i], within_us))
			return true;
	return false;
}

static void amend_by_node(const struct klog_log *log, struct klog_event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(amends_of_node); i++) {
		const struct amends_of_node *rule = &amends_of_node[i];

		if (event->row != rule->from || !has_near(log, event, rule->beside, rule->within_us) ||
		    has_near(log, event, rule->unless, rule->within_us))
			continue;
		event->row = rule->to;
		return;
	}
}

static bool has_near_on_gpu(const struct klog_log *log, const struct klog_event *event,
			    const struct amends_of_gpu *rule)
{
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *other = &log->events[i];

		if (other->row == rule->beside && other->boot == event->boot && !strcmp(other->device, event->device) &&
		    is_near(event, other, rule->within_us))
			return true;
	}
	return false;
}

static void amend_by_gpu(const struct klog_log *log, struct klog_event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(amends_of_gpu); i++) {
		const struct amends_of_gpu *rule = &amends_of_gpu[i];

		if (event->row != rule->from || (rule->is_at_0 && (!event->has_address || event->address)) ||
		    !has_near_on_gpu(log, event, rule))
			continue;
		event->row = rule->to;
		return;
	}
}

static bool has_xid(const struct klog_log *log, const char *device, uint64_t code)
{
	for (size_t i = 0; i < log->nr_events; i++)
		if (klog_rows[log->events[i].row].kind == KLOG_NVIDIA_XID && log->events[i].has_code &&
		    log->events[i].code == code && !strcmp(log->events[i].device, device))
			return true;
	return false;
}

/* A clean-up after a fault whose own lines the log has lost, or a paste does not have: it is all that tells of it. */
static void take_previous(const struct klog_log *log, struct klog_event *event)
{
	enum klog_row_id row;
	uint64_t code;

	if (klog_rows[event->row].age != KLOG_AGE_APPLICATION || klog_rows[event->row].kind != KLOG_NVIDIA_XID ||
	    !klog_previous_xid(event->text, &code))
		return;
	row = klog_xid_row(code);
	if (klog_rows[row].age != KLOG_AGE_FAULT || has_xid(log, event->device, code))
		return;
	event->row = row;
	event->code = code;
}

bool klog_event_is_of_further_gpu(const struct klog_event *event)
{
	return text_begins(event->unit, "GPU") && event->unit[3] >= '1' && event->unit[3] <= '9' &&
	       !event->unit[3 + strspn(event->unit + 3, "0123456789")];
}

static bool is_told_near(const struct klog_log *log, const struct klog_event *event, const char *device)
{
	for (size_t i = 0; i < log->nr_events; i++)
		if (!strcmp(log->events[i].device, device) && log->events[i].boot == event->boot &&
		    is_near(event, &log->events[i], MOMENT_US))
			return true;
	return false;
}

/* The only address of a log is not that of its GPU1, unless the driver speaks of it at that moment. */
static void place_further(struct klog_log *log, struct klog_event *event, const char *only)
{
	if (!event->device[0] && only && klog_event_is_of_further_gpu(event) &&
	    klog_rows[event->row].age != KLOG_AGE_HOST && is_told_near(log, event, only))
		memcpy(event->device, only, sizeof(event->device));
}

/* From Linux 5.15 on a build's number may stand behind the module's name. */
static enum klog_family last_module(const char *text)
{
	enum klog_family ret = KLOG_FAMILY_HOST;

	while ((text = strchr(text, '['))) {
		enum klog_family family;

		text++;
		family = klog_driver_family((struct span){ text, text + strcspn(text, " ]") });
		if (klog_family_drives_gpus(family))
			ret = klog_driver_group(family);
	}
	return ret;
}

enum klog_family klog_event_module(const struct klog_event *event)
{
	enum klog_family ret = last_module(event->details);

	return ret == KLOG_FAMILY_HOST ? last_module(event->text) : ret;
}

/* The kernel's own reports of what happened in a module. */
static bool is_in_driver(const struct klog_event *event)
{
	switch (event->row) {
	case KLOG_ROW_HUNG_IN_DRIVER:
	case KLOG_ROW_STUCK_IN_DRIVER:
	case KLOG_ROW_WAITS_IN_DRIVER:
	case KLOG_ROW_OOPS_IN_DRIVER:
	case KLOG_ROW_CFI_IN_DRIVER:
	case KLOG_ROW_TRACE_IN_DRIVER:
	case KLOG_ROW_WARNING_IN_DRIVER:
		return true;
	default:
		return false;
	}
}

static void note_driver_gpu(struct klog_event *event, const struct klog_devices *devices)
{
	const char *only = is_in_driver(event) ? klog_devices_only_of_maker(devices, klog_event_module(event)) : NULL;

	if (only && !event->device[0])
		memcpy(event->driver_gpu, only, sizeof(event->driver_gpu));
}

void klog_amend(struct klog_folds *folds, const struct klog_devices *devices)
{
	struct klog_log *log = &folds->log;

	for (size_t i = 0; i < log->nr_events; i++)
		place_further(log, &log->events[i], klog_devices_only(devices, folds->folded[i].group));
	for (size_t i = 0; i < log->nr_events; i++) {
		struct klog_event *event = &log->events[i];
		const char *only = klog_devices_only(devices, folds->folded[i].group);

		/* A monitor named it otherwise. */
		if ((event->is_relayed && event->has_code && event->unit[0]) || klog_event_is_of_further_gpu(event))
			continue;
		if (!event->device[0] && only && klog_rows[event->row].age != KLOG_AGE_HOST)
			memcpy(event->device, only, sizeof(event->device));
	}
	for (size_t i = 0; i < log->nr_events; i++)
		take_previous(log, &log->events[i]);
	for (size_t i = 0; i < log->nr_events; i++)
		for (size_t rule = 0; rule < ARRAY_SIZE(amends); rule++)
			if (log->events[i].row == amends[rule].from && holds(&amends[rule], log, &log->events[i])) {
				log->events[i].row = amends[rule].to;
				break;
			}
	for (size_t i = 0; i < log->nr_events; i++)
		amend_by_node(log, &log->events[i]);
	for (size_t i = 0; i < log->nr_events; i++) {
		amend_by_gpu(log, &log->events[i]);
		note_driver_gpu(&log->events[i], devices);
	}
}
