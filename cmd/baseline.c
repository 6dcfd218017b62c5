// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline.c - saves what a node is like when it is well, shows it, and compares with it. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/acquire.h"
#include "cmd/baseline_in_force.h"
#include "cmd/delivery.h"
#include "cmd/input.h"
#include "eval/baseline/drift.h"
#include "eval/diff/diff.h"
#include "render/render.h"
#include "sys/clock.h"

enum { DEFAULT_RUNS = 5 };

/* Beside those of every command. */
enum {
	EXIT_WORSE = 1,			/* compare: something is worse than it was */
	EXIT_NOT_COMPARED = 2,		/* compare: another machine's, or nothing to compare */
	EXIT_NOT_SAVED = 2,		/* save: the node has findings, or its figures are noise */
	EXIT_NOT_JUDGED = 3,		/* save: a required check could not be judged */
};

enum { BASELINE_MAX_RUNS = 100 };

enum baseline_action { BASELINE_SAVE, BASELINE_SHOW, BASELINE_COMPARE };

struct baseline_options {
	struct acquisition acq;
	struct baseline_in_force baseline; /* of compare */
	enum baseline_action action;
	const char *file;		/* of show and compare; NULL: the machine's */
	const char *output_path;	/* of save; NULL: the machine's */
	const char *snapshots[BASELINE_MAX_RUNS];
	size_t nr_snapshots;
	size_t nr_runs;			/* 0: not said */
	bool even_with_findings, force, ascii;
};

/* ---- options, which save reads anew for each of its runs */

static const char *const actions[] = { "save", "show", "compare", NULL };

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

static const struct option_row options[] = {
	ACQUIRE_OPTION_ROWS(struct baseline_options, acq),
	EXPECT_GPUS_OPTION_ROW(struct baseline_options, acq),
	OPTION_FILE("output", 'o', "save: write there, instead of " BASELINE_OF_MACHINE, struct baseline_options, output_path),
	{ .name = "runs", .argument = "N", .help = "save: number of runs (default 5)", .take = take_runs },
	{ .name = "snapshot", .argument = "FILE", .completion = COMPLETE_FILE, .take = take_snapshot, .repeats = true,
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
		die(EXIT_USAGE, "baseline %s: -o, --runs, --even-with-findings and --force are for save",
		    actions[asked->action]);
	if (asked->nr_snapshots > (asked->action == BASELINE_COMPARE))
		die(EXIT_USAGE, "baseline %s: takes %s", actions[asked->action],
		    asked->action == BASELINE_COMPARE ? "only one --snapshot" : "no --snapshot");
}

static void take_options(struct baseline_options *ret, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .into = ret,
					.command = "baseline" };
	const char *operands[2] = { NULL, NULL }, *word;

	memset(ret, 0, sizeof(*ret));
	options_take_with_operands(&parser, operands, ARRAY_SIZE(operands), "one file at a time");
	word = operands[0];
	ret->file = operands[1];
	if (!word)
		die(EXIT_USAGE, "baseline: name an action: save, show or compare");
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

/* An existing file is only replaced if it is a baseline. */
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

static void open_target(const struct baseline_options *asked, struct delivery *ret)
{
	const char *path = asked->output_path ? asked->output_path : BASELINE_OF_MACHINE;

	if (!asked->output_path && mkdir("/etc/gpudiag", 0755) && errno != EEXIST)
		die(EXIT_USAGE, "/etc/gpudiag: %s", strerror(errno));
	check_target(asked, path);
	delivery_open(ret, path);
}

/* A damaged baseline may be replaced. */
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
static int judge_one(struct snapshot *snapshot, const struct policy *policy, bool is_told)
{
	struct report report;
	int status = 0;

	judge(&report, snapshot, &playbook, &(struct judge_inputs){ .policy = policy });
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

/* One of them is too wide to judge anything by: the node was not quiet, whatever the others say. Says which. */
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
		complain(
			"noise %s: %s of %s; nothing can be judged by %zu of %zu figures: save it when the node is quiet, or "
			"let baseline.noise_ratio of the policy be more",
			drift_share_words(&arena, most), widest->test, widest->device, nr, baseline->nr_figures);
	else if (!baseline->nr_figures)
		complain("no figure was measured: the baseline is of the parts and versions alone");
	else if (baseline->runs == 1)
		complain("one run does not tell how runs differ: its own noise stands for that");
	arena_release(&arena);
	return nr > 0;
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

static int keep(const struct baseline_options *asked, struct delivery *to, struct baseline *baseline,
		const struct policy *policy, int refused)
{
	STRBUF_AUTO text = STRBUF_INIT;

	baseline->tool = TOOL;
	baseline->saved_at = saved_at(baseline, !asked->nr_snapshots);
	baseline->with_findings = refused;
	if (is_noise(baseline, policy) && !refused)
		refused = EXIT_NOT_SAVED;
	if (refused && !asked->even_with_findings) {
		complain(
			"baseline save: not saved: a baseline requires a healthy, idle node; --even-with-findings saves it "
			"all the same");
		return refused;
	}
	check_machine(asked, to->path, &baseline->snapshot);
	baseline_write(&text, baseline);
	return delivery_put(to, text.buf, text.len);
}

/* Each run is asked for anew, as the command line has it. False: interrupted. */
static bool take_run(struct baseline_options *asked, size_t at, int argc, char **argv, struct snapshot *ret)
{
	struct acquisition *acq = &asked->acq;
	struct merge_unknown unknown;

	if (asked->nr_snapshots) {
		input_snapshot(asked->snapshots[at], ret, &unknown);
		return true;
	}
	if (at) {
		arena_release(&acq->policy_arena);
		take_options(asked, argc, argv);
		acquire_policy(acq, false);
	}
	acquire_run(acq, argc, argv);
	*ret = acq->snapshot;
	acq->snapshot = (struct snapshot){ .nr_gpus = 0 };
	return !acq->signal;
}

static void check_one_machine(const struct baseline_options *asked, const struct snapshot *runs, size_t at)
{
	struct arena arena = { .blocks = NULL };

	if (at && machines_match(&arena, &runs[at - 1], &runs[at]) != MACHINES_ONE)
		die(EXIT_USAGE, "baseline save: %s and %s are not snapshots of one machine", asked->snapshots[at - 1],
		    asked->snapshots[at]);
	arena_release(&arena);
}

/* Looks as often as was asked, and keeps what was seen. Returns the exit status. */
static int baseline_save(struct baseline_options *asked, int argc, char **argv)
{
	const size_t nr = asked->nr_snapshots ? asked->nr_snapshots : asked->nr_runs ? asked->nr_runs : DEFAULT_RUNS;
	struct snapshot runs[BASELINE_MAX_RUNS] = { [0] = { .nr_gpus = 0 } };
	struct baseline baseline;
	struct delivery to;
	int status = 0, signal = 0;

	open_target(asked, &to);
	for (size_t i = 0; i < nr && !signal; i++) {
		if (!take_run(asked, i, argc, argv, &runs[i]))
			signal = asked->acq.signal;
		if (asked->nr_snapshots)
			check_one_machine(asked, runs, i);
		if (!status && !signal)
			status = judge_one(&runs[i], &asked->acq.policy, true);
		if (status && !asked->even_with_findings)
			break;
	}
	if (signal || (status && !asked->even_with_findings)) {
		complain("baseline save: not saved: %s", signal ? "interrupted" :
			 "a baseline requires a healthy node; --even-with-findings saves it anyway");
		status = signal ? EXIT_SIGNAL + signal : status;
	} else {
		baseline_of_runs(&baseline, runs, nr);
		status = keep(asked, &to, &baseline, &asked->acq.policy, status);
		baseline_release(&baseline);
	}
	for (size_t i = 0; i < nr; i++)
		snapshot_release(&runs[i]);
	return status;
}

/* ---- show and compare */

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
	render_baseline(&text, &baseline, &asked->acq.policy, NULL, asked->ascii);
	baseline_release(&baseline);
	return deliver(text.buf, text.len);
}

static bool health_got_worse(const struct baseline *baseline, const struct snapshot *now)
{
	struct diff diff;
	bool ret = false;

	diff_facts(&diff, &baseline->snapshot, now);
	for (size_t i = 0; i < diff.nr; i++)
		ret |= diff.items[i].group == DIFF_HEALTH && counts_against_baseline(&diff.items[i]);
	diff_release(&diff);
	return ret;
}

/* Nothing was judged at all: that is no "as it was". */
static int status_of(const struct report *report, const struct baseline *baseline)
{
	for (size_t i = 0; i < report->nr_findings; i++)
		if (finding_is_of_baseline(report->findings[i]) && report->findings[i]->outcome >= OUTCOME_WARN)
			return EXIT_WORSE;
	if (!report_compares(report))
		return EXIT_NOT_COMPARED;
	return health_got_worse(baseline, report->snapshot) ? EXIT_WORSE : 0;
}

/*
 * What is judged by the baseline alone, and links, whose width and speed as recorded is part of what their checks ask.
 */
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
	struct snapshot *now = &asked->acq.snapshot;
	struct baseline_in_force *baseline = &asked->baseline;
	struct merge_unknown unknown;
	STRBUF_AUTO text = STRBUF_INIT;
	struct report report;
	int status, r;

	baseline->path = file_of(asked);
	baseline_check_input("baseline compare", baseline->path, asked->nr_snapshots ? asked->snapshots[0] : NULL,
			     asked->acq.policy_path);
	baseline_in_force(baseline, false);
	if (!baseline->in_force)
		die(EXIT_USAGE, "baseline compare: \"" BASELINE_NONE_WORD "\": no baseline to compare with");
	if (asked->nr_snapshots) {
		snapshot_release(now);
		input_snapshot(asked->snapshots[0], now, &unknown);
	}
	only_ours(now);
	if (!asked->nr_snapshots)
		acquire_run(&asked->acq, argc, argv);
	judge(&report, now, &playbook,
	      &(struct judge_inputs){ .policy = &asked->acq.policy, .baseline = baseline->in_force });
	baseline_messages(baseline, &report);
	render_baseline(&text, baseline->in_force, &asked->acq.policy, &report, asked->ascii);
	status = asked->acq.signal ? EXIT_SIGNAL + asked->acq.signal : status_of(&report, baseline->in_force);
	report_release(&report);
	baseline_in_force_release(baseline);
	acquire_release_signals();
	r = deliver(text.buf, text.len);
	return r ? r : status;
}

static int baseline_main(int argc, char **argv)
{
	struct baseline_options asked;
	int status;

	take_options(&asked, argc, argv);
	acquire_policy(&asked.acq, asked.nr_snapshots);
	if (asked.action == BASELINE_SAVE)
		status = baseline_save(&asked, argc, argv);
	else
		status = asked.action == BASELINE_SHOW ? show(&asked) : compare(&asked, argc, argv);
	acquire_release(&asked.acq);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag baseline save", "keep how this node is when it is well" },
	{ "gpudiag baseline compare", "is it as it was?" },
	{ .command = NULL },
};

const struct command command_baseline = {
	.name = "baseline",
	.summary = "save the state of the healthy node, and compare with it",
	.usage = "baseline save|show|compare [FILE] [OPTIONS]",
	.doc = "save measures the node several times and writes the state and each timing's variation to "
	       BASELINE_OF_MACHINE ", which gpudiag run uses. It refuses a node with warnings or failures, or with a "
	       "timing that varied by more than baseline.noise_ratio (30 %).\n"
	       "show prints such a file; compare compares the node, or a snapshot, with it.\n"
	       "Exit status of save: 0 saved; 2 not saved: findings or noise; 3 not saved: a required check could not "
	       "be judged. Of compare: 0 nothing worse, 1 something worse, 2 nothing to compare.",
	.examples = examples,
	.options = options,
	.operand = COMPLETE_WORDS,
	.operand_words = actions,
	.main = baseline_main,
};
