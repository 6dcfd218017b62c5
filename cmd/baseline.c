// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline.c - saves what a node is like when it is well, shows it, and compares. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/baseline_in_force.h"
#include "cmd/input.h"
#include "cmd/look.h"
#include "eval/drift.h"
#include "render/render.h"
#include "sys/clock.h"

enum { OPT_OUTPUT = NR_LOOK_OPTIONS, OPT_RUNS, OPT_SNAPSHOT, OPT_EVEN_WITH_FINDINGS, OPT_FORCE, OPT_ASCII };
enum { DEFAULT_RUNS = 5, MAX_RUNS = 100 };

/* Beside those of every command. */
enum {
	EXIT_WORSE = 1,			/* compare: something is worse than it was */
	EXIT_NOT_SAVED = 2,		/* save: the node has findings, or its figures are noise */
	EXIT_NOT_COMPARED = 2,		/* compare: another machine's, or nothing to compare */
	EXIT_NOT_JUDGED = 3,		/* save: a required check could not be judged */
};

static const char *const actions[] = { "save", "show", "compare", NULL };
enum action_word { SAVE, SHOW, COMPARE };

static const struct option_row options[] = {
	LOOK_OPTION_ROWS,
	{"expect-gpus", 0, "N[:MODEL]", "how many GPUs belong here, and which; 0 makes none a pass", LOOK_EXPECT_GPUS,
	 COMPLETE_NOTHING, NULL},
	{"output", 'o', "FILE", "save: write there, instead of " BASELINE_OF_MACHINE, OPT_OUTPUT, COMPLETE_FILE, NULL},
	{"runs", 0, "N", "save: look and measure that many times (default 5)", OPT_RUNS, COMPLETE_NOTHING, NULL},
	{"snapshot", 0, "FILE", "of saved snapshots instead of this machine; save takes several, each a run", OPT_SNAPSHOT,
	 COMPLETE_FILE, NULL},
	{"even-with-findings", 0, NULL, "save: also a node that has something wrong", OPT_EVEN_WITH_FINDINGS,
	 COMPLETE_NOTHING, NULL},
	{"force", 0, NULL, "save: over a file that is no baseline, or another machine's", OPT_FORCE, COMPLETE_NOTHING, NULL},
	{"baseline-of-another", 0, NULL, "compare: with another machine's too, by the GPUs' places", JUDGE_ANOTHER,
	 COMPLETE_NOTHING, NULL},
	{"ascii", 0, NULL, "no character beyond ASCII", OPT_ASCII, COMPLETE_NOTHING, NULL},
	{.name = NULL},
};

struct baseline_options {
	struct look look;
	struct judging_options judging;
	enum action_word action;
	const char *file;		/* of show and compare; NULL: the machine's */
	const char *output_path;	/* of save; NULL: the machine's */
	const char *snapshots[MAX_RUNS];
	size_t nr_snapshots;
	size_t nr_runs;			/* 0: not said */
	bool even_with_findings, force, ascii;
};

/* ---- the command line */

static void set_runs(struct baseline_options *asked, const struct option_parser *parser)
{
	uint64_t nr;

	if (parse_u64(parser->argument, &nr) || !nr || nr > MAX_RUNS)
		die(EXIT_USAGE, "baseline: --runs: \"%s\" is not a number from 1 to %d", parser->argument, MAX_RUNS);
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
		if (asked->nr_snapshots == MAX_RUNS)
			die(EXIT_USAGE, "baseline: --snapshot: more than %d", MAX_RUNS);
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
	if (asked->action == SAVE) {
		check_save(asked);
		return;
	}
	if (asked->output_path || asked->nr_runs || asked->even_with_findings || asked->force)
		die(EXIT_USAGE, "baseline %s: -o, --runs, --even-with-findings and --force are for save", actions[asked->action]);
	if (asked->nr_snapshots > (asked->action == COMPARE))
		die(EXIT_USAGE, "baseline %s: takes %s --snapshot", actions[asked->action],
		    asked->action == COMPARE ? "one" : "no");
}

/* Words may stand before the options and after them. */
static void parse(struct baseline_options *ret, int argc, char **argv)
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

/* ---- save */

static void refuse_file(const char *path, const char *why)
{
	die(EXIT_USAGE, "baseline save: %s %s: --force writes over it", path, why);
}

/* What is there is somebody's, unless it is a baseline. */
static void check_target(const struct baseline_options *asked, const char *path)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct stat st;

	if (asked->force || is_stdout(path) || stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	input_text(path, "a baseline", &text);
	if (!is_baseline(text.buf, text.len))
		refuse_file(path, "is no baseline");
}

/* One that cannot be read whole is of nobody who could miss it. */
static void check_machine(const struct baseline_options *asked, const char *path, const struct snapshot *snapshot)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct merge_unknown unknown;
	struct json_error error;
	struct baseline old;
	struct stat st;
	const char *why;

	if (asked->force || is_stdout(path) || stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	input_text(path, "a baseline", &text);
	if (!baseline_parse(&old, path, text.buf, text.len, &unknown, &error) &&
	    baseline_match(&old.arena, &old, snapshot, &why) == MACHINES_TWO)
		refuse_file(path, "is another machine's baseline");
	baseline_release(&old);
}

/* 0, or the exit status that says why it is not to be saved. */
static int judge_run(struct snapshot *snapshot, const struct policy *policy, bool is_told)
{
	struct report report;
	int status = 0;

	judge(&report, snapshot, &playbook, &(struct basis){ .policy = policy });
	for (size_t i = 0; i < report.nr_groups; i++) {
		const struct finding *finding = report.groups[i].first;

		if (baseline_is_refused_for(finding)) {
			status = EXIT_NOT_SAVED;
			if (is_told)
				complain("%s: %s", outcome_name(finding->outcome), report.groups[i].sentence);
		} else if (is_told && finding->outcome >= OUTCOME_WARN) {
			complain("taken for how this machine is: %s", report.groups[i].sentence);
		}
	}
	if (!status && report.verdict == VERDICT_UNKNOWN) {
		status = EXIT_NOT_JUDGED;
		if (is_told)
			complain("unknown: %s", report.headline);
	}
	report_release(&report);
	return status;
}

/* How far a figure may be off, as a share of it; *ret_noisy: too far to judge anything by. */
static double width_of(struct arena *arena, const struct baseline *baseline, const struct policy *policy,
		       const struct baseline_figure *figure, bool *ret_noisy)
{
	const char *host = str_or(baseline->snapshot.host.name, NULL);
	const struct policy *in_force = policy_of_figure(arena, policy, host, figure);

	*ret_noisy = is_too_noisy(in_force, figure);
	return baseline_tolerance(in_force, figure) / figure->median;
}

/* All of them are too wide to judge anything by; or says which are. */
static bool is_noise(const struct baseline *baseline, const struct policy *policy)
{
	const struct baseline_figure *widest = NULL;
	struct arena arena = { .blocks = NULL };
	double most = 0.0;
	size_t nr = 0;

	for (size_t i = 0; i < baseline->nr_figures; i++) {
		bool is_noisy;
		double width = width_of(&arena, baseline, policy, &baseline->figures[i], &is_noisy);

		nr += is_noisy;
		if (!is_noisy || (widest && width <= most))
			continue;
		widest = &baseline->figures[i];
		most = width;
	}
	if (widest)
		complain("noise %s: %s of %s; nothing can be judged by %zu of %zu figures: save it when the node is quiet",
			 drift_share_words(&arena, most), widest->test, widest->device, nr, baseline->nr_figures);
	else if (!baseline->nr_figures)
		complain("no figure was measured: the baseline is of the parts and versions alone");
	else if (baseline->runs == 1)
		complain("one run does not tell how runs differ: its own noise stands for that");
	arena_release(&arena);
	return nr && nr == baseline->nr_figures;
}

static const char *saved_at(struct baseline *baseline, bool is_live)
{
	const char *taken_at = str_or(baseline->snapshot.run.taken_at, NULL);
	int64_t seconds;
	char now[32];

	/* What is recorded later was so when it was seen. */
	if (!is_live && taken_at && !parse_rfc3339(taken_at, &seconds))
		return taken_at;
	clock_time_of_day(now);
	return arena_strdup(&baseline->arena, now);
}

static int keep(const struct baseline_options *asked, struct baseline *baseline, const struct policy *policy, int refused)
{
	const char *path = asked->output_path ? asked->output_path : BASELINE_OF_MACHINE;
	STRBUF_AUTO text = STRBUF_INIT;

	baseline->tool = TOOL;
	baseline->saved_at = saved_at(baseline, !asked->nr_snapshots);
	baseline->with_findings = refused;
	if (is_noise(baseline, policy) && !refused)
		refused = EXIT_NOT_SAVED;
	if (refused && !asked->even_with_findings) {
		complain("baseline save: not saved: a baseline is of a node that is well and quiet; --even-with-findings saves it "
			 "all the same");
		return refused;
	}
	check_machine(asked, path, &baseline->snapshot);
	if (!asked->output_path && mkdir("/etc/gpudiag", 0755) && errno != EEXIST)
		complain("/etc/gpudiag: %s", strerror(errno));
	baseline_write(&text, baseline);
	return deliver(path, text.buf, text.len);
}

/* Each run is asked for anew, as the command line has it. False: interrupted. */
static bool take_run(struct baseline_options *asked, size_t at, int argc, char **argv, struct snapshot *ret)
{
	struct look *look = &asked->look;
	struct merge_unknown unknown;

	if (asked->nr_snapshots) {
		input_snapshot(asked->snapshots[at], ret, &unknown);
		return true;
	}
	if (at) {
		arena_release(&look->policy_arena);
		parse(asked, argc, argv);
		look_policy(look, false);
	}
	look_run(look, argc, argv);
	*ret = look->snapshot;
	look->snapshot = (struct snapshot){ .nr_gpus = 0 };
	return !look->signal;
}

static void check_one_machine(const struct baseline_options *asked, const struct snapshot *runs, size_t at)
{
	struct arena arena = { .blocks = NULL };

	if (at && machines_match(&arena, &runs[at - 1], &runs[at]) != MACHINES_ONE)
		die(EXIT_USAGE, "baseline save: %s and %s are not snapshots of one machine", asked->snapshots[at - 1],
		    asked->snapshots[at]);
	arena_release(&arena);
}

static int save(struct baseline_options *asked, int argc, char **argv)
{
	const size_t nr = asked->nr_snapshots ? asked->nr_snapshots : asked->nr_runs ? asked->nr_runs : DEFAULT_RUNS;
	struct snapshot runs[MAX_RUNS] = { [0] = { .nr_gpus = 0 } };
	struct baseline baseline;
	int status = 0, signal = 0;

	check_target(asked, asked->output_path ? asked->output_path : BASELINE_OF_MACHINE);
	for (size_t i = 0; i < nr && !signal; i++) {
		if (!take_run(asked, i, argc, argv, &runs[i]))
			signal = asked->look.signal;
		if (asked->nr_snapshots)
			check_one_machine(asked, runs, i);
		if (!status && !signal)
			status = judge_run(&runs[i], &asked->look.policy, true);
		if (status && !asked->even_with_findings)
			break;
	}
	if (signal || (status && !asked->even_with_findings)) {
		complain("baseline save: not saved: %s", signal ? "interrupted" :
			 "a baseline is of a node that is well; --even-with-findings saves it all the same");
		status = signal ? EXIT_SIGNAL + signal : status;
	} else {
		baseline_of_runs(&baseline, runs, nr);
		status = keep(asked, &baseline, &asked->look.policy, status);
		baseline_release(&baseline);
	}
	for (size_t i = 0; i < nr; i++)
		snapshot_release(&runs[i]);
	return status;
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

	parse(&asked, argc, argv);
	look_policy(&asked.look, asked.nr_snapshots);
	if (asked.action == SAVE)
		status = save(&asked, argc, argv);
	else
		status = asked.action == SHOW ? show(&asked) : compare(&asked, argc, argv);
	look_release(&asked.look);
	return status;
}

const struct command command_baseline = {
	.name = "baseline",
	.summary = "saves what this node is like when it is well, and compares with it",
	.usage = "baseline save|show|compare [FILE] [OPTIONS]",
	.doc = "save looks and measures several times and writes what was seen, and how much each figure varied, to\n"
	       BASELINE_OF_MACHINE ", where gpudiag run finds it. It refuses a node with warnings or failures.\n"
	       "show prints such a file; compare looks at the node, or a snapshot, beside it.\n"
	       "Exit status of save: 0 saved, 2 not: the node has findings or is too noisy, 3 not: a required check\n"
	       "could not be judged. Of compare: 0 nothing is worse, 1 something is, 2 nothing could be compared.",
	.options = options,
	.operand = COMPLETE_WORDS,
	.operand_words = actions,
	.main = baseline_main,
};
