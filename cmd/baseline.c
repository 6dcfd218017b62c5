// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline.c - the command: shows what was saved of a node, and compares with it; baseline_save.c saves. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/baseline.h"
#include "cmd/delivery.h"
#include "cmd/input.h"
#include "render/render.h"

/* Beside those of every command. */
enum {
	EXIT_WORSE = 1,			/* compare: something is worse than it was */
	EXIT_NOT_COMPARED = 2,		/* compare: another machine's, or nothing to compare */
};

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
	judge(&report, now, &playbook, &(struct judge_inputs){ .policy = &asked->acq.policy, .baseline = baseline->in_force });
	baseline_messages(baseline, &report);
	render_baseline(&text, baseline->in_force, &asked->acq.policy, &report, asked->ascii);
	status = asked->acq.signal ? EXIT_SIGNAL + asked->acq.signal : status_of(&report);
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

	baseline_take_options(&asked, argc, argv);
	acquire_policy(&asked.acq, asked.nr_snapshots);
	if (asked.action == BASELINE_SAVE)
		status = baseline_save(&asked, argc, argv);
	else
		status = asked.action == BASELINE_SHOW ? show(&asked) : compare(&asked, argc, argv);
	acquire_release(&asked.acq);
	return status;
}

const struct command command_baseline = {
	.name = "baseline",
	.summary = "save the state of the healthy node, and compare with it",
	.usage = "baseline save|show|compare [FILE] [OPTIONS]",
	.doc = "save measures the node several times and writes the state and each timing's variation to\n"
	       BASELINE_OF_MACHINE ", which gpudiag run uses. It refuses a node with warnings or failures, or with\n"
	       "a timing that varied by more than baseline.noise_ratio (30 %).\n"
	       "show prints such a file; compare compares the node, or a snapshot, with it.\n"
	       "Exit status of save: 0 saved; 2 not saved: findings or noise; 3 not saved: a required check could not\n"
	       "be judged. Of compare: 0 nothing worse, 1 something worse, 2 nothing to compare.\n"
	       "Examples: gpudiag baseline save, gpudiag baseline compare",
	.options = baseline_option_rows,
	.operand = COMPLETE_WORDS,
	.operand_words = baseline_actions,
	.main = baseline_main,
};
