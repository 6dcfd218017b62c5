// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_json.c - a fleet as data: gpudiag.fleet/1. */
#include "base/compat.h"
#include "render/fleet.h"

#include "base/json_writer.h"

static void put_text(struct json_writer *w, const struct fleet *fleet, const char *key, text_id id)
{
	json_str(w, key, texts_get(&fleet->texts, id));
}

/* A figure that was kept as a float, with the digits that it has. */
static void put_figure(struct json_writer *w, const char *key, double value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.7g", value);
	json_f64_member(w, key, strtod(digits, NULL));
}

/* 0 is not known. */
static void put_known(struct json_writer *w, const char *key, uint64_t value)
{
	if (value)
		json_u64_member(w, key, value);
	else
		json_null_member(w, key);
}

static void put_counts(struct json_writer *w, const struct fleet *fleet)
{
	json_object_member(w, "counts");
	json_u64_member(w, "nodes", fleet->nr_nodes + fleet->nr_missing + fleet->nr_missing_unnamed);
	json_u64_member(w, "reported", fleet->nr_nodes);
	json_u64_member(w, "missing", fleet->nr_missing + fleet->nr_missing_unnamed);
	json_u64_member(w, "good", fleet->nr_good);
	json_u64_member(w, "warned", fleet->nr_warned);
	json_u64_member(w, "outlier_nodes", fleet->nr_outlier_nodes);
	json_u64_member(w, "not_judged", fleet->nr_unknown);
	json_u64_member(w, "no_go", fleet->nr_no_go);
	json_u64_member(w, "gpus", fleet->nr_judged_gpus);
	json_u64_member(w, "records", fleet->nr_records);
	json_u64_member(w, "refused", fleet->nr_refused);
	json_object_end(w);
}

static void put_gpu(struct json_writer *w, const struct fleet *fleet, const struct fleet_gpu *gpu)
{
	json_str(w, "node", fleet_node_name(fleet, record_of(fleet, gpu)));
	json_u64_member(w, "gpu", gpu->index);
	put_text(w, fleet, "pci", gpu->pci);
	put_text(w, fleet, "serial", gpu->serial);
	put_text(w, fleet, "uuid", gpu->uuid);
}

/* Nodes in one state, with why. */
static void put_nodes(struct json_writer *w, const struct fleet *fleet, const char *key, enum node_state state)
{
	json_array_member(w, key);
	for (size_t i = 0; i < fleet->nr_nodes; i++) {
		const struct fleet_record *record = &fleet->records[fleet->nodes[i]];

		if (fleet_node_state(record) != state)
			continue;
		json_object_begin(w);
		json_str(w, "node", fleet_node_name(fleet, record));
		put_text(w, fleet, "machine_id", record->machine);
		put_text(w, fleet, "action", record->action);
		put_text(w, fleet, "schedulable", record->schedulable);
		json_str(w, "headline", record->headline);
		json_bool_member(w, "partial", record->is_partial);
		json_array_member(w, "findings");
		for (uint32_t k = 0; k < record->nr_findings; k++)
			json_put_str(w, texts_get(&fleet->texts, fleet->findings[record->first_finding + k].id));
		json_array_end(w);
		put_text(w, fleet, "source", record->source);
		json_object_end(w);
	}
	json_array_end(w);
}

/* The members of one of a list. */
typedef void put_fn(struct json_writer *w, const struct fleet *fleet, size_t i);

static void put_list(struct json_writer *w, const struct fleet *fleet, const char *key, size_t nr, put_fn *put)
{
	json_array_member(w, key);
	for (size_t i = 0; i < nr; i++) {
		json_object_begin(w);
		put(w, fleet, i);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_missing(struct json_writer *w, const struct fleet *fleet, size_t i)
{
	json_str(w, "node", fleet->missing[i].name);
	json_str(w, "known", fleet->missing[i].known);
}

static void put_spread(struct json_writer *w, const struct fleet *fleet, const struct fleet_spread *spread)
{
	const struct fleet_metric *metric = &fleet->metrics[spread->metric];

	json_object_begin(w);
	put_text(w, fleet, "metric", metric->key);
	json_str(w, "unit", unit_symbol(metric->unit));
	json_u64_member(w, "n", spread->n);
	put_figure(w, "median", spread->median);
	put_figure(w, "mad", spread->mad);
	put_figure(w, "p1", spread->low);
	put_figure(w, "p99", spread->high);
	if (!spread->is_two) {
		json_null_member(w, "populations");
		json_object_end(w);
		return;
	}
	json_array_member(w, "populations");
	for (int i = 0; i < 2; i++) {
		json_object_begin(w);
		json_u64_member(w, "n", i ? spread->n_worse : spread->n - spread->n_worse);
		put_figure(w, "median", i ? spread->median_worse : spread->median_better);
		json_object_end(w);
	}
	json_array_end(w);
	json_object_end(w);
}

static void put_groups(struct json_writer *w, const struct fleet *fleet)
{
	size_t k = 0;

	json_array_member(w, "groups");
	for (size_t i = 0; i < fleet->nr_groups; i++) {
		const struct fleet_group *group = &fleet->groups[i];

		json_object_begin(w);
		json_u64_member(w, "id", i);
		put_text(w, fleet, "model", group->model);
		put_text(w, fleet, "vbios", group->vbios);
		put_text(w, fleet, "driver_version", group->driver_version);
		put_text(w, fleet, "partition", group->partition);
		put_known(w, "power_limit_mw", group->power_limit_mw);
		put_known(w, "clock_application_mhz", group->clock_application_mhz);
		put_known(w, "clock_max_mhz", group->clock_max_mhz);
		json_u64_member(w, "gpus", group->nr_gpus);
		json_u64_member(w, "nodes", group->nr_nodes);
		json_array_member(w, "metrics");
		for (; k < fleet->nr_spreads && fleet->spreads[k].group == i; k++)
			put_spread(w, fleet, &fleet->spreads[k]);
		json_array_end(w);
		json_object_end(w);
	}
	json_array_end(w);
}

/* A temperature is worse by degrees, all else by a share. */
static void put_worse(struct json_writer *w, const struct fleet_metric *metric, double worse)
{
	if (metric->is_absolute) {
		json_null_member(w, "worse_percent");
		put_figure(w, "worse_by", worse);
	} else {
		put_figure(w, "worse_percent", worse * 100.0);
		json_null_member(w, "worse_by");
	}
}

static void put_outlier(struct json_writer *w, const struct fleet *fleet, size_t i)
{
	const struct fleet_outlier *outlier = &fleet->outliers[i];
	const struct fleet_metric *metric = &fleet->metrics[outlier->metric];

	put_gpu(w, fleet, &fleet->gpus[outlier->gpu]);
	put_text(w, fleet, "metric", metric->key);
	put_figure(w, "value", outlier->value);
	put_figure(w, "median", outlier->median);
	json_str(w, "unit", unit_symbol(metric->unit));
	put_worse(w, metric, outlier->worse);
	put_figure(w, "deviations", outlier->mads);
	json_u64_member(w, "group", fleet->gpus[outlier->gpu].group - 1);
	json_u64_member(w, "cause", outlier->cause - 1);
}

static void put_members(struct json_writer *w, const struct fleet *fleet, const struct fleet_cause *cause)
{
	json_array_member(w, "members");
	for (uint32_t i = 0; i < cause->bad; i++) {
		json_object_begin(w);
		put_gpu(w, fleet, &fleet->gpus[fleet->outliers[fleet->members[cause->first_member + i]].gpu]);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_cause(struct json_writer *w, const struct fleet *fleet, size_t i)
{
	const struct fleet_cause *cause = &fleet->causes[i];
	const struct fleet_metric *metric = &fleet->metrics[cause->metric];

	json_u64_member(w, "id", i);
	json_str(w, "level", cause->level);
	json_str(w, "value", cause->value);
	put_text(w, fleet, "metric", metric->key);
	json_u64_member(w, "bad", cause->bad);
	json_u64_member(w, "of", cause->of);
	json_f64_member(w, "chance", cause->chance);
	put_worse(w, metric, cause->worse);
	json_str(w, "also", cause->also);
	json_str(w, "within", cause->within);
	json_str(w, "before", cause->before);
	put_members(w, fleet, cause);
}

static void put_drift(struct json_writer *w, const struct fleet *fleet, size_t i)
{
	const struct fleet_drift *drift = &fleet->drifts[i];
	const struct fleet_metric *metric = &fleet->metrics[drift->metric];

	put_gpu(w, fleet, &fleet->gpus[drift->gpu]);
	put_text(w, fleet, "metric", metric->key);
	put_figure(w, "value", drift->value);
	put_figure(w, "median", drift->median);
	json_str(w, "unit", unit_symbol(metric->unit));
	put_worse(w, metric, drift->worse);
	json_str(w, "kind", drift->is_step ? "step" : "decline");
	json_u64_member(w, "reports", drift->nr_reports);
}

static void put_shift(struct json_writer *w, const struct fleet *fleet, size_t i)
{
	const struct fleet_shift *shift = &fleet->shifts[i];
	const struct fleet_metric *metric = &fleet->metrics[shift->metric];

	json_u64_member(w, "group", shift->group);
	put_text(w, fleet, "metric", metric->key);
	json_u64_member(w, "gpus", shift->nr);
	json_u64_member(w, "of", shift->of);
	put_worse(w, metric, shift->worse);
}

static void put_odd_setting(struct json_writer *w, const struct fleet *fleet, size_t i)
{
	const struct fleet_odd_setting *odd = &fleet->odd_settings[i];

	put_gpu(w, fleet, &fleet->gpus[odd->gpu]);
	json_str(w, "what", odd->what);
	put_text(w, fleet, "value", odd->value);
	put_text(w, fleet, "usual", odd->usual);
	json_u64_member(w, "usual_gpus", odd->nr_usual);
	json_u64_member(w, "of", odd->of);
}

static void put_split(struct json_writer *w, const struct fleet *fleet, size_t i)
{
	const struct fleet_split *split = &fleet->splits[i];

	json_str(w, "what", split->what);
	put_text(w, fleet, "model", split->model);
	json_bool_member(w, "setting", split->is_setting);
	json_array_member(w, "values");
	for (size_t k = 0; k < split->nr; k++) {
		json_object_begin(w);
		put_text(w, fleet, "value", split->shares[k].value);
		json_u64_member(w, "gpus", split->shares[k].nr_gpus);
		json_u64_member(w, "nodes", split->shares[k].nr_nodes);
		json_str(w, "example", fleet_node_name(fleet, &fleet->records[split->shares[k].example]));
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_refusal(struct json_writer *w, const struct fleet *fleet, size_t i)
{
	json_str(w, "source", fleet->refusals[i].source);
	put_known(w, "line", fleet->refusals[i].line);
	json_str(w, "reason", fleet->refusals[i].why);
}

void render_fleet_json(struct strbuf *out, const struct fleet *fleet, const struct render_options *options)
{
	struct json_writer w = { .out = out, .indent = 2 };

	(void)options;
	json_object_begin(&w);
	json_str(&w, "schema", FLEET_SCHEMA);
	json_str(&w, "tool", "gpudiag " GPUDIAG_VERSION);
	json_str(&w, "verdict", verdict_name(fleet->verdict));
	json_str(&w, "headline", fleet->headline);
	put_counts(&w, fleet);
	put_nodes(&w, fleet, "no_go", NODE_NO_GO);
	put_list(&w, fleet, "missing", fleet->nr_missing, put_missing);
	put_nodes(&w, fleet, "not_judged", NODE_NOT_JUDGED);
	put_nodes(&w, fleet, "warned", NODE_WARNED);
	put_list(&w, fleet, "causes", fleet->nr_causes, put_cause);
	put_list(&w, fleet, "outliers", fleet->nr_outliers, put_outlier);
	put_list(&w, fleet, "drifts", fleet->nr_drifts, put_drift);
	put_list(&w, fleet, "shifts", fleet->nr_shifts, put_shift);
	put_list(&w, fleet, "odd_settings", fleet->nr_odd_settings, put_odd_setting);
	put_groups(&w, fleet);
	put_list(&w, fleet, "splits", fleet->nr_splits, put_split);
	put_list(&w, fleet, "refused", fleet->nr_refusals, put_refusal);
	json_array_member(&w, "notes");
	for (size_t i = 0; i < fleet->nr_notes; i++)
		json_put_str(&w, fleet->notes[i]);
	json_array_end(&w);
	json_u64_member(&w, "comparisons", fleet->nr_comparisons);
	json_f64_member(&w, "expected_by_chance", fleet->expected_by_chance);
	json_u64_member(&w, "exit_status", (uint64_t)fleet->exit_status);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}
