// SPDX-License-Identifier: GPL-2.0-or-later
/* import.c - a snapshot of what other tools printed, and what of it was not used. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <inttypes.h>

#include "cmd/delivery.h"
#include "cmd/input.h"
#include "cmd/redact_snapshot.h"

struct import_options {
	const char *output_path;
	bool redact, verbose;
	struct strs paths;
	struct arena arena;
};

static const struct option_row options[] = {
	OPTION_FILE("output", 'o', "write the snapshot to that file instead of standard output", struct import_options,
		    output_path),
	OPTION_FLAG("redact", 0, "replace names, serial numbers, users and UUIDs by pseudonyms", struct import_options,
		    redact),
	OPTION_FLAG("verbose", 'v', "list on standard error what each file is, and the lines that were not used",
		    struct import_options, verbose),
	{ .name = NULL },
};

/* Files may stand before the options and after them. */
static void parse(struct import_options *ret, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .into = ret, .command = "import",
					.instead = "; a report: gpudiag run --import FILE --format FORMAT" };
	size_t nr_stdin = 0;

	do {
		options_take(&parser);
		if (parser.at < argc)
			strs_add(&ret->arena, &ret->paths, option_path(&parser, argv[parser.at++]));
	} while (parser.at < argc);
	if (!ret->paths.nr)
		die(EXIT_USAGE, "import: name the files, - for standard input");
	for (size_t i = 0; i < ret->paths.nr; i++) {
		check_not_replaced(ret->paths.v[i], ret->output_path);
		nr_stdin += !strcmp(ret->paths.v[i], "-");
	}
	if (nr_stdin > 1)
		die(EXIT_USAGE, "import: standard input can be one file, not %zu", nr_stdin);
}

/* "q.txt:12: nvidia-smi -q, 310 of 312 lines used" */
static void tell_source(const struct import_source *source)
{
	const char *about = str_or(source->about, "");

	if (!is_known(source->first_line)) {
		complain("%s: %s", str_or(source->file, "?"), str_or(source->title, "?"));
		return;
	}
	complain("%s:%" PRIu64 ": %s%s%.100s%s, %" PRIu64 " of %" PRIu64 " lines used%s", str_or(source->file, "?"),
		 u64_or(source->first_line, 0), str_or(source->title, "?"), *about ? " (" : "", about,
		 *about ? ")" : "", u64_or(source->lines_taken, 0), u64_or(source->lines, 0),
		 bool_or(source->is_cut, false) ? "; its end is missing" : "");
}

static void tell_untaken(const struct import_untaken *untaken)
{
	if (untaken->first_line == untaken->last_line)
		complain("%s:%u: not used: %.100s", untaken->file, untaken->first_line, untaken->text);
	else
		complain("%s:%u-%u: not used: %.100s …", untaken->file, untaken->first_line, untaken->last_line,
			 untaken->text);
}

static void tell(const struct snapshot *snapshot, const struct import_account *account)
{
	for (size_t i = 0; i < snapshot->nr_sources; i++)
		tell_source(&snapshot->sources[i]);
	for (size_t i = 0; i < account->nr_untaken; i++)
		tell_untaken(&account->untaken[i]);
	complain("%zu of %zu lines used", account->nr_taken, account->nr_lines);
}

static int import_main(int argc, char **argv)
{
	struct import_options asked = { .output_path = NULL };
	struct import_account account;
	struct snapshot snapshot;
	struct delivery to;
	STRBUF_AUTO text = STRBUF_INIT;
	int status;

	parse(&asked, argc, argv);
	delivery_open(&to, asked.output_path);
	input_dumps(&asked.paths, &snapshot, &account);
	if (asked.verbose)
		tell(&snapshot, &account);
	if (asked.redact)
		redact_snapshot(&snapshot);
	snapshot_write(&text, &snapshot);
	status = delivery_put(&to, text.buf, text.len);
	snapshot_release(&snapshot);
	arena_release(&asked.arena);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag import nvidia-bug-report.log.gz -o node.json", "a bug report as a snapshot" },
	{ "gpudiag import -v smi.txt dmesg.txt > node.json", "of several files; say what was not read" },
	{ .command = NULL },
};

const struct command command_import = {
	.name = "import",
	.summary = "turn what other tools printed into a snapshot: bug reports, nvidia-smi, lspci, logs",
	.usage = "import [OPTIONS] FILE|FOLDER...",
	.doc = "Read what other tools printed on a node, in one file or several, -: standard input, and write what it "
	       "tells as a snapshot; of a folder all its files. What a file is shows in its content. gpudiag run "
	       "--import FILE judges such files at once.",
	.examples = examples,
	.options = options,
	.operand = COMPLETE_FILE,
	.main = import_main,
};
