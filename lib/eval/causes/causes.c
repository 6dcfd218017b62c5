// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "base/units.h"
#include "eval/causes/causes.h"
#include "eval/judge/finding_evidence.h"
#include "eval/judge/vendor.h"

const struct cause_rule cause_rules[] = {
#define CAUSE(effects_, causes_, least_, place_, fits_, kind_)                                        \
	{                                                                                             \
		.effects = effects_, .causes = causes_, .least = OUTCOME_##least_,                    \
		.place = CAUSE_PLACE_##place_, .fits = fits_, .kind = CAUSE_##kind_,                  \
	},
#include "eval/causes/causes.def"
#undef CAUSE
};
const size_t nr_cause_rules = ARRAY_SIZE(cause_rules);

enum { BITS = 64 };

/* Rules, a bit for each. */
struct rule_set {
	uint64_t bits[(ARRAY_SIZE(cause_rules) + BITS - 1) / BITS];
	bool any;
};

/* A finding with the rules that take it for an effect, and for a cause. */
struct entry {
	struct finding *finding;
	struct rule_set as_effect, as_cause;
};

static void rule_add(struct rule_set *set, size_t rule)
{
	set->bits[rule / BITS] |= (uint64_t)1 << rule % BITS;
	set->any = true;
}

static bool rule_is_in(const struct rule_set *set, size_t rule)
{
	return set->bits[rule / BITS] >> rule % BITS & 1;
}

/* A cause that a rule found for an effect. */
struct candidate {
	const struct finding *cause;
	enum cause_kind kind;
	enum cause_fit fit;
	struct cause_leaves leaves;
};

enum { MAX_CANDIDATES = 16 };

/* What was before the run, and is over, explains none of its figures. */
static bool is_past(const struct finding *finding)
{
	switch (finding->id) {
	case THROTTLE_THERMAL_EARLIER:
	case THROTTLE_THERMAL_ONCE:
		return true;
	default:
		return false;
	}
}

static bool is_in_place(const struct cause_rule *rule, const struct finding *effect, const struct finding *cause)
{
	if (rule->place == CAUSE_PLACE_ANY)
		return !effect->subject.gpu;
	return cause->subject.kind == SUBJECT_NODE ||
	       (effect->subject.gpu && effect->subject.gpu == cause->subject.gpu);
}

/* Does the chain of causes from here lead to that finding? */
static bool leads_to(const struct finding *from, const struct finding *finding)
{
	for (; from; from = from->caused_by)
		if (from == finding)
			return true;
	return false;
}

static enum cause_fit fit_of(const struct judged *judged, const struct cause_rule *rule, const struct finding *effect,
			     const struct finding *cause, struct cause_leaves *ret)
{
	*ret = (struct cause_leaves){ .unit = UNIT_NONE };
	if (cause->outcome < rule->least || is_past(cause) || !is_in_place(rule, effect, cause) ||
	    leads_to(cause, effect))
		return FIT_NO;
	return rule->fits(judged, effect, cause, ret);
}

static bool explains(const struct judged *judged, const struct finding *effect, const struct finding *cause)
{
	struct cause_leaves leaves;

	for (size_t i = 0; i < nr_cause_rules; i++)
		if (id_listed(effect, cause_rules[i].effects) && id_listed(cause, cause_rules[i].causes) &&
		    fit_of(judged, &cause_rules[i], effect, cause, &leaves) >= FIT_UNTOLD)
			return true;
	return false;
}

/* In the rules' order. */
static size_t list_candidates(const struct judged *judged, const struct entry *causes, size_t nr_causes,
			      const struct entry *effect, struct candidate *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_cause_rules; i++) {
		if (!rule_is_in(&effect->as_effect, i))
			continue;
		for (size_t k = 0; k < nr_causes && nr < MAX_CANDIDATES; k++) {
			if (!rule_is_in(&causes[k].as_cause, i))
				continue;
			ret[nr] = (struct candidate){ .cause = causes[k].finding, .kind = cause_rules[i].kind };
			ret[nr].fit = fit_of(judged, &cause_rules[i], effect->finding, ret[nr].cause, &ret[nr].leaves);
			nr += ret[nr].fit != FIT_NO;
		}
	}
	return nr;
}

/* Numbers that fit go before all else, then how bad it is. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->fit != b->fit)
		return a->fit > b->fit;
	return a->cause->outcome > b->cause->outcome;
}

/* As good as the best, of another kind, and neither explains the other. */
static bool competes(const struct judged *judged, const struct candidate *one, const struct candidate *best)
{
	return one->kind != best->kind && !is_better(best, one) && best->cause->outcome == OUTCOME_WARN &&
	       !explains(judged, best->cause, one->cause) && !explains(judged, one->cause, best->cause);
}

static void note_possible(struct finding *effect, const struct finding *cause)
{
	for (size_t i = 0; i < effect->nr_possible; i++)
		if (effect->possible[i] == cause)
			return;
	if (effect->nr_possible < MAX_POSSIBLE_CAUSES)
		effect->possible[effect->nr_possible++] = cause;
}

static void tell_second_cause(struct arena *arena, struct finding *effect, const struct candidate *candidate)
{
	STRBUF_AUTO leaves = STRBUF_INIT;

	if (candidate->leaves.unit == UNIT_NONE)
		return;
	unit_format(&leaves, candidate->leaves.unit, candidate->leaves.figure);
	effect->why = arena_printf(arena, "%s By %s alone it would be %s: there is a second cause.", effect->why,
				   candidate->cause->def->name, leaves.buf);
}

/* No one cause: what competes is named. */
static void settle(const struct judged *judged, struct finding *effect, const struct candidate *candidates, size_t nr,
		   const struct candidate *best)
{
	for (size_t i = 0; i < nr; i++)
		if (competes(judged, &candidates[i], best)) {
			note_possible(effect, best->cause);
			note_possible(effect, candidates[i].cause);
		}
	if (!effect->nr_possible)
		effect->caused_by = best->cause;
}

static void find_cause(struct arena *arena, const struct judged *judged, const struct entry *causes, size_t nr_causes,
		       const struct entry *effect)
{
	struct candidate candidates[MAX_CANDIDATES + 1];
	size_t nr = list_candidates(judged, causes, nr_causes, effect, candidates);
	const struct candidate *best = candidates;

	for (size_t i = 1; i < nr; i++)
		if (is_better(&candidates[i], best))
			best = &candidates[i];
	if (nr && best->fit == FIT_SHORT)
		tell_second_cause(arena, effect->finding, best);
	else if (nr)
		settle(judged, effect->finding, candidates, nr, best);
}

/* Findings of one id stand together as a rule: their rules are looked up once. */
static void fill_entry(struct entry *entry, const struct entry *before, struct finding *finding)
{
	entry->finding = finding;
	if (before && before->finding->id == finding->id) {
		entry->as_effect = before->as_effect;
		entry->as_cause = before->as_cause;
		return;
	}
	for (size_t i = 0; i < nr_cause_rules; i++) {
		if (id_listed(finding, cause_rules[i].effects))
			rule_add(&entry->as_effect, i);
		if (id_listed(finding, cause_rules[i].causes))
			rule_add(&entry->as_cause, i);
	}
}

void causes_find(struct arena *arena, const struct snapshot *snapshot, struct finding **findings, size_t nr)
{
	const struct judged judged = { .snapshot = snapshot, .findings = findings, .nr = nr };
	struct entry *entries = arena_alloc(arena, (nr ? nr : 1) * sizeof(*entries));
	struct entry *causes = arena_alloc(arena, (nr ? nr : 1) * sizeof(*causes));
	size_t nr_causes = 0;

	for (size_t i = 0; i < nr; i++) {
		fill_entry(&entries[i], i ? &entries[i - 1] : NULL, findings[i]);
		if (entries[i].as_cause.any)
			causes[nr_causes++] = entries[i];
	}
	for (size_t i = 0; i < nr; i++)
		find_cause(arena, &judged, causes, nr_causes, &entries[i]);
}

const struct finding *first_cause_of(const struct finding *finding)
{
	while (finding->caused_by && finding->caused_by->outcome >= OUTCOME_WARN)
		finding = finding->caused_by;
	return finding;
}

/* ---- what could not be judged */

/* Prefixes of faults after which a source is silent, and the checks that need this source. */
static const struct {
	const char *causes;
	unsigned needs;
	bool nvidia_only;
} silencers[] = {
	{ "gpu-lost.", ~0U, false },
	{ "driver-match.module-older driver-match.library-older driver-match.container driver-match.refused",
	  NEEDS_VENDOR, true },
	{ "driver-tasks-stuck.", NEEDS_VENDOR | NEEDS_OPENCL | NEEDS_LOAD, false },
	{ "probe-health.gpu- probe-health.stuck probe-health.nvml-", NEEDS_VENDOR, true },
	{ "gpu-enumerated.library-fails gpu-enumerated.library-opens-none gpu-enumerated.not-in-library "
	  "gpu-enumerated.errors-only",
	  NEEDS_VENDOR, true },
	{ "probe-health.library- probe-health.stuck probe-health.device-", NEEDS_OPENCL | NEEDS_LOAD, false },
};

static bool silences(size_t i, const struct result *result, const struct finding *cause)
{
	const struct gpu *gpu = result->subject.gpu;

	if (cause->outcome < OUTCOME_FAIL || !id_listed(cause, silencers[i].causes))
		return false;
	if (silencers[i].needs != ~0U && !(result->check->needs & silencers[i].needs))
		return false;
	if (silencers[i].nvidia_only && gpu && gpu_vendor(gpu) != VENDOR_NVIDIA)
		return false;
	if (*finding_text(cause, "driver") && gpu && !str_is(gpu->pci.driver, finding_text(cause, "driver")))
		return false;
	return !cause->subject.gpu || cause->subject.gpu == gpu;
}

static const struct finding *silencer_of(const struct result *result, struct finding **findings, size_t nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(silencers); i++)
		for (size_t k = 0; k < nr && findings[k]->outcome == OUTCOME_FAIL; k++)
			if (silences(i, result, findings[k]))
				return findings[k];
	return NULL;
}

/*
 * Was it asked and got no answer, or kept from being asked? What may not be read, is not there or was
 * not looked at would be missing on a sound node too. Where no value is
 * missing, the check's own words are all there is.
 */
static bool got_no_answer(const struct result *result)
{
	bool missing = false;

	for (size_t i = 0; i < result->evidence.nr; i++) {
		enum val_state state = result->evidence.items[i].observed.head.state;

		if (state == VAL_LOST || state == VAL_TIMEOUT || state == VAL_ERROR || state == VAL_SKIPPED)
			return true;
		missing |= state != VAL_OK;
	}
	return !missing;
}

void causes_find_unknown(struct result *results, size_t nr_results, struct finding **findings, size_t nr)
{
	for (size_t i = 0; i < nr_results; i++)
		if (results[i].outcome == OUTCOME_UNKNOWN && got_no_answer(&results[i]))
			results[i].caused_by = silencer_of(&results[i], findings, nr);
}
