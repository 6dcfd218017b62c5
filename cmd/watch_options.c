// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_options.c - what was asked of gpudiag watch. */
#include "base/compat.h"
#include "cmd/watch.h"

#include "cmd/cmd.h"
#include "cmd/delivery.h"

#define NS_PER_MS UINT64_C(1000000)

enum {
	LEAST_INTERVAL_MS = 100, DEFAULT_INTERVAL_MS = 1000,
	/* Of two ticks further apart than 10 min nothing is judged (eval/load): one may be missing. */
	MOST_INTERVAL_MS = 5 * 60 * 1000,
	MOST_LENGTH_MS = 7 * 24 * 3600 * 1000,
};

static const char *const format_words[] = { [WATCH_TEXT] = "text", [WATCH_JSON] = "json", [WATCH_HTML] = "html",
					    NULL };

static void take_interval(void *interval_ns, const struct option_parser *parser)
{
	*(uint64_t *)interval_ns = option_duration_ms(parser, LEAST_INTERVAL_MS, MOST_INTERVAL_MS) * NS_PER_MS;
}

static void take_length(void *length_ns, const struct option_parser *parser)
{
	*(uint64_t *)length_ns = option_duration_ms(parser, 1, MOST_LENGTH_MS) * NS_PER_MS;
}

const struct option_row watch_options[] = {
	OPTION_TAKE("interval", 0, "TIME", "time between two ticks (default 1s, at least 100ms)", COMPLETE_NOTHING,
		    take_interval, struct watch, interval_ns),
	OPTION_TAKE("for", 0, "TIME", "end after that time (default: at Ctrl-C, key q, or the end of the command)",
		    COMPLETE_NOTHING, take_length, struct watch, length_ns),
	OPTION_TAKE("pid", 0, "PID", "watch that process and its children only; self: the one that started gpudiag",
		    COMPLETE_NOTHING, acquire_take_pid, struct watch, acq),
	OPTION_LIST("gpu", 0, "GPU,…", "watch these GPUs only: number, PCI address or UUID", COMPLETE_NOTHING,
		    acquire_take_gpu, struct watch, acq),
	OPTION_FILE("record", 0, "also write the ticks to that file, for --replay", struct watch, record_path),
	OPTION_FILE("replay", 0, "watch a recording instead of this machine; -: standard input", struct watch,
		    replay_path),
	OPTION_CHOICE("format", 'f', "FORMAT",
		      "text (default), json: one object per tick, or html: one page at the end", format_words,
		      struct watch, format),
	OPTION_FILE("output", 'o', "write lines or JSON to that file instead of standard output", struct watch,
		    output_path),
	OPTION_FILE("policy", 0, "thresholds from that file (gpudiag policy); built-in: defaults", struct watch,
		    acq.policy_path),
	TERMINAL_OPTION_ROWS(struct watch, colour, ascii),
	OPTION_FOLDER("root", "watch a /sys and /proc tree below that folder instead of this machine", struct watch,
		      acq.root),
	OPTION_VAL_FOLDER("driver-root", "search vendor libraries below that folder first", struct watch,
			  acq.snapshot.request.driver_root),
	OPTION_VAL_FLAG("touch-hung", "call a driver even if tasks are stuck in it", struct watch,
			acq.snapshot.request.touch_hung),
	{ .name = NULL },
};

static void take_command(struct watch *watch, const struct option_parser *parser)
{
	bool is_marked = parser->at > 1 && !strcmp(parser->argv[parser->at - 1], "--");

	if (parser->at == parser->argc && !is_marked)
		return;
	if (!is_marked)
		die(EXIT_USAGE,
		    "watch: unexpected argument \"%s\"; a command to watch stands behind --: gpudiag watch -- %s",
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
	if (watch->interval_ns)
		die(EXIT_USAGE,
		    "watch: --replay and --interval cannot be used together: ticks come as they were recorded");
	if (acq->root || is_known(acq->snapshot.request.driver_root) ||
	    bool_or(acq->snapshot.request.touch_hung, false))
		die(EXIT_USAGE,
		    "watch: --root, --driver-root and --touch-hung cannot be used with --replay: nothing is read but "
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
	struct option_parser parser = {
		.rows = watch_options, .argc = argc, .argv = argv, .into = watch, .command = "watch",
	};

	options_take(&parser);
	take_command(watch, &parser);
	if (watch->command)
		check_command(watch);
	if (watch->replay_path)
		check_replay(watch);
	check_places(watch);
	if (!watch->interval_ns)
		watch->interval_ns = DEFAULT_INTERVAL_MS * NS_PER_MS;
	if (watch->length_ns && watch->length_ns < watch->interval_ns && !watch->replay_path)
		die(EXIT_USAGE, "watch: --for is shorter than --interval (%llu ms): one tick has nothing to judge",
		    (unsigned long long)(watch->interval_ns / NS_PER_MS));
}
