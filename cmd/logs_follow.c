// SPDX-License-Identifier: GPL-2.0-or-later
/* logs_follow.c - events as they come. */
#include "base/compat.h"
#include "cmd/logs.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/inherited_signals.h"
#include "render/events.h"
#include "sys/clock.h"
#include "sys/follow.h"
#include "sys/kmsg.h"
#include "sys/write_file.h"

enum { CHUNK_BYTES = 64 * 1024 };

struct watch {
	const struct logs *logs;
	const char *source;
	struct render_options how;
	struct klog_scan *scan;
	struct klog_reader *reader;
	int written;		/* 0 or -errno of the last write */
};

static volatile int ended_by;	/* the signal; int is atomic enough for a flag on Linux */

static void on_signal(int signal_number)
{
	ended_by = signal_number;
}

static void tell_event(void *to, const struct klog_event *event)
{
	struct watch *watch = to;
	STRBUF_AUTO text = STRBUF_INIT;

	if (watch->written || ended_by)
		return;
	if (watch->logs->is_json[0])
		render_event_json_line(&text, event);
	else
		render_event_line(&text, event, &watch->how);
	watch->written = write_all(STDOUT_FILENO, text.buf, text.len);
}

/* Beside the events, which a program may read. */
static void tell_unjudged(void *to, const struct klog_line *line)
{
	(void)to;
	complain("line %llu names a GPU error but is in no known form: not judged: %.*s",
		 (unsigned long long)line->number, (int)span_len(line->text), line->text.at);
}

static void begin_reader(struct watch *watch, struct logs *logs)
{
	const struct klog_sink sink = { .line = klog_filter_line, .passed = klog_filter_passed, .to = &logs->filter };

	watch->reader = klog_reader_new(&sink, logs->now_us);
}

static void end_reader(struct watch *watch)
{
	struct klog_coverage coverage;
	const char *why = NULL;

	if (klog_reader_end(watch->reader, &coverage, &why))
		die(EXIT_USAGE, "%s: %s", watch->source, why);
	klog_reader_free(watch->reader);
	klog_scan_settle(watch->scan);
}

/* Whatever might have gone on with the last lines would be there by now. */
static void fall_silent(struct watch *watch)
{
	klog_reader_pause(watch->reader);
	klog_scan_settle(watch->scan);
}

static void watch_file(struct watch *watch, struct logs *logs, const char *path)
{
	static char chunk[CHUNK_BYTES];
	struct follow follow;
	const char *why = NULL;
	ssize_t got;
	int r = 0;

	if (!strcmp(path, "-"))
		follow_descriptor(&follow, STDIN_FILENO);
	else
		r = follow_open(&follow, path);
	/* A pipe is opened once somebody writes to it. */
	if (r == -EINTR && ended_by)
		return;
	if (r)
		logs_die_unreadable(path, -r);
	begin_reader(watch, logs);
	while (!watch->written && !ended_by && (got = follow_read(&follow, chunk, sizeof(chunk)))) {
		if (got == -EAGAIN) {
			fall_silent(watch);
		} else if (got == -ESTALE) {
			end_reader(watch);
			begin_reader(watch, logs);
		} else if (got < 0) {
			logs_die_unreadable(path, (int)-got);
		} else if (klog_reader_feed(watch->reader, chunk, (size_t)got, &why)) {
			die(EXIT_USAGE, "%s: %s", watch->source, why);
		}
	}
	end_reader(watch);
	follow_close(&follow);
}

static void watch_kernel(struct watch *watch, struct logs *logs)
{
	static char record[KMSG_RECORD_BYTES];
	int fd = kmsg_open(), len;

	if (fd < 0)
		logs_die_no_kernel_log(watch->source, -fd, "journalctl -kf | gpudiag logs -f -");
	logs->filter.has_boot_began = true;
	logs->filter.boot_began_us = clock_boot_began_us();
	begin_reader(watch, logs);
	while (!ended_by && !watch->written) {
		len = kmsg_next(fd, record);
		if (len > 0)
			klog_reader_record(watch->reader, record, (size_t)len);
		else if (len == -EPIPE)
			klog_reader_lost(watch->reader, 1);
		else if (len < 0)
			logs_die_no_kernel_log(watch->source, -len, "journalctl -kf | gpudiag logs -f -");
		else if (!follow_wait(fd))
			fall_silent(watch);
	}
	end_reader(watch);
	close(fd);
}

int logs_follow(struct logs *logs)
{
	struct watch watch = {
		.logs = logs, .source = logs->nr_files ? logs_name(logs->files[0]) : "/dev/kmsg",
		.how = terminal_options(NULL, logs->colour, logs->ascii), .scan = klog_scan_new(),
	};

	klog_scan_watch(watch.scan, tell_event, &watch);
	klog_scan_watch_unjudged(watch.scan, tell_unjudged, &watch);
	logs->filter.to = (struct klog_sink){ .line = klog_scan_line, .passed = klog_scan_passed, .to = watch.scan };
	/* The first ends it between two events; a second one also ends a blocked write. */
	inherited_signals_catch_ending(&(struct sigaction){ .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND });
	if (logs->nr_files)
		watch_file(&watch, logs, logs->files[0]);
	else
		watch_kernel(&watch, logs);
	klog_scan_free(watch.scan);
	if (ended_by)
		return EXIT_SIGNAL + ended_by;
	if (!watch.written || watch.written == -EPIPE)
		return 0;
	complain("standard output: cannot write: %s", strerror(-watch.written));
	return EXIT_INTERNAL;
}
