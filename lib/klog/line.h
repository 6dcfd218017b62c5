/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - one line of a log, taken out of whatever it came wrapped in.
 *
 * Engineers paste logs as they found them: with dmesg's stamp, with a date,
 * a host and "kernel:" before it, as a record of /dev/kmsg, in a container's
 * JSON, coloured, quoted from a mail. What the kernel said is the same in all
 * of them: klog_line_parse() finds it, with its time and who said it.
 */
#pragma once

#include "base/strbuf.h"
#include "klog/span.h"

/* Who says it. A line without any prefix may be the kernel's: what it says must decide. */
enum klog_origin { KLOG_ORIGIN_UNKNOWN, KLOG_ORIGIN_KERNEL, KLOG_ORIGIN_USER };

/* When it was said. Logs have one of the two, both, or none. */
struct klog_time {
	bool has_boot, has_wall;
	bool wall_is_local;		/* in a time zone that the log does not name: RFC 3164, dmesg -T */
	uint64_t boot_us;		/* since boot, the kernel's own stamp */
	int64_t wall_us;		/* since 1970 */
};
/* A kernel counts nanoseconds in 64 bits: numbers beyond are damage, and no times. */
#define KLOG_MAX_TIME_US (UINT64_MAX / 1000)

/*
 * Microseconds from one time to a later one of the same boot, by a clock that
 * both have: the kernel's own, which nobody sets, before the wall's. false:
 * there is none.
 */
bool klog_time_between(struct klog_time from, struct klog_time to, bool same_boot, int64_t *ret);

/*
 * Where journalctl says that a boot or the journal begins ("-- Boot 0123…", "-- Reboot --", "-- Logs begin at …"),
 * that is the text, said by the kernel.
 */
struct klog_line {
	struct span text;		/* what was said, without prefixes and line end; lives as long as its source */
	/* of which node, where an event of a cluster names one; lives as long; else empty */
	struct span node;
	/* of the line in its source, from 1; of records of /dev/kmsg, which one in order */
	uint64_t number;
	struct klog_time time;
	int level;			/* 0 (emergency) to 7 (debug); -1: unknown */
	enum klog_origin origin;
	bool is_relayed;		/* a program repeats what the kernel said, maybe long after */
	char boot_id[33];		/* if the log has it: lines of different boots differ in it; else "" */
};

/* What klog_line_parse() must know beyond the line, and its memory between lines. */
struct klog_line_context {
	int64_t now_us;			/* since 1970; stamps without a year lie at most a day after it. 0: not known */
	struct strbuf scratch;		/* for what had to be decoded; belongs to the context */
};
void klog_line_context_release(struct klog_line_context *context);

/*
 * Takes one raw line apart; raw has no line feed. ret->number is left to the
 * caller. ret->text points into raw, or into the context's scratch until its
 * next use.
 */
void klog_line_parse(struct klog_line_context *context, struct span raw, struct klog_line *ret);
