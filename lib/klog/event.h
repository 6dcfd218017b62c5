/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - what happened, as a log tells it: repeats told once, the lines of
 * one event joined.
 */
#pragma once

#include "klog/catalogue.h"
#include "klog/reader.h"

enum {
	MAX_LOG_EVENTS = 4096,		/* different ones; what is more is counted */
	EVENT_TEXT_BYTES = 384,		/* of a quoted line, cut there */
	EVENT_DETAILS_BYTES = 512,	/* of the lines that go on with it */
	MAX_EVENT_PROCESSES = 4,
	MAX_UNLISTED = 16,		/* devices and drivers that tell of errors which the catalogue does not list */
};

/* Is what an event tells still so at the end of its log? */
enum klog_currency {
	KLOG_CURRENT,
	KLOG_BEFORE_RESET,		/* its GPU was reset with success since */
	KLOG_BEFORE_DRIVER_LOAD,	/* its driver was loaded anew since */
	KLOG_BEFORE_BOOT,		/* of an earlier boot */
};

struct klog_process {
	uint64_t pid;
	bool has_pid;
	char name[32];			/* as far as the line told it, or "" */
	struct klog_time time;		/* when it was named last */
};

/* Repeats of one row, code, device and unit within one boot, and between two loads of the driver, are one event. */
struct klog_event {
	enum klog_row_id row;
	char device[PCI_TEXT_BYTES];	/* it is about, "0000:5d:00.0"; "": none, or the line does not tell */
	bool is_gpu;			/* a GPU's driver speaks about that device in this log */
	/* Of a crash, a warning or a stack in a GPU's driver: the only GPU in this log that the driver has; "": several */
	char driver_gpu[PCI_TEXT_BYTES];
	bool heals;			/* it says that its GPU was reset with success */
	bool is_relayed;		/* no line of it is the kernel's own: programs repeated what it said */
	bool has_code, has_link, has_address, has_told;
	uint64_t code, link, address;	/* of the first line */
	uint64_t told;			/* "12 new correctable …": errors, pages, records; of the newest that says */
	char unit[48], status[48];	/* ring, block, engine, error names …; "" */
	uint64_t processes_seen;	/* different ones */
	size_t nr_processes;		/* of these kept: the first one and the newest */
	struct klog_process processes[MAX_EVENT_PROCESSES];
	uint64_t count;			/* lines folded into it */
	uint64_t first_line, last_line;
	struct klog_time first, last;
	unsigned boot;			/* of the log, from 0 */
	enum klog_currency currency;	/* at the end of the log, */
	enum klog_currency then;	/* and at the end of its own boot */
	char text[EVENT_TEXT_BYTES];	/* the first line without prefixes */
	char details[EVENT_DETAILS_BYTES];	/* lines that went on with it, one a line */
};

/* "GPU3", as NVIDIA's driver numbers those that it has: it is not its only one. */
bool klog_event_is_of_further_gpu(const struct klog_event *event);

/*
 * The driver in whose module it happened, by what the module is called in a stack, "os_acquire_mutex+0x36/0x50
 * [nvidia]"; KLOG_FAMILY_HOST: in none of a GPU.
 */
enum klog_family klog_event_module(const struct klog_event *event);

/* What one driver told about one device in the newest boot, of errors that the catalogue does not list (unlisted.h). */
struct klog_unlisted {
	char device[PCI_TEXT_BYTES];	/* or "": its lines name none */
	enum klog_family group;		/* klog_driver_group() */
	uint64_t count;			/* lines */
	uint64_t first_line;
	struct klog_time last;
	char text[EVENT_TEXT_BYTES];	/* of the first one */
};

/* Everything read from a log; const once the scan has ended. */
struct klog_log {
	size_t nr_events;
	struct klog_event *events;	/* in the order of their first lines */
	uint64_t dropped;		/* lines of events beyond MAX_LOG_EVENTS: the mildest and oldest */
	unsigned boots;			/* how many the log holds at least, 1 or more */
	/* in its newest boot: how often each driver was loaded (klog_driver_group()) */
	unsigned loads[NR_KLOG_FAMILIES];
	uint64_t suspends;		/* stamps since boot leave out the time asleep */
	struct klog_coverage coverage;
	/*
	 * Lines that name an error of a GPU and that nothing was made of: their form, or their device, is not known
	 * here. What a program repeats is none where the kernel's own line is there.
	 */
	uint64_t unjudged;
	uint64_t unjudged_line;		/* the number of the first, and its text */
	char unjudged_text[EVENT_TEXT_BYTES];
	size_t nr_unlisted;
	struct klog_unlisted unlisted[MAX_UNLISTED];	/* in the order of their first lines */
};

/* ---- from lines to events */

struct klog_scan;
struct klog_scan *klog_scan_new(void);
/* A reader's sink: takes each line, and says how many more it wants. */
unsigned klog_scan_line(void *scan, const struct klog_line *line);
void klog_scan_passed(void *scan);
/*
 * Calls back for each time an event happens, repeats too, once the lines that
 * go on with it have come: told gets that one time as an event of its own.
 */
void klog_scan_watch(struct klog_scan *scan, void (*told)(void *to, const struct klog_event *event), void *to);
/* Calls back for each line that is counted as unjudged. */
void klog_scan_watch_unjudged(struct klog_scan *scan, void (*unjudged)(void *to, const struct klog_line *line),
			      void *to);
/* Calls back for each line that is counted as unlisted. */
void klog_scan_watch_unlisted(struct klog_scan *scan, void (*unlisted)(void *to, const struct klog_line *line),
			      void *to);
/* Calls back for each line with what was made of it, NULL: nothing was. Before the above. */
struct klog_match;
void klog_scan_watch_lines(struct klog_scan *scan,
			   void (*seen)(void *to, const struct klog_line *line, const struct klog_match *match),
			   void *to);
/* Nothing goes on with what was last seen: to be called where a source that is followed falls silent. */
void klog_scan_settle(struct klog_scan *scan);
/* Ends it; the log lives as long as the scan. */
const struct klog_log *klog_scan_end(struct klog_scan *scan, const struct klog_coverage *coverage);
void klog_scan_free(struct klog_scan *scan);
