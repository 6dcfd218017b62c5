// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/causes.h"

#include "eval/link.h"

struct judged {
	const struct snapshot *snapshot;
	struct finding **findings;
	size_t nr;
};

struct cause_rule {
	const char *effect;		/* beginning of the id of what is explained, "transfer-" */
	const char *cause;		/* beginning of the id of what explains it, "pcie-width." */
	enum outcome least;		/* of the cause: a note says what is so, which may explain a warning */
	/* What else must be true of both; NULL: nothing. */
	bool (*explains)(const struct judged *judged, const struct finding *effect, const struct finding *cause);
};

/* ---- numbers of findings */

/* The evidence of that name noted last, as a number; 0.0 where there is none. */
static double number_in(const struct finding *finding, const char *name)
{
	for (size_t i = finding->evidence.nr; i-- > 0;) {
		const struct evidence *evidence = &finding->evidence.items[i];

		if (strcmp(evidence->field->name, name))
			continue;
		if (evidence->field->kind == FIELD_U64)
			return (double)u64_or(evidence->observed.u64, 0);
		return evidence->field->kind == FIELD_F64 ? f64_or(evidence->observed.f64, 0.0) : 0.0;
	}
	return 0.0;
}

static bool begins(const struct finding *finding, const char *prefix)
{
	return !strncmp(finding->def->name, prefix, strlen(prefix));
}

static bool is_same_gpu(const struct finding *a, const struct finding *b)
{
	return a->subject.gpu && a->subject.gpu == b->subject.gpu;
}

/* ---- what a link explains */

/* Of what this link could carry, the share that it does with the lanes, or at the speed, that a finding tells. */
static double link_share(const struct finding *finding)
{
	double now = number_in(finding, "link_width"), able = number_in(finding, "link_width_able");

	if (begins(finding, "pcie-speed.")) {
		now = link_bytes_per_s((uint64_t)number_in(finding, "link_speed"), 1);
		able = link_bytes_per_s((uint64_t)number_in(finding, "link_speed_able"), 1);
	}
	return now > 0.0 && able > now ? now / able : 1.0;
}

/* A link may have lost lanes and speed, and hops above may have too: the narrowest of each counts, and both. */
static double share_left(const struct judged *judged, const struct finding *effect)
{
	double width = 1.0, speed = 1.0;

	for (size_t i = 0; i < judged->nr; i++) {
		const struct finding *finding = judged->findings[i];
		double share = is_same_gpu(finding, effect) ? link_share(finding) : 1.0;

		if (begins(finding, "pcie-width.") && share < width)
			width = share;
		if (begins(finding, "pcie-speed.") && share < speed)
			speed = share;
	}
	return width * speed;
}

/* What copies reach of a link as a rule, where no twin shows it: 80 to 88 % of the bytes after encoding. */
#define USUAL_SHARE 0.8
/* A figure this far below what the link leaves is still explained by it; one below that has a second cause. */
#define EXPLAINED_SHARE 0.85

static bool link_explains(const struct judged *judged, const struct finding *effect, const struct finding *cause)
{
	double figure = number_in(effect, "h2d"), twins = number_in(effect, "twin_h2d"), whole;

	if (begins(effect, "transfer-d2h.")) {
		figure = number_in(effect, "d2h");
		twins = number_in(effect, "twin_d2h");
	}
	whole = twins > 0.0 ? twins : USUAL_SHARE * number_in(effect, "link_able_bandwidth");
	return link_share(cause) < 1.0 && figure > 0.0 && whole > 0.0 &&
	       figure >= EXPLAINED_SHARE * share_left(judged, effect) * whole;
}

/* Where the CPUs judged are this run's own, it copied from them; those of a job say nothing of our copies. */
static bool own_cpus_explain(const struct judged *judged, const struct finding *effect, const struct finding *cause)
{
	(void)effect;
	(void)cause;
	return bool_or(judged->snapshot->request.pid_is_self, false);
}

/* ---- the rules: of several that fit, the first */

static const struct cause_rule rules[] = {
	{ "transfer-", "pcie-width.", OUTCOME_WARN, link_explains },
	{ "transfer-", "pcie-speed.", OUTCOME_WARN, link_explains },
	{ "transfer-", "numa-affinity.pinned-remote", OUTCOME_WARN, own_cpus_explain },
	{ "memory-bandwidth.", "throttle-", OUTCOME_WARN, NULL },
	{ "memory-bandwidth.", "cooling.slowed", OUTCOME_WARN, NULL },
	{ "memory-bandwidth.", "vram-health.", OUTCOME_WARN, NULL },
	{ "memory-bandwidth.", "vram-holders.", OUTCOME_WARN, NULL },
	{ "memory-bandwidth.", "sharing.several-tenants", OUTCOME_NOTE, NULL },
	{ "compute-rate.", "throttle-", OUTCOME_WARN, NULL },
	{ "compute-rate.", "cooling.slowed", OUTCOME_WARN, NULL },
	{ "compute-rate.", "vram-holders.", OUTCOME_WARN, NULL },
	{ "compute-rate.", "sharing.several-tenants", OUTCOME_NOTE, NULL },
	{ "sustained-load.", "throttle-", OUTCOME_WARN, NULL },
	{ "sustained-load.", "cooling.slowed", OUTCOME_WARN, NULL },
	{ "sustained-load.", "sharing.several-tenants", OUTCOME_NOTE, NULL },
};

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

static bool fits(const struct judged *judged, const struct cause_rule *rule, const struct finding *effect,
		 const struct finding *cause)
{
	return begins(cause, rule->cause) && cause->outcome >= rule->least && !is_past(cause) &&
	       (is_same_gpu(effect, cause) || cause->subject.kind == SUBJECT_NODE) &&
	       (!rule->explains || rule->explains(judged, effect, cause));
}

static const struct finding *cause_of(const struct judged *judged, const struct finding *effect)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		if (!begins(effect, rules[i].effect))
			continue;
		for (size_t k = 0; k < judged->nr; k++)
			if (fits(judged, &rules[i], effect, judged->findings[k]))
				return judged->findings[k];
	}
	return NULL;
}

void causes_find(const struct snapshot *snapshot, struct finding **findings, size_t nr)
{
	const struct judged judged = { .snapshot = snapshot, .findings = findings, .nr = nr };

	for (size_t i = 0; i < nr; i++)
		if (findings[i]->stage == STAGE_TIMING && findings[i]->outcome >= OUTCOME_WARN)
			findings[i]->caused_by = cause_of(&judged, findings[i]);
}
