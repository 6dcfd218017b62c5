/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_internal.h - the steps of klog_line_parse(). Private to line*.c. */
#pragma once

#include "klog/line.h"

/* A line that is being taken apart. */
struct klog_parse {
	struct klog_line_context *context;
	struct klog_line *line;
	struct span at;			/* what is left of it */
	bool is_own;			/* it lies in the context's scratch, where it may be written to */
	bool is_stamped;		/* a time was found, so a host and a name may follow */
	bool is_kernel;			/* the kernel is named: only its own stamps may follow */
	bool is_done;			/* what is left is what was said */
	char separator;			/* of the columns it is in, as the first of them showed; 0: of none */
};

/* Moves what is left into the scratch. What is decoded there never grows, so that it is done in place. */
void klog_parse_own(struct klog_parse *parse);

/* ---- dates, line_date.c; they write a time only where the date is whole and real */

/* "2025-01-21T04:41:44,283302+00:00", with a blank for the T, a fraction and a zone or without. */
bool klog_take_iso(struct span *at, struct klog_time *ret);
/* "Feb  2 08:03:20.123456", with a month of any language. now_us as in the context: there is no year. */
bool klog_take_month_day(struct span *at, int64_t now_us, struct klog_time *ret);
/* "Sat Jan  7 14:25:56 2023" in any language */
bool klog_take_ctime(struct span *at, struct klog_time *ret);
/* "Dez26 08:58" of dmesg -H */
bool klog_take_short_date(struct span *at, int64_t now_us, struct klog_time *ret);
/* "08:03:20.123456", of an unknown day */
bool klog_take_clock(struct span *at);
/* "1700000000.123456", "1700000000123" */
bool klog_take_unix(struct span *at, struct klog_time *ret);
/* "Nov 20, 2026 @ 03:04:05.678", "11/20/2026 3:04:05.678 AM" of the viewers of logs */
bool klog_take_viewer_date(struct span *at, struct klog_time *ret);
/* A whole value of JSON: a date as above, or seconds, milli-, micro- or nanoseconds since 1970 by the digits. */
bool klog_read_time(struct span text, struct klog_time *ret);

/* ---- one prefix of its kind, each true when it took one */

bool klog_take_bracket(struct klog_parse *parse);	/* line_stamp.c: what dmesg puts into brackets */
bool klog_take_priority(struct klog_parse *parse);	/* "<6>", and RFC 5424 after it */
bool klog_take_level(struct klog_parse *parse);		/* "kern  :warn  : " */
bool klog_take_record(struct klog_parse *parse);	/* "6,1227,437812449932,-;" of /dev/kmsg */
bool klog_take_console(struct klog_parse *parse);	/* "T39596;" of the network console, after a date */
bool klog_take_bare_stamp(struct klog_parse *parse);	/* "15.848000 ", whose brackets were lost */
bool klog_take_date(struct klog_parse *parse);		/* line_syslog.c: a date of any form above */
bool klog_take_name(struct klog_parse *parse);		/* "host kernel: ", "sshd[123]: " */
bool klog_take_stream(struct klog_parse *parse);	/* line_shipper.c: "stderr F " after a date */
bool klog_take_labels(struct klog_parse *parse);	/* {app="x"} after a date */
bool klog_take_service(struct klog_parse *parse);	/* "name-1  | " */
bool klog_take_event(struct klog_parse *parse);		/* "Warning  Ext4Error  2m  kernel-monitor  " */
/* "[0] kmsg.0: [1700000000.123456789, ", "kern.messages: " before JSON */
bool klog_take_tag(struct klog_parse *parse);
bool klog_take_talos(struct klog_parse *parse);		/* "10.0.0.5: kern: warning: [2026-01-02T03:04:05Z]: " */
bool klog_take_esxi(struct klog_parse *parse);		/* "In(182) vmkernel: cpu34:2098765)" after a date */
/* line_column.c: "/var/log/syslog:12:", "12:", "  12  [", "12. " */
bool klog_take_place(struct klog_parse *parse);
bool klog_take_cell(struct klog_parse *parse);		/* a column between the time and the text */
bool klog_take_node(struct klog_parse *parse);		/* "node7: [    1.000000] ", "[node7] [    1.000000] " */
bool klog_take_json(struct klog_parse *parse);		/* line_json.c: an object that holds the line */

/* Does it begin with a stamp of the kernel's, "[   12.345678] "? */
bool klog_begins_with_stamp(struct span text);
/* Does it begin with what only a driver of a GPU says, or with such a stamp? */
bool klog_begins_as_kernel(struct span text);
/* A date of any form; a time of day alone, of an unknown day, only where may_be_clock. */
bool klog_take_any_date(struct span *at, int64_t now_us, bool may_be_clock, struct klog_time *ret);

/* A priority of syslog: who, and how bad. */
void klog_set_priority(struct klog_parse *parse, uint64_t priority);

/* Up to the next blank; false where there is none, or no blank after it. */
static inline bool klog_take_word(struct span *at, struct span *ret)
{
	const char *blank = memchr(at->at, ' ', span_len(*at));

	if (!blank || blank == at->at)
		return false;
	*ret = (struct span){ at->at, blank };
	at->at = blank + 1;
	return true;
}
