// SPDX-License-Identifier: GPL-2.0-or-later
/* logs.c - GPU errors in a kernel log. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "base/text.h"
#include "cmd/logs.h"
#include "cmd/pager.h"
#include "render/events.h"
#include "sys/clock.h"

static const char *const format_words[] = { "text", "json", NULL };
static const char *const fail_on_words[] = {
	[LOGS_FAIL_ON_FAIL] = "fail", [LOGS_FAIL_ON_WARN] = "warn", [LOGS_FAIL_ON_NONE] = "none", NULL,
};

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
	logs->paths[logs->nr_outputs++] =
		parser->argument[len] ? option_path(parser, parser->argument + len + 1) : NULL;
}

static const struct option_row options[] = {
	{ .name = "since", .argument = "TIME", .take = take_since,
	  .help = "start time: 2026-11-20 14:00, 14:00, yesterday, -2h, @1700000000" },
	{ .name = "until", .argument = "TIME", .help = "end time, same forms", .take = take_until },
	{ .name = "boot", .argument = "N", .help = "one boot only: 0 the last, -1 the one before, 1 the first",
	  .take = take_boot },
	OPTION_FLAG("follow", 'f', "follow the log, one line per event", struct logs, follow),
	{ .name = "format", .argument = "FORMAT[=FILE]", .help = "text (default) or json; may be given twice",
	  .completion = COMPLETE_WORDS, .words = format_words, .take = take_format,
	  .repeats = true },
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
		logs_check_device(logs->files[i]);
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
	enum outcome worst = log_outcome(told->log, told->incidents, told->now, &log_limits_built_in);

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
		r = page_delivery(&logs->to[i], text.buf, text.len);
		status = r ? r : status;
	}
	return status;
}

static bool are_of_files(const struct logs *logs)
{
	const char *first = NULL;

	for (size_t i = 0; i < logs->nr_places; i++) {
		const char *file = logs->places[i].file;

		if (file && first && strcmp(file, first) != 0)
			return true;
		first = first ? first : file;
	}
	return false;
}

static int tell(struct logs *logs, const struct klog_log *log, const char *source)
{
	struct arena arena = { .blocks = NULL };
	struct klog_log boot;
	struct klog_incidents incidents;
	struct told_log told = {
		.log = log, .incidents = &incidents, .source = source, .places = logs->places,
		.nr_places = logs->nr_places, .is_of_files = are_of_files(logs),
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
	const struct klog_log *log;
	STRBUF_AUTO source = STRBUF_INIT;
	int status;

	parse(&logs, argc, argv);
	if (logs.follow)
		return logs_follow(&logs);
	for (size_t i = 0; i < logs.nr_outputs; i++)
		delivery_open(&logs.to[i], logs.paths[i]);
	scan = klog_scan_new();
	logs.filter.to = (struct klog_sink){ .line = klog_scan_line, .passed = klog_scan_passed, .to = scan };
	logs_read(&logs, &coverage, &source);
	if (logs.filter.undated)
		complain("%s: %llu line%s of events without a date %s included in spite of --since and --until; "
			 "dmesg -T and journalctl -o short-iso print dates",
			 source.buf, (unsigned long long)logs.filter.undated, logs.filter.undated == 1 ? "" : "s",
			 logs.filter.undated == 1 ? "is" : "are");
	log = klog_scan_end(scan, &coverage);
	logs_check_kind(&logs, log);
	status = tell(&logs, log, source.buf);
	klog_scan_free(scan);
	arena_release(&logs.arena);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag logs", "the running kernel's log" },
	{ "gpudiag logs dmesg.txt", "a log from a ticket" },
	{ "journalctl -k -b -1 | gpudiag logs -", "the boot before" },
	{ .command = NULL },
};

const struct command command_logs = {
	.name = "logs",
	.summary = "find GPU errors in a kernel log",
	.usage = "logs [OPTIONS] [FILE|-]...",
	.doc = "Read a kernel log and list the errors of GPUs, their links and the host: what happened, which GPU, the "
	       "cause and the next step. Without FILE: the running kernel's log; -: standard input; several files, "
	       "oldest first, are one log. Any output of dmesg, journalctl or syslog works.\n"
	       "Exit status: 0 none, or notes; 1 a warning; 2 a fault still present at the end of the log; 3 lines name "
	       "a GPU error in an unknown form; 64 usage or bad input, 70 internal error, 130 and 143 interrupted.",
	.examples = examples,
	.options = options,
	.operand = COMPLETE_FILE,
	.main = logs_main,
};
