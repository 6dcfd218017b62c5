/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_log_journal.h - what systemd's journal has of this boot's kernel log. */
#pragma once

#include "klog/reader.h"

#define JOURNAL_PROGRAM "journalctl"	/* the only program that a worker starts */

struct kernel_log_journal {
	uint64_t entries;	/* fed to the reader; 0: there is no journal, or not for us */
	bool reached_end;	/* it has a line as late as was asked for, so that none is missing before it */
};

/*
 * Feeds entries said before that time since boot to the reader, as `journalctl
 * -o export` writes them. Takes a few seconds at most.
 */
void kernel_log_read_journal(struct klog_reader *reader, uint64_t until_us, struct kernel_log_journal *ret);

/*
 * How many bytes the first entry of an export takes (systemd
 * JOURNAL_EXPORT_FORMATS), 0 where it is not whole yet; *ret_us is its stamp
 * since boot, the kernel's own where it has one; left alone where it has none.
 */
size_t journal_entry(const char *bytes, size_t len, uint64_t *ret_us);
