// SPDX-License-Identifier: GPL-2.0-or-later
/* logs.c - what a kernel log tells about GPUs. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "render/events.h"

enum { OPT_FORMAT };

static const struct option_row options[] = {
	{ "format", 0, "FORMAT", "text or json", OPT_FORMAT, COMPLETE_NOTHING, NULL },
	{ .name = NULL },
};

static void read_log(int fd, const char *name, struct klog_reader *reader)
{
	static char buffer[256 * 1024];
	const char *why = NULL;
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer)))) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			die(EXIT_USAGE, "%s: %s", name, strerror(errno));
		if (klog_reader_feed(reader, buffer, (size_t)got, &why))
			die(EXIT_USAGE, "%s: %s", name, why);
	}
}

static int print_log(const struct klog_log *log, const char *name, bool json)
{
	struct arena arena = { .blocks = NULL };
	struct render_options how = { .columns = 100 };
	struct klog_stories stories;
	struct told_log told = { .log = log, .stories = &stories, .source = name, .now = log_end(log) };
	STRBUF_AUTO text = STRBUF_INIT;

	klog_tell(&arena, log, &stories);
	if (json)
		render_events_json(&text, &told, &how);
	else
		render_events_text(&text, &told, &how);
	arena_release(&arena);
	return deliver(NULL, text.buf, text.len);
}

static int logs_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "logs" };
	struct klog_scan *scan = klog_scan_new();
	struct klog_sink sink = { .line = klog_scan_line, .to = scan };
	struct klog_reader *reader = klog_reader_new(&sink, 0);
	struct klog_coverage coverage;
	const char *why = NULL;
	bool json = false;
	int fd, status;

	while (option_next(&parser) >= 0)
		json = !strcmp(parser.argument, "json");
	if (parser.at + 1 != argc)
		die(EXIT_USAGE, "logs: name a file, or - for standard input");
	fd = strcmp(argv[parser.at], "-") != 0 ? open(argv[parser.at], O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (fd < 0)
		die(EXIT_USAGE, "%s: %s", argv[parser.at], strerror(errno));
	read_log(fd, argv[parser.at], reader);
	if (klog_reader_end(reader, &coverage, &why))
		die(EXIT_USAGE, "%s: %s", argv[parser.at], why);
	status = print_log(klog_scan_end(scan, &coverage), argv[parser.at], json);
	klog_reader_free(reader);
	klog_scan_free(scan);
	return status;
}

const struct command command_logs = {
	.name = "logs",
	.summary = "says what a kernel log tells about GPUs",
	.usage = "logs [OPTIONS] FILE|-",
	.doc = "Reads a kernel log and tells every event of a GPU, of its link and of the host that matters.",
	.options = options,
	.operand = COMPLETE_FILE,
	.main = logs_main,
};
