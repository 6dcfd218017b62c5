// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_finding.c - one finding, or row of the kernel log's catalogue: what it says, what explains it, what to do. */
#include "base/compat.h"
#include "cmd/explain.h"

#include "checks/playbook.h"
#include "eval/causes/causes.h"
#include "eval/gate/gate.h"
#include "eval/judge/finding_evidence.h"
#include "klog/nvidia.h"

/* ---- the rules of causes.def that are about it */

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

/* ---- */

static const char *age_words(enum klog_age age)
{
	switch (age) {
	case KLOG_AGE_FAULT: return "counts until the driver is reloaded or the device reset, at most 72 h";
	case KLOG_AGE_APPLICATION: return "as a fault; against the device only from several programs";
	case KLOG_AGE_HOST: return "counts until the next boot, at most 72 h";
	}
	return "";
}

/* Of a row of the kernel log's catalogue, from "says" to "source". */
static void explain_row(struct explanation *to, enum klog_row_id id)
{
	const struct klog_row *row = &klog_rows[id];
	char number[16] = "";

	if (klog_row_xid(id) >= 0)
		snprintf(number, sizeof(number), " %d", klog_row_xid(id));
	explain_fact(to, "says", "%s%s", row->age == KLOG_AGE_HOST ? "" : "{device} ",
		     explained_template(to, row->title));
	explain_fact(to, "means", "%s", explained_template(to, row->why));
	explain_fact(to, "log", "%s%s%s%s; %s; %s", klog_kind_name(row->kind), number, *row->mnemonic ? ", " : "",
		     row->mnemonic, klog_severity_name(row->severity), age_words(row->age));
	explain_fact(to, "source", "%s", row->source);
}

/* What the sentence begins with in a report, and its template leaves out. */
static const char *subject_of(enum finding_id id)
{
	for (size_t i = 0; i < playbook.nr; i++) {
		const struct check *check = playbook.rows[i].check;

		for (const enum finding_id *emitted = check->may_emit; *emitted != NO_FINDING; emitted++)
			if (*emitted == id && (check->per == SUBJECT_GPU || check->per == SUBJECT_OCL_DEVICE))
				return "{gpu} ";
	}
	return "";
}

static void explain_steps(struct explanation *to, enum finding_id id)
{
	bool any = false;

	for (int own = 1; own >= 0 && !any; own--) {
		for (size_t i = 0; i < nr_step_defs; i++) {
			const struct step_def *step = &step_defs[i];

			if (!step_is_for(step, id, own))
				continue;
			explain_fact(to, "next", "%s%s", explained_template(to, step->text),
				     step->disruptive ? " (disruptive)" : "");
			if (step->command)
				explain_below(to, EXPLAINED_COMMAND, step->command);
			if (step->expect)
				explain_below(to, EXPLAINED_EXPECT, explained_template(to, step->expect));
			any = true;
		}
	}
}

void explain_finding(struct explanation *to, enum finding_id id)
{
	const struct finding_def *def = &finding_defs[id];
	const struct gate_regrading *regrading = gate_regrading_of(id);
	enum klog_row_id row = log_row(id);

	explain_head(to, "%s", def->name);
	if (row != KLOG_NO_ROW) {
		explain_row(to, row);
	} else {
		explain_fact(to, "says", "%s%s", subject_of(id), explained_template(to, def->title));
		explain_fact(to, "means", "%s", explained_template(to, def->why));
	}
	explain_fact(to, "counts", "%s; action: %s; blame: %s", outcome_name(def->outcome), action_name(def->action),
		     blame_name(def->blame));
	if (regrading)
		explain_fact(to, "counts", "in gpudiag gate %s: %s", outcome_name(regrading->outcome), regrading->why);
	explain_causes(to, &id, 1);
	explain_steps(to, id);
}
