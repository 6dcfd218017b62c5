/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_log.h - the running kernel's log, from wherever it can be had: for the probe and for `gpudiag logs`. */
#pragma once

#include "klog/reader.h"

/* Where it was had, and how far back it reaches. */
struct kernel_log_origin {
	const char *source;	/* "/dev/kmsg", "journalctl", "journalctl, /dev/kmsg"; static */
	bool has_first_seq;
	uint64_t first_seq;	/* of the ring's oldest record; 0: nothing was overwritten since boot */
	bool has_gap;		/* lines between the journal's end and the ring's beginning may be missing */
};

/*
 * Feeds all of this boot's log that there is into a reader that has been given
 * nothing else: the ring, and what the ring has overwritten from the journal.
 * 0, or -errno: -EPERM where this user may read neither. Does not end the reader.
 */
int kernel_log_read_from(struct klog_reader *reader, struct kernel_log_origin *ret) MUST_CHECK;

/* The same. *source says what was read. */
int kernel_log_read(struct klog_reader *reader, const char **source) MUST_CHECK;
