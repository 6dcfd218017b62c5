// SPDX-License-Identifier: GPL-2.0-or-later
/* html_findings.c - findings on a page: those that ask for something with their evidence open, notes folded. */
#include "base/compat.h"
#include "render/html_findings.h"

#include "render/evidence_rows.h"
#include "render/html_report.h"
#include "render/phrases.h"

static void put_step(struct html *html, const struct step *step)
{
	html_put(html, "<li>");
	html_text(html, step->text);
	if (step->disruptive) {
		html_put(html, " ");
		html_word(html, STYLE_WARN, "disruptive");
	}
	if (step->command)
		html_command(html, step->command);
	if (step->expect) {
		html_put(html, "<div class=\"dim\">Expect: ");
		html_text(html, step->expect);
		html_put(html, "</div>");
	}
	html_put(html, "</li>\n");
}

void html_steps(struct html *html, const struct step *steps, size_t nr)
{
	if (!nr)
		return;
	html_put(html, "<ol>\n");
	for (size_t i = 0; i < nr; i++)
		put_step(html, &steps[i]);
	html_put(html, "</ol>\n");
}

/* ---- evidence */

static const char *what_cell(struct html *html, const struct evidence_row *row)
{
	const char *what = html_code_cell(html, row->what);

	return row->of ? arena_printf(&html->arena, "%s of %s", what, html_cell(html, row->of)) : what;
}

static void put_evidence_table(struct html *html, const struct evidence_rows *rows)
{
	static const struct html_column columns[] = {
		{ .head = "Evidence" }, { .head = "Of" }, { .head = "Observed" }, { .head = "Expected" },
		{ .head = "Source" },
	};
	struct html_table table;

	html_table_open(&table, html, "Evidence", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < rows->nr; i++) {
		const struct evidence_row *row = &rows->items[i];

		html_table_add(&table, (const char *[]){
					       what_cell(html, row),
					       html_cell(html, evidence_row_gpus(rows, row)),
					       html_cell(html, row->observed),
					       html_cell(html, row->expected),
					       html_cell(html, row->source),
				       });
	}
	html_table_put(&table);
	if (rows->left_out)
		html_element(html, "p", "dim", arena_printf(&html->arena, "That of %zu more stands in the JSON report.",
							    rows->left_out));
}

static void put_evidence(struct html_page *page, const struct group *group)
{
	struct html *html = &page->html;
	struct evidence_rows rows;

	evidence_rows_of(&html->arena, page->report, group, &rows);
	if (!rows.nr)
		return;
	html_fold(html, true);
	strbuf_addf(html->out, "Evidence, %zu value%s", rows.nr, rows.nr == 1 ? "" : "s");
	html_fold_body(html);
	put_evidence_table(html, &rows);
	html_fold_end(html);
}

/* ---- findings */

static void put_id(struct html *html, const struct finding_def *def)
{
	html_put(html, "<code>");
	html_text(html, def->name);
	html_put(html, "</code>");
}

static void put_causes(struct html *html, const struct finding *finding)
{
	if (finding->caused_by) {
		html_put(html, "<p>Explained by ");
		put_id(html, finding->caused_by->def);
		html_put(html, ".</p>\n");
	}
	for (size_t i = 0; i < finding->nr_possible; i++) {
		html_put(html, i ? ", " : "<p>No single cause. Possible: ");
		put_id(html, finding->possible[i]->def);
		html_put(html, i + 1 < finding->nr_possible ? "" : ".</p>\n");
	}
}

static void put_meta(struct html *html, const struct group *group)
{
	const struct finding *first = group->first;

	html_put(html, "<p class=\"dim small\">");
	put_id(html, first->def);
	strbuf_addf(html->out, ", blame: %s, key%s: <code>", blame_name(first->blame),
		    group->nr > 1 ? " of the first" : "");
	html_text(html, first->key);
	html_put(html, "</code></p>\n");
}

/* All below the sentence. Steps of the decision stand at the head of the page. */
static void put_body(struct html_page *page, const struct group *group)
{
	const struct finding *first = group->first;
	struct html *html = &page->html;

	html_element(html, "p", NULL, first->why);
	put_causes(html, first);
	put_evidence(page, group);
	if (!first->caused_by && first->steps != page->report->decision.steps)
		html_steps(html, first->steps, first->nr_steps);
	put_meta(html, group);
}

static void open_finding(struct html *html, const struct finding *finding, const char *sentence)
{
	enum style style = style_of(finding->outcome);

	strbuf_addf(html->out, "<article class=\"finding %s\">\n<h3>", html_class(style));
	html_word(html, style, phrase_outcome_word(finding->outcome));
	html_put(html, " ");
	html_text(html, sentence);
	html_put(html, "</h3>\n");
}

void html_finding(struct html *html, const struct finding *finding)
{
	open_finding(html, finding, finding->title);
	html_element(html, "p", NULL, finding->why);
	html_steps(html, finding->steps, finding->nr_steps);
	html_put(html, "</article>\n");
}

static void put_finding(struct html_page *page, const struct group *group)
{
	struct html *html = &page->html;

	open_finding(html, group->first, group->sentence);
	put_body(page, group);
	html_put(html, "</article>\n");
}

static bool is_fault(const struct group *group)
{
	return group->first->outcome >= OUTCOME_WARN;
}

static size_t nr_faults(const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_groups; i++)
		nr += is_fault(&report->groups[i]);
	return nr;
}

void html_findings(struct html_page *page)
{
	const struct report *report = page->report;

	if (!nr_faults(report))
		return;
	html_section(&page->html, "findings", "Findings");
	for (int symptoms = 0; symptoms <= 1; symptoms++)
		for (size_t i = 0; i < report->nr_groups; i++)
			if (is_fault(&report->groups[i]) && group_is_symptom(&report->groups[i]) == symptoms)
				put_finding(page, &report->groups[i]);
	html_section_end(&page->html);
}

void html_notes(struct html_page *page)
{
	const struct report *report = page->report;
	struct html *html = &page->html;

	if (nr_faults(report) == report->nr_groups)
		return;
	html_section(html, "notes", "Notes");
	for (size_t i = 0; i < report->nr_groups; i++) {
		if (is_fault(&report->groups[i]))
			continue;
		html_fold(html, false);
		html_text(html, report->groups[i].sentence);
		html_fold_body(html);
		put_body(page, &report->groups[i]);
		html_fold_end(html);
	}
	html_section_end(html);
}
