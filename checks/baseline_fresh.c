// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline.h"
#include "snapshot/under_test.h"

enum { DAY_S = 86400 };

static void judge_age(struct judgement *j, const struct baseline *baseline)
{
	const char *now = need(j, run, &j->snapshot->run, taken_at);
	int64_t saved_s, now_s, days;

	derive_str(j, "saved_at", baseline->saved_at ? baseline->saved_at : "?", "the baseline");
	if (!all_known(j))
		return;
	if (!baseline->saved_at || parse_rfc3339(baseline->saved_at, &saved_s) || parse_rfc3339(now, &now_s)) {
		unknown(j, "the baseline's date is unknown ({saved_at})");
		return;
	}
	/* One of tomorrow is a clock that was set, and none the staler for it. */
	days = now_s > saved_s ? (now_s - saved_s) / DAY_S : 0;
	derive(j, "age_days", UNIT_COUNT, (double)days, "taken_at, without when the baseline was saved");
	if ((double)days > j->policy->gate_baseline_days)
		finding_add(j, BASELINE_FRESH_STALE);
}

static void eval(struct judgement *j)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);

	if (!baseline)
		skip_check(j, why);
	else if (!snapshot_is_live(j->snapshot))
		skip_check(j, "a recorded tree has no date");
	else
		judge_age(j, baseline);
}

const struct check check_baseline_fresh = {
	.name = "baseline-fresh",
	.title = "Baseline age",
	.doc = "Is there a baseline of this machine (gpudiag baseline), and was it saved not longer ago than "
	       "gate.baseline_days? An older one is a warning: changes since then are not in it. Without a baseline "
	       "the check is skipped, unless it is required.",
	.per = SUBJECT_NODE,
	.says = "baseline of {saved_at}",
	.may_emit = IDS(BASELINE_FRESH_STALE),
	.eval = eval,
};
