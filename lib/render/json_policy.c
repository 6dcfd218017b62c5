// SPDX-License-Identifier: GPL-2.0-or-later
/* json_policy.c - what the policy in force sets beside single values, and what it made of findings. */
#include "base/compat.h"
#include "render/json_internal.h"

#include "eval/judge/subject.h"

void json_policy_row(struct json_writer *w, const struct policy *policy, unsigned row)
{
	json_object_begin(w);
	json_str(w, "key", policy_rows[row].key);
	json_key(w, "value");
	policy_value_write(w, policy, row);
	json_key(w, "built_in");
	policy_value_write(w, &policy_built_in, row);
	json_u64_member(w, "line", policy->lines[row]);
	json_object_end(w);
}

static void put_regrades(struct json_writer *w, const struct policy *policy)
{
	json_array_member(w, "regrade");
	for (size_t i = 0; i < policy->nr_regrades; i++) {
		const struct policy_regrade *regrade = &policy->regrades[i];

		json_object_begin(w);
		json_str(w, "finding", finding_defs[regrade->finding].name);
		json_str(w, "outcome", outcome_name(regrade->outcome));
		json_u64_member(w, "line", regrade->line);
		json_object_end(w);
	}
	json_array_end(w);
}

/* Addresses of the GPUs under test that an override of a model means. */
static void put_gpus_of(struct json_writer *w, const struct report *report, const struct policy_override *override)
{
	json_array_member(w, "gpus");
	for (size_t i = 0; i < report->nr_gpus; i++)
		if (report->gpus[i].under_test && policy_matches(override->pattern, report->gpus[i].model))
			json_put_str(w, str_or(report->gpus[i].gpu->key, "?"));
	json_array_end(w);
}

static void put_override(struct json_writer *w, const struct report *report, const struct policy_override *override)
{
	json_object_begin(w);
	json_str(w, "of", override->is_of_models ? "models" : "nodes");
	json_str(w, "pattern", override->pattern);
	if (override->is_of_models)
		put_gpus_of(w, report, override);
	json_u64_member(w, "line", override->line);
	json_array_member(w, "set");
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++)
		if (override->set->lines[row])
			json_policy_row(w, override->set, row);
	json_array_end(w);
	if (override->set->nr_regrades)
		put_regrades(w, override->set);
	json_object_end(w);
}

static bool is_of_node(const struct report *report, const struct policy_override *override)
{
	return override->is_of_models ||
	       policy_matches(override->pattern, str_or(report->snapshot->host.name, ""));
}

void json_policy_parts(struct json_writer *w, const struct report *report)
{
	const struct policy *policy = report->policy;

	if (policy->nr_overrides) {
		json_array_member(w, "overrides");
		for (size_t i = 0; i < policy->nr_overrides; i++)
			if (is_of_node(report, &policy->overrides[i]))
				put_override(w, report, &policy->overrides[i]);
		json_array_end(w);
	}
	if (policy->nr_regrades)
		put_regrades(w, policy);
	if (policy->nr_quiets)
		json_u64_member(w, "quiet", policy->nr_quiets);
}

void json_grade(struct json_writer *w, const struct finding *finding)
{
	if (finding->regraded) {
		json_object_member(w, "regraded");
		json_str(w, "from", outcome_name(finding->def->outcome));
		json_str(w, "to", outcome_name(finding->regraded->outcome));
		json_str(w, "place", finding->regraded->place);
		json_object_end(w);
	}
	if (finding->quiet) {
		json_object_member(w, "quiet");
		json_str(w, "from",
			 outcome_name(finding->regraded ? finding->regraded->outcome : finding->def->outcome));
		json_str(w, "until", finding->quiet->until);
		json_str(w, "reason", finding->quiet->reason);
		json_str(w, "place", finding->quiet->place);
		json_object_end(w);
	}
}
