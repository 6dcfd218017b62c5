// SPDX-License-Identifier: GPL-2.0-or-later
/* markdown_figures.c - the tables of a ticket that hold figures: the evidence of a finding, and what was measured. */
#include "base/compat.h"
#include "render/markdown.h"
#include "render/phrases.h"

#include "eval/judge/subject.h"

enum { MAX_MEMBERS = 16 };	/* GPUs of one finding whose evidence is listed */

/* Observed, and of which GPUs. */
struct seen {
	const char *what, *observed, *expected, *source;	/* cells */
	size_t nr_gpus, gpus[MAX_MEMBERS];
};

struct seen_list {
	struct arena *arena;
	bool of_several;
	size_t nr;
	struct seen *items;
};

static bool is_same(const struct seen *a, const struct seen *b)
{
	return !strcmp(a->what, b->what) && !strcmp(a->observed, b->observed) && !strcmp(a->expected, b->expected) &&
	       !strcmp(a->source, b->source);
}

/* Of several GPUs rows of one name stand together, to be compared; of one in the order of the check. */
static struct seen *insert(struct seen_list *list, const struct seen *row)
{
	size_t at = list->nr;

	for (size_t i = 0; list->of_several && i < list->nr; i++)
		if (!strcmp(list->items[i].what, row->what))
			at = i + 1;
	list->items = arena_grow(list->arena, list->items, list->nr, sizeof(*list->items));
	memmove(&list->items[at + 1], &list->items[at], (list->nr - at) * sizeof(*list->items));
	list->items[at] = *row;
	list->nr++;
	return &list->items[at];
}

static bool has_gpu(const struct seen *row, size_t index)
{
	for (size_t i = 0; i < row->nr_gpus; i++)
		if (row->gpus[i] == index)
			return true;
	return false;
}

/* Of one GPU the same may be said twice, of two links of it: each is a row. */
static void add(struct seen_list *list, const struct seen *row, size_t gpu)
{
	struct seen *found = NULL;

	/* A row has a GPU once, and no more are listed than it has room for. */
	for (size_t i = 0; i < list->nr && !found; i++)
		if (is_same(&list->items[i], row) && !has_gpu(&list->items[i], gpu))
			found = &list->items[i];
	if (!found)
		found = insert(list, row);
	found->gpus[found->nr_gpus++] = gpu;
}

static const char *cell(struct markdown *markdown, const char *text)
{
	return md_cell(&markdown->arena, text, markdown->md.ascii);
}

static void add_evidence(struct markdown *markdown, struct seen_list *list, const struct evidence *evidence, size_t gpu)
{
	STRBUF_AUTO observed = STRBUF_INIT;
	STRBUF_AUTO expected = STRBUF_INIT;
	const char *what = md_code_cell(&markdown->arena, evidence->field->name, markdown->md.ascii);

	if (evidence->of)
		what = arena_printf(&markdown->arena, "%s of %s", what, cell(markdown, evidence->of));
	phrase_observed(&observed, evidence);
	phrase_expected(&expected, evidence);
	const struct seen row = {
		.what = what, .observed = cell(markdown, observed.buf), .expected = cell(markdown, expected.buf),
		.source = cell(markdown, evidence->field->source),
	};

	add(list, &row, gpu);
}

static void put_seen(struct markdown *markdown, const struct seen_list *list)
{
	static const char *const heads[] = { "Of", "Evidence", "Observed", "Expected", "Source" };
	struct arena *arena = &markdown->arena;
	struct md_table table;

	md_table_open(&table, arena, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < list->nr; i++) {
		const struct seen *row = &list->items[i];

		md_table_add(&table, (const char *[]){
			list->of_several ? gpu_ranges(arena, row->gpus, row->nr_gpus) : "", row->what, row->observed,
			row->expected, row->source,
		});
	}
	md_table_put(&table, markdown->md.out);
}

void markdown_evidence(struct markdown *markdown, const struct group *group)
{
	const struct report *report = markdown->report;
	struct seen_list list = { .arena = &markdown->arena, .of_several = group->nr > 1 };

	for (size_t i = 0; i < group->nr_members && i < MAX_MEMBERS; i++) {
		const struct finding *finding = report->findings[group->members[i]];

		for (size_t k = 0; k < finding->evidence.nr; k++)
			if (!finding->evidence.items[k].is_phrase)
				add_evidence(markdown, &list, &finding->evidence.items[k], finding->subject.gpu_index);
	}
	put_seen(markdown, &list);
	if (group->nr_members > MAX_MEMBERS)
		strbuf_addf(markdown->md.out, "That of %zu more stands in the JSON report.\n\n",
			    group->nr_members - MAX_MEMBERS);
}

/* ---- what was measured */

static void add_timing(struct markdown *markdown, struct md_table *table, const struct report_timing *timing)
{
	const struct phrase_figures figures = phrase_figures(&markdown->arena, timing);

	md_table_add(table, (const char *[]){
		md_code_cell(&markdown->arena, timing->key, markdown->md.ascii), cell(markdown, timing->subject.name),
		cell(markdown, figures.median), cell(markdown, figures.range), figures.samples, cell(markdown, figures.size),
		phrase_timing_doubt(timing),
	});
}

void markdown_timings(struct markdown *markdown)
{
	const char *const heads[] = { "Timing", "Of", "Median", cell(markdown, "p5–p95"), "n", "Size", "" };
	const struct report *report = markdown->report;
	const struct report_timing **told;
	struct md_table table;
	size_t nr;

	if (!report->nr_timings)
		return;
	told = phrase_timings(&markdown->arena, report, &nr);
	md_table_open(&table, &markdown->arena, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < nr; i++)
		add_timing(markdown, &table, told[i]);
	strbuf_addstr(markdown->md.out, "### Timings\n\n");
	md_table_put(&table, markdown->md.out);
	if (report->nr_timings > nr) {
		md_text(&markdown->md, phrase_timings_left_out(&markdown->arena, report->nr_timings - nr));
		strbuf_addstr(markdown->md.out, "\n\n");
	}
}
