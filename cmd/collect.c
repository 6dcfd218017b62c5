// SPDX-License-Identifier: GPL-2.0-or-later
/* collect.c - look, and write down what was seen, without judging it. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/look.h"

enum { OPT_OUTPUT = NR_LOOK_OPTIONS };

static const struct option_row options[] = {
	LOOK_OPTION_ROWS,
	{"output", 'o', "FILE", "write the snapshot there instead of to standard output", OPT_OUTPUT, COMPLETE_FILE, NULL},
	{ .name = NULL },
};

static int collect_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "collect" };
	struct look look = { .root = NULL };
	STRBUF_AUTO text = STRBUF_INIT;
	const char *path = NULL;
	int id, status;

	while ((id = option_next(&parser)) >= 0) {
		if (id == OPT_OUTPUT)
			path = option_path(&parser, parser.argument);
		else
			look_option(&look, &parser, id);
	}
	if (parser.at < argc)
		die(EXIT_USAGE, "collect: takes no \"%s\"; options begin with --", argv[parser.at]);
	look_policy(&look, false);
	look_run(&look, argc, argv);
	snapshot_write(&text, &look.snapshot);
	if (is_stdout(path))
		look_release_signals();
	status = deliver(path, text.buf, text.len);
	if (!status && look.signal)
		status = EXIT_SIGNAL + look.signal;
	look_release(&look);
	return status;
}

const struct command command_collect = {
	.name = "collect",
	.summary = "looks, and writes a snapshot that can be judged later, anywhere",
	.usage = "collect [OPTIONS]",
	.doc = "Looks at this machine as run does and writes all that was seen as one JSON file. Judge it with\n"
	       "gpudiag run --snapshot FILE: the same report as here, on any machine, with newer rules if need be.",
	.options = options,
	.main = collect_main,
};
