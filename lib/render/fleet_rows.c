// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_rows.c - what is told of a fleet, row by row: the text, Markdown and HTML say the same. */
#include "base/compat.h"
#include "render/fleet_rows.h"

#include "base/hostlist.h"
#include "base/text.h"

enum { MOST_MEMBERS_BYTES = 200 };	/* of the list of a cause's nodes */

/* ---- parts */

static void open_part(struct fleet_parts *parts, const char *id, const char *heading, const char *name_head,
		      const char *text_head)
{
	parts->parts = arena_grow(parts->arena, parts->parts, parts->nr, sizeof(*parts->parts));
	parts->parts[parts->nr++] = (struct fleet_part){
		.id = id, .heading = heading, .name_head = name_head, .text_head = text_head,
	};
}

static void close_part(struct fleet_parts *parts)
{
	if (!parts->parts[parts->nr - 1].nr)
		parts->nr--;
}

const char *fleet_cut(struct arena *arena, const char *text, size_t most_bytes)
{
	if (strlen(text) <= most_bytes)
		return arena_strdup(arena, text);
	return arena_printf(arena, "%.*s…", (int)utf8_floor(text, most_bytes), text);
}

static void add_row(struct fleet_parts *parts, enum style style, const char *name, const char *text)
{
	struct fleet_part *part = &parts->parts[parts->nr - 1];

	part->rows = arena_grow(parts->arena, part->rows, part->nr, sizeof(*part->rows));
	part->rows[part->nr++] = (struct fleet_row){
		.style = style, .name = name ? fleet_cut(parts->arena, name, parts->most_bytes) : NULL,
		.text = fleet_cut(parts->arena, text, parts->most_bytes),
	};
}

/* Of nr rows, those that were not added. */
static void add_more(struct fleet_parts *parts, size_t nr, size_t added)
{
	if (nr > added)
		add_row(parts, STYLE_DIM, NULL, arena_printf(parts->arena, "and %zu more", nr - added));
}

static void add_rest(struct fleet_parts *parts, size_t nr)
{
	add_more(parts, nr, parts->most_rows);
}

/* Nodes in one state, each with its own sentence. */
static void add_nodes(struct fleet_parts *parts, enum node_state state, enum style style, const char *heading)
{
	const struct fleet *fleet = parts->fleet;
	size_t nr = 0;

	open_part(parts, node_state_name(state), heading, "Node", "Why");
	for (size_t i = 0; i < fleet->nr_nodes; i++) {
		const struct fleet_record *record = &fleet->records[fleet->nodes[i]];

		if (fleet_node_state(record) == state && nr++ < parts->most_rows)
			add_row(parts, style, fleet_node_name(fleet, record), record->headline ? record->headline : "");
	}
	add_rest(parts, nr);
	close_part(parts);
}

/* ---- what is out of line */

void fleet_put_worse(struct strbuf *text, const struct fleet_metric *metric, double worse, double median)
{
	if (metric->is_absolute)
		unit_format(text, metric->unit, worse);
	else
		strbuf_addf(text, "%.0f %%", worse * 100.0);
	strbuf_addf(text, " %s the median", metric->is_low_good ? "above" : "below");
	if (median > 0.0) {
		strbuf_addstr(text, ", ");
		unit_format(text, metric->unit, median);
	}
}

const char *fleet_gpu_name(struct arena *arena, const struct fleet *fleet, const struct fleet_gpu *gpu)
{
	return arena_printf(arena, "%s GPU %u", fleet_node_name(fleet, record_of(fleet, gpu)), gpu->index);
}

/* The nodes of GPUs, which come node by node, as a list: each once. */
static const char *nodes_of(struct fleet_parts *parts, const uint32_t *gpus, size_t nr_gpus)
{
	const struct fleet *fleet = parts->fleet;
	const char **names = arena_alloc(parts->arena, nr_gpus * sizeof(char *));
	STRBUF_AUTO list = STRBUF_INIT;
	uint32_t last = UINT32_MAX;
	size_t nr = 0;

	for (size_t i = 0; i < nr_gpus; i++) {
		const struct fleet_gpu *gpu = &fleet->gpus[gpus[i]];

		if (gpu->record != last)
			names[nr++] = fleet_node_name(fleet, record_of(fleet, gpu));
		last = gpu->record;
	}
	text_sort_natural(names, nr);
	hostlist_fold(names, nr, &list);
	if (list.len > MOST_MEMBERS_BYTES)
		return arena_printf(parts->arena, "%zu nodes", nr);
	return arena_strdup(parts->arena, list.buf);
}

static const char *nodes_of_cause(struct fleet_parts *parts, const struct fleet_cause *cause)
{
	const struct fleet *fleet = parts->fleet;
	uint32_t *gpus = arena_alloc(parts->arena, cause->bad * sizeof(*gpus));

	for (uint32_t i = 0; i < cause->bad; i++)
		gpus[i] = fleet->outliers[fleet->members[cause->first_member + i]].gpu;
	return nodes_of(parts, gpus, cause->bad);
}

/* A card of one place: where it sits, and what older reports say of it. */
static void put_card(struct strbuf *text, const struct fleet *fleet, const struct fleet_cause *cause, size_t nr)
{
	const struct fleet_gpu *gpu = &fleet->gpus[fleet->outliers[fleet->members[cause->first_member]].gpu];

	if (gpu->slot)
		strbuf_addf(text, "; slot %s", texts_get(&fleet->texts, gpu->slot));
	if (gpu->pci)
		strbuf_addf(text, "%s%s", gpu->slot ? ", " : "; ", texts_get(&fleet->texts, gpu->pci));
	if (gpu->serial)
		strbuf_addf(text, ", serial %s", texts_get(&fleet->texts, gpu->serial));
	for (size_t i = 0; i < nr; i++)
		if (cause[i].before &&
		    (!i || !cause[i - 1].before || strcmp(cause[i].before, cause[i - 1].before) != 0))
			strbuf_addf(text, "; %s", cause[i].before);
}

/* One place, and what is out of line there: the metrics that have it as a cause. */
static void add_cause(struct fleet_parts *parts, const struct fleet_cause *cause, size_t nr)
{
	const struct fleet *fleet = parts->fleet;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		const struct fleet_cause *of = &cause[i];
		const struct fleet_metric *metric = &fleet->metrics[of->metric];
		const struct fleet_outlier *outlier = &fleet->outliers[fleet->members[of->first_member]];

		strbuf_addf(&text, "%s%s ", i ? "; " : "", texts_get(&fleet->texts, metric->key));
		fleet_put_worse(&text, metric, of->worse, outlier->median);
	}
	if (cause->within)
		strbuf_addf(&text, "; others of %s are out of line by less", cause->within);
	if (cause->bad == 1) {
		put_card(&text, fleet, cause, nr);
		add_row(parts, STYLE_WARN, cause->value, text.buf);
		return;
	}
	strbuf_addf(&text, "; %u of %u GPUs there", cause->bad, cause->of);
	if (strcmp(cause->level, "node") != 0)
		strbuf_addf(&text, ", on %s; chance %.1g", nodes_of_cause(parts, cause), cause->chance);
	if (cause->also)
		strbuf_addf(&text, "; the same GPUs are those of %s", cause->also);
	add_row(parts, STYLE_WARN, fleet_place_phrase(parts->arena, cause), text.buf);
}

static void add_causes(struct fleet_parts *parts)
{
	const struct fleet *fleet = parts->fleet;
	size_t places = 0;

	open_part(parts, "outliers", "Out of line with their kind", "Where", "What");
	for (size_t i = 0, end; i < fleet->nr_causes; i = end) {
		for (end = i; end < fleet->nr_causes && fleet_same_place(&fleet->causes[i], &fleet->causes[end]); end++)
			;
		if (places++ < parts->most_rows)
			add_cause(parts, &fleet->causes[i], end - i);
	}
	add_rest(parts, places);
	close_part(parts);
}

/* Where it is not the cards. */
static void add_shift(struct fleet_parts *parts, const struct fleet_shift *shift)
{
	const struct fleet *fleet = parts->fleet;
	const struct fleet_metric *metric = &fleet->metrics[shift->metric];
	const char *model = texts_get(&fleet->texts, fleet->groups[shift->group].model);
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "%s ", texts_get(&fleet->texts, metric->key));
	fleet_put_worse(&text, metric, shift->worse, 0.0);
	strbuf_addf(&text,
		    " of the older reports, %u of %u %s: not the cards, but something that changed for all, as a "
		    "kernel, a firmware or the cooling",
		    shift->nr, shift->of, model ? model : "GPUs of one kind");
	add_row(parts, STYLE_WARN, arena_printf(parts->arena, "%u GPUs", shift->nr), text.buf);
}

/* Cards against their own older reports. */
static void add_drifts(struct fleet_parts *parts)
{
	const struct fleet *fleet = parts->fleet;

	open_part(parts, "drifts", "Worse than before", "GPU", "What");
	for (size_t i = 0; i < fleet->nr_shifts && i < parts->most_rows; i++)
		add_shift(parts, &fleet->shifts[i]);
	add_rest(parts, fleet->nr_shifts);
	for (size_t i = 0; i < fleet->nr_drifts && i < parts->most_rows; i++) {
		const struct fleet_drift *drift = &fleet->drifts[i];
		const struct fleet_metric *metric = &fleet->metrics[drift->metric];
		const struct fleet_gpu *gpu = &fleet->gpus[drift->gpu];
		STRBUF_AUTO text = STRBUF_INIT;

		strbuf_addf(&text, "%s ", texts_get(&fleet->texts, metric->key));
		fleet_put_worse(&text, metric, drift->worse, drift->median);
		strbuf_addf(&text, " of its older reports, %s; %u reports",
			    drift->is_step ? "at once" : "little by little", drift->nr_reports);
		if (gpu->serial)
			strbuf_addf(&text, "; serial %s", texts_get(&fleet->texts, gpu->serial));
		add_row(parts, STYLE_WARN, fleet_gpu_name(parts->arena, fleet, gpu), text.buf);
	}
	add_rest(parts, fleet->nr_drifts);
	close_part(parts);
}

/* Odd settings of one value, odd[0] to odd[nr - 1]: "power limit 500 W; 31 of 32 GPUs of its kind have 700 W". */
static void add_odd(struct fleet_parts *parts, const struct fleet_odd_setting *odd, size_t nr)
{
	const struct fleet *fleet = parts->fleet;
	uint32_t *gpus = arena_alloc(parts->arena, nr * sizeof(*gpus));
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		gpus[i] = odd[i].gpu;
	strbuf_addf(&text, "%s ", odd->says);
	strbuf_addstr(&text, texts_get(&fleet->texts, odd->value));
	if (nr > 1)
		strbuf_addf(&text, ", on %s", nodes_of(parts, gpus, nr));
	strbuf_addf(&text, "; %u of %u GPUs of %s kind have ", odd->nr_usual, odd->of, plural(nr, "its", "their"));
	strbuf_addstr(&text, texts_get(&fleet->texts, odd->usual));
	add_row(parts, STYLE_WARN, nr > 1 ? arena_printf(parts->arena, "%zu GPUs", nr) :
			fleet_gpu_name(parts->arena, fleet, &fleet->gpus[odd->gpu]), text.buf);
}

/* They lie by what and value. */
static void add_odd_settings(struct fleet_parts *parts)
{
	const struct fleet *fleet = parts->fleet;
	const struct fleet_odd_setting *odd = fleet->odd_settings;
	size_t rows = 0;

	open_part(parts, "odd-settings", "Set otherwise than their kind", "GPU", "What");
	for (size_t i = 0, end; i < fleet->nr_odd_settings; i = end) {
		for (end = i;
		     end < fleet->nr_odd_settings && odd[end].what == odd[i].what && odd[end].value == odd[i].value &&
		     odd[end].usual == odd[i].usual && odd[end].of == odd[i].of;
		     end++)
			;
		if (rows++ < parts->most_rows)
			add_odd(parts, &odd[i], end - i);
	}
	add_rest(parts, rows);
	close_part(parts);
}

/* ---- who did not answer */

static void add_silent(struct fleet_parts *parts, const char *const *names, size_t nr)
{
	STRBUF_AUTO list = STRBUF_INIT;

	if (!nr)
		return;
	hostlist_fold(names, nr, &list);
	add_row(parts, STYLE_UNKNOWN, arena_printf(parts->arena, "%zu %s", nr, plural(nr, "node", "nodes")),
		list.len > parts->most_bytes ? "gpudiag fleet --nodes missing lists them" : list.buf);
}

static void add_missing(struct fleet_parts *parts)
{
	const struct fleet *fleet = parts->fleet;
	const char **names = arena_alloc(parts->arena, (fleet->nr_missing + 1) * sizeof(char *));
	size_t nr = 0, known = 0;

	open_part(parts, "missing", "Did not answer", "Node", "What is known");
	for (size_t i = 0; i < fleet->nr_missing; i++) {
		if (!fleet->missing[i].known)
			names[nr++] = fleet->missing[i].name;
		else if (known++ < parts->most_rows)
			add_row(parts, STYLE_UNKNOWN, fleet->missing[i].name, fleet->missing[i].known);
	}
	add_rest(parts, known);
	add_silent(parts, names, nr);
	if (fleet->nr_missing_unnamed)
		add_row(parts, STYLE_UNKNOWN, arena_printf(parts->arena, "%u more", fleet->nr_missing_unnamed),
			"of the number that was expected; with a list of names gpudiag says which");
	close_part(parts);
}

/* ---- what is different, and for that not yet wrong */

/* "580.95: 812 nodes, 580.82: 188 nodes" */
static void add_split(struct fleet_parts *parts, const struct fleet_split *split)
{
	const struct fleet *fleet = parts->fleet;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < split->nr && i < parts->most_rows; i++) {
		const struct fleet_share *share = &split->shares[i];

		strbuf_addf(&text, "%s%s: %u %s", i ? ", " : "", texts_get(&fleet->texts, share->value),
			    share->nr_nodes, plural(share->nr_nodes, "node", "nodes"));
		if (share->nr_nodes == 1)
			strbuf_addf(&text, " (%s)", fleet_node_name(fleet, &fleet->records[share->example]));
	}
	if (split->nr > parts->most_rows)
		strbuf_addf(&text, " and %zu more", split->nr - parts->most_rows);
	if (split->model)
		strbuf_addf(&text, "; %s", texts_get(&fleet->texts, split->model));
	add_row(parts, STYLE_NOTE, split->says, text.buf);
}

static void add_two(struct fleet_parts *parts, const struct fleet_spread *spread)
{
	const struct fleet *fleet = parts->fleet;
	const struct fleet_metric *metric = &fleet->metrics[spread->metric];
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "two populations: %u GPUs around ", spread->n - spread->n_worse);
	unit_format(&text, metric->unit, spread->median_better);
	strbuf_addf(&text, ", %u around ", spread->n_worse);
	unit_format(&text, metric->unit, spread->median_worse);
	strbuf_addf(&text, "; %s", texts_get(&fleet->texts, fleet->groups[spread->group].model));
	add_row(parts, STYLE_NOTE, texts_get(&fleet->texts, metric->key), text.buf);
}

static void add_differences(struct fleet_parts *parts)
{
	const struct fleet *fleet = parts->fleet;
	size_t nr = 0;

	open_part(parts, "differences", "Not the same everywhere", "What", "Values");
	for (size_t i = 0; i < fleet->nr_splits && i < parts->most_rows; i++)
		add_split(parts, &fleet->splits[i]);
	add_rest(parts, fleet->nr_splits);
	for (size_t i = 0; i < fleet->nr_spreads; i++)
		if (fleet->spreads[i].is_two && nr++ < parts->most_rows)
			add_two(parts, &fleet->spreads[i]);
	add_rest(parts, nr);
	close_part(parts);
}

static void add_reports(struct fleet_parts *parts)
{
	const struct fleet *fleet = parts->fleet;
	size_t shown = fleet->nr_refusals < parts->most_rows ? fleet->nr_refusals : parts->most_rows;

	open_part(parts, "reports", "About the reports", "", "Where and why");
	for (size_t i = 0; i < shown; i++) {
		const struct fleet_refusal *refusal = &fleet->refusals[i];

		add_row(parts, STYLE_UNKNOWN, "not read",
			refusal->line
				? arena_printf(parts->arena, "%s:%u: %s", refusal->source, refusal->line, refusal->why)
				: arena_printf(parts->arena, "%s: %s", refusal->source, refusal->why));
	}
	add_more(parts, fleet->nr_refused, shown);
	for (size_t i = 0; i < fleet->nr_notes && i < parts->most_rows; i++)
		add_row(parts, STYLE_NOTE, "note", fleet->notes[i]);
	add_rest(parts, fleet->nr_notes);
	close_part(parts);
}

void fleet_parts_of(struct fleet_parts *parts, struct arena *arena, const struct fleet *fleet, size_t most_rows,
		    size_t most_bytes)
{
	*parts = (struct fleet_parts){
		.arena = arena, .fleet = fleet, .most_rows = most_rows, .most_bytes = most_bytes,
	};
	add_nodes(parts, NODE_NO_GO, STYLE_FAIL, "Must not get work");
	add_causes(parts);
	add_drifts(parts);
	add_odd_settings(parts);
	add_missing(parts);
	add_nodes(parts, NODE_NOT_JUDGED, STYLE_UNKNOWN, "Could not be judged");
	add_nodes(parts, NODE_WARNED, STYLE_WARN, "Warnings");
	add_differences(parts);
	add_reports(parts);
}

/* ---- head and counts */

static const char *day_of(struct arena *arena, int64_t ms)
{
	char text[32];

	format_rfc3339(ms / 1000, 0, text);
	return arena_printf(arena, "%.10s %.5s UTC", text, text + 11);
}

void fleet_head_facts(struct arena *arena, const struct fleet *fleet, struct strs *ret)
{
	int64_t newest = 0;

	for (size_t i = 0; i < fleet->nr_nodes; i++)
		if (fleet->records[fleet->nodes[i]].taken_ms > newest)
			newest = fleet->records[fleet->nodes[i]].taken_ms;
	strs_add(arena, ret, arena_printf(arena, "%zu %s", fleet->nr_nodes, plural(fleet->nr_nodes, "node", "nodes")));
	strs_add(arena, ret,
		 arena_printf(arena, "%u %s", fleet->nr_judged_gpus, plural(fleet->nr_judged_gpus, "GPU", "GPUs")));
	if (newest)
		strs_add(arena, ret, day_of(arena, newest));
}

void fleet_count_facts(struct arena *arena, const struct fleet *fleet, struct strs *ret)
{
	size_t older = 0;

	for (size_t i = 0; i < fleet->nr_records; i++)
		older += fleet->records[i].standing == RECORD_OLDER;
	strs_add(arena, ret, arena_printf(arena, "%u of %zu nodes good", fleet->nr_good, fleet->nr_nodes));
	if (older)
		strs_add(arena, ret, arena_printf(arena, "%zu older %s", older, plural(older, "report", "reports")));
	strs_add(arena, ret, arena_printf(arena, "%zu figures compared", fleet->nr_comparisons));
	strs_add(arena, ret, arena_printf(arena, "expected by chance: about %.0f", fleet->expected_by_chance));
}

enum style fleet_style(const struct fleet *fleet)
{
	static const enum style styles[] = {
		[VERDICT_PASS] = STYLE_PASS, [VERDICT_WARN] = STYLE_WARN, [VERDICT_FAIL] = STYLE_FAIL,
		[VERDICT_UNKNOWN] = STYLE_UNKNOWN,
	};

	return styles[fleet->verdict];
}
