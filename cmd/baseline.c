// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline.c - the command: shows what was saved of a node, and compares with it; baseline_save.c saves. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/baseline.h"
#include "cmd/input.h"
#include "render/render.h"

enum { OPT_OUTPUT = NR_LOOK_OPTIONS, OPT_RUNS, OPT_SNAPSHOT, OPT_EVEN_WITH_FINDINGS, OPT_FORCE, OPT_ASCII };

/* Beside those of every command. */
enum {
	EXIT_WORSE = 1,			/* compare: something is worse than it was */
	EXIT_NOT_COMPARED = 2,		/* compare: another machine's, or nothing to compare */
};

static const char *const actions[] = { "save", "show", "compare", NULL };

static const struct option_row options[] = {
	LOOK_OPTION_ROWS,
	{"expect-gpus", 0, "N[:MODEL]", "how many GPUs belong here, and which; 0 makes none a pass", LOOK_EXPECT_GPUS,
	 COMPLETE_NOTHING, NULL},
	{"output", 'o', "FILE", "save: write there, instead of " BASELINE_OF_MACHINE, OPT_OUTPUT, COMPLETE_FILE, NULL},
	{"runs", 0, "N", "save: look and measure that many times (default 5)", OPT_RUNS, COMPLETE_NOTHING, NULL},
	{"snapshot", 0, "FILE", "of saved snapshots instead of this machine; save takes several, each a run", OPT_SNAPSHOT,
	 COMPLETE_FILE, NULL},
	{"even-with-findings", 0, NULL, "save: also a node that has something wrong, or figures that are noise",
	 OPT_EVEN_WITH_FINDINGS, COMPLETE_NOTHING, NULL},
	{"force", 0, NULL, "save: over a file that is no baseline, or another machine's", OPT_FORCE, COMPLETE_NOTHING, NULL},
	{"baseline-of-another", 0, NULL, "compare: with another machine's too, by the GPUs' places", JUDGE_ANOTHER,
	 COMPLETE_NOTHING, NULL},
	{"ascii", 0, NULL, "no character beyond ASCII", OPT_ASCII, COMPLETE_NOTHING, NULL},
	{.name = NULL},
};

/* ---- the command line */

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
		if (!judging_option(&asked->judging, &asked->look.policy_arena, parser, id))
			look_option(&asked->look, parser, id);
		break;
	}
}

static void check_save(const struct baseline_options *asked)
{
	if (asked->file)
		die(EXIT_USAGE, "baseline save: takes no \"%s\"; where to save is said by -o", asked->file);
	if (asked->nr_snapshots && asked->nr_runs)
		die(EXIT_USAGE, "baseline save: --snapshot and --runs: each snapshot is a run");
	if (!asked->output_path && (asked->nr_snapshots || asked->look.root))
		die(EXIT_USAGE, "baseline save: say by -o where to: " BASELINE_OF_MACHINE " is this machine's own");
}

static void check_options(const struct baseline_options *asked)
{
	if (asked->nr_snapshots && asked->look.root)
		die(EXIT_USAGE, "baseline: --snapshot and --root are two different things to look at: give one");
	if (asked->action == BASELINE_SAVE) {
		check_save(asked);
		return;
	}
	if (asked->output_path || asked->nr_runs || asked->even_with_findings || asked->force)
		die(EXIT_USAGE, "baseline %s: -o, --runs, --even-with-findings and --force are for save", actions[asked->action]);
	if (asked->nr_snapshots > (asked->action == BASELINE_COMPARE))
		die(EXIT_USAGE, "baseline %s: takes %s --snapshot", actions[asked->action],
		    asked->action == BASELINE_COMPARE ? "one" : "no");
}

/* Words may stand before the options and after them. */
void baseline_take_options(struct baseline_options *ret, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "baseline" };
	const char *word = NULL;
	int id;

	memset(ret, 0, sizeof(*ret));
	do {
		while ((id = option_next(&parser)) >= 0)
			take_option(ret, &parser, id);
		if (parser.at >= argc)
			break;
		if (word && ret->file)
			die(EXIT_USAGE, "baseline: takes no \"%s\": one file at a time", argv[parser.at]);
		if (word)
			ret->file = argv[parser.at];
		else
			word = argv[parser.at];
	} while (++parser.at < argc);
	if (!word)
		die(EXIT_USAGE, "baseline: say what to do: save, show or compare");
	while (actions[ret->action] && strcmp(actions[ret->action], word) != 0)
		ret->action++;
	if (!actions[ret->action])
		die_no_such_word("baseline", word, actions, ARRAY_SIZE(actions) - 1);
	check_options(ret);
}

/* ---- show, compare */

static const char *file_of(const struct baseline_options *asked)
{
	return asked->file ? asked->file : BASELINE_OF_MACHINE;
}

static int show(struct baseline_options *asked)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct merge_unknown unknown;
	struct baseline baseline;

	baseline_load(&baseline, file_of(asked), &unknown);
	render_baseline(&text, &baseline, &asked->look.policy, NULL, asked->ascii);
	baseline_release(&baseline);
	return deliver(NULL, text.buf, text.len);
}

/* Nothing was judged at all: that is no "as it was". */
static int status_of(const struct report *report)
{
	for (size_t i = 0; i < report->nr_findings; i++)
		if (finding_is_of_baseline(report->findings[i]) && report->findings[i]->outcome >= OUTCOME_WARN)
			return EXIT_WORSE;
	return report_compares(report) ? 0 : EXIT_NOT_COMPARED;
}

/* What is judged by the baseline alone, and links, whose width and speed as recorded is part of what their checks ask. */
static void only_ours(struct snapshot *snapshot)
{
	static const char *const checks[] = { "baseline-drift", "baseline-inventory", "pcie-width", "pcie-speed" };

	snapshot->request.only_checks = (struct strs){ .nr = 0 };
	snapshot->request.skip_checks = (struct strs){ .nr = 0 };
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		strs_add(&snapshot->arena, &snapshot->request.only_checks, checks[i]);
}

static int compare(struct baseline_options *asked, int argc, char **argv)
{
	struct snapshot *now = &asked->look.snapshot;
	struct baseline_in_force baseline;
	struct merge_unknown unknown;
	STRBUF_AUTO text = STRBUF_INIT;
	struct report report;
	int status, r;

	asked->judging.baseline_path = file_of(asked);
	baseline_check_input("baseline compare", &asked->judging, asked->nr_snapshots ? asked->snapshots[0] : NULL,
			     asked->look.policy_path);
	baseline_in_force(&baseline, &asked->judging, false);
	if (!baseline.in_force)
		die(EXIT_USAGE, "baseline compare: \"" BASELINE_NONE_WORD "\" is nothing to compare with");
	if (asked->nr_snapshots) {
		snapshot_release(now);
		input_snapshot(asked->snapshots[0], now, &unknown);
	}
	only_ours(now);
	if (!asked->nr_snapshots)
		look_run(&asked->look, argc, argv);
	judge(&report, now, &playbook, &(struct basis){ .policy = &asked->look.policy, .baseline = baseline.in_force });
	baseline_messages(&baseline, &report);
	render_baseline(&text, baseline.in_force, &asked->look.policy, &report, asked->ascii);
	status = asked->look.signal ? EXIT_SIGNAL + asked->look.signal : status_of(&report);
	report_release(&report);
	baseline_in_force_release(&baseline);
	look_release_signals();
	r = deliver(NULL, text.buf, text.len);
	return r ? r : status;
}

static int baseline_main(int argc, char **argv)
{
	struct baseline_options asked;
	int status;

	baseline_take_options(&asked, argc, argv);
	look_policy(&asked.look, asked.nr_snapshots);
	if (asked.action == BASELINE_SAVE)
		status = baseline_save(&asked, argc, argv);
	else
		status = asked.action == BASELINE_SHOW ? show(&asked) : compare(&asked, argc, argv);
	look_release(&asked.look);
	return status;
}

const struct command command_baseline = {
	.name = "baseline",
	.summary = "saves what this node is like when it is well, and compares with it",
	.usage = "baseline save|show|compare [FILE] [OPTIONS]",
	.doc = "save looks and measures several times and writes what was seen, and how much each figure varied, to\n"
	       BASELINE_OF_MACHINE ", where gpudiag run finds it. It refuses a node with warnings or failures,\n"
	       "or with a figure that varied by more than baseline.noise_ratio (30 %) while it was measured.\n"
	       "show prints such a file; compare looks at the node, or a snapshot, beside it.\n"
	       "Exit status of save: 0 saved, 2 not: the node has findings or is too noisy, 3 not: a required check\n"
	       "could not be judged. Of compare: 0 nothing is worse, 1 something is, 2 nothing could be compared.",
	.options = options,
	.operand = COMPLETE_WORDS,
	.operand_words = actions,
	.main = baseline_main,
};
