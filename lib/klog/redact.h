/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redact.h - a line of the kernel's log without what is somebody's.
 *
 * A line is built anew from what the catalogue knows of it. What stays is
 * listed here; anything else goes, whatever it is:
 *
 *  - the literals of the pattern that fits, its numbers and PCI addresses, and
 *    the driver that speaks;
 *  - in the rest of the line numbers of up to ten digits, addresses, and words
 *    that stand in the catalogue; names of hardware where a driver's pattern
 *    has its place for them. A word that does not becomes "-", or a pseudonym
 *    where it tells one event from another;
 *  - of a process its pid, and a pseudonym for its name.
 *
 * The result is read as the line was: same row, device, numbers and process.
 */
#pragma once

#include "base/arena.h"
#include "klog/match.h"
#include "klog/words.h"

/* All words of the catalogue; ends with NULL. */
const char *const *klog_vocabulary(struct arena *arena);

struct klog_redactor {
	struct arena *arena;
	const char *const *vocabulary;		/* klog_vocabulary() */
	const char *(*pseudonym)(void *to, const char *text);
	void *to;
};

/* Of a line that this was made of. */
const char *klog_redact_match(const struct klog_redactor *redactor, struct span line, const struct klog_match *match);

/* Of one that names an error of a GPU and that nothing was made of: a line of which the same is true. */
const char *klog_redact_unjudged(struct arena *arena, struct span line, const struct klog_named_error *error);

/* A line of a driver about an error that is in no list: who speaks, and that it is one. */
const char *klog_redact_unlisted(struct arena *arena, struct span line);

/* Of a line of which nothing was made: who speaks, where that is the driver of a GPU; NULL: nothing is left of it. */
const char *klog_redact_source(struct arena *arena, struct span line);
