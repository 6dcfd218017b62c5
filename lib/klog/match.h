/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match.h - what a line of the kernel says, by the catalogue. */
#pragma once

#include "klog/line.h"
#include "klog/source.h"

struct klog_match {
	const struct klog_pattern *pattern;	/* that fit; NULL for an Xid that its number alone decided */
	enum klog_role role;
	enum klog_row_id row;
	enum klog_mark mark;
	bool is_from_above;			/* of a turn: told by neither the device nor who told of it */
	struct klog_source source;
	struct klog_fields fields;		/* the source's and the pattern's */
};

/*
 * false: it says nothing that matters (*ret has a pattern all the same where it is harmless). What a user's program
 * says never does.
 */
bool klog_match(const struct klog_line *line, struct klog_match *ret);
/* The same for a line of the kernel, or of nobody known, whose source is found already. */
bool klog_match_spoken(const struct klog_source *source, struct klog_match *ret);

/* An event that lines may go on with. */
struct klog_open {
	enum klog_row_id row;
	char device[PCI_TEXT_BYTES];	/* it is about, or "" */
	bool has_link;
	uint64_t link;			/* or the module of a port */
	char reporter[PCI_TEXT_BYTES];	/* of its first line: the port that tells of the device behind it; or "" */
	const struct klog_pattern *pattern;	/* of the last line of it; NULL: an Xid's number alone */
};
/* Does what is spoken go on with that event and say what it really is? To be asked before klog_match_spoken(). */
bool klog_match_reclassify(const struct klog_source *source, const struct klog_open *open, struct klog_match *ret);
/*
 * Does a bridge that tells a turn from above mean that other event rather than this one? A root port is above all
 * devices: what had a fatal error, a DPC or a reset at that port, or nearer below it, is what was reset.
 */
bool klog_match_means_other(const struct klog_match *turn, const struct klog_open *open,
			    const struct klog_open *other);

/* Whose driver a task of that name waits for (gpu_tools.def); KLOG_FAMILY_HOST: it is no vendor's tool. */
enum klog_family klog_gpu_tool_family(struct span name);

/* How many lines after one with this match may go on with it. */
unsigned klog_follow(const struct klog_match *match);
