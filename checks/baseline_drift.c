// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/baseline/drift.h"
#include "eval/facts/twin_stats.h"
#include "eval/facts/load_permission.h"

/* The one that moved furthest. */
static const struct drift *furthest(const struct drift_list *drifts, enum drift_kind kind)
{
	const struct drift *found = NULL;

	for (size_t i = 0; i < drifts->nr; i++) {
		const struct drift *drift = &drifts->items[i];
		bool is_further;

		if (drift->kind != kind)
			continue;
		is_further =
			found && (kind == DRIFT_BETTER ? drift->share > found->share : drift->share < found->share);
		if (!found || is_further)
			found = drift;
	}
	return found;
}

static const char *others(struct judgement *j, const struct drift_list *drifts, const struct drift *told)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < drifts->nr; i++) {
		const struct drift *drift = &drifts->items[i];

		if (drift == told || drift->kind != told->kind)
			continue;
		strbuf_addf(&text, "%s%s (%s)", text.len ? ", " : "; also ", drift->then->test,
			    drift_share_words(j->arena, drift->share));
	}
	return arena_strdup(j->arena, text.buf);
}

static const char *tests_of(struct judgement *j, const struct drift_list *drifts, enum drift_kind kind)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < drifts->nr; i++)
		if (drifts->items[i].kind == kind)
			strbuf_addf(&text, "%s%s", text.len ? " " : "", drifts->items[i].then->test);
	return arena_strdup(j->arena, text.buf);
}

static const char *drifted_words(struct judgement *j, const struct drift_list *drifts, const struct drift *drift)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format(&text, drift->then->unit, drift->now);
	strbuf_addstr(&text, ", where ");
	unit_format(&text, drift->then->unit, drift->then->median);
	strbuf_addstr(&text, " ± ");
	unit_format(&text, drift->then->unit, drift->tolerance);
	strbuf_addf(&text, " was recorded (%s)%s", drift_share_words(j->arena, drift->share), others(j, drifts, drift));
	return arena_strdup(j->arena, text.buf);
}

/* Of several GPUs, whose figures differ a little, in one sentence. */
static const char *drifted_many(struct judgement *j, const struct drift *drift)
{
	const bool is_more = (drift->kind == DRIFT_BETTER) == (drift->then->unit != UNIT_NS);

	if (drift->kind == DRIFT_MUCH_WORSE)
		return arena_printf(j->arena, "less than %.0f %% of the baseline",
				    100.0 * j->policy->baseline_warn_ratio);
	return is_more ? "above the baseline, beyond its noise" : "below the baseline, beyond its noise";
}

static void tell(struct judgement *j, const struct drift_list *drifts, enum drift_kind kind, enum finding_id id)
{
	const struct drift *drift = furthest(drifts, kind);

	if (!drift)
		return;
	question(j);
	derive_str(j, "test", drift->then->test, "timings");
	derive_str(j, "tests", tests_of(j, drifts, kind), "all that drifted as far");
	derive(j, "figure", drift->then->unit, drift->now, "the timing's median");
	expect_f64(j, "figure", drift->then->median);
	derive(j, "share", UNIT_RATIO, drift->share, "figure beside the baseline's");
	derive(j, "noise", drift->then->unit, drift->tolerance,
	       "the most of baseline.sigmas × spread, noise then, noise now, baseline.least_ratio");
	derive_str(j, "saved_at", j->baseline->saved_at, "the baseline");
	phrase(j, "drifted", drifted_words(j, drifts, drift));
	phrase(j, "drifted.many", drifted_many(j, drift));
	finding_add(j, id);
}

static void count(struct judgement *j, const struct drift_list *drifts)
{
	size_t judged = 0, noisy = 0;
	const char *why = NULL;

	for (size_t i = 0; i < drifts->nr; i++) {
		const struct drift *drift = &drifts->items[i];

		judged += drift->kind != DRIFT_NOT_JUDGED;
		noisy += drift->kind == DRIFT_NOT_JUDGED && is_too_noisy(j->policy, drift->then);
		why = why ? why : drift->why;
	}
	derive(j, "figures", UNIT_COUNT, (double)judged,
	       "timings that the baseline has too, of the same method and size");
	if (judged)
		return;
	if (!drifts->nr)
		skip_check(j, "no timing in the baseline");
	else if (noisy)
		skip_check(j, arena_printf(j->arena, "its timings in the baseline varied by more than %.0f %%: save a new baseline on an idle node", 100.0 * j->policy->baseline_noise_ratio));
	else
		skip_check(j,
			   arena_printf(j->arena, "nothing to compare: of %s, %s", drifts->items[0].then->test, why));
}

static void eval(struct judgement *j)
{
	const char *why = permit_load(j->arena, j->snapshot, j->policy, j->log, j->device);
	const struct baseline *baseline = why ? NULL : baseline_to_compare(j, &why);
	struct drift_list drifts;

	if (!baseline) {
		skip_check(j, why);
		return;
	}
	if (j->gpu && gpu_is_divided(j->gpu)) {
		skip_check(j, "of a part of the GPU: instances differ in size");
		return;
	}
	need(j, ocl_device, j->device, builds_kernels);
	if (!all_known(j))
		return;
	drifts_of(&drifts, j->arena, j->policy, baseline, j->snapshot, j->device);
	count(j, &drifts);
	tell(j, &drifts, DRIFT_MUCH_WORSE, BASELINE_DRIFT_SLOW);
	tell(j, &drifts, DRIFT_WORSE, BASELINE_DRIFT_SLOWER);
	tell(j, &drifts, DRIFT_BETTER, BASELINE_DRIFT_FASTER);
}

const struct check check_baseline_drift = {
	.name = "baseline-drift",
	.title = "Timings against the baseline",
	.doc = "Does the device measure what it measured when the baseline was saved (gpudiag baseline save)? Each "
	       "figure is judged by how much it varied then: it has drifted beyond baseline.sigmas times the spread "
	       "between the recorded runs, where that is more than the noise within a run. Only the same test with "
	       "the same method and size is compared. A rate below baseline.warn_ratio of the recorded one is a "
	       "warning, less drift a note, as is a latency, and a figure that got better. Timings that varied by "
	       "more than baseline.noise_ratio in the baseline are not judged. Faults of slow transfers are reported "
	       "by transfer-h2d and transfer-d2h.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.says = "{figures|timing|timings} as in the baseline",
	.may_emit = IDS(BASELINE_DRIFT_SLOW, BASELINE_DRIFT_SLOWER, BASELINE_DRIFT_FASTER),
	.eval = eval,
};
