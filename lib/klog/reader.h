/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - a log of any size and shape, in pieces as they come, out of which
 * come the lines worth a look.
 *
 * The caller feeds bytes; the reader finds out what they are (plain lines of
 * any prefix, journald's export or JSON, dmesg's JSON, records of /dev/kmsg),
 * lets pass what the prefilter knows to be of no interest, and hands each
 * other line, taken apart, to the sink. Memory is bounded whatever the input:
 * a line is kept up to MAX_LOG_LINE_BYTES.
 */
#pragma once

#include "klog/line.h"

enum { MAX_LOG_LINE_BYTES = 64 * 1024 };

/*
 * Gets each line that may matter. Returns how many of the lines that follow
 * it wants to see too, whatever they say, as they may go on with this one.
 */
struct klog_sink {
	unsigned (*line)(void *to, const struct klog_line *line);
	/* One that was wanted and cannot go on with anything (klog_may_go_on()) was passed over. NULL: it is handed. */
	void (*passed)(void *to);
	void *to;
};

/* What was read, known when it ends. */
struct klog_coverage {
	uint64_t lines;			/* or records */
	uint64_t bytes;
	uint64_t cut_lines;		/* longer than MAX_LOG_LINE_BYTES, looked at up to there */
	uint64_t lost_records;		/* of /dev/kmsg, overwritten before they were read */
	struct klog_time first, last;	/* of the first and the last line that had a stamp */
};

struct klog_reader;
/* now_us as in struct klog_line_context. */
struct klog_reader *klog_reader_new(const struct klog_sink *sink, int64_t now_us);
/*
 * 0, or -EILSEQ where this is no log that can be read: *why says what it is
 * and what to do ("gzip-compressed: zcat FILE | gpudiag logs -"). Nothing more
 * comes out then.
 */
int klog_reader_feed(struct klog_reader *reader, const char *bytes, size_t len, const char **why) MUST_CHECK;
/* One record of /dev/kmsg, as one read() gave it. */
void klog_reader_record(struct klog_reader *reader, const char *record, size_t len);
/* So many records were overwritten before they were read. */
void klog_reader_lost(struct klog_reader *reader, uint64_t records);
/* Nothing more is there for now: a line that was held back, as it may go on in the next one, is handed over. */
void klog_reader_pause(struct klog_reader *reader);
/* The last line may have no line feed. */
int klog_reader_end(struct klog_reader *reader, struct klog_coverage *ret, const char **why) MUST_CHECK;
void klog_reader_free(struct klog_reader *reader);
