// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_options.c - what was asked of gpudiag watch. */
#include "base/compat.h"
#include "cmd/watch.h"

#include "cmd/cmd.h"
#include "cmd/delivery.h"

#define NS_PER_MS UINT64_C(1000000)

enum {
	LEAST_INTERVAL_MS = 100, DEFAULT_INTERVAL_MS = 1000, MOST_INTERVAL_MS = 3600 * 1000,
	MOST_LENGTH_MS = 7 * 24 * 3600 * 1000,
};

enum {
	OPT_INTERVAL = NR_ACQUIRE_OPTIONS, OPT_FOR, OPT_RECORD, OPT_REPLAY, OPT_FORMAT, OPT_OUTPUT, OPT_COLOR, OPT_ASCII,
};

static const char *const format_words[] = { "text", "json", NULL };

const struct option_row watch_options[] = {
	{ "interval", 0, "TIME", "time between two ticks (default 1s, at least 100ms)", OPT_INTERVAL, COMPLETE_NOTHING, NULL },
	{ "for", 0, "TIME", "end after that time (default: at Ctrl-C, key q, or the end of the command)", OPT_FOR,
	  COMPLETE_NOTHING, NULL },
	{ "pid", 0, "PID", "watch that process and its children only; self: the one that started gpudiag", ACQUIRE_PID,
	  COMPLETE_NOTHING, NULL },
	{ "gpu", 0, "GPU,…", "watch these GPUs only: number, PCI address or UUID", ACQUIRE_GPU, COMPLETE_NOTHING, NULL },
	{ "record", 0, "FILE", "also write the ticks to that file, for --replay", OPT_RECORD, COMPLETE_FILE, NULL },
	{ "replay", 0, "FILE", "watch a recording instead of this machine; -: standard input", OPT_REPLAY, COMPLETE_FILE, NULL },
	{ "format", 'f', "FORMAT", "text (default) or json: one object per tick", OPT_FORMAT, COMPLETE_WORDS, format_words },
	{ "output", 'o', "FILE", "write lines or JSON to that file instead of standard output", OPT_OUTPUT, COMPLETE_FILE,
	  NULL },
	{ "policy", 0, "FILE", "thresholds from that file (gpudiag policy); built-in: defaults", ACQUIRE_POLICY, COMPLETE_FILE,
	  NULL },
	{ "color", 0, "WHEN", "auto (default), always or never", OPT_COLOR, COMPLETE_WORDS, terminal_colours },
	{ "ascii", 0, NULL, "ASCII only", OPT_ASCII, COMPLETE_NOTHING, NULL },
	{ "root", 0, "DIR", "watch a /sys and /proc tree below that folder instead of this machine", ACQUIRE_ROOT,
	  COMPLETE_FOLDER, NULL },
	{ "driver-root", 0, "DIR", "search vendor libraries below that folder first", ACQUIRE_DRIVER_ROOT, COMPLETE_FOLDER,
	  NULL },
	{ "touch-hung", 0, NULL, "call a driver even if tasks are stuck in it", ACQUIRE_TOUCH_HUNG, COMPLETE_NOTHING, NULL },
	{ .name = NULL },
};

static void take_option(struct watch *watch, const struct option_parser *parser, int id)
{
	switch (id) {
	case OPT_INTERVAL:
		watch->interval_ns = option_duration_ms(parser, LEAST_INTERVAL_MS, MOST_INTERVAL_MS) * NS_PER_MS;
		watch->has_interval = true;
		break;
	case OPT_FOR:
		watch->length_ns = option_duration_ms(parser, 1, MOST_LENGTH_MS) * NS_PER_MS;
		break;
	case OPT_RECORD:
		watch->record_path = option_path(parser, parser->argument);
		break;
	case OPT_REPLAY:
		watch->replay_path = option_path(parser, parser->argument);
		break;
	case OPT_FORMAT:
		watch->is_json = option_choice(parser) == 1;
		break;
	case OPT_OUTPUT:
		watch->output_path = option_path(parser, parser->argument);
		break;
	case OPT_COLOR:
		watch->colour = (enum terminal_colour)option_choice(parser);
		break;
	case OPT_ASCII:
		watch->ascii = true;
		break;
	default:
		acquire_option(&watch->acq, parser, id);
		break;
	}
}

static void take_command(struct watch *watch, const struct option_parser *parser)
{
	bool is_marked = parser->at > 1 && !strcmp(parser->argv[parser->at - 1], "--");

	if (parser->at == parser->argc && !is_marked)
		return;
	if (!is_marked)
		die(EXIT_USAGE, "watch: unexpected argument \"%s\"; a command to watch stands behind --: gpudiag watch -- %s",
		    parser->argv[parser->at], parser->argv[parser->at]);
	if (parser->at == parser->argc)
		die(EXIT_USAGE, "watch: no command behind --");
	watch->command = parser->argv + parser->at;
}

static void check_command(const struct watch *watch)
{
	const struct request *request = &watch->acq.snapshot.request;

	if (is_known(request->pid) || bool_or(request->pid_is_self, false))
		die(EXIT_USAGE, "watch: --pid and a command cannot be used together: the command is what is watched");
	if (watch->acq.root)
		die(EXIT_USAGE, "watch: --root and a command cannot be used together: the command does not run there");
	if (watch->acq.policy_path && !strcmp(watch->acq.policy_path, "-"))
		die(EXIT_USAGE, "watch: --policy -: standard input is that of the command");
}

static void check_replay(const struct watch *watch)
{
	const struct acquisition *acq = &watch->acq;

	if (watch->command)
		die(EXIT_USAGE, "watch: --replay and a command cannot be used together");
	if (watch->record_path)
		die(EXIT_USAGE, "watch: --replay and --record cannot be used together");
	if (watch->has_interval)
		die(EXIT_USAGE, "watch: --replay and --interval cannot be used together: ticks come as they were recorded");
	if (acq->root || is_known(acq->snapshot.request.driver_root) || bool_or(acq->snapshot.request.touch_hung, false))
		die(EXIT_USAGE, "watch: --root, --driver-root and --touch-hung cannot be used with --replay: nothing is read but "
		    "the recording");
	if (bool_or(acq->snapshot.request.pid_is_self, false))
		die(EXIT_USAGE, "watch: --pid self: this run is not in the recording; name a process that is");
	if (acq->policy_path && !strcmp(watch->replay_path, "-") && !strcmp(acq->policy_path, "-"))
		die(EXIT_USAGE, "watch: --replay and --policy cannot both be standard input");
	check_not_replaced(watch->replay_path, watch->output_path);
}

static void check_places(const struct watch *watch)
{
	const char *record = watch->record_path, *output = watch->output_path, *policy = watch->acq.policy_path;

	if (record && is_stdout(record))
		die(EXIT_USAGE, "watch: --record: name a file: standard output is for what is judged");
	if (record && !is_stdout(output) && (!strcmp(record, output) || is_same_file(record, output)))
		die(EXIT_USAGE, "watch: --record and -o name the same file");
	check_not_replaced(policy, record);
	check_not_replaced(policy, output);
}

void watch_parse(struct watch *watch, int argc, char **argv)
{
	struct option_parser parser = { .rows = watch_options, .argc = argc, .argv = argv, .command = "watch" };
	int id;

	watch->interval_ns = DEFAULT_INTERVAL_MS * NS_PER_MS;
	while ((id = option_next(&parser)) >= 0)
		take_option(watch, &parser, id);
	take_command(watch, &parser);
	if (watch->command)
		check_command(watch);
	if (watch->replay_path)
		check_replay(watch);
	check_places(watch);
}
