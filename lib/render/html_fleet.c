// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html_fleet.c - a fleet as one page: the sentence, what is wrong, the figures of each kind of GPU drawn, the nodes.
 * All is bounded, so that ten thousand nodes are a page that a browser opens at once.
 */
#include "base/compat.h"
#include "render/fleet.h"

#include <stdlib.h>

#include "base/text.h"
#include "render/html_fleet_chart.h"
#include "render/phrases.h"

enum {
	MOST_ROWS = 40, MOST_BYTES = 2000,	/* of each part */
	MOST_GROUPS = 12,
	MOST_METRICS = 64,			/* of a group */
	MOST_CHARTS = 100,			/* of the page */
	MOST_NAMES = 3,				/* of the GPUs out of line in a metric */
	MOST_NODES = 200,
	LEAST_DRAWN = 4,			/* GPUs; fewer are not compared */
};

/* ---- the head */

static const char *facts_of(struct html *html, const char *first, const struct strs *facts)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addstr(&text, first);
	for (size_t i = 0; i < facts->nr; i++)
		strbuf_addf(&text, "%s%s", text.len ? " · " : "", facts->v[i]);
	return arena_strdup(&html->arena, text.buf);
}

/* As a scheduler takes them. */
static void put_bad(struct html *html, const struct fleet *fleet)
{
	STRBUF_AUTO list = STRBUF_INIT;

	render_fleet_nodes(&list, fleet, FLEET_BAD);
	if (!list.len)
		return;
	strbuf_rtrim(&list);
	html_element(html, "p", NULL, "Nodes that must not get work or have a GPU out of line:");
	html_command(html, list.len > MOST_BYTES ? "gpudiag fleet --nodes bad" : list.buf);
}

static void put_head(struct html *html, const struct fleet *fleet)
{
	struct strs facts = { .nr = 0 }, counts = { .nr = 0 };

	fleet_head_facts(&html->arena, fleet, &facts);
	fleet_count_facts(&html->arena, fleet, &counts);
	strbuf_addf(html->out, "<header class=\"%s\">\n", html_class(fleet_style(fleet)));
	html_element(html, "p", "dim", facts_of(html, "gpudiag fleet", &facts));
	html_put(html, "<h1>");
	html_word(html, fleet_style(fleet), phrase_verdict_word(fleet->verdict));
	html_put(html, " ");
	html_text(html, fleet->headline);
	html_put(html, "</h1>\n");
	html_element(html, "p", NULL, arena_printf(&html->arena, "%s. Exit status %d.", facts_of(html, "", &counts),
						   fleet->exit_status));
	put_bad(html, fleet);
	html_put(html, "</header>\n");
}

/* ---- what is wrong, missing, different */

static void put_part(struct html *html, const struct fleet_part *part)
{
	const struct html_column columns[] = { { .head = part->name_head }, { .head = part->text_head } };
	struct html_table table;

	html_section(html, part->id, part->heading);
	html_table_open(&table, html, part->heading, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < part->nr; i++)
		html_table_add(&table, (const char *[]){
					       html_word_cell(html, part->rows[i].style, part->rows[i].name),
					       html_cell(html, part->rows[i].text),
				       });
	/* Lists of nodes have no blanks, and may break anywhere. */
	html_put(html, "<div class=\"flow\">\n");
	html_table_put(&table);
	html_put(html, "</div>\n");
	html_section_end(html);
}

static void put_parts(struct html *html, const struct fleet *fleet)
{
	struct fleet_parts parts;

	fleet_parts_of(&parts, &html->arena, fleet, MOST_ROWS, MOST_BYTES);
	for (size_t i = 0; i < parts.nr; i++)
		put_part(html, &parts.parts[i]);
}

/* ---- figures */

/* A group's metrics. */
struct kind {
	const struct fleet_group *group;
	const struct fleet_spread *spreads;
	size_t nr, nr_troubled;		/* with GPUs out of line, or of two populations */
	struct fleet_chart *charts;
};

/* Those with trouble first, then those of most GPUs. */
static int compare_kinds(const void *a, const void *b)
{
	const struct kind *one = a, *other = b;

	if (!one->nr_troubled != !other->nr_troubled)
		return one->nr_troubled ? -1 : 1;
	if (one->group->nr_gpus != other->group->nr_gpus)
		return one->group->nr_gpus > other->group->nr_gpus ? -1 : 1;
	return (one->group > other->group) - (one->group < other->group);
}

static bool is_troubled(const struct fleet_chart *chart)
{
	return chart->nr_outliers || chart->spread->is_two;
}

/* The groups with figures, in the order in which they are shown. */
static struct kind *kinds_of(struct html *html, const struct fleet *fleet, size_t *ret_nr)
{
	uint32_t *outliers = arena_alloc(&html->arena, (fleet->nr_groups + 1) * sizeof(*outliers));
	struct kind *kinds = arena_alloc(&html->arena, (fleet->nr_groups + 1) * sizeof(*kinds));
	size_t nr = 0;

	memset(outliers, 0, (fleet->nr_groups + 1) * sizeof(*outliers));
	for (size_t i = 0; i < fleet->nr_outliers; i++)
		outliers[fleet->gpus[fleet->outliers[i].gpu].group]++;
	for (size_t i = 0, end; i < fleet->nr_spreads; i = end) {
		const struct fleet_spread *first = &fleet->spreads[i];
		struct kind kind = { .group = &fleet->groups[first->group], .spreads = first };

		kind.nr_troubled = outliers[first->group + 1];
		for (end = i; end < fleet->nr_spreads && fleet->spreads[end].group == first->group; end++)
			kind.nr_troubled += fleet->spreads[end].is_two;
		kind.nr = end - i < MOST_METRICS ? end - i : MOST_METRICS;
		kinds[nr++] = kind;
	}
	qsort(kinds, nr, sizeof(*kinds), compare_kinds);
	*ret_nr = nr;
	return kinds;
}

static void add_fact(struct strbuf *text, const char *what, const char *value)
{
	if (value)
		strbuf_addf(text, "%s%s %s", text->len ? " · " : "", what, value);
}

static const char *number_of(struct html *html, enum unit unit, uint32_t value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!value)
		return NULL;
	unit_format_u64(&text, unit, value);
	return arena_strdup(&html->arena, text.buf);
}

/* "VBIOS 96.00.89 · driver 580.95.05 · power limit 700 W" */
static const char *settings_of(struct html *html, const struct fleet *fleet, const struct fleet_group *group)
{
	STRBUF_AUTO text = STRBUF_INIT;

	add_fact(&text, "VBIOS", texts_get(&fleet->texts, group->vbios));
	add_fact(&text, "driver", texts_get(&fleet->texts, group->driver_version));
	add_fact(&text, "partition", texts_get(&fleet->texts, group->partition));
	add_fact(&text, "power limit", number_of(html, UNIT_MW, group->power_limit_mw));
	add_fact(&text, "application clock", number_of(html, UNIT_MHZ, group->clock_application_mhz));
	add_fact(&text, "maximum clock", number_of(html, UNIT_MHZ, group->clock_max_mhz));
	return arena_strdup(&html->arena, text.buf);
}

static const char *names_of(struct html *html, const struct fleet *fleet, const struct fleet_chart *chart)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < chart->nr_outliers && i < MOST_NAMES; i++)
		strbuf_addf(&text, "%s%s", i ? ", " : "",
			    fleet_gpu_name(&html->arena, fleet, &fleet->gpus[chart->outliers[i]->gpu]));
	if (chart->nr_outliers > MOST_NAMES)
		strbuf_addf(&text, " and %zu more", chart->nr_outliers - MOST_NAMES);
	return arena_strdup(&html->arena, text.buf);
}

static void add_metric(struct html_table *table, const struct fleet *fleet, const struct fleet_chart *chart)
{
	const struct fleet_spread *spread = chart->spread;
	struct html *html = table->html;

	html_table_add(table, (const char *[]){
		html_code_cell(html, texts_get(&fleet->texts, chart->metric->key)),
		html_word_cell(html, STYLE_WARN, chart->nr_outliers ? arena_printf(&html->arena, "%zu", chart->nr_outliers) : ""),
		arena_printf(&html->arena, "%u", spread->n),
		html_cell(html, html_fleet_figure(html, chart->metric, spread->median)),
		html_cell(html, arena_printf(&html->arena, "%s–%s", html_fleet_figure(html, chart->metric, spread->low),
					     html_fleet_figure(html, chart->metric, spread->high))),
		chart->has_limit ? html_cell(html, html_fleet_figure(html, chart->metric, chart->limit)) : "",
		html_cell(html, names_of(html, fleet, chart)),
	});
}

static void put_metrics(struct html *html, const struct fleet *fleet, const struct kind *kind)
{
	static const struct html_column columns[] = {
		{ .head = "Metric" }, { .head = "Out of line", .right = true }, { .head = "GPUs", .right = true },
		{ .head = "Median", .right = true }, { .head = "p1\xe2\x80\x93p99", .right = true },
		{ .head = "Limit", .right = true }, { .head = "Worst first" },
	};
	struct html_table table;

	html_table_open(&table, html, "Figures", columns, ARRAY_SIZE(columns));
	table.is_wide = true;
	for (size_t i = 0; i < kind->nr; i++)
		add_metric(&table, fleet, &kind->charts[i]);
	html_table_put(&table);
}

/* Where a chart is drawn its name stands above it. */
static void put_chart(struct html *html, const struct fleet *fleet, const struct fleet_chart *chart)
{
	html_put(html, "<div><p><b>");
	html_text(html, texts_get(&fleet->texts, chart->metric->key));
	html_put(html, chart->metric->is_low_good ? "</b>, less is better</p>\n" : "</b></p>\n");
	html_fleet_chart(html, fleet, chart);
	html_put(html, "</div>\n");
}

static size_t nr_untroubled(const struct kind *kind)
{
	size_t nr = 0;

	for (size_t i = 0; i < kind->nr; i++)
		nr += !is_troubled(&kind->charts[i]);
	return nr;
}

/* Of those that have trouble, or of those that have none, as many as the page still has room for. */
static void put_charts(struct html *html, const struct fleet *fleet, const struct kind *kind, bool troubled,
		       size_t *room)
{
	bool any = false;

	for (size_t i = 0; i < kind->nr && *room; i++) {
		const struct fleet_chart *chart = &kind->charts[i];

		if (is_troubled(chart) != troubled || !chart->tallest)
			continue;
		if (!any && !troubled) {
			html_fold(html, !kind->nr_troubled);
			strbuf_addf(html->out, "Nothing out of line: %zu of %zu metrics", nr_untroubled(kind),
				    kind->nr);
			html_fold_body(html);
		}
		if (!any)
			html_put(
				html,
				"<div class=\"scroll charts\" role=\"region\" tabindex=\"0\" aria-label=\"Charts\">\n");
		any = true;
		put_chart(html, fleet, chart);
		--*room;
	}
	if (any)
		html_put(html, "</div>\n");
	if (any && !troubled)
		html_fold_end(html);
}

static void put_kind(struct html *html, const struct fleet *fleet, struct kind *kind, size_t *room)
{
	const struct fleet_group *group = kind->group;

	kind->charts = arena_alloc(&html->arena, kind->nr * sizeof(*kind->charts));
	for (size_t i = 0; i < kind->nr; i++)
		fleet_chart_of(&html->arena, fleet, &kind->spreads[i], &kind->charts[i]);
	html_element(html, "h3", NULL, arena_printf(&html->arena, "%s, %u %s on %u %s",
						    texts_get(&fleet->texts, group->model), group->nr_gpus,
						    plural(group->nr_gpus, "GPU", "GPUs"), group->nr_nodes,
						    plural(group->nr_nodes, "node", "nodes")));
	html_element(html, "p", "dim", settings_of(html, fleet, group));
	put_metrics(html, fleet, kind);
	if (group->nr_gpus < LEAST_DRAWN)
		return;
	put_charts(html, fleet, kind, true, room);
	put_charts(html, fleet, kind, false, room);
}

static void put_figures(struct html *html, const struct fleet *fleet)
{
	size_t nr, room = MOST_CHARTS, left_gpus = 0;
	struct kind *kinds = kinds_of(html, fleet, &nr);

	if (!nr)
		return;
	html_section(html, "figures", "Figures by kind of GPU");
	html_element(html, "p", "dim",
		     "Bars are GPUs by their figure; two populations have two colours. Beyond the dashed "
		     "line a GPU is out of line with its kind, and has a circle. Slots that enough nodes have "
		     "are judged by a limit of their own, close to it.");
	for (size_t i = 0; i < nr && i < MOST_GROUPS; i++)
		put_kind(html, fleet, &kinds[i], &room);
	for (size_t i = MOST_GROUPS; i < nr; i++)
		left_gpus += kinds[i].group->nr_gpus;
	if (nr > MOST_GROUPS)
		html_element(html, "p", "dim",
			     arena_printf(&html->arena, "And %zu more kinds with %zu GPUs; -f json has all.",
					  nr - MOST_GROUPS, left_gpus));
	html_section_end(html);
}

/* ---- nodes */

static enum style state_style(enum node_state state)
{
	static const enum style styles[] = {
		[NODE_GOOD] = STYLE_PASS, [NODE_WARNED] = STYLE_WARN, [NODE_OUTLIER] = STYLE_WARN,
		[NODE_NOT_JUDGED] = STYLE_UNKNOWN, [NODE_NO_GO] = STYLE_FAIL,
	};

	return styles[state];
}

static void add_node(struct html_table *table, const struct fleet *fleet, const struct fleet_record *record)
{
	enum node_state state = fleet_node_state(record);
	struct html *html = table->html;

	html_table_add(table,
		       (const char *[]){
			       html_cell(html, fleet_cut(&html->arena, fleet_node_name(fleet, record), MOST_BYTES)),
			       html_word_cell(html, state_style(state), node_state_name(state)),
			       arena_printf(&html->arena, "%u", record->nr_gpus),
			       html_cell(html, texts_get(&fleet->texts, record->action)),
			       html_cell(html, record->headline ? fleet_cut(&html->arena, record->headline, MOST_BYTES)
								: NULL),
		       });
}

static void put_nodes(struct html *html, const struct fleet *fleet)
{
	static const struct html_column columns[] = {
		{ .head = "Node" }, { .head = "State" }, { .head = "GPUs", .right = true }, { .head = "Action" },
		{ .head = "Its report says" },
	};
	struct html_table table;

	if (!fleet->nr_nodes)
		return;
	html_section(html, "nodes", "Nodes, the worst first");
	html_table_open(&table, html, "Nodes", columns, ARRAY_SIZE(columns));
	for (int state = NODE_NO_GO; state >= NODE_GOOD; state--)
		for (size_t i = 0; i < fleet->nr_nodes && table.nr_rows < MOST_NODES; i++)
			if (fleet_node_state(&fleet->records[fleet->nodes[i]]) == (enum node_state)state)
				add_node(&table, fleet, &fleet->records[fleet->nodes[i]]);
	html_table_put(&table);
	if (fleet->nr_nodes > MOST_NODES)
		html_element(html, "p", "dim",
			     arena_printf(&html->arena, "And %zu more nodes.", fleet->nr_nodes - MOST_NODES));
	html_section_end(html);
}

void render_fleet_html(struct strbuf *out, const struct fleet *fleet, const struct render_options *options)
{
	struct html html;

	html_open(&html, out, options, "gpudiag fleet");
	put_head(&html, fleet);
	put_parts(&html, fleet);
	put_figures(&html, fleet);
	put_nodes(&html, fleet);
	html_close(&html);
}
