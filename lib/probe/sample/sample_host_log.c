// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_host_log.c - what the kernel says while it is watched: the lines of its log that may matter, since the last
 * tick.
 */
#include "base/compat.h"
#include "probe/sample/sample_host_internal.h"

#include <errno.h>
#include <unistd.h>

#include "format/text_value.h"
#include "klog/match.h"
#include "klog/reader.h"
#include "probe/read.h"
#include "sys/clock.h"
#include "sys/kmsg.h"

enum {
	MAX_LINES = 32,			/* of a tick */
	MAX_LINE_BYTES = 1000,		/* of one */
	MAX_RECORDS = 4096,		/* of a tick: what is more comes with the next one */
};

static void add_line(struct host_log *log, const struct klog_line *line)
{
	struct tick *tick = log->into;
	size_t len = (size_t)(line->text.end - line->text.at);
	struct log_line *to;
	char key[24];

	if (tick->nr_log_lines == MAX_LINES) {
		log->left_out++;
		return;
	}
	snprintf(key, sizeof(key), "%llu", (unsigned long long)line->number);
	to = list_element(&tick->arena, tick, log_lines, log_line, key);
	if (line->time.has_boot)
		to->boot_ns = val_u64(line->time.boot_us * 1000);
	if (line->level >= 0)
		to->level = val_u64((uint64_t)line->level);
	to->text = text_value(&tick->arena, line->text.at, len < MAX_LINE_BYTES ? len : MAX_LINE_BYTES);
}

/* A reader's sink. What may go on with an event is kept whatever it says. */
static unsigned take_line(void *to, const struct klog_line *line)
{
	struct host_log *log = to;
	struct klog_match match;
	unsigned follow = 0;

	if (line->origin != KLOG_ORIGIN_KERNEL)
		return 0;
	if (klog_match(line, &match))
		follow = klog_follow(&match);
	else if (!log->wanted)
		return 0;
	add_line(log, line);
	log->wanted = follow ? follow : log->wanted ? log->wanted - 1 : 0;
	return log->wanted;
}

void host_log_begin(struct host_log *log, int fd)
{
	const struct klog_sink sink = { .line = take_line, .to = log };

	*log = (struct host_log){ .fd = fd };
	if (fd >= 0)
		log->reader = klog_reader_new(&sink, clock_utc_us());
}

int host_log_open(const struct root *root)
{
	int fd;

	if (!root_is_live(root))
		return -ENOENT;
	fd = kmsg_open();
	/* What was said before is in the snapshot. */
	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		return -EIO;
	}
	return fd;
}

void host_log_read(struct host_log *log, struct tick *ret)
{
	static char record[KMSG_RECORD_BYTES];
	int len = 0;

	if (log->fd < 0) {
		ret->host.log_lines_left_out = no_u64(state_of_errno(log->fd), name_of_errno(log->fd));
		return;
	}
	log->into = ret;
	log->left_out = 0;
	for (unsigned i = 0; i < MAX_RECORDS; i++) {
		len = kmsg_next(log->fd, record);
		if (len == -EPIPE)
			continue;
		if (len <= 0)
			break;
		klog_reader_record(log->reader, record, (size_t)len);
	}
	klog_reader_pause(log->reader);
	ret->host.log_lines_left_out =
		len < 0 ? no_u64(state_of_errno(len), name_of_errno(len)) : val_u64(log->left_out);
}

void host_log_release(struct host_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	klog_reader_free(log->reader);
}
