// SPDX-License-Identifier: GPL-2.0-or-later
/* logs_follow.c - events as they come. */
#include "base/compat.h"
#include "cmd/logs.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "klog/match.h"
#include "render/events.h"
#include "sys/clock.h"
#include "sys/follow.h"
#include "sys/kmsg.h"
#include "sys/write_file.h"

enum { CHUNK_BYTES = 64 * 1024 };

struct watch {
	struct logs *logs;
	const char *source;
	struct render_options how;
	struct klog_reader *reader;
	int written;		/* 0 or -errno of the last write */
};

static volatile int ended_by;	/* the signal; int is atomic enough for a flag on Linux */

static void on_signal(int signal_number)
{
	ended_by = signal_number;
}

/* The first ends it between two events; a second one ends also a write that nobody takes. */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction old;

		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

/* A document of its own, on one line: line feeds within strings are escaped. */
static void put_json_line(struct strbuf *out, const struct told_log *told, const struct render_options *how)
{
	STRBUF_AUTO document = STRBUF_INIT;

	render_events_json(&document, told, how);
	for (const char *at = document.buf; *at;) {
		if (*at != '\n')
			strbuf_addch(out, *at++);
		else
			at += 1 + strspn(at + 1, " ");
	}
	strbuf_addch(out, '\n');
}

static void tell_event(struct watch *watch, const struct klog_log *log)
{
	struct arena arena = { .blocks = NULL };
	struct klog_stories stories;
	struct told_log told = { .log = log, .stories = &stories, .source = watch->source };
	STRBUF_AUTO text = STRBUF_INIT;

	klog_tell(&arena, log, &stories);
	if (watch->logs->is_json[0])
		put_json_line(&text, &told, &watch->how);
	else
		render_event_line(&text, &log->events[0], &watch->how);
	watch->written = write_all(STDOUT_FILENO, text.buf, text.len);
	arena_release(&arena);
}

/* A sink: each line of an event is one here, as nobody knows yet what follows. */
static unsigned watch_line(void *to, const struct klog_line *line)
{
	static const struct klog_coverage nothing;
	struct watch *watch = to;
	struct klog_match match;
	struct klog_scan *scan;

	if (watch->written || ended_by || !klog_match(line, &match) || match.role != KLOG_ROLE_EVENT)
		return 0;
	scan = klog_scan_new();
	klog_scan_line(scan, line);
	tell_event(watch, klog_scan_end(scan, &nothing));
	klog_scan_free(scan);
	return 0;
}

static void begin_reader(struct watch *watch)
{
	const struct klog_sink sink = { .line = klog_filter_line, .to = &watch->logs->filter };

	watch->reader = klog_reader_new(&sink, watch->logs->now_us);
}

static void end_reader(struct watch *watch)
{
	struct klog_coverage coverage;
	const char *why = NULL;

	if (klog_reader_end(watch->reader, &coverage, &why))
		die(EXIT_USAGE, "%s: %s", watch->source, why);
	klog_reader_free(watch->reader);
}

static void watch_file(struct watch *watch, const char *path)
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
	if (r)
		logs_die_unreadable(path, -r);
	begin_reader(watch);
	while (!watch->written && (got = follow_read(&follow, chunk, sizeof(chunk), &ended_by))) {
		if (got == -ESTALE) {
			end_reader(watch);
			begin_reader(watch);
		} else if (got < 0) {
			logs_die_unreadable(path, (int)-got);
		} else if (klog_reader_feed(watch->reader, chunk, (size_t)got, &why)) {
			die(EXIT_USAGE, "%s: %s", watch->source, why);
		}
	}
	end_reader(watch);
	follow_close(&follow);
}

static void watch_kernel(struct watch *watch)
{
	static char record[KMSG_RECORD_BYTES];
	int fd = kmsg_open(), len;

	if (fd < 0)
		logs_die_no_kernel_log(watch->source, -fd, "journalctl -kf | gpudiag logs -f -");
	watch->logs->filter.has_boot_began = true;
	watch->logs->filter.boot_began_us = clock_boot_began_us();
	begin_reader(watch);
	while (!ended_by && !watch->written) {
		len = kmsg_next(fd, record);
		if (len > 0)
			klog_reader_record(watch->reader, record, (size_t)len);
		else if (len == -EPIPE)
			klog_reader_lost(watch->reader, 1);
		else if (len < 0)
			logs_die_no_kernel_log(watch->source, -len, "journalctl -kf | gpudiag logs -f -");
		else
			follow_wait(fd);
	}
	end_reader(watch);
	close(fd);
}

int logs_follow(struct logs *logs)
{
	struct watch watch = {
		.logs = logs, .source = logs->nr_files ? logs_name(logs->files[0]) : "/dev/kmsg",
		.how = terminal_options(NULL, logs->colour, logs->ascii),
	};

	logs->filter.to = (struct klog_sink){ .line = watch_line, .to = &watch };
	catch_signals();
	if (logs->nr_files)
		watch_file(&watch, logs->files[0]);
	else
		watch_kernel(&watch);
	if (ended_by)
		return EXIT_SIGNAL + ended_by;
	if (!watch.written || watch.written == -EPIPE)
		return 0;
	complain("standard output: cannot write: %s", strerror(-watch.written));
	return EXIT_INTERNAL;
}
