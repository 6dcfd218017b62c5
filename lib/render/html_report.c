// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html_report.c - the report as one page for a ticket, read a week later: what is wrong, what to do, the findings with
 * their evidence, what could not be judged; then the machine. html.h is how a page is made.
 */
#include "base/compat.h"
#include "render/formats.h"
#include "render/html_findings.h"
#include "render/html_report.h"
#include "render/phrases.h"

/* ---- the head */

static enum style verdict_style(const struct report *report)
{
	static const enum style verdicts[] = {
		[VERDICT_PASS] = STYLE_PASS, [VERDICT_WARN] = STYLE_WARN, [VERDICT_FAIL] = STYLE_FAIL,
		[VERDICT_UNKNOWN] = STYLE_UNKNOWN,
	};
	static const enum style gates[] = {
		[GATE_GO] = STYLE_PASS, [GATE_NO_GO] = STYLE_FAIL, [GATE_CANNOT_DECIDE] = STYLE_UNKNOWN,
	};

	return report->gate ? gates[report->gate->word] : verdicts[report->verdict];
}

static const char *verdict_word(const struct report *report)
{
	return report->gate ? phrase_gate_word(report->gate->word) : phrase_verdict_word(report->verdict);
}

static void add_fact(struct strbuf *out, const char *fact)
{
	if (fact && *fact)
		strbuf_addf(out, "%s%s", out->len ? " · " : "", fact);
}

/* Who was looked at, when, by what. */
static void put_about(struct html_page *page)
{
	const struct report *report = page->report;
	const struct run *run = &report->snapshot->run;
	struct html *html = &page->html;
	STRBUF_AUTO text = STRBUF_INIT;

	add_fact(&text, report->gate ? "gpudiag gate" : "gpudiag");
	add_fact(&text, str_or(report->snapshot->host.name, NULL));
	add_fact(&text, phrase_taken_at(&html->arena, run));
	add_fact(&text, phrase_models(&html->arena, report));
	add_fact(&text, phrase_drivers(&html->arena, report));
	if (is_known(run->interrupted))
		add_fact(&text, arena_printf(&html->arena, "partial: interrupted by %s", str_or(run->interrupted, "")));
	html_element(html, "p", "dim", text.buf);
}

static void put_decision(struct html_page *page)
{
	const struct decision *decision = &page->report->decision;
	struct html *html = &page->html;
	STRBUF_AUTO text = STRBUF_INIT;

	phrase_decision(&text, decision);
	strbuf_addf(&text, ". %s.", decision->gpus ? decision->gpus : "No GPU under test");
	html_put(html, "<p><b>Decision:</b> ");
	html_text(html, text.buf);
	strbuf_addf(html->out, " Exit status %d.</p>\n", page->report->exit_status);
	if (decision->nr_steps && strcmp(decision->reason, page->report->headline) != 0) {
		html_put(html, "<p>Because of: ");
		html_text(html, decision->reason);
		html_put(html, "</p>\n");
	}
	html_steps(html, decision->steps, decision->nr_steps);
}

/* ---- of a gate */

static void put_item(struct html *html, enum style style, const char *word, const char *sentence)
{
	html_put(html, "<li>");
	html_word(html, style, word);
	html_put(html, " ");
	html_text(html, sentence);
}

/* What stands in the way and is no finding, and what must be known first. */
static void put_gate_reasons(struct html *html, const struct gate_answer *gate)
{
	html_put(html, "<ul>\n");
	for (size_t i = 0; i < gate->nr_blockers; i++) {
		if (gate->blockers[i].finding)
			continue;
		put_item(html, STYLE_FAIL, "Worse:", gate->blockers[i].sentence);
		html_put(html, "</li>\n");
	}
	for (size_t i = 0; i < gate->nr_open; i++) {
		put_item(html, STYLE_UNKNOWN, "Not judged:", gate->open[i].sentence);
		if (gate->open[i].mend) {
			html_put(html, "<br/>Next: ");
			html_text(html, gate->open[i].mend);
		}
		html_put(html, "</li>\n");
	}
	html_put(html, "</ul>\n");
}

static bool has_gate_reasons(const struct gate_answer *gate)
{
	for (size_t i = 0; i < gate->nr_blockers; i++)
		if (!gate->blockers[i].finding)
			return true;
	return gate->nr_open > 0;
}

static void put_gate(struct html_page *page)
{
	const struct gate_answer *gate = page->report->gate;
	struct html *html = &page->html;

	html_element(html, "p", NULL, phrase_gate_change(&html->arena, gate));
	html_element(html, "p", NULL, phrase_gate_against(&html->arena, gate));
	if (has_gate_reasons(gate))
		put_gate_reasons(html, gate);
	for (size_t i = 0; i < gate->nr_to_do; i++) {
		html_element(html, "p", NULL, gate->to_do[i].sentence);
		html_steps(html, gate->to_do[i].steps, gate->to_do[i].nr_steps);
	}
}

static void put_head(struct html_page *page)
{
	const struct report *report = page->report;
	struct html *html = &page->html;
	enum style style = verdict_style(report);

	strbuf_addf(html->out, "<header class=\"%s\">\n", html_class(style));
	put_about(page);
	html_put(html, "<h1>");
	html_word(html, style, verdict_word(report));
	html_put(html, " ");
	html_text(html, report->gate ? report->gate->reason : report->headline);
	html_put(html, "</h1>\n");
	if (report->gate)
		put_gate(page);
	put_decision(page);
	html_put(html, "</header>\n");
}

/* ---- stages */

static const char *observed_cell(struct html *html, const char *summary, const char *id, const struct finding *symptom)
{
	const char *text = html_cell(html, summary);

	if (symptom)
		return arena_printf(&html->arena, "%s <span class=\"dim\">by %s</span>", text,
				    html_code_cell(html, symptom->caused_by->def->name));
	return id ? arena_printf(&html->arena, "%s <span class=\"dim\">%s</span>", text, html_code_cell(html, id))
		  : text;
}

static void put_stages(struct html_page *page)
{
	static const struct html_column columns[] = {
		{ .head = "", .right = true }, { .head = "Stage" }, { .head = "Verdict" }, { .head = "Observed" },
	};
	const struct report *report = page->report;
	struct html *html = &page->html;
	struct html_table table;

	html_table_open(&table, html, "Stages", columns, ARRAY_SIZE(columns));
	for (int i = 0; i < NR_STAGES; i++) {
		const struct report_stage *stage = &report->stages[i];
		const struct finding *symptom = phrase_symptom(report, (enum stage)i);

		if (!stage->any)
			continue;
		html_table_add(&table,
			       (const char *[]){
				       arena_printf(&html->arena, "%d", i + 1),
				       html_cell(html, stage_name((enum stage)i)),
				       html_word_cell(html, style_of(stage->outcome),
						      symptom ? "caused" : phrase_outcome_word(stage->outcome)),
				       observed_cell(html, phrase_stage(report, (enum stage)i), stage->detail, symptom),
			       });
	}
	if (!table.nr_rows)
		return;
	html_section(html, "stages", "Stages");
	html_table_put(&table);
	html_section_end(html);
}

static void put_messages(struct html_page *page)
{
	const struct strs *messages = &page->report->messages;
	struct html *html = &page->html;

	if (!messages->nr)
		return;
	html_section(html, "messages", "Remarks on this run");
	html_put(html, "<ul>\n");
	for (size_t i = 0; i < messages->nr; i++)
		html_element(html, "li", NULL, messages->v[i]);
	html_put(html, "</ul>\n");
	html_section_end(html);
}

void render_html(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct html_page page = { .report = report };
	STRBUF_AUTO title = STRBUF_INIT;

	strbuf_addf(&title, "%s %s: %s", verdict_word(report), str_or(report->snapshot->host.name, "gpudiag"),
		    report->gate ? report->gate->reason : report->headline);
	html_open(&page.html, out, options, title.buf);
	put_head(&page);
	html_findings(&page);
	put_stages(&page);
	html_notes(&page);
	html_not_judged(&page);
	put_messages(&page);
	html_gpus(&page);
	html_topology(&page);
	html_timings(&page);
	html_results(&page);
	html_machine(&page);
	html_close(&page.html);
}
