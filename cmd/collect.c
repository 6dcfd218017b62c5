// SPDX-License-Identifier: GPL-2.0-or-later
/* collect.c - acq, and write down what was seen, without judging it. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "cmd/delivery.h"
#include "cmd/input.h"
#include "cmd/acquire.h"
#include "cmd/redact_snapshot.h"

struct collect {
	struct acquisition acq;
	const char *output_path;
	const char *snapshot_path;
	bool redact;
};

static const struct option_row options[] = {
	ACQUIRE_OPTION_ROWS(struct collect, acq),
	OPTION_FLAG("redact", 0, "replace names, serial numbers, users and UUIDs by pseudonyms", struct collect,
		    redact),
	OPTION_FILE("snapshot", 0, "with --redact: redact that snapshot instead of this machine; -: standard input",
		    struct collect, snapshot_path),
	OPTION_FILE("output", 'o', "write the snapshot to that file instead of standard output", struct collect,
		    output_path),
	{ .name = NULL },
};

static void parse(struct collect *ret, int argc, char **argv)
{
	struct option_parser parser = {
		.rows = options, .argc = argc, .argv = argv, .into = ret, .command = "collect"
	};

	options_take(&parser);
	if (parser.at < argc)
		die(EXIT_USAGE, "collect: unexpected argument \"%s\"; options begin with --", argv[parser.at]);
	if (ret->snapshot_path && !ret->redact)
		die(EXIT_USAGE, "collect: --snapshot needs --redact; to judge a snapshot: gpudiag run --snapshot FILE");
	if (ret->snapshot_path && ret->acq.root)
		die(EXIT_USAGE, "collect: --snapshot and --root cannot be used together");
}

static void load(struct collect *collect)
{
	struct merge_unknown unknown = { .nr = 0 };
	const char *words;

	snapshot_release(&collect->acq.snapshot);
	input_snapshot(collect->snapshot_path, &collect->acq.snapshot, &unknown);
	words = input_unknown_words(&collect->acq.snapshot.arena, &unknown, "the snapshot");
	if (words)
		complain("%s", words);
}

static int collect_main(int argc, char **argv)
{
	struct collect collect = { .redact = false };
	struct acquisition *acq = &collect.acq;
	struct delivery to;
	STRBUF_AUTO text = STRBUF_INIT;
	int status;

	parse(&collect, argc, argv);
	delivery_open(&to, collect.output_path);
	if (collect.snapshot_path) {
		load(&collect);
	} else {
		acquire_policy(acq, false);
		acquire_run(acq, argc, argv);
	}
	if (collect.redact)
		redact_snapshot(&acq->snapshot);
	snapshot_write(&text, &acq->snapshot);
	status = delivery_put(&to, text.buf, text.len);
	if (!status && acq->signal)
		status = EXIT_SIGNAL + acq->signal;
	acquire_release(acq);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag collect -o node.json", "all that run reads, in one file" },
	{ "gpudiag collect --redact -o node.json", "without names of machine, users and jobs" },
	{ .command = NULL },
};

const struct command command_collect = {
	.name = "collect",
	.summary = "save a snapshot, to be judged later on any machine",
	.usage = "collect [OPTIONS]",
	.doc = "Read this machine as run does, and write a snapshot, one JSON file. gpudiag run --snapshot FILE gives "
	       "the same report on any machine. With --redact the file names no machine, user or job, and is judged the "
	       "same.",
	.examples = examples,
	.options = options,
	.main = collect_main,
};
