// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline_options.c - the command line of gpudiag baseline, which save reads anew for each of its runs. */
#include "base/compat.h"
#include "cmd/baseline.h"

#include "base/text.h"
#include "cmd/cmd.h"

const char *const baseline_actions[] = { "save", "show", "compare", NULL };

static void take_runs(void *to, const struct option_parser *parser)
{
	struct baseline_options *asked = to;
	uint64_t nr;

	if (parse_u64(parser->argument, &nr) || !nr || nr > BASELINE_MAX_RUNS)
		die(EXIT_USAGE, "baseline: --runs: \"%s\" is not a number from 1 to %d", parser->argument,
		    BASELINE_MAX_RUNS);
	asked->nr_runs = (size_t)nr;
}

static void take_snapshot(void *to, const struct option_parser *parser)
{
	struct baseline_options *asked = to;

	if (asked->nr_snapshots == BASELINE_MAX_RUNS)
		die(EXIT_USAGE, "baseline: --snapshot: more than %d", BASELINE_MAX_RUNS);
	asked->snapshots[asked->nr_snapshots++] = option_path(parser, parser->argument);
}

const struct option_row baseline_option_rows[] = {
	ACQUIRE_OPTION_ROWS(struct baseline_options, acq),
	EXPECT_GPUS_OPTION_ROW(struct baseline_options, acq),
	OPTION_FILE("output", 'o', "save: write there, instead of " BASELINE_OF_MACHINE, struct baseline_options, output_path),
	{ .name = "runs", .argument = "N", .help = "save: number of runs (default 5)", .take = take_runs },
	{ .name = "snapshot", .argument = "FILE", .completion = COMPLETE_FILE, .take = take_snapshot,
	  .help = "saved snapshots instead of this machine; for save several, each a run" },
	OPTION_FLAG("even-with-findings", 0, "save: also with findings or noisy timings", struct baseline_options,
		    even_with_findings),
	OPTION_FLAG("force", 0, "save: overwrite a file that is no baseline, or another machine's", struct baseline_options,
		    force),
	OPTION_FLAG("baseline-of-another", 0, "compare: also with another machine's, by the GPUs' slots",
		    struct baseline_options, baseline.another_is_meant),
	OPTION_FLAG("ascii", 0, "ASCII only", struct baseline_options, ascii),
	{ .name = NULL },
};

static void check_save(const struct baseline_options *asked)
{
	if (asked->file)
		die(EXIT_USAGE, "baseline save: unexpected argument \"%s\"; name the file with -o", asked->file);
	if (asked->nr_snapshots && asked->nr_runs)
		die(EXIT_USAGE, "baseline save: --runs cannot be used with --snapshot: each snapshot is a run");
	if (!asked->output_path && (asked->nr_snapshots || asked->acq.root))
		die(EXIT_USAGE,
		    "baseline save: name the file with -o: " BASELINE_OF_MACHINE " is for this machine only");
}

static void check_options(const struct baseline_options *asked)
{
	if (asked->nr_snapshots && asked->acq.root)
		die(EXIT_USAGE, "baseline: --snapshot and --root cannot be used together");
	if (asked->action == BASELINE_SAVE) {
		check_save(asked);
		return;
	}
	if (asked->output_path || asked->nr_runs || asked->even_with_findings || asked->force)
		die(EXIT_USAGE, "baseline %s: -o, --runs, --even-with-findings and --force are for save", baseline_actions[asked->action]);
	if (asked->nr_snapshots > (asked->action == BASELINE_COMPARE))
		die(EXIT_USAGE, "baseline %s: takes %s", baseline_actions[asked->action],
		    asked->action == BASELINE_COMPARE ? "only one --snapshot" : "no --snapshot");
}

/* Words may stand before the options and after them. */
void baseline_take_options(struct baseline_options *ret, int argc, char **argv)
{
	struct option_parser parser = { .rows = baseline_option_rows, .argc = argc, .argv = argv, .into = ret,
					.command = "baseline" };
	const char *word = NULL;

	memset(ret, 0, sizeof(*ret));
	do {
		options_take(&parser);
		if (parser.at >= argc)
			break;
		if (word && ret->file)
			die(EXIT_USAGE, "baseline: unexpected argument \"%s\": one file at a time", argv[parser.at]);
		if (word)
			ret->file = argv[parser.at];
		else
			word = argv[parser.at];
	} while (++parser.at < argc);
	if (!word)
		die(EXIT_USAGE, "baseline: name an action: save, show or compare");
	while (baseline_actions[ret->action] && strcmp(baseline_actions[ret->action], word) != 0)
		ret->action++;
	if (!baseline_actions[ret->action])
		die_no_such_word("baseline", word, baseline_actions, ARRAY_SIZE(baseline_actions) - 1);
	check_options(ret);
}
