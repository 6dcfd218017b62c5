// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_text.c - a fleet on one screen: the sentence, then the worst first, then what is only counted. */
#include "base/compat.h"
#include "render/fleet.h"

#include <stdlib.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "render/term_writer.h"

enum { MOST_LINES = 12, NAME_COLUMN = 2, TEXT_COLUMN = 18, MOST_MEMBERS_BYTES = 200 };

struct page {
	const struct fleet *fleet;
	struct term_writer term;
	struct arena arena;
};

static const char *plural(size_t nr, const char *one, const char *many)
{
	return nr == 1 ? one : many;
}

static void put_heading(struct page *page, const char *heading)
{
	term_end_line(&page->term);
	term_put(&page->term, STYLE_PLAIN, heading);
	term_end_line(&page->term);
}

/* A name in its column, and a text that flows beside it; a long name has the line to itself. */
static void put_row(struct page *page, enum style style, const char *name, const char *text)
{
	STRBUF_AUTO shown = STRBUF_INIT;

	term_move(&page->term, NAME_COLUMN);
	term_clean(&page->term, &shown, name);
	term_put(&page->term, style, shown.buf);
	term_move(&page->term, TEXT_COLUMN);
	term_flow(&page->term, TEXT_COLUMN, text);
	term_end_line(&page->term);
}

static void put_more(struct page *page, size_t nr)
{
	if (!nr)
		return;
	term_move(&page->term, NAME_COLUMN);
	term_put(&page->term, STYLE_DIM, arena_printf(&page->arena, "and %zu more", nr));
	term_end_line(&page->term);
}

static const char *day_of(struct page *page, int64_t ms)
{
	char text[32];

	format_rfc3339(ms / 1000, 0, text);
	return arena_printf(&page->arena, "%.10s %.5s UTC", text, text + 11);
}

/* "gpudiag 0.1.0 fleet · 1000 nodes · 8000 GPUs · 2026-11-28 03:12 UTC" */
static void put_head(struct page *page)
{
	const struct fleet *fleet = page->fleet;
	int64_t newest = 0;

	for (size_t i = 0; i < fleet->nr_nodes; i++)
		if (fleet->records[fleet->nodes[i]].taken_ms > newest)
			newest = fleet->records[fleet->nodes[i]].taken_ms;
	term_fact(&page->term, 0, "gpudiag " GPUDIAG_VERSION " fleet");
	term_fact(&page->term, 0, arena_printf(&page->arena, "%zu %s", fleet->nr_nodes,
					       plural(fleet->nr_nodes, "node", "nodes")));
	term_fact(&page->term, 0, arena_printf(&page->arena, "%u %s", fleet->nr_judged_gpus,
					       plural(fleet->nr_judged_gpus, "GPU", "GPUs")));
	if (newest)
		term_fact(&page->term, 0, day_of(page, newest));
	term_end_line(&page->term);
	term_end_line(&page->term);
}

static void put_sentence(struct page *page)
{
	static const struct {
		const char *word;
		enum style style;
	} words[] = {
		[VERDICT_PASS] = { "PASS", STYLE_PASS }, [VERDICT_WARN] = { "WARN", STYLE_WARN },
		[VERDICT_FAIL] = { "FAIL", STYLE_FAIL }, [VERDICT_UNKNOWN] = { "UNKNOWN", STYLE_UNKNOWN },
	};
	enum verdict verdict = page->fleet->verdict;
	size_t hang = strlen(words[verdict].word) + 2;

	term_put(&page->term, words[verdict].style, words[verdict].word);
	term_move(&page->term, hang);
	term_flow(&page->term, hang, page->fleet->headline);
	term_end_line(&page->term);
}

/* Nodes in one state, each with its own sentence. */
static void put_nodes(struct page *page, enum node_state state, enum style style, const char *heading)
{
	const struct fleet *fleet = page->fleet;
	size_t nr = 0;

	for (size_t i = 0; i < fleet->nr_nodes; i++) {
		const struct fleet_record *record = &fleet->records[fleet->nodes[i]];

		if (fleet_node_state(record) != state)
			continue;
		if (!nr)
			put_heading(page, heading);
		if (nr++ < MOST_LINES)
			put_row(page, style, fleet_node_name(fleet, record), record->headline ? record->headline : "");
	}
	put_more(page, nr > MOST_LINES ? nr - MOST_LINES : 0);
}

/* ---- what is out of line */

/* "11 % below the median, 2950 GB/s", "21 °C above the median" */
static void add_worse(struct strbuf *text, const struct fleet_metric *metric, double worse, double median)
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

/* Nodes, each once, as a list; names[] is put in order. */
static const char *list_of(struct page *page, const char **names, size_t nr)
{
	STRBUF_AUTO list = STRBUF_INIT;

	text_sort_natural(names, nr);
	hostlist_fold(names, nr, &list);
	if (list.len > MOST_MEMBERS_BYTES)
		return arena_printf(&page->arena, "%zu nodes", nr);
	return arena_strdup(&page->arena, list.buf);
}

/* The nodes of a cause's GPUs, as a list. */
static const char *members_of(struct page *page, const struct fleet_cause *cause)
{
	const struct fleet *fleet = page->fleet;
	const char **names = arena_alloc(&page->arena, cause->bad * sizeof(char *));
	uint32_t last = UINT32_MAX;
	size_t nr = 0;

	/* By GPU, and so by node. */
	for (uint32_t i = 0; i < cause->bad; i++) {
		const struct fleet_gpu *gpu = &fleet->gpus[fleet->outliers[fleet->members[cause->first_member + i]].gpu];

		if (gpu->record != last)
			names[nr++] = fleet_node_name(fleet, record_of(fleet, gpu));
		last = gpu->record;
	}
	return list_of(page, names, nr);
}

/* One place, and what is out of line there: the metrics that have it as a cause. */
static void put_cause(struct page *page, const struct fleet_cause *cause, size_t nr)
{
	const struct fleet *fleet = page->fleet;
	const struct fleet_outlier *first = &fleet->outliers[fleet->members[cause->first_member]];
	const struct fleet_gpu *gpu = &fleet->gpus[first->gpu];
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		const struct fleet_cause *of = &cause[i];
		const struct fleet_metric *metric = &fleet->metrics[of->metric];
		const struct fleet_outlier *outlier = &fleet->outliers[fleet->members[of->first_member]];

		strbuf_addf(&text, "%s%s ", i ? "; " : "", texts_get(&fleet->texts, metric->key));
		add_worse(&text, metric, of->worse, outlier->median);
	}
	if (cause->within)
		strbuf_addf(&text, "; others of %s are out of line by less", cause->within);
	if (cause->bad > 1) {
		strbuf_addf(&text, "; %u of %u GPUs there", cause->bad, cause->of);
		if (strcmp(cause->level, "node") != 0)
			strbuf_addf(&text, ", on %s; chance %.1g", members_of(page, cause), cause->chance);
		if (cause->also)
			strbuf_addf(&text, "; the same GPUs are those of %s", cause->also);
		put_row(page, STYLE_WARN, fleet_place_phrase(&page->arena, cause), text.buf);
		return;
	}
	if (gpu->slot)
		strbuf_addf(&text, "; slot %s", texts_get(&fleet->texts, gpu->slot));
	if (gpu->pci)
		strbuf_addf(&text, "%s%s", gpu->slot ? ", " : "; ", texts_get(&fleet->texts, gpu->pci));
	if (gpu->serial)
		strbuf_addf(&text, ", serial %s", texts_get(&fleet->texts, gpu->serial));
	for (size_t i = 0; i < nr; i++)
		if (cause[i].before && (!i || !cause[i - 1].before || strcmp(cause[i].before, cause[i - 1].before) != 0))
			strbuf_addf(&text, "; %s", cause[i].before);
	put_row(page, STYLE_WARN, cause->value, text.buf);
}

static void put_causes(struct page *page)
{
	const struct fleet *fleet = page->fleet;
	size_t places = 0;

	for (size_t i = 0, end; i < fleet->nr_causes; i = end, places++) {
		for (end = i; end < fleet->nr_causes && fleet_same_place(&fleet->causes[i], &fleet->causes[end]); end++)
			;
		if (!places)
			put_heading(page, "Out of line with their kind");
		if (places < MOST_LINES)
			put_cause(page, &fleet->causes[i], end - i);
	}
	put_more(page, places > MOST_LINES ? places - MOST_LINES : 0);
}

/* Cards against their own older reports. */
static void put_drifts(struct page *page)
{
	const struct fleet *fleet = page->fleet;

	for (size_t i = 0; i < fleet->nr_drifts && i < MOST_LINES; i++) {
		const struct fleet_drift *drift = &fleet->drifts[i];
		const struct fleet_metric *metric = &fleet->metrics[drift->metric];
		const struct fleet_gpu *gpu = &fleet->gpus[drift->gpu];
		STRBUF_AUTO text = STRBUF_INIT;

		if (!i)
			put_heading(page, "Worse than before");
		strbuf_addf(&text, "%s ", texts_get(&fleet->texts, metric->key));
		add_worse(&text, metric, drift->worse, drift->median);
		strbuf_addf(&text, " of its older reports, %s; %u reports", drift->is_step ? "at once" : "little by little",
			    drift->nr_reports);
		if (gpu->serial)
			strbuf_addf(&text, "; serial %s", texts_get(&fleet->texts, gpu->serial));
		put_row(page, STYLE_WARN, arena_printf(&page->arena, "%s GPU %u",
						       fleet_node_name(fleet, record_of(fleet, gpu)), gpu->index), text.buf);
	}
	put_more(page, fleet->nr_drifts > MOST_LINES ? fleet->nr_drifts - MOST_LINES : 0);
}

/* Odd settings of one value, odd[0] to odd[nr - 1]: "power limit 500 W; 31 of 32 GPUs of its kind have 700 W". */
static void put_odd(struct page *page, const struct fleet_odd_setting *odd, size_t nr)
{
	const struct fleet *fleet = page->fleet;
	const char **names = arena_alloc(&page->arena, nr * sizeof(char *));
	const struct fleet_gpu *gpu = &fleet->gpus[odd->gpu];
	uint32_t last = UINT32_MAX;
	size_t nr_names = 0;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < nr; last = fleet->gpus[odd[i++].gpu].record)
		if (fleet->gpus[odd[i].gpu].record != last)
			names[nr_names++] = fleet_node_name(fleet, record_of(fleet, &fleet->gpus[odd[i].gpu]));
	strbuf_addf(&text, "%s ", odd->says);
	strbuf_addstr(&text, texts_get(&fleet->texts, odd->value));
	if (nr > 1)
		strbuf_addf(&text, ", on %s", list_of(page, names, nr_names));
	strbuf_addf(&text, "; %u of %u GPUs of %s kind have ", odd->nr_usual, odd->of, plural(nr, "its", "their"));
	strbuf_addstr(&text, texts_get(&fleet->texts, odd->usual));
	put_row(page, STYLE_WARN, nr > 1 ? arena_printf(&page->arena, "%zu GPUs", nr) :
			arena_printf(&page->arena, "%s GPU %u", names[0], gpu->index), text.buf);
}

/* They lie by what and value. */
static void put_odd_settings(struct page *page)
{
	const struct fleet *fleet = page->fleet;
	const struct fleet_odd_setting *odd = fleet->odd_settings;
	size_t rows = 0;

	for (size_t i = 0, end; i < fleet->nr_odd_settings; i = end, rows++) {
		for (end = i; end < fleet->nr_odd_settings && odd[end].what == odd[i].what && odd[end].value == odd[i].value &&
			      odd[end].usual == odd[i].usual && odd[end].of == odd[i].of; end++)
			;
		if (!rows)
			put_heading(page, "Set otherwise than their kind");
		if (rows < MOST_LINES)
			put_odd(page, &odd[i], end - i);
	}
	put_more(page, rows > MOST_LINES ? rows - MOST_LINES : 0);
}

static void put_missing(struct page *page)
{
	const struct fleet *fleet = page->fleet;
	STRBUF_AUTO silent = STRBUF_INIT;
	const char **names = arena_alloc(&page->arena, (fleet->nr_missing + 1) * sizeof(char *));
	size_t nr = 0, known = 0;

	if (!fleet->nr_missing && !fleet->nr_missing_unnamed)
		return;
	put_heading(page, "Did not answer");
	for (size_t i = 0; i < fleet->nr_missing; i++) {
		if (!fleet->missing[i].known)
			names[nr++] = fleet->missing[i].name;
		else if (known++ < MOST_LINES)
			put_row(page, STYLE_UNKNOWN, fleet->missing[i].name, fleet->missing[i].known);
	}
	put_more(page, known > MOST_LINES ? known - MOST_LINES : 0);
	if (nr) {
		hostlist_fold(names, nr, &silent);
		put_row(page, STYLE_UNKNOWN, arena_printf(&page->arena, "%zu %s", nr, plural(nr, "node", "nodes")), silent.buf);
	}
	if (fleet->nr_missing_unnamed)
		put_row(page, STYLE_UNKNOWN, arena_printf(&page->arena, "%u more", fleet->nr_missing_unnamed),
			"of the number that was expected; with a list of names gpudiag says which");
}

/* "580.95: 812 nodes, 580.82: 188 nodes" */
static void put_split(struct page *page, const struct fleet_split *split)
{
	const struct fleet *fleet = page->fleet;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < split->nr && i < MOST_LINES; i++) {
		const struct fleet_share *share = &split->shares[i];

		strbuf_addf(&text, "%s%s: %u %s", i ? ", " : "", texts_get(&fleet->texts, share->value), share->nr_nodes,
			    plural(share->nr_nodes, "node", "nodes"));
		if (share->nr_nodes == 1)
			strbuf_addf(&text, " (%s)", fleet_node_name(fleet, &fleet->records[share->example]));
	}
	if (split->nr > MOST_LINES)
		strbuf_addf(&text, " and %zu more", split->nr - MOST_LINES);
	if (split->model)
		strbuf_addf(&text, "; %s", texts_get(&fleet->texts, split->model));
	put_row(page, STYLE_NOTE, split->says, text.buf);
}

static void put_two(struct page *page, const struct fleet_spread *spread)
{
	const struct fleet *fleet = page->fleet;
	const struct fleet_metric *metric = &fleet->metrics[spread->metric];
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "two populations: %u GPUs around ", spread->n - spread->n_worse);
	unit_format(&text, metric->unit, spread->median_better);
	strbuf_addf(&text, ", %u around ", spread->n_worse);
	unit_format(&text, metric->unit, spread->median_worse);
	strbuf_addf(&text, "; %s", texts_get(&fleet->texts, fleet->groups[spread->group].model));
	put_row(page, STYLE_NOTE, texts_get(&fleet->texts, metric->key), text.buf);
}

/* What is different, and for that not yet wrong. */
static void put_differences(struct page *page)
{
	const struct fleet *fleet = page->fleet;
	size_t nr = 0;

	for (size_t i = 0; i < fleet->nr_splits; i++) {
		if (!nr++)
			put_heading(page, "Not the same everywhere");
		put_split(page, &fleet->splits[i]);
	}
	for (size_t i = 0; i < fleet->nr_spreads; i++) {
		if (!fleet->spreads[i].is_two)
			continue;
		if (!nr++)
			put_heading(page, "Not the same everywhere");
		if (nr <= MOST_LINES)
			put_two(page, &fleet->spreads[i]);
	}
}

static void put_reports(struct page *page)
{
	const struct fleet *fleet = page->fleet;

	if (!fleet->nr_refused && !fleet->nr_notes)
		return;
	put_heading(page, "About the reports");
	for (size_t i = 0; i < fleet->nr_refusals; i++) {
		const struct fleet_refusal *refusal = &fleet->refusals[i];

		put_row(page, STYLE_UNKNOWN, "not read",
			refusal->line ? arena_printf(&page->arena, "%s:%u: %s", refusal->source, refusal->line, refusal->why) :
					arena_printf(&page->arena, "%s: %s", refusal->source, refusal->why));
	}
	put_more(page, fleet->nr_refused - fleet->nr_refusals);
	for (size_t i = 0; i < fleet->nr_notes && i < MOST_LINES; i++)
		put_row(page, STYLE_NOTE, "note", fleet->notes[i]);
	put_more(page, fleet->nr_notes > MOST_LINES ? fleet->nr_notes - MOST_LINES : 0);
}

static void put_counts(struct page *page)
{
	const struct fleet *fleet = page->fleet;
	size_t older = 0;

	for (size_t i = 0; i < fleet->nr_records; i++)
		older += fleet->records[i].standing == RECORD_OLDER;
	term_end_line(&page->term);
	term_fact(&page->term, 0, arena_printf(&page->arena, "%u of %zu nodes good", fleet->nr_good, fleet->nr_nodes));
	if (older)
		term_fact(&page->term, 0, arena_printf(&page->arena, "%zu older %s", older, plural(older, "report", "reports")));
	term_fact(&page->term, 0, arena_printf(&page->arena, "%zu figures compared", fleet->nr_comparisons));
	term_fact(&page->term, 0, arena_printf(&page->arena, "expected by chance: about %.0f", fleet->expected_by_chance));
	term_end_line(&page->term);
}

static void render_fleet_text(struct strbuf *out, const struct fleet *fleet, const struct render_options *options)
{
	struct page page = { .fleet = fleet };

	term_open(&page.term, out, options);
	put_head(&page);
	put_sentence(&page);
	put_nodes(&page, NODE_NO_GO, STYLE_FAIL, "Must not get work");
	put_causes(&page);
	put_drifts(&page);
	put_odd_settings(&page);
	put_missing(&page);
	put_nodes(&page, NODE_NOT_JUDGED, STYLE_UNKNOWN, "Could not be judged");
	put_nodes(&page, NODE_WARNED, STYLE_WARN, "Warnings");
	put_differences(&page);
	put_reports(&page);
	put_counts(&page);
	arena_release(&page.arena);
}

const struct fleet_format fleet_formats[] = {
	{ "text", render_fleet_text },
	{ "json", render_fleet_json },
	{ "csv", render_fleet_csv },
	{ "sql", render_fleet_sql },
	{ .name = NULL },
};
