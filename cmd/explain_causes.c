// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_causes.c - the rules of causes.def that are about a finding, or about those of a check. */
#include "base/compat.h"
#include "cmd/explain.h"

#include "eval/causes/causes.h"
#include "eval/judge/finding_evidence.h"

/* Whose rules are asked for: one finding, or a check's. */
struct findings {
	const enum finding_id *ids;
	size_t nr;
};

/* Is that beginning of ids, a word among others, one of theirs? As a cause it must be as bad as the rule asks. */
static bool is_theirs(const struct findings *findings, const char *word, size_t len, enum outcome least)
{
	char prefix[128];

	snprintf(prefix, sizeof(prefix), "%.*s", (int)len, word);
	for (size_t i = 0; i < findings->nr; i++) {
		const struct finding_def *def = &finding_defs[findings->ids[i]];

		if (def->outcome >= least && name_listed(def->name, prefix))
			return true;
	}
	return false;
}

/* "pcie-width.*", or the whole id where one alone begins so. */
static void add_beginning(struct strbuf *out, const char *word, size_t len)
{
	char prefix[128];
	const char *name = "";
	size_t nr = 0;

	snprintf(prefix, sizeof(prefix), "%.*s", (int)len, word);
	for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++) {
		if (!name_listed(finding_defs[id].name, prefix))
			continue;
		name = finding_defs[id].name;
		nr++;
	}
	if (nr == 1)
		strbuf_addstr(out, name);
	else
		strbuf_addf(out, "%s*", prefix);
}

/* Of the beginnings all, or theirs alone. How many. */
static size_t add_beginnings(struct strbuf *out, const char *words, const struct findings *theirs, enum outcome least)
{
	size_t nr = 0;

	for (const char *word = words; *word; word += strspn(word, " ")) {
		size_t len = strcspn(word, " ");

		if (!theirs || is_theirs(theirs, word, len, least)) {
			strbuf_addstr(out, nr++ ? ", " : "");
			add_beginning(out, word, len);
		}
		word += len;
	}
	return nr;
}

static const char *least_words(enum outcome least)
{
	return least == OUTCOME_FAIL ? "fail" : least == OUTCOME_WARN ? "warn or fail" : "note, warn or fail";
}

static const char *cause_place_words(enum cause_place place)
{
	return place == CAUSE_PLACE_ANY ? "of whichever GPU" : "of the same GPU or the node";
}

static const char *effect_place_words(enum cause_place place)
{
	return place == CAUSE_PLACE_ANY ? "of the node" : "of the same GPU, or of any where this is of the node";
}

/* "pcie-width.* (warn or fail, of the same GPU or the node)" and below it what must be true. */
static void explain_rule(struct explanation *to, const struct cause_rule *rule, const struct findings *findings,
			 bool as_effect)
{
	const char *words = cause_fit_words(rule->fits);
	STRBUF_AUTO theirs = STRBUF_INIT;
	STRBUF_AUTO others = STRBUF_INIT;

	if (!add_beginnings(&theirs, as_effect ? rule->effects : rule->causes, findings,
			    as_effect ? OUTCOME_SKIP : rule->least))
		return;
	if (findings->nr > 1)
		strbuf_addf(&others, "%s: ", theirs.buf);
	add_beginnings(&others, as_effect ? rule->causes : rule->effects, NULL, OUTCOME_SKIP);
	if (as_effect)
		explain_fact(to, "causes", "%s (%s, %s)", others.buf, least_words(rule->least),
			     cause_place_words(rule->place));
	else
		explain_fact(to, "effects", "%s (%s)", others.buf, effect_place_words(rule->place));
	if (words)
		explain_below(to, EXPLAINED_IF, words);
}

void explain_causes(struct explanation *to, const enum finding_id *ids, size_t nr)
{
	const struct findings findings = { .ids = ids, .nr = nr };

	for (int as_effect = 1; as_effect >= 0; as_effect--)
		for (size_t i = 0; i < nr_cause_rules; i++)
			explain_rule(to, &cause_rules[i], &findings, as_effect);
}
