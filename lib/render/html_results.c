// SPDX-License-Identifier: GPL-2.0-or-later
/* html_results.c - results of checks on a page: what could not be judged, and folded what passed or did not apply. */
#include "base/compat.h"
#include "render/html_report.h"

#include "eval/judge/subject.h"
#include "eval/summary/unanswered.h"
#include "eval/summary/unknown_groups.h"

/* ---- what could not be judged */

static const char *weight_of(const struct result *result)
{
	if (result->failure)
		return "no answer";
	if (result->maintenance)
		return "open during maintenance";
	return result_is_open(result) ? "required" : "";
}

static void put_unanswered(struct html_page *page)
{
	const struct report *report = page->report;
	struct html *html = &page->html;
	bool any = false;

	for (size_t i = 0; i < report->nr_unanswered; i++) {
		const char *sentence = unanswered_sentence(&html->arena, report, i);

		if (!sentence)
			continue;
		html_put(html, any ? "" : "<h3>Not answered</h3>\n<ul>\n");
		html_element(html, "li", NULL, sentence);
		any = true;
	}
	html_put(html, any ? "</ul>\n" : "");
}

void html_not_judged(struct html_page *page)
{
	static const struct html_column columns[] = {
		{ .head = "Check" }, { .head = "Of" }, { .head = "Weight" }, { .head = "Reason" },
		{ .head = "Because of" },
	};
	const struct report *report = page->report;
	struct html *html = &page->html;
	struct html_table table;

	html_table_open(&table, html, "Not judged", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (!unknown_group_begins(report, i))
			continue;
		html_table_add(&table,
			       (const char *[]){
				       html_code_cell(html, result->check->name),
				       html_cell(html, unknown_group_subjects(&html->arena, report, i)),
				       html_cell(html, weight_of(result)),
				       html_cell(html, unknown_group_reason(result)),
				       result->caused_by ? html_code_cell(html, result->caused_by->def->name) : "",
			       });
	}
	if (!table.nr_rows && !report->nr_unanswered)
		return;
	html_section(html, "not-judged", "Not judged");
	html_table_put(&table);
	put_unanswered(page);
	html_section_end(html);
}

/* ---- what passed, and what did not apply */

static const char *reason_of(const struct result *result)
{
	return result->reason ? result->reason : "";
}

static bool is_alike(const struct result *a, const struct result *b)
{
	return a->outcome == b->outcome && a->check == b->check && !strcmp(reason_of(a), reason_of(b));
}

/* Results of a check stand together: looks back to its first one only. */
static bool is_first_alike(const struct report *report, size_t at)
{
	const struct result *results = report->results;

	for (size_t i = at; i-- > 0 && results[i].check == results[at].check;)
		if (is_alike(&results[i], &results[at]))
			return false;
	return true;
}

/* "GPUs 0-7", "opencl:a.icd:0, opencl:b.icd:0"; "" for the node. */
static const char *subjects_alike(struct arena *arena, const struct report *report, size_t first)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t *indexes = NULL, nr = 0;

	for (size_t i = first; i < report->nr_results && report->results[i].check == report->results[first].check;
	     i++) {
		const struct subject *subject = &report->results[i].subject;

		if (!is_alike(&report->results[i], &report->results[first]) || subject->kind == SUBJECT_NODE)
			continue;
		if (!subject->gpu) {
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", subject->name);
		} else {
			indexes = arena_grow(arena, indexes, nr, sizeof(*indexes));
			indexes[nr++] = subject->gpu_index;
		}
	}
	if (!nr)
		return arena_strdup(arena, text.buf);
	return arena_printf(arena, "%s%s%s", gpu_ranges(arena, indexes, nr), text.len ? ", " : "", text.buf);
}

static void put_results(struct html_page *page, enum outcome outcome, const char *word, const char *reason)
{
	const struct html_column columns[] = { { .head = "Check" }, { .head = "Of" }, { .head = reason } };
	const struct report *report = page->report;
	struct html *html = &page->html;
	struct html_table table;
	size_t nr = 0;

	html_table_open(&table, html, word, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (result->outcome != outcome)
			continue;
		nr++;
		if (is_first_alike(report, i))
			html_table_add(&table, (const char *[]){
						       html_code_cell(html, result->check->name),
						       html_cell(html, subjects_alike(&html->arena, report, i)),
						       html_cell(html, reason_of(result)),
					       });
	}
	if (!nr)
		return;
	html_fold(html, false);
	strbuf_addf(html->out, "%s, %zu", word, nr);
	html_fold_body(html);
	html_table_put(&table);
	html_fold_end(html);
}

void html_results(struct html_page *page)
{
	html_section(&page->html, "checks", "Other checks");
	put_results(page, OUTCOME_PASS, "Passed", "Observed");
	put_results(page, OUTCOME_SKIP, "Skipped", "Reason");
	html_section_end(&page->html);
}
