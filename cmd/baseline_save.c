// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline_save.c - saves what a node is like when it is well. */
#include "base/compat.h"
#include "cmd/baseline.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "cmd/delivery.h"
#include "cmd/input.h"
#include "eval/baseline/drift.h"
#include "sys/clock.h"

enum { DEFAULT_RUNS = 5 };

/* Beside those of every command. */
enum {
	EXIT_NOT_SAVED = 2,		/* the node has findings, or its figures are noise */
	EXIT_NOT_JUDGED = 3,		/* a required check could not be judged */
};

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
		complain("noise %s: %s of %s; nothing can be judged by %zu of %zu figures: save it when the node is quiet, or "
			 "let baseline.noise_ratio of the policy be more", drift_share_words(&arena, most), widest->test,
			 widest->device, nr, baseline->nr_figures);
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
		complain("baseline save: not saved: a baseline requires a healthy, idle node; --even-with-findings saves it "
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
		baseline_take_options(asked, argc, argv);
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

int baseline_save(struct baseline_options *asked, int argc, char **argv)
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
