// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scan.c - lines to events: lines that go on are joined, the time line is split.
 *
 * An event stays open while lines may go on with it, and is folded into the
 * log when no more can come: only then all is known that tells it from another.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/text.h"
#include "klog/devices.h"
#include "klog/fold.h"
#include "klog/match.h"
#include "klog/timeline.h"
#include "klog/unlisted.h"
#include "klog/words.h"

enum {
	MAX_OPEN = 16,			/* of several GPUs at once */
	MAX_STARTED = 16,
	MAX_OPEN_LINES = 128,		/* from the first line of an event to the last that goes on with it */
	USB_GONE_US = 10 * 1000000,	/* after which a disk that was pulled out is not heard of any more, */
	USB_GONE_LINES = 20,		/* or so many, where a log has no stamps */
	DISK_GONE_US = 600 * 1000000,	/* within which a disk that did not answer is reset, and given up */
	DISK_GONE_LINES = 50,
};

/* An event that lines may go on with. */
struct open_event {
	bool is_open;
	struct klog_event event;
	struct klog_open so_far;	/* what it is by the lines that came */
	enum klog_family family;
	bool is_device_line, is_proven;	/* by a stamp, or the kernel's name before it */
	uint64_t began_at, last_at;	/* its first and its last line so far, by klog_scan.at */
	unsigned follow;
	unsigned driver_load;
};

struct klog_scan {
	struct klog_folds folds;
	struct open_event open[MAX_OPEN];
	uint64_t at;			/* lines seen; while an event is open that is every one */
	struct klog_timeline timeline;
	struct klog_devices devices;
	/* network adapters whose ports came up, and where each did last */
	struct { char address[PCI_TEXT_BYTES]; uint64_t line; } started[MAX_STARTED];
	size_t nr_started;
	uint64_t usb_gone_line;		/* a device on USB was disconnected there last; 0: none was */
	struct klog_time usb_gone;
	void (*told)(void *to, const struct klog_event *event);
	void *told_to;
	void (*unjudged)(void *to, const struct klog_line *line);
	void *unjudged_to;
	void (*unlisted)(void *to, const struct klog_line *line);
	void *unlisted_to;
	void (*seen)(void *to, const struct klog_line *line, const struct klog_match *match);
	void *seen_to;
};

struct klog_scan *klog_scan_new(void)
{
	return xcalloc(1, sizeof(struct klog_scan));
}

void klog_scan_free(struct klog_scan *scan)
{
	if (!scan)
		return;
	klog_folds_free(&scan->folds);
	free(scan);
}

void klog_scan_watch(struct klog_scan *scan, void (*told)(void *to, const struct klog_event *event), void *to)
{
	scan->told = told;
	scan->told_to = to;
}

void klog_scan_watch_unjudged(struct klog_scan *scan, void (*unjudged)(void *to, const struct klog_line *line),
			      void *to)
{
	scan->unjudged = unjudged;
	scan->unjudged_to = to;
}

void klog_scan_watch_unlisted(struct klog_scan *scan, void (*unlisted)(void *to, const struct klog_line *line),
			      void *to)
{
	scan->unlisted = unlisted;
	scan->unlisted_to = to;
}

void klog_scan_watch_lines(struct klog_scan *scan,
			   void (*seen)(void *to, const struct klog_line *line, const struct klog_match *match),
			   void *to)
{
	scan->seen = seen;
	scan->seen_to = to;
}

static void tell_seen(const struct klog_scan *scan, const struct klog_line *line, const struct klog_match *match)
{
	if (scan->seen)
		scan->seen(scan->seen_to, line, match);
}

/* ---- events that are over */

/* A line that no driver prints so, and nothing else shows that one said it. */
static bool is_hearsay(const struct open_event *open)
{
	return open->so_far.pattern && open->so_far.pattern->wants_proof && !open->is_proven && !open->event.details[0];
}

static void count_unjudged(struct klog_log *log, uint64_t number, struct span text)
{
	if (log->unjudged++)
		return;
	log->unjudged_line = number;
	span_copy(text, log->unjudged_text, sizeof(log->unjudged_text));
}

static void close_event(struct klog_scan *scan, struct open_event *open)
{
	open->is_open = false;
	if (is_hearsay(open)) {
		count_unjudged(&scan->folds.log, open->event.first_line, span_of(open->event.text));
		return;
	}
	open->event.is_gpu = klog_devices_is_gpu(&scan->devices, open->event.device);
	klog_fold(&scan->folds, &open->event, open->driver_load, klog_driver_group(open->family));
	if (scan->told)
		scan->told(scan->told_to, &open->event);
}

static int by_first_line(const void *a, const void *b)
{
	const struct open_event *const *left = a, *const *right = b;

	return (*left)->event.first_line < (*right)->event.first_line ? -1 : 1;
}

/* Closes those that no line from there on can go on with, in their order. */
static void close_until(struct klog_scan *scan, uint64_t at)
{
	struct open_event *over[MAX_OPEN];
	size_t nr = 0;

	for (size_t i = 0; i < MAX_OPEN; i++) {
		struct open_event *open = &scan->open[i];

		if (open->is_open && (at > open->last_at + open->follow || at > open->began_at + MAX_OPEN_LINES))
			over[nr++] = open;
	}
	if (nr > 1)
		qsort(over, nr, sizeof(over[0]), by_first_line);
	for (size_t i = 0; i < nr; i++)
		close_event(scan, over[i]);
}

void klog_scan_settle(struct klog_scan *scan)
{
	close_until(scan, UINT64_MAX);
}

/* ---- lines that begin an event */

static struct open_event *place_to_open(struct klog_scan *scan)
{
	struct open_event *oldest = &scan->open[0];

	for (size_t i = 0; i < MAX_OPEN; i++) {
		if (!scan->open[i].is_open)
			return &scan->open[i];
		if (scan->open[i].event.first_line < oldest->event.first_line)
			oldest = &scan->open[i];
	}
	close_event(scan, oldest);
	return oldest;
}

static void take_process(struct klog_event *event, const struct klog_fields *fields, struct klog_time time)
{
	struct klog_process process = { .pid = fields->pid, .has_pid = fields->has_pid, .time = time };

	if (!fields->has_pid && !span_len(fields->process))
		return;
	span_copy(fields->process, process.name, sizeof(process.name));
	event->processes[0] = process;
	event->nr_processes = 1;
}

static void copy_once(struct span span, char *ret, size_t size)
{
	if (!ret[0] && span_len(span))
		span_copy(span, ret, size);
}

/* What is still unknown. */
static void take_fields(struct klog_event *event, const struct klog_fields *fields, struct klog_time time)
{
	if (!event->device[0])
		memcpy(event->device, fields->pci, sizeof(event->device));
	if (fields->has_link && !event->has_link) {
		event->has_link = true;
		event->link = fields->link;
	}
	if (fields->has_address && !event->has_address) {
		event->has_address = true;
		event->address = fields->address;
	}
	if (fields->has_count && !event->has_told) {
		event->has_told = true;
		event->told = fields->count;
	}
	copy_once(fields->unit, event->unit, sizeof(event->unit));
	copy_once(fields->status, event->status, sizeof(event->status));
	if (!event->nr_processes)
		take_process(event, fields, time);
}

/* Another event of the same row and device is over when this one begins. */
static void close_alike(struct klog_scan *scan, const struct klog_event *event)
{
	for (size_t i = 0; i < MAX_OPEN; i++) {
		struct open_event *open = &scan->open[i];

		if (open->is_open && open->event.row == event->row && !strcmp(open->event.device, event->device))
			close_event(scan, open);
	}
}

static unsigned begin_event(struct klog_scan *scan, const struct klog_line *line, const struct klog_match *match)
{
	struct open_event fresh = {
		.is_open = true, .family = match->source.family, .is_device_line = match->source.is_device_line,
		.is_proven = line->origin == KLOG_ORIGIN_KERNEL || line->time.has_boot || line->time.has_wall,
		.began_at = scan->at, .last_at = scan->at, .follow = klog_follow(match),
		.driver_load = klog_driver_load(&scan->timeline, match->source.family),
	};
	struct klog_event *event = &fresh.event;

	fresh.so_far = (struct klog_open){
		.row = match->row, .pattern = match->pattern,
		.has_link = match->fields.has_link, .link = match->fields.link,
	};
	memcpy(fresh.so_far.device, match->fields.pci, sizeof(fresh.so_far.device));
	memcpy(fresh.so_far.reporter, match->source.pci, sizeof(fresh.so_far.reporter));
	event->row = match->row;
	event->is_relayed = line->is_relayed || match->source.is_relayed;
	event->heals = match->mark == KLOG_MARK_RESET_OK;
	event->has_code = match->fields.has_code;
	event->code = match->fields.code;
	event->count = 1;
	event->first_line = event->last_line = line->number;
	event->first = event->last = line->time;
	event->boot = scan->timeline.boot;
	take_fields(event, &match->fields, line->time);
	span_copy(line->text, event->text, sizeof(event->text));
	close_alike(scan, event);
	if (fresh.follow)
		*place_to_open(scan) = fresh;
	else
		close_event(scan, &fresh);
	return fresh.follow;
}

/* ---- lines that go on with one */

static bool is_of_device(const struct open_event *open, const char *device)
{
	/* Without a device, line or event match any of that driver. A port reports on what is behind it. */
	return !device[0] || !open->event.device[0] || !strcmp(device, open->event.device) ||
	       !strcmp(device, open->so_far.reporter);
}

static bool may_go_on(const struct klog_scan *scan, const struct open_event *open, const struct klog_match *match)
{
	enum klog_family family = match->source.family;

	if (!open->is_open || scan->at > open->last_at + match->pattern->follow ||
	    !is_of_device(open, match->fields.pci))
		return false;
	return klog_driver_group(family) == klog_driver_group(open->family) ||
	       (match->pattern->family == KLOG_FAMILY_PCI && open->is_device_line);
}

/* The last one that was begun or gone on with. */
static struct open_event *event_before(struct klog_scan *scan, const struct klog_match *match)
{
	struct open_event *best = NULL;

	for (size_t i = 0; i < MAX_OPEN; i++) {
		struct open_event *open = &scan->open[i];

		if (may_go_on(scan, open, match) && (!best || open->last_at > best->last_at))
			best = open;
	}
	return best;
}

static void add_detail(struct klog_event *event, struct span text)
{
	size_t len = strlen(event->details);

	if (len + 2 >= sizeof(event->details))
		return;
	if (len)
		event->details[len++] = '\n';
	span_copy(text, event->details + len, sizeof(event->details) - len);
}

static unsigned add_line(const struct klog_scan *scan, struct open_event *open, const struct klog_line *line,
			 const struct klog_match *match)
{
	open->last_at = scan->at;
	take_fields(&open->event, &match->fields, line->time);
	add_detail(&open->event, line->text);
	return open->follow;
}

static unsigned go_on(struct klog_scan *scan, const struct klog_line *line, const struct klog_match *match)
{
	struct open_event *open = event_before(scan, match);

	return open ? add_line(scan, open, line, match) : 0;
}

static bool is_of_other(const struct klog_scan *scan, const struct open_event *open, const struct klog_match *turn)
{
	for (size_t i = 0; i < MAX_OPEN; i++)
		if (scan->open[i].is_open && klog_match_means_other(turn, &open->so_far, &scan->open[i].so_far))
			return true;
	return false;
}

static bool is_mere_trace(const struct open_event *open)
{
	return open->so_far.row == KLOG_ROW_WARNING_IN_DRIVER || open->so_far.row == KLOG_ROW_TRACE_IN_DRIVER;
}

/* Another CPU may warn between the head of a crash and the line that tells where it was: that line is the crash's. */
static bool comes_before(const struct open_event *open, const struct open_event *other)
{
	if (is_mere_trace(open) != is_mere_trace(other))
		return is_mere_trace(other);
	return open->last_at > other->last_at;
}

/* The open event that this line says more of: what it really is. The last one, where it could be several. */
static struct open_event *event_to_turn(struct klog_scan *scan, const struct klog_source *source,
					struct klog_match *ret)
{
	struct open_event *best = NULL;
	struct klog_match match;

	for (size_t i = 0; i < MAX_OPEN; i++) {
		struct open_event *open = &scan->open[i];

		if (!open->is_open || (best && comes_before(best, open)) ||
		    !klog_match_reclassify(source, &open->so_far, &match) ||
		    scan->at > open->last_at + match.pattern->follow || is_of_other(scan, open, &match))
			continue;
		best = open;
		*ret = match;
	}
	return best;
}

static unsigned turn(const struct klog_scan *scan, struct open_event *open, const struct klog_line *line,
		     const struct klog_match *match)
{
	/* The process is taken from the line that names the fault, not from the one that was running at its start. */
	if (match->row != open->event.row && match->fields.has_pid)
		open->event.nr_processes = 0;
	open->event.row = open->so_far.row = match->row;
	open->so_far.pattern = match->pattern;
	open->follow = klog_follow(match);
	add_line(scan, open, line, match);
	if (match->mark == KLOG_MARK_RESET_OK) {
		open->event.heals = true;
		open->event.last_line = line->number;
	}
	memcpy(open->so_far.device, open->event.device, sizeof(open->so_far.device));
	return open->follow;
}

/* ---- the end of a boot */

static uint64_t started_line(const struct klog_scan *scan, const struct klog_event *event)
{
	const char *address = event->device[0] ? event->device : event->unit;

	for (size_t i = 0; i < scan->nr_started; i++)
		if (!strcmp(scan->started[i].address, address))
			return scan->started[i].line;
	return 0;
}

static void note_started(struct klog_scan *scan, const char *address, uint64_t line)
{
	size_t i = 0;

	while (i < scan->nr_started && strcmp(scan->started[i].address, address) != 0)
		i++;
	if (i == MAX_STARTED)
		return;
	scan->nr_started += i == scan->nr_started;
	memcpy(scan->started[i].address, address, sizeof(scan->started[i].address));
	scan->started[i].line = line;
}

/* NVIDIA's driver did not take a GPU, or found it held by another one. */
static bool was_refused(const struct klog_event *event)
{
	return event->row == KLOG_ROW_NVIDIA_PROBE_FAILED || event->row == KLOG_ROW_NVIDIA_NOUVEAU_HOLDS ||
	       event->row == KLOG_ROW_NVIDIA_VFIO_HOLDS;
}

static enum klog_currency currency_of(const struct klog_scan *scan, const struct klog_event *event,
				      const struct klog_folded *folded)
{
	enum klog_family group = klog_devices_group(&scan->devices, event->device, folded->group);

	if (event->row == KLOG_ROW_HUNG_IN_DRIVER || event->row == KLOG_ROW_STUCK_IN_DRIVER)
		group = klog_event_module(event);
	else if (event->row == KLOG_ROW_HUNG_TOOL)
		group = klog_driver_group(klog_gpu_tool_family(span_of(event->processes[0].name)));
	else if (event->row == KLOG_ROW_NETWORK_NOT_STARTED && event->last_line < started_line(scan, event))
		return KLOG_BEFORE_DRIVER_LOAD;
	else if (klog_rows[event->row].age == KLOG_AGE_HOST && event->row != KLOG_ROW_NVIDIA_API_MISMATCH)
		return KLOG_CURRENT;
	if (event->last_line < klog_devices_reset_line(&scan->devices, event->device, group))
		return KLOG_BEFORE_RESET;
	if (was_refused(event) && event->last_line < klog_devices_bound_line(&scan->devices, event->device))
		return KLOG_BEFORE_DRIVER_LOAD;
	if (event->last_line < scan->timeline.load_lines[group])
		return KLOG_BEFORE_DRIVER_LOAD;
	return KLOG_CURRENT;
}

/* One of Intel's drivers left a GPU alone, and the other took it: however many lines later in that boot. */
static void note_bound(const struct klog_scan *scan, struct klog_event *event)
{
	if (event->row == KLOG_ROW_INTEL_UNSUPPORTED &&
	    klog_devices_bound_line(&scan->devices, event->device) > event->last_line)
		event->row = KLOG_ROW_INTEL_LEFT_TO_OTHER;
}

/* Of adapters with one or two ports only functions that are given to guests have these numbers. */
static bool is_virtual_function(const struct klog_event *event)
{
	struct pci_address address;

	return !parse_pci_address(event->device[0] ? event->device : event->unit, &address) &&
	       (address.device || address.function > 1);
}

/*
 * -16 is EBUSY: another driver has the adapter, as one that is passed to a guest. -12 is ENOMEM: firmware left no room
 * for more functions of it, and the adapter itself works.
 */
static void note_held(struct klog_event *event)
{
	if (event->row == KLOG_ROW_NETWORK_NOT_STARTED &&
	    (!strcmp(event->status, "-16") || (!strcmp(event->status, "-12") && is_virtual_function(event))))
		event->row = KLOG_ROW_DEVICE_NOT_STARTED;
}

static bool is_soon_after(const struct klog_event *later, const struct klog_event *earlier)
{
	int64_t us;

	if (later->first_line < earlier->first_line)
		return false;
	if (klog_time_between(earlier->last, later->first, true, &us))
		return us <= DISK_GONE_US;
	return later->first_line <= earlier->last_line + DISK_GONE_LINES;
}

/* A disk that did not answer and whose reset failed so was taken by nobody. */
static void note_given_up(const struct klog_log *log, struct klog_event *event)
{
	bool was_silent = false;

	if (event->row != KLOG_ROW_DISK_TAKEN)
		return;
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *other = &log->events[i];

		if (other->boot != event->boot || strcmp(other->unit, event->unit) != 0)
			continue;
		/* It is told already. */
		if (other->row == KLOG_ROW_DISK_LOST)
			return;
		was_silent |= other->row == KLOG_ROW_DISK_TIMEOUT && is_soon_after(event, other);
	}
	if (was_silent)
		event->row = KLOG_ROW_DISK_LOST;
}

/* Ends a boot: how its events stand now they stood at its end. */
static void end_boot(struct klog_scan *scan, unsigned boot)
{
	struct klog_log *log = &scan->folds.log;

	klog_scan_settle(scan);
	if (boot != scan->timeline.boot)
		log->nr_unlisted = 0;
	/* Nothing of a boot is still open at its end, so what is folded stands in the order of the boots. */
	for (size_t i = log->nr_events; i && log->events[i - 1].boot == boot; i--) {
		note_bound(scan, &log->events[i - 1]);
		note_held(&log->events[i - 1]);
		note_given_up(log, &log->events[i - 1]);
		log->events[i - 1].then = currency_of(scan, &log->events[i - 1], &scan->folds.folded[i - 1]);
	}
}

/* ---- the scan */

/* Intel's integrated graphics have one address in all machines, and a root port there accesses no memory by itself. */
static bool is_integrated_gpu(const struct klog_match *match)
{
	return match->row == KLOG_ROW_IOMMU_FAULT && match->source.family == KLOG_FAMILY_HOST &&
	       span_begins(match->source.body, "DMAR:") && !strcmp(match->fields.pci, "0000:00:02.0");
}

/* The device of a line is a GPU if a GPU driver logged it, or the kernel lists it as one. */
static void note_device(struct klog_scan *scan, const struct klog_match *match)
{
	const struct klog_source *source = &match->source;
	enum klog_family family = source->is_device_line ? klog_driver_family(source->driver) : source->family, maker;
	struct span words;

	if (klog_source_lists_gpu(source, &maker, &words) && !klog_devices_is_gpu(&scan->devices, source->pci))
		klog_devices_note(&scan->devices, source->pci, klog_driver_group(maker));
	if (is_integrated_gpu(match))
		klog_devices_note(&scan->devices, match->fields.pci, KLOG_FAMILY_INTEL);
	if (klog_source_is_of_accelerator(source))
		klog_devices_note(&scan->devices, source->pci, family);
	if (!klog_family_drives_gpus(family))
		return;
	if (source->pci[0])
		klog_devices_note(&scan->devices, source->pci, klog_driver_group(family));
	if (match->fields.pci[0] && family == source->family)
		klog_devices_note(&scan->devices, match->fields.pci, klog_driver_group(family));
}

/* Old drivers name no device before they reset it. */
static void name_device(struct klog_scan *scan, const struct klog_match *match)
{
	for (size_t i = 0; i < MAX_OPEN; i++) {
		struct open_event *open = &scan->open[i];

		if (!open->is_open || open->event.device[0] || klog_rows[open->event.row].age == KLOG_AGE_HOST ||
		    klog_driver_group(open->family) != klog_driver_group(match->source.family))
			continue;
		memcpy(open->event.device, match->fields.pci, sizeof(open->event.device));
		memcpy(open->so_far.device, match->fields.pci, sizeof(open->so_far.device));
	}
}

static void take_mark(struct klog_scan *scan, const struct klog_line *line, const struct klog_match *match)
{
	if (match->mark == KLOG_MARK_DRIVER_LOAD)
		klog_timeline_driver_loaded(&scan->timeline, match->source.family, line->number);
	else if (match->mark == KLOG_MARK_RESET_BEGUN)
		name_device(scan, match);
	else if (match->mark == KLOG_MARK_RESET_OK)
		klog_devices_reset(&scan->devices, match->fields.pci, klog_driver_group(match->source.family),
				   line->number);
	else if (match->mark == KLOG_MARK_BOUND)
		klog_devices_bound(&scan->devices, match->fields.pci, line->number);
	else if (match->mark == KLOG_MARK_STARTED)
		note_started(scan, match->fields.pci, line->number);
	else if (match->mark == KLOG_MARK_SUSPEND)
		scan->folds.log.suspends++;
	if (match->mark == KLOG_MARK_USB_GONE) {
		scan->usb_gone_line = line->number;
		scan->usb_gone = line->time;
	}
}

static bool is_just_unplugged(const struct klog_scan *scan, const struct klog_line *line)
{
	int64_t us;

	if (!scan->usb_gone_line)
		return false;
	if (klog_time_between(scan->usb_gone, line->time, true, &us))
		return us >= 0 && us <= USB_GONE_US;
	return line->number <= scan->usb_gone_line + USB_GONE_LINES;
}

/*
 * Which disk a device on USB was is told when it comes, and that may be long ago: its errors come at once when it goes.
 */
static void note_unplugged(const struct klog_scan *scan, const struct klog_line *line, struct klog_match *match)
{
	bool is_of_disk = match->row == KLOG_ROW_FILE_SYSTEM_STOPPED || match->row == KLOG_ROW_FILE_SYSTEM_ERRORS ||
			  match->row == KLOG_ROW_DISK_ERRORS;

	if (match->role == KLOG_ROLE_EVENT && is_of_disk && span_begins(match->fields.unit, "sd") &&
	    is_just_unplugged(scan, line))
		match->row = KLOG_ROW_USB_DISK_REMOVED;
}

static enum klog_boot_words boot_words(const struct klog_line *line, const struct klog_match *match)
{
	if (match->mark != KLOG_MARK_BOOT)
		return KLOG_BOOT_NO_WORDS;
	return span_begins(line->text, "--") ? KLOG_BOOT_MARKER : KLOG_BOOT_KERNEL;
}

/* ---- what nothing is made of */

static bool tells(const struct klog_event *event, const struct klog_named_error *error)
{
	if (event->is_relayed || klog_rows[event->row].age != KLOG_AGE_FAULT)
		return false;
	if (error->has_code ? !event->has_code || event->code != error->code :
			      klog_rows[event->row].severity != KLOG_CRITICAL)
		return false;
	return !error->pci[0] || !strcmp(event->device, error->pci);
}

/* Has the kernel said so itself? */
static bool is_told(const struct klog_scan *scan, const struct klog_named_error *error)
{
	for (size_t i = 0; i < MAX_OPEN; i++)
		if (scan->open[i].is_open && tells(&scan->open[i].event, error))
			return true;
	for (size_t i = 0; i < scan->folds.log.nr_events; i++)
		if (tells(&scan->folds.log.events[i], error))
			return true;
	return false;
}

/* In the kernel's own log programs are marked: no line there repeats a kernel line. */
static bool is_programs_own(const struct klog_line *line)
{
	return line->origin == KLOG_ORIGIN_USER && line->level >= 0 && line->time.has_boot;
}

/* A line of which nothing was made: does it name an error all the same? */
static void note_unjudged(struct klog_scan *scan, const struct klog_line *line)
{
	struct klog_log *log = &scan->folds.log;
	struct klog_named_error error;

	if (is_programs_own(line) || !klog_names_error(line->text, &error) ||
	    (line->origin != KLOG_ORIGIN_KERNEL && is_told(scan, &error)))
		return;
	count_unjudged(log, line->number, line->text);
	if (scan->unjudged)
		scan->unjudged(scan->unjudged_to, line);
}

/* Lines of a driver near to an event of its own are its details, whatever words they have. */
static bool goes_on_with_event(const struct klog_scan *scan, enum klog_family group)
{
	for (size_t i = 0; i < MAX_OPEN; i++)
		if (scan->open[i].is_open && klog_driver_group(scan->open[i].family) == group)
			return true;
	return false;
}

static struct klog_unlisted *find_unlisted(struct klog_log *log, const char *device, enum klog_family group)
{
	struct klog_unlisted *unlisted;

	for (size_t i = 0; i < log->nr_unlisted; i++)
		if (log->unlisted[i].group == group && !strcmp(log->unlisted[i].device, device))
			return &log->unlisted[i];
	if (log->nr_unlisted == MAX_UNLISTED)
		return NULL;
	unlisted = &log->unlisted[log->nr_unlisted++];
	*unlisted = (struct klog_unlisted){ .group = group };
	memcpy(unlisted->device, device, sizeof(unlisted->device));
	return unlisted;
}

/* A line that no pattern fits: does its driver tell of an error all the same? */
static void note_unlisted(struct klog_scan *scan, const struct klog_line *line, const struct klog_source *source)
{
	enum klog_family group = klog_driver_group(source->family);
	struct klog_unlisted *unlisted;
	char device[PCI_TEXT_BYTES];

	if (!klog_tells_error(line, source) || goes_on_with_event(scan, group))
		return;
	memcpy(device, source->pci, sizeof(device));
	if (!*device)
		klog_error_device(source->body, device);
	unlisted = find_unlisted(&scan->folds.log, device, group);
	if (!unlisted)
		return;
	if (!unlisted->count++) {
		unlisted->first_line = line->number;
		span_copy(line->text, unlisted->text, sizeof(unlisted->text));
	}
	unlisted->last = line->time;
	if (scan->unlisted)
		scan->unlisted(scan->unlisted_to, line);
}

/* A program repeats an event of a kernel line. */
static bool is_echo(const struct klog_scan *scan, const struct klog_line *line, const struct klog_match *match)
{
	struct klog_named_error error = { .has_code = match->fields.has_code, .code = match->fields.code };

	if ((!line->is_relayed && !match->source.is_relayed) || klog_rows[match->row].age != KLOG_AGE_FAULT)
		return false;
	memcpy(error.pci, match->fields.pci, sizeof(error.pci));
	return is_told(scan, &error);
}

unsigned klog_scan_line(void *to, const struct klog_line *line)
{
	struct klog_scan *scan = to;
	struct open_event *turning;
	struct klog_source source;
	struct klog_match match;
	unsigned follow;
	bool matches;

	scan->at++;
	if (line->origin == KLOG_ORIGIN_USER) {
		note_unjudged(scan, line);
		return 0;
	}
	close_until(scan, scan->at);
	klog_source_find(line->text, &source);
	turning = event_to_turn(scan, &source, &match);
	if (turning) {
		tell_seen(scan, line, &match);
		note_device(scan, &match);
		take_mark(scan, line, &match);
		return turn(scan, turning, line, &match);
	}
	matches = klog_match_spoken(&source, &match);
	tell_seen(scan, line, matches ? &match : NULL);
	if (klog_timeline_line(&scan->timeline, line, matches ? boot_words(line, &match) : KLOG_BOOT_NO_WORDS))
		end_boot(scan, scan->timeline.boot - 1);
	if (match.source.is_device_line || matches)
		note_device(scan, &match);
	if (!matches) {
		note_unjudged(scan, line);
		if (!match.pattern)
			note_unlisted(scan, line, &source);
		return 0;
	}
	if (match.role == KLOG_ROLE_EVENT && is_echo(scan, line, &match))
		return 0;
	note_unplugged(scan, line, &match);
	take_mark(scan, line, &match);
	if (match.role == KLOG_ROLE_EVENT)
		return begin_event(scan, line, &match);
	if (match.role != KLOG_ROLE_DETAIL)
		return 0;
	follow = go_on(scan, line, &match);
	if (!follow) {
		note_unjudged(scan, line);
		note_unlisted(scan, line, &source);
	}
	return follow;
}

void klog_scan_passed(void *to)
{
	struct klog_scan *scan = to;

	close_until(scan, ++scan->at);
}

/* ---- the end */

static int by_line(const void *a, const void *b)
{
	const struct klog_event *left = a, *right = b;

	if (left->first_line != right->first_line)
		return left->first_line < right->first_line ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

const struct klog_log *klog_scan_end(struct klog_scan *scan, const struct klog_coverage *coverage)
{
	struct klog_log *log = &scan->folds.log;

	end_boot(scan, scan->timeline.boot);
	klog_amend(&scan->folds, &scan->devices);
	for (size_t i = 0; i < log->nr_events; i++) {
		struct klog_event *event = &log->events[i];

		event->is_gpu = klog_devices_is_gpu(&scan->devices, event->device);
		event->currency = event->boot == scan->timeline.boot ? event->then : KLOG_BEFORE_BOOT;
	}
	if (log->nr_events)
		qsort(log->events, log->nr_events, sizeof(*log->events), by_line);
	log->boots = scan->timeline.boot + 1;
	for (size_t i = 0; i < NR_KLOG_FAMILIES; i++)
		log->loads[i] = scan->timeline.driver_loads[i] - scan->timeline.driver_loads_before[i];
	log->coverage = *coverage;
	return log;
}
