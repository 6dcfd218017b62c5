// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline_options.c - the command line of gpudiag baseline, which save reads anew for each of its runs. */
#include "base/compat.h"
#include "cmd/baseline.h"

#include "base/text.h"
#include "cmd/cmd.h"

enum { OPT_OUTPUT = NR_ACQUIRE_OPTIONS, OPT_RUNS, OPT_SNAPSHOT, OPT_EVEN_WITH_FINDINGS, OPT_FORCE, OPT_ASCII };

const char *const baseline_actions[] = { "save", "show", "compare", NULL };

const struct option_row baseline_option_rows[] = {
	ACQUIRE_OPTION_ROWS,
	{"expect-gpus", 0, "N[:MODEL]", "expected GPUs and model; 0: no GPU is a pass", ACQUIRE_EXPECT_GPUS,
	 COMPLETE_NOTHING, NULL},
	{"output", 'o', "FILE", "save: write there, instead of " BASELINE_OF_MACHINE, OPT_OUTPUT, COMPLETE_FILE, NULL},
	{"runs", 0, "N", "save: number of runs (default 5)", OPT_RUNS, COMPLETE_NOTHING, NULL},
	{"snapshot", 0, "FILE", "saved snapshots instead of this machine; for save several, each a run", OPT_SNAPSHOT,
	 COMPLETE_FILE, NULL},
	{"even-with-findings", 0, NULL, "save: also with findings or noisy timings",
	 OPT_EVEN_WITH_FINDINGS, COMPLETE_NOTHING, NULL},
	{"force", 0, NULL, "save: overwrite a file that is no baseline, or another machine's", OPT_FORCE, COMPLETE_NOTHING, NULL},
	{"baseline-of-another", 0, NULL, "compare: also with another machine's, by the GPUs' slots", JUDGE_ANOTHER,
	 COMPLETE_NOTHING, NULL},
	{"ascii", 0, NULL, "ASCII only", OPT_ASCII, COMPLETE_NOTHING, NULL},
	{.name = NULL},
};

static void set_runs(struct baseline_options *asked, const struct option_parser *parser)
{
	uint64_t nr;

	if (parse_u64(parser->argument, &nr) || !nr || nr > BASELINE_MAX_RUNS)
		die(EXIT_USAGE, "baseline: --runs: \"%s\" is not a number from 1 to %d", parser->argument,
		    BASELINE_MAX_RUNS);
	asked->nr_runs = (size_t)nr;
}

static void take_option(struct baseline_options *asked, const struct option_parser *parser, int id)
{
	switch (id) {
	case OPT_OUTPUT:
		asked->output_path = option_path(parser, parser->argument);
		break;
	case OPT_RUNS:
		set_runs(asked, parser);
		break;
	case OPT_SNAPSHOT:
		if (asked->nr_snapshots == BASELINE_MAX_RUNS)
			die(EXIT_USAGE, "baseline: --snapshot: more than %d", BASELINE_MAX_RUNS);
		asked->snapshots[asked->nr_snapshots++] = option_path(parser, parser->argument);
		break;
	case OPT_EVEN_WITH_FINDINGS:
		asked->even_with_findings = true;
		break;
	case OPT_FORCE:
		asked->force = true;
		break;
	case OPT_ASCII:
		asked->ascii = true;
		break;
	default:
		if (!judging_option(&asked->judging, &asked->acq.policy_arena, parser, id))
			acquire_option(&asked->acq, parser, id);
		break;
	}
}

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
	struct option_parser parser = { .rows = baseline_option_rows, .argc = argc, .argv = argv, .command = "baseline" };
	const char *word = NULL;
	int id;

	memset(ret, 0, sizeof(*ret));
	do {
		while ((id = option_next(&parser)) >= 0)
			take_option(ret, &parser, id);
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
