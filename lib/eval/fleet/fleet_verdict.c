// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_verdict.c - the fleet in one sentence, and in an exit status. */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"

/* ---- counts */

static void count_outlier_node(struct fleet *fleet, uint32_t gpu)
{
	struct fleet_record *record = &fleet->records[fleet->gpus[gpu].record];

	fleet->nr_outlier_nodes += !record->has_outlier;
	record->has_outlier = true;
}

static void count_nodes(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->nr_nodes; i++) {
		struct fleet_record *record = &fleet->records[fleet->nodes[i]];

		record->has_outlier = false;
		if (record->verdict == VERDICT_FAIL)
			fleet->nr_no_go++;
		else if (record->verdict == VERDICT_UNKNOWN || record->is_partial)
			fleet->nr_unknown++;
		else if (record->verdict == VERDICT_WARN)
			fleet->nr_warned++;
	}
	for (size_t i = 0; i < fleet->nr_outliers; i++)
		count_outlier_node(fleet, fleet->outliers[i].gpu);
	for (size_t i = 0; i < fleet->nr_drifts; i++)
		count_outlier_node(fleet, fleet->drifts[i].gpu);
	for (size_t i = 0; i < fleet->nr_odd_settings; i++)
		count_outlier_node(fleet, fleet->odd_settings[i].gpu);
	for (size_t i = 0; i < fleet->nr_nodes; i++)
		fleet->nr_good += fleet_node_state(&fleet->records[fleet->nodes[i]]) == NODE_GOOD;
}

enum node_state fleet_node_state(const struct fleet_record *record)
{
	if (record->verdict == VERDICT_FAIL)
		return NODE_NO_GO;
	if (record->verdict == VERDICT_UNKNOWN || record->is_partial)
		return NODE_NOT_JUDGED;
	if (record->has_outlier)
		return NODE_OUTLIER;
	return record->verdict == VERDICT_WARN ? NODE_WARNED : NODE_GOOD;
}

const char *node_state_name(enum node_state state)
{
	static const char *const names[] = { "good", "warned", "outlier", "not-judged", "no-go" };

	return names[state];
}

/* ---- the sentence */

/* The cause that most GPUs share; of cards alone none. */
static const struct fleet_cause *largest_cause(const struct fleet *fleet)
{
	const struct fleet_cause *largest = NULL;

	for (size_t i = 0; i < fleet->nr_causes; i++)
		if (fleet->causes[i].bad > 1 && (!largest || fleet->causes[i].bad > largest->bad))
			largest = &fleet->causes[i];
	return largest;
}

static uint32_t count_slow_gpus(const struct fleet *fleet)
{
	uint32_t nr = 0;

	/* Outliers lie by GPU. */
	for (size_t i = 0; i < fleet->nr_outliers; i++)
		nr += !i || fleet->outliers[i].gpu != fleet->outliers[i - 1].gpu;
	return nr;
}

static void add_part(struct strbuf *text, const char *part)
{
	strbuf_addf(text, "%s%s", text->len ? "; " : "", part);
}

static void say_outliers(struct fleet *fleet, struct strbuf *text)
{
	const struct fleet_cause *cause = largest_cause(fleet);
	uint32_t nr = count_slow_gpus(fleet);

	if (!nr)
		return;
	strbuf_addf(text, "%s%u %s out of line with %s kind", text->len ? "; " : "", nr,
		    plural(nr, "GPU is", "GPUs are"), plural(nr, "its", "their"));
	if (cause)
		strbuf_addf(text, ": %s has %u of them", fleet_place_phrase(&fleet->arena, cause), cause->bad);
}

/* Marks one of many; was it not yet? */
static bool mark(bool *seen, uint32_t number)
{
	bool is_new = !seen[number];

	seen[number] = true;
	return is_new;
}

/* Cards and kinds that are worse than they were, and cards that are set otherwise: each once, however often. */
static void say_cards(struct fleet *fleet, struct strbuf *text)
{
	bool *drifted = xcalloc(fleet->nr_gpus + 1, sizeof(*drifted)), *odd = xcalloc(fleet->nr_gpus + 1, sizeof(*odd));
	bool *shifted = xcalloc(fleet->nr_groups + 1, sizeof(*shifted));
	uint32_t nr_drifted = 0, nr_kinds = 0, nr_odd = 0;

	for (size_t i = 0; i < fleet->nr_drifts; i++)
		nr_drifted += mark(drifted, fleet->drifts[i].gpu);
	for (size_t i = 0; i < fleet->nr_odd_settings; i++)
		nr_odd += mark(odd, fleet->odd_settings[i].gpu);
	for (size_t i = 0; i < fleet->nr_shifts; i++)
		nr_kinds += mark(shifted, fleet->shifts[i].group);
	free(drifted);
	free(shifted);
	free(odd);
	if (nr_drifted)
		add_part(text, arena_printf(&fleet->arena, "%u %s worse than before", nr_drifted,
					    plural(nr_drifted, "GPU is", "GPUs are")));
	if (nr_kinds)
		add_part(text, arena_printf(&fleet->arena, "%u %s worse than before as a whole", nr_kinds,
					    plural(nr_kinds, "kind of GPU is", "kinds of GPU are")));
	if (nr_odd)
		add_part(text, arena_printf(&fleet->arena, "%u %s set otherwise than %s kind", nr_odd,
					    plural(nr_odd, "GPU is", "GPUs are"), plural(nr_odd, "its", "their")));
}

static const char *sentence(struct fleet *fleet)
{
	struct arena *arena = &fleet->arena;
	size_t missing = fleet->nr_missing + fleet->nr_missing_unnamed;
	STRBUF_AUTO text = STRBUF_INIT;

	if (!fleet->nr_nodes)
		return "No report could be read.";
	if (fleet->nr_no_go)
		add_part(&text, arena_printf(arena, "%u of %zu %s must not get work", fleet->nr_no_go, fleet->nr_nodes,
					     plural(fleet->nr_nodes, "node", "nodes")));
	say_outliers(fleet, &text);
	say_cards(fleet, &text);
	if (missing)
		add_part(&text,
			 arena_printf(arena, "%zu %s did not answer", missing, plural(missing, "node", "nodes")));
	if (fleet->nr_unknown)
		add_part(&text, arena_printf(arena, "%u %s could not be judged", fleet->nr_unknown,
					     plural(fleet->nr_unknown, "node", "nodes")));
	if (fleet->nr_warned)
		add_part(&text, arena_printf(arena, "%u %s with warnings", fleet->nr_warned,
					     plural(fleet->nr_warned, "node", "nodes")));
	if (fleet->nr_refused)
		add_part(&text, arena_printf(arena, "%zu %s not be read", fleet->nr_refused,
					     plural(fleet->nr_refused, "record could", "records could")));
	if (!text.len)
		return arena_printf(arena, "All good: %zu %s, %u %s.", fleet->nr_nodes,
				    plural(fleet->nr_nodes, "node", "nodes"), fleet->nr_judged_gpus,
				    plural(fleet->nr_judged_gpus, "GPU", "GPUs"));
	return arena_printf(arena, "%s.", text.buf);
}

/* ---- the status */

/* The worst first: who must not get work, who did not answer or could not be judged, who is slow. */
static int status_of(const struct fleet *fleet, const struct fleet_rules *rules)
{
	size_t missing = fleet->nr_missing + fleet->nr_missing_unnamed;

	if (fleet->nr_no_go)
		return 2;
	if (!fleet->nr_nodes || missing > rules->allow_missing || fleet->nr_unknown || fleet->nr_refused)
		return 3;
	return fleet->nr_outliers || fleet->nr_drifts || fleet->nr_shifts || fleet->nr_odd_settings || fleet->nr_warned
		? 1
		: 0;
}

void fleet_decide(struct fleet *fleet, const struct fleet_rules *rules)
{
	static const enum verdict verdicts[] = { VERDICT_PASS, VERDICT_WARN, VERDICT_FAIL, VERDICT_UNKNOWN };

	count_nodes(fleet);
	fleet->headline = sentence(fleet);
	fleet->exit_status = status_of(fleet, rules);
	fleet->verdict = verdicts[fleet->exit_status];
}

void fleet_judge(struct fleet *fleet, const struct fleet_rules *rules)
{
	fleet_metrics_grade(fleet, rules->policy);
	fleet_fold(fleet, rules);
	fleet_find_missing(fleet);
	fleet_make_groups(fleet);
	fleet_find_outliers(fleet, rules->policy);
	fleet_find_causes(fleet, rules->policy);
	fleet_find_drifts(fleet);
	fleet_find_splits(fleet, rules->policy);
	fleet_decide(fleet, rules);
}
