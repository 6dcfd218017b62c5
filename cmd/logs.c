// SPDX-License-Identifier: GPL-2.0-or-later
/* logs.c - GPU errors in a kernel log. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/logs.h"
#include "probe/kernel_log/kernel_log.h"
#include "render/events.h"
#include "sys/clock.h"

static const char *const format_words[] = { "text", "json", NULL };
static const char *const fail_on_words[] = {
	[LOGS_FAIL_ON_FAIL] = "fail", [LOGS_FAIL_ON_WARN] = "warn", [LOGS_FAIL_ON_NONE] = "none", NULL,
};

/* ---- reading: files one after the other, or the running kernel's log */

enum { CHUNK_BYTES = 256 * 1024 };

const char *logs_name(const char *path)
{
	return strcmp(path, "-") != 0 ? path : "standard input";
}

void logs_die_unreadable(const char *path, int error)
{
	const char *name = logs_name(path);

	switch (error) {
	case EISDIR:
		die(EXIT_USAGE, "%s: a folder, not a log; for a journal: journalctl -k -D %s | gpudiag logs -", name,
		    name);
	case EACCES:
	case EPERM:
		die(EXIT_USAGE, "%s: %s: run as root, or: sudo cat %s | gpudiag logs -", name, strerror(error), name);
	case ENOENT:
		die(EXIT_USAGE, "%s: %s; without a file gpudiag logs reads the running kernel's log", name, strerror(error));
	default:
		die(EXIT_USAGE, "%s: %s", name, strerror(error));
	}
}

void logs_die_no_kernel_log(const char *source, int error, const char *instead)
{
	die(EXIT_USAGE, "%s: %s: %s%s", source, strerror(error),
	    error == EPERM || error == EACCES ? "run as root, or: " : "if there is a journal: ", instead);
}

/* Of the numbers that Linux gives devices (Documentation/admin-guide/devices.txt). */
static bool is_terminal(dev_t device)
{
	return major(device) == 4 || major(device) == 5 || (major(device) >= 136 && major(device) <= 143);
}

/* Dies where it is a device, which never ends, or the running kernel's log, which is read otherwise. */
static void check_device(const char *path)
{
	const dev_t null = makedev(1, 3), kmsg = makedev(1, 11);
	struct stat st;
	bool is_device = !stat(path, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));

	if (!strcmp(path, "/proc/kmsg") || (is_device && S_ISCHR(st.st_mode) && st.st_rdev == kmsg))
		die(EXIT_USAGE, "%s: the running kernel's log: gpudiag logs without a file reads it", path);
	if (is_device && (S_ISBLK(st.st_mode) || (!is_terminal(st.st_rdev) && st.st_rdev != null)))
		die(EXIT_USAGE, "%s: a device, not a log", path);
}

static int open_log(const char *path)
{
	struct stat st;
	int fd;

	if (!strcmp(path, "-")) {
		if (isatty(STDIN_FILENO))
			complain("reading a log from the terminal, up to Ctrl-D");
		return STDIN_FILENO;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		logs_die_unreadable(path, errno);
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		logs_die_unreadable(path, EISDIR);
	return fd;
}

/* Files of one log: what the whole covers. */
static void join_coverage(struct klog_coverage *all, const struct klog_coverage *one)
{
	if (!all->first.has_boot && !all->first.has_wall)
		all->first = one->first;
	if (one->last.has_boot || one->last.has_wall)
		all->last = one->last;
	all->lines += one->lines;
	all->bytes += one->bytes;
	all->cut_lines += one->cut_lines;
	all->lost_records += one->lost_records;
}

/* How many bytes it has. Each file may be of another shape, so each has a reader of its own. */
static uint64_t read_file(struct logs *logs, const char *path, struct klog_coverage *all)
{
	static char chunk[CHUNK_BYTES];
	const struct klog_sink sink = { .line = klog_filter_line, .passed = klog_filter_passed, .to = &logs->filter };
	struct klog_reader *reader = klog_reader_new(&sink, logs->now_us);
	struct klog_coverage coverage;
	const char *why = NULL;
	uint64_t bytes = 0;
	int fd = open_log(path);
	ssize_t got;

	while ((got = read(fd, chunk, sizeof(chunk)))) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			logs_die_unreadable(path, errno);
		if (klog_reader_feed(reader, chunk, (size_t)got, &why))
			die(EXIT_USAGE, "%s: %s", logs_name(path), why);
		bytes += (uint64_t)got;
	}
	if (klog_reader_end(reader, &coverage, &why))
		die(EXIT_USAGE, "%s: %s", logs_name(path), why);
	join_coverage(all, &coverage);
	logs->filter.lines_before = all->lines;
	klog_reader_free(reader);
	if (fd != STDIN_FILENO)
		close(fd);
	return bytes;
}

static void read_running_kernel(struct logs *logs, struct klog_coverage *ret, struct strbuf *source)
{
	const struct klog_sink sink = { .line = klog_filter_line, .passed = klog_filter_passed, .to = &logs->filter };
	struct klog_reader *reader = klog_reader_new(&sink, logs->now_us);
	const char *name, *why = NULL;
	int r;

	logs->filter.has_boot_began = true;
	logs->filter.boot_began_us = clock_boot_began_us();
	r = kernel_log_read(reader, &name);
	if (!r && klog_reader_end(reader, ret, &why))
		die(EXIT_USAGE, "%s: %s", name, why);
	klog_reader_free(reader);
	if (r)
		logs_die_no_kernel_log(name, -r, "journalctl -k | gpudiag logs -");
	strbuf_addstr(source, name);
}

/* A command before the pipe that failed must not pass as a log in which nothing is. */
NORETURN static void die_empty(const struct logs *logs, const char *source)
{
	if (logs->nr_files == 1 && !strcmp(logs->files[0], "-"))
		die(EXIT_USAGE, "%s: empty: no log; was the command before the pipe allowed to read it?", source);
	die(EXIT_USAGE, "%s: empty; if the log was just rotated, name the older file too", source);
}

/* Reads all there is through the filter; what was read, for a person, is added to source. */
static void read_logs(struct logs *logs, struct klog_coverage *ret, struct strbuf *source)
{
	uint64_t bytes = 0;

	if (!logs->nr_files) {
		read_running_kernel(logs, ret, source);
		return;
	}
	for (int i = 0; i < logs->nr_files; i++) {
		strbuf_addf(source, "%s%s", i ? ", " : "", logs_name(logs->files[i]));
		bytes += read_file(logs, logs->files[i], ret);
	}
	if (!bytes)
		die_empty(logs, source->buf);
}

/* ---- options */

static void take_moment(const struct option_parser *parser, int64_t now_us, bool *has, struct klog_time_arg *ret)
{
	struct klog_time_arg now = { .utc_us = now_us, .local_us = clock_local_of_utc_us(now_us) };
	enum klog_time_arg_clock clock;

	if (klog_time_arg_parse(parser->argument, &now, ret, &clock))
		die(EXIT_USAGE,
		    "logs: --%s: invalid time \"%s\": use 2026-11-20, \"2026-11-20 14:00\", 14:00, yesterday, -2h or "
		    "@1700000000",
		    parser->row->name, parser->argument);
	if (clock == KLOG_TIME_ARG_UTC)
		ret->local_us = clock_local_of_utc_us(ret->utc_us);
	else
		ret->utc_us = clock_utc_of_local_us(ret->local_us);
	*has = true;
}

static void take_since(void *to, const struct option_parser *parser)
{
	struct logs *logs = to;

	take_moment(parser, logs->now_us, &logs->filter.has_since, &logs->filter.since);
}

static void take_until(void *to, const struct option_parser *parser)
{
	struct logs *logs = to;

	take_moment(parser, logs->now_us, &logs->filter.has_until, &logs->filter.until);
}

static void take_boot(void *to, const struct option_parser *parser)
{
	struct logs *logs = to;
	bool is_negative = parser->argument[0] == '-';
	const char *digits = parser->argument + is_negative;
	uint64_t nr;

	if (strspn(digits, "0123456789") != strlen(digits) || parse_u64(digits, &nr) || nr > 1000000)
		die(EXIT_USAGE, "logs: --boot: \"%s\" is not a number, e.g. 0 (the last boot of the log), -1 or 1",
		    parser->argument);
	logs->has_boot = true;
	logs->boot = is_negative ? -(int)nr : (int)nr;
}

/* FORMAT or FORMAT=FILE */
static void take_format(void *to, const struct option_parser *parser)
{
	struct logs *logs = to;
	size_t len = strcspn(parser->argument, "=");
	STRBUF_AUTO name = STRBUF_INIT;
	struct option_parser word = *parser;
	bool is_json;

	strbuf_add(&name, parser->argument, len);
	word.argument = name.buf;
	is_json = option_choice(&word) == 1;
	for (size_t i = 0; i < logs->nr_outputs; i++)
		if (logs->is_json[i] == is_json)
			die(EXIT_USAGE, "logs: --format %s given twice", name.buf);
	logs->is_json[logs->nr_outputs] = is_json;
	logs->paths[logs->nr_outputs++] = parser->argument[len] ? option_path(parser, parser->argument + len + 1) : NULL;
}

static const struct option_row options[] = {
	{ .name = "since", .argument = "TIME", .take = take_since,
	  .help = "start time: 2026-11-20 14:00, 14:00, yesterday, -2h, @1700000000" },
	{ .name = "until", .argument = "TIME", .help = "end time, same forms", .take = take_until },
	{ .name = "boot", .argument = "N", .help = "one boot only: 0 the last, -1 the one before, 1 the first",
	  .take = take_boot },
	OPTION_FLAG("follow", 'f', "follow the log, one line per event", struct logs, follow),
	{ .name = "format", .argument = "FORMAT[=FILE]", .help = "text (default) or json; may be given twice",
	  .completion = COMPLETE_WORDS, .words = format_words, .take = take_format },
	OPTION_FILE("output", 'o', "write to that file instead of standard output", struct logs, output_path),
	OPTION_CHOICE("fail-on", 0, "WHAT", "what gives exit status 2: fail (default), warn, none", fail_on_words,
		      struct logs, fail_on),
	TERMINAL_OPTION_ROWS(struct logs, colour, ascii),
	{ .name = NULL },
};

/* Without a path it is standard output. */
static bool is_same_place(const char *a, const char *b)
{
	if (!a || !b || is_stdout(a) || is_stdout(b))
		return is_stdout(a) && is_stdout(b);
	return !strcmp(a, b) || is_same_file(a, b);
}

static void check_outputs(struct logs *logs)
{
	bool output_is_used = false;

	if (!logs->nr_outputs)
		logs->nr_outputs = 1;
	for (size_t i = 0; i < logs->nr_outputs; i++) {
		if (logs->paths[i])
			continue;
		logs->paths[i] = logs->output_path;
		output_is_used = true;
	}
	if (logs->output_path && !output_is_used)
		die(EXIT_USAGE, "logs: -o: every format already has a file");
	if (logs->nr_outputs == 2 && is_same_place(logs->paths[0], logs->paths[1]))
		die(EXIT_USAGE, "logs: --format: text and json would go to the same place: name a file for one: "
		    "--format json=FILE");
}

static void check_files(const struct logs *logs)
{
	int from_stdin = 0;

	for (int i = 0; i < logs->nr_files; i++) {
		if (!logs->files[i][0])
			die(EXIT_USAGE, "logs: empty file name");
		from_stdin += is_stdout(logs->files[i]);
		check_device(logs->files[i]);
		for (size_t k = 0; k < logs->nr_outputs; k++)
			check_not_replaced(logs->files[i], logs->paths[k]);
	}
	if (from_stdin > 1)
		die(EXIT_USAGE, "logs: standard input named twice");
}

static void check_follow(const struct logs *logs)
{
	if (!logs->follow)
		return;
	if (logs->nr_files > 1)
		die(EXIT_USAGE, "logs: -f follows one log: name one file, or tail -qF FILE… | gpudiag logs -f -");
	if (logs->filter.has_until || logs->has_boot)
		die(EXIT_USAGE, "logs: -f cannot be used with --until or --boot");
	if (logs->nr_outputs > 1 || !is_stdout(logs->paths[0]))
		die(EXIT_USAGE, "logs: -f writes to standard output only: for a file, > FILE");
}

static void parse(struct logs *logs, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .into = logs, .command = "logs" };

	options_take(&parser);
	logs->files = argv + parser.at;
	logs->nr_files = argc - parser.at;
	if (logs->filter.has_since && logs->filter.has_until && logs->filter.since.utc_us >= logs->filter.until.utc_us)
		die(EXIT_USAGE, "logs: --since is not before --until");
	check_outputs(logs);
	check_files(logs);
	check_follow(logs);
}

/* ---- telling */

/* What was repaired since, or is of an earlier boot, is reported and does not count. */
static int exit_status(const struct told_log *told, enum logs_fail_on fail_on)
{
	enum outcome worst = log_outcome(told->log, told->incidents, told->now, LOG_CURRENT_S);

	if (fail_on == LOGS_FAIL_ON_NONE)
		return 0;
	if (worst == OUTCOME_FAIL || (worst == OUTCOME_WARN && fail_on == LOGS_FAIL_ON_WARN))
		return 2;
	return told->log->unjudged ? 3 : worst == OUTCOME_WARN;
}

/* What ages count from: now for the running kernel's log; else the log's end, as far as it was asked for. */
static struct klog_time end_of(const struct logs *logs, const struct klog_log *log)
{
	struct klog_log part = *log;
	struct klog_time end;
	int64_t until_us;

	/* Of one boot among several its last event is the end. */
	if (logs->has_boot)
		part.coverage.last = (struct klog_time){ .has_boot = false };
	end = log_end(&part);
	until_us = end.wall_is_local ? logs->filter.until.local_us : logs->filter.until.utc_us;

	if (logs->filter.has_boot_began && !logs->has_boot)
		end = (struct klog_time){
			.has_boot = true, .boot_us = (uint64_t)(logs->now_us - logs->filter.boot_began_us),
			.has_wall = true, .wall_us = logs->now_us,
		};
	if (logs->filter.has_until && end.has_wall && end.wall_us > until_us)
		end = (struct klog_time){ .has_wall = true, .wall_is_local = end.wall_is_local, .wall_us = until_us };
	return end;
}

static int print(struct logs *logs, const struct told_log *told)
{
	int status = 0;

	for (size_t i = 0; i < logs->nr_outputs; i++) {
		struct render_options how = terminal_options(logs->paths[i], logs->colour, logs->ascii);
		STRBUF_AUTO text = STRBUF_INIT;
		int r;

		if (logs->is_json[i])
			render_events_json(&text, told, &how);
		else
			render_events_text(&text, told, &how);
		r = delivery_put(&logs->to[i], text.buf, text.len);
		status = r ? r : status;
	}
	return status;
}

static int tell(struct logs *logs, const struct klog_log *log, const char *source)
{
	struct arena arena = { .blocks = NULL };
	struct klog_log boot;
	struct klog_incidents incidents;
	struct told_log told = {
		.log = log, .incidents = &incidents, .source = source,
		.is_part = logs->filter.has_since || logs->filter.has_until || logs->has_boot,
	};
	int status, r;

	if (logs->has_boot) {
		if (klog_log_of_boot(&arena, log, logs->boot, &boot))
			die(EXIT_USAGE, "logs: --boot %d: %s holds %u boot%s: %d to 0, or 1 to %u", logs->boot, source,
			    log->boots, log->boots == 1 ? "" : "s", 1 - (int)log->boots, log->boots);
		told.log = &boot;
	}
	told.now = end_of(logs, told.log);
	klog_find_incidents(&arena, told.log, &incidents);
	r = print(logs, &told);
	status = exit_status(&told, logs->fail_on);
	arena_release(&arena);
	return r ? r : status;
}

static int logs_main(int argc, char **argv)
{
	struct logs logs = { .now_us = clock_utc_us() };
	struct klog_scan *scan;
	struct klog_coverage coverage = { .lines = 0 };
	STRBUF_AUTO source = STRBUF_INIT;
	int status;

	parse(&logs, argc, argv);
	if (logs.follow)
		return logs_follow(&logs);
	for (size_t i = 0; i < logs.nr_outputs; i++)
		delivery_open(&logs.to[i], logs.paths[i]);
	scan = klog_scan_new();
	logs.filter.to = (struct klog_sink){ .line = klog_scan_line, .passed = klog_scan_passed, .to = scan };
	read_logs(&logs, &coverage, &source);
	if (logs.filter.undated)
		complain("%s: %llu line%s of events without a date %s included in spite of --since and --until; "
			 "dmesg -T and journalctl -o short-iso print dates", source.buf, (unsigned long long)logs.filter.undated,
			 logs.filter.undated == 1 ? "" : "s", logs.filter.undated == 1 ? "is" : "are");
	status = tell(&logs, klog_scan_end(scan, &coverage), source.buf);
	klog_scan_free(scan);
	return status;
}

const struct command command_logs = {
	.name = "logs",
	.summary = "find GPU errors in a kernel log",
	.usage = "logs [OPTIONS] [FILE|-]...",
	.doc = "Read a kernel log and list the errors of GPUs, their links and the host: what happened, which GPU, the\n"
	       "cause and the next step. Without FILE: the running kernel's log; -: standard input; several files, oldest\n"
	       "first, are one log. Any output of dmesg, journalctl or syslog works.\n"
	       "Exit status: 0 none, or notes; 1 a warning; 2 a fault still present at the end of the log; 3 lines name a\n"
	       "GPU error in an unknown form; 64 usage or bad input, 70 internal error, 130 and 143 interrupted.\n"
	       "Examples: gpudiag logs, gpudiag logs dmesg.txt, journalctl -k -b -1 | gpudiag logs -",
	.options = options,
	.operand = COMPLETE_FILE,
	.main = logs_main,
};
