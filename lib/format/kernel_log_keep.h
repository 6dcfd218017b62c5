/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_log_keep.h - which lines of a kernel log a snapshot keeps.
 *
 * Every line that may matter, as long as there are few. Of a storm, which is
 * one line over and over but for its numbers, the first and the newest ones
 * stay and it is counted how many stood between, so that it does not push out
 * everything else; and where it is still too much the oldest go, events last.
 */
#pragma once

#include "klog/line.h"
#include "snapshot/snapshot.h"

enum {
	MAX_KEPT_LINES = 4000,
	MAX_KEPT_BYTES = 1 << 20,
	MAX_KEPT_LINE_BYTES = 1000,	/* of one */
	KEPT_FIRST = 16,		/* of lines that are alike, the first … */
	KEPT_NEWEST = 112,		/* … and the newest */
};

struct log_keeper;
struct log_keeper *log_keeper_new(void);
void log_keeper_free(struct log_keeper *keeper);

/* A reader's sink (klog/reader.h). What a user's program wrote there is none of the kernel's lines and not kept. */
unsigned log_keeper_line(void *keeper, const struct klog_line *line);

/* Lines that may matter and are not kept. */
uint64_t log_keeper_left_out(const struct log_keeper *keeper);
/* Was "Linux version …" among the lines? Then the log reaches back to the beginning of a boot. */
bool log_keeper_saw_boot(const struct log_keeper *keeper);
/* Did lines go, as there were too many that differ? */
bool log_keeper_is_cut(const struct log_keeper *keeper);
/* The stamp of the newest line that went to make room. false: none did, or lines have no stamps. */
bool log_keeper_kept_from(const struct log_keeper *keeper, uint64_t *ret_boot_us);

/*
 * Puts the oldest lines kept, some 100 KiB of them, into facts, and lets go of
 * them. false: there were none left.
 */
bool log_keeper_take(struct log_keeper *keeper, struct snapshot *facts);
