// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_verdicts.c - findings that came and went, and checks that can no longer
 * be judged. Notes are left out: they are true of healthy nodes, and come and
 * go with the work.
 */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"

struct verdicts {
	struct differ *d;
	const struct diff_side *before, *after;
	struct diff_named *names_before, *names_after;	/* of the results, sorted; places are those of the later side */
	ptrdiff_t *result_after, *result_before;	/* which result is which of the other side */
	ptrdiff_t *finding_after, *finding_before;
};

static bool counts(enum outcome outcome)
{
	return outcome == OUTCOME_WARN || outcome == OUTCOME_FAIL;
}

/* ---- pairing */

static struct diff_named *names_of_results(struct differ *d, const struct diff_side *side, bool is_before)
{
	struct diff_named *ret = arena_alloc(d->arena, side->nr_results * sizeof(*ret));

	for (size_t i = 0; i < side->nr_results; i++)
		ret[i] = (struct diff_named){
			.place = is_before ? diff_place_after(d, side->results[i].place) : side->results[i].place,
			.name = side->results[i].check, .at = i,
		};
	return ret;
}

/* By its key, which tells several of one subject apart; where the key is another, by its place. */
static struct diff_named *names_of_findings(struct differ *d, const struct diff_side *side, bool is_before,
					    const ptrdiff_t *paired, bool by_key, size_t *ret_nr)
{
	struct diff_named *ret = arena_alloc(d->arena, side->nr_findings * sizeof(*ret));

	*ret_nr = 0;
	for (size_t i = 0; i < side->nr_findings; i++) {
		const struct diff_finding *finding = &side->findings[i];
		const char *place = is_before ? diff_place_after(d, finding->place) : finding->place;

		if (paired[i] < 0)
			ret[(*ret_nr)++] = (struct diff_named){
				.place = by_key ? finding->key : place, .name = finding->id, .at = i,
			};
	}
	return ret;
}

static void pair_findings(struct verdicts *v, bool by_key)
{
	size_t nr_a, nr_b;
	struct diff_named *a = names_of_findings(v->d, v->before, true, v->finding_after, by_key, &nr_a);
	struct diff_named *b = names_of_findings(v->d, v->after, false, v->finding_before, by_key, &nr_b);

	diff_pair_names(a, nr_a, b, nr_b, v->finding_after, v->finding_before);
}

static void pair_all(struct verdicts *v)
{
	struct arena *arena = v->d->arena;

	v->result_after = diff_unpaired(arena, v->before->nr_results);
	v->result_before = diff_unpaired(arena, v->after->nr_results);
	v->finding_after = diff_unpaired(arena, v->before->nr_findings);
	v->finding_before = diff_unpaired(arena, v->after->nr_findings);
	v->names_before = names_of_results(v->d, v->before, true);
	v->names_after = names_of_results(v->d, v->after, false);
	diff_pair_names(v->names_before, v->before->nr_results, v->names_after, v->after->nr_results, v->result_after,
			v->result_before);
	if (v->d->diff->same_machine)
		pair_findings(v, true);
	pair_findings(v, false);
}

/* ---- what the other side says of a finding's check */

static int order_by_name(const void *a, const void *b)
{
	const struct diff_named *left = a, *right = b;
	int order = strcmp(left->place, right->place);

	return order ? order : strcmp(left->name, right->name);
}

static const struct diff_result *result_like(struct verdicts *v, const struct diff_finding *finding, bool is_before)
{
	const struct diff_side *other = is_before ? v->after : v->before;
	const struct diff_named *names = is_before ? v->names_after : v->names_before, *found;
	const struct diff_named wanted = {
		.place = is_before ? diff_place_after(v->d, finding->place) : finding->place, .name = finding->check,
	};

	found = other->nr_results ? bsearch(&wanted, names, other->nr_results, sizeof(*names), order_by_name) : NULL;
	return found ? &other->results[found->at] : NULL;
}

static bool was_judged(const struct diff_result *result)
{
	return result && result->outcome != OUTCOME_SKIP && result->outcome != OUTCOME_UNKNOWN;
}

static const char *silence(struct verdicts *v, const struct diff_result *result, const char *which)
{
	if (!result)
		return arena_printf(v->d->arena, "the %s has no result of its check", which);
	return arena_printf(v->d->arena, "its check was %s in the %s%s%s",
			    result->outcome == OUTCOME_SKIP ? "skipped" : "not judged", which,
			    result->reason ? ": " : "", result->reason ? result->reason : "");
}

/* ---- findings */

static const char *finding_text(struct verdicts *v, const struct diff_finding *finding)
{
	return arena_printf(v->d->arena, "%s: %s", outcome_name(finding->outcome), finding->title);
}

/*
 * Worse, but where the first did not look for it: then it may have been there, and only a failure, which nobody would
 * want to miss, counts against the second.
 */
static void tell_new(struct verdicts *v, const struct diff_finding *finding)
{
	const struct diff_result *was = result_like(v, finding, false);
	bool was_skipped = !was || (was->outcome == OUTCOME_SKIP && finding->outcome != OUTCOME_FAIL);

	diff_begin_place(v->d, finding->place, false);
	diff_add(v->d, &(struct difference){
		.group = DIFF_VERDICT, .weight = was_skipped ? DIFF_OTHER : DIFF_WORSE, .what = finding->id,
		.after = finding_text(v, finding), .why = was_judged(was) ? NULL : silence(v, was, "first"),
	});
}

/* Better, but where it is not judged any more: it may still be there. */
static void tell_gone(struct verdicts *v, const struct diff_finding *finding)
{
	const struct diff_result *is = result_like(v, finding, true);

	diff_begin_place(v->d, finding->place, true);
	diff_add(v->d, &(struct difference){
		.group = DIFF_VERDICT, .weight = was_judged(is) ? DIFF_BETTER : DIFF_OTHER, .what = finding->id,
		.before = finding_text(v, finding), .why = was_judged(is) ? NULL : silence(v, is, "second"),
	});
}

static void tell_regraded(struct verdicts *v, const struct diff_finding *was, const struct diff_finding *is)
{
	if (was->outcome == is->outcome)
		return;
	diff_begin_place(v->d, is->place, false);
	diff_add(v->d, &(struct difference){
		.group = DIFF_VERDICT, .weight = is->outcome > was->outcome ? DIFF_WORSE : DIFF_BETTER, .what = is->id,
		.before = finding_text(v, was), .after = finding_text(v, is),
	});
}

static void tell_findings(struct verdicts *v)
{
	for (size_t i = 0; i < v->after->nr_findings; i++) {
		const struct diff_finding *is = &v->after->findings[i];
		const struct diff_finding *was = v->finding_before[i] >= 0 ?
						 &v->before->findings[v->finding_before[i]] : NULL;

		if (was && (counts(was->outcome) || counts(is->outcome)))
			tell_regraded(v, was, is);
		else if (!was && counts(is->outcome))
			tell_new(v, is);
	}
	for (size_t i = 0; i < v->before->nr_findings; i++)
		if (v->finding_after[i] < 0 && counts(v->before->findings[i].outcome))
			tell_gone(v, &v->before->findings[i]);
}

/* ---- checks */

static const char *result_text(struct verdicts *v, const struct diff_result *result)
{
	return result->reason ? arena_printf(v->d->arena, "%s: %s", outcome_name(result->outcome), result->reason) :
	       outcome_name(result->outcome);
}

static void tell_result(struct verdicts *v, const struct diff_result *was, const struct diff_result *is)
{
	bool required = was->required || is->required;
	enum diff_weight weight = DIFF_OTHER;

	if (was->outcome == is->outcome || (was->outcome != OUTCOME_UNKNOWN && is->outcome != OUTCOME_UNKNOWN))
		return;
	if (required && is->outcome == OUTCOME_UNKNOWN)
		weight = DIFF_WORSE;
	else if (required && is->outcome != OUTCOME_SKIP)
		weight = DIFF_BETTER;
	else if (is->outcome != OUTCOME_UNKNOWN || was->outcome == OUTCOME_SKIP)
		return;		/* not required, or unknown before as well */
	diff_begin_place(v->d, is->place, false);
	diff_add(v->d, &(struct difference){
		.group = DIFF_VERDICT, .weight = weight, .what = is->check, .before = result_text(v, was),
		.after = result_text(v, is), .why = required ? "a required check" : NULL,
	});
}

static void tell_verdict(struct verdicts *v)
{
	const char *was = v->before->verdict, *is = v->after->verdict;

	/* In which direction, what it is made of says. */
	if (was && is && strcmp(was, is) != 0)
		diff_add(v->d, &(struct difference){
			.group = DIFF_VERDICT, .what = "verdict", .before = was, .after = is,
		});
}

void diff_verdicts(struct differ *d, const struct diff_side *before, const struct diff_side *after)
{
	struct verdicts v = { .d = d, .before = before, .after = after };

	if (!before->is_judged || !after->is_judged)
		return;
	diff_begin_thing(d, NULL, NULL, 0);
	pair_all(&v);
	tell_verdict(&v);
	tell_findings(&v);
	for (size_t i = 0; i < after->nr_results; i++) {
		const struct diff_result *is = &after->results[i];
		const struct diff_result *was = v.result_before[i] >= 0 ? &before->results[v.result_before[i]] : NULL;

		if (was)
			tell_result(&v, was, is);
		d->diff->nr_compared += was_judged(was) && was_judged(is);
	}
	diff_begin_thing(d, NULL, NULL, 0);
}
