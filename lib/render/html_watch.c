// SPDX-License-Identifier: GPL-2.0-or-later
/* html_watch.c - a watch as one page: what the time went to, what to do, and each GPU over that time, drawn. */
#include "base/compat.h"
#include "render/html.h"
#include "render/watch_page.h"
#include "render/watch_trace.h"

#include "eval/judge/subject.h"
#include "render/phrases.h"

enum { CURVE_HEIGHT = 24, BAND_HEIGHT = 6, TRACE_HEIGHT = CURVE_HEIGHT + 2 + BAND_HEIGHT };

/* ---- the head */

static void put_next(struct html *html, const struct load_story *story)
{
	if (!story->next && !story->command)
		return;
	html_put(html, "<p><b>Next:</b> ");
	html_text(html, story->next);
	html_put(html, "</p>\n");
	if (story->command)
		html_command(html, story->command);
}

static void put_about(struct html *html, const struct snapshot *sealed)
{
	const char *when = phrase_time(&html->arena, str_or(sealed->run.taken_at, ""));

	html_element(html, "p", "dim",
		     arena_printf(&html->arena, "gpudiag watch · %s%s%s",
				  str_or(sealed->host.name, "a host without a name"), *when ? " · " : "", when));
}

static void put_watched(struct html *html, const struct load_story *story)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addstr(&text, "Watched for ");
	unit_format(&text, UNIT_NS, (double)story->watched_ns);
	strbuf_addf(&text, ", %llu tick%s", (unsigned long long)story->ticks, story->ticks == 1 ? "" : "s");
	if (story->late)
		strbuf_addf(&text, ", %llu with a source that was late", (unsigned long long)story->late);
	strbuf_addf(&text, ". Exit status %d.", story->exit_status);
	html_element(html, "p", NULL, text.buf);
}

static void put_head(struct html *html, const struct load_story *story, const struct snapshot *sealed)
{
	enum style style = watch_style(story->word);

	strbuf_addf(html->out, "<header class=\"%s\">\n", html_class(style));
	put_about(html, sealed);
	html_put(html, "<h1>");
	html_word(html, style, bottleneck_defs[story->word].word);
	html_put(html, " ");
	html_text(html, story->headline);
	html_put(html, "</h1>\n");
	put_watched(html, story);
	put_next(html, story);
	html_put(html, "</header>\n");
}

/* ---- phases */

static const char *share_cell(struct html *html, double share)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format(&text, UNIT_RATIO, share);
	return html_cell(html, text.buf);
}

static const char *phase_cell(struct html *html, const struct load_phase *phase)
{
	const char *why = bottleneck_defs[phase->word].why;

	return arena_printf(&html->arena, "%s%s%s%s", html_cell(html, phase->sentence),
			    why ? "<div class=\"dim\">" : "", html_cell(html, why), why ? "</div>" : "");
}

static void put_phases(struct html *html, const struct load_story *story)
{
	static const struct html_column columns[] = {
		{ .head = "Share", .right = true }, { .head = "What held them" }, { .head = "Began", .right = true },
		{ .head = "Latest" },
	};
	struct html_table table;

	html_table_open(&table, html, "What the time went to", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < story->nr_phases; i++) {
		const struct load_phase *phase = &story->phases[i];

		html_table_add(&table, (const char *[]){
			share_cell(html, phase->share),
			html_word_cell(html, watch_style(phase->word), bottleneck_defs[phase->word].word),
			arena_printf(&html->arena, "%zu&#215;", phase->times), phase_cell(html, phase),
		});
	}
	if (!table.nr_rows)
		return;
	html_section(html, "phases", "What the time went to");
	html_table_put(&table);
	html_section_end(html);
}

/* ---- GPUs */

/* A move where it begins and after a stretch that is not known, else a line. */
static void add_curve(struct strbuf *out, const struct trace_gpu *gpu, size_t nr)
{
	bool is_open = false;

	strbuf_addstr(out, "<path d=\"");
	for (size_t i = 0; i < nr; i++) {
		double busy = trace_busy(&gpu->stretches[i]);

		if (busy >= 0.0)
			strbuf_addf(out, "%c%zu %.1f", is_open ? 'L' : 'M', i,
				    1.0 + (CURVE_HEIGHT - 2) * (1.0 - (busy > 100.0 ? 1.0 : busy / 100.0)));
		/* One alone is a point, which a line cap shows. */
		if (busy >= 0.0 && !is_open)
			strbuf_addstr(out, "h0.9");
		is_open = busy >= 0.0;
	}
	strbuf_addstr(out, "\"/>");
}

/* What held it, a piece for as long as that stays the same. */
static void add_band(struct strbuf *out, const struct trace_gpu *gpu, size_t nr)
{
	for (size_t i = 0, next; i < nr; i = next) {
		const struct trace_stretch *first = &gpu->stretches[i];

		for (next = i + 1; next < nr && gpu->stretches[next].word == first->word &&
				   !gpu->stretches[next].nr_ticks == !first->nr_ticks; next++)
			;
		if (first->nr_ticks)
			strbuf_addf(
				out,
				"<rect class=\"%s\" x=\"%zu\" y=\"%d\" width=\"%zu\" height=\"%d\"><title>%s</title></rect>",
				html_class(watch_style(first->word)), i, CURVE_HEIGHT + 2, next - i, BAND_HEIGHT,
				bottleneck_defs[first->word].word);
	}
}

static const char *trace_cell(struct html *html, const struct watch_trace *trace, const struct trace_gpu *gpu)
{
	STRBUF_AUTO cell = STRBUF_INIT;

	strbuf_addf(
		&cell,
		"<svg class=\"trace\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %zu %d\" "
		"preserveAspectRatio=\"none\"><title>Utilization of GPU %zu over time, and below it what held it</title>",
		TRACE_STRETCHES, TRACE_HEIGHT, trace->nr_stretches, TRACE_HEIGHT, gpu->index);
	add_curve(&cell, gpu, trace->nr_stretches);
	add_band(&cell, gpu, trace->nr_stretches);
	strbuf_addstr(&cell, "</svg>");
	return arena_strdup(&html->arena, cell.buf);
}

static const char *busy_cell(struct html *html, const struct trace_gpu *gpu)
{
	double busy = trace_busy_mean(gpu);

	return busy < 0.0 ? "not known" : arena_printf(&html->arena, "%.0f %%", busy);
}

static const struct load_gpu_story *story_of(const struct load_story *story, size_t index)
{
	static const struct load_gpu_story none = { .word = BOTTLENECK_NOT_JUDGED };

	for (size_t i = 0; i < story->nr_gpus; i++)
		if (story->gpus[i].index == index)
			return &story->gpus[i];
	return &none;
}

static void add_gpu(struct html_table *table, const struct load_story *story, const struct watch_trace *trace,
		    const struct trace_gpu *gpu)
{
	const struct load_gpu_story *told = story_of(story, gpu->index);
	struct html *html = table->html;

	html_table_add(table, (const char *[]){
				      arena_printf(&html->arena, "%zu", gpu->index),
				      html_word_cell(html, watch_style(told->word), bottleneck_defs[told->word].word),
				      share_cell(html, told->share),
				      told->differs ? "differs" : "",
				      busy_cell(html, gpu),
				      trace_cell(html, trace, gpu),
				      gpu->gpu ? html_code_cell(html, str_or(gpu->gpu->key, NULL)) : "",
				      gpu->gpu ? html_cell(html, gpu_model(&html->arena, gpu->gpu)) : "",
			      });
}

static void put_gpus(struct html *html, const struct load_story *story, const struct watch_trace *trace)
{
	static const struct html_column columns[] = {
		{ .head = "GPU", .right = true }, { .head = "Most of the time" }, { .head = "Share", .right = true },
		{ .head = "" }, { .head = "Utilization", .right = true }, { .head = "Over time, 0 to 100 %" },
		{ .head = "PCI" },
		{ .head = "Model" },
	};
	struct html_table table;

	html_section(html, "gpus", "GPUs");
	html_table_open(&table, html, "GPUs", columns, ARRAY_SIZE(columns));
	table.is_wide = true;
	for (size_t i = 0; i < trace->nr_gpus; i++)
		add_gpu(&table, story, trace, &trace->gpus[i]);
	html_table_put(&table);
	if (!trace->nr_gpus)
		html_element(html, "p", NULL, "No GPU was watched.");
	html_section_end(html);
}

/* ---- the last tick, whose reasons are known */

static void put_reasons(struct html *html, const char *heading, const struct load_reason *reasons, size_t nr)
{
	if (!nr)
		return;
	html_element(html, "p", NULL, heading);
	html_put(html, "<ul>\n");
	for (size_t i = 0; i < nr; i++)
		html_element(html, "li", NULL,
			     arena_printf(&html->arena, "%s%s%s", reasons[i].what ? reasons[i].what : "",
					  reasons[i].what && *reasons[i].what ? ": " : "", reasons[i].text));
	html_put(html, "</ul>\n");
}

static void put_last(struct html *html, const struct load_view *view)
{
	if (!view || (!view->nr_groups && !view->trouble))
		return;
	html_section(html, "last", "At the last tick");
	html_element(html, "p", NULL, view->trouble);
	for (size_t i = 0; i < view->nr_groups; i++) {
		const struct load_group *group = &view->groups[i];

		html_fold(html, i == 0);
		html_word(html, watch_style(group->word), bottleneck_defs[group->word].word);
		html_put(html, " ");
		html_text(html, group->sentence);
		html_fold_body(html);
		html_element(html, "p", "dim", load_confidence_name(group->confidence));
		put_reasons(html, "Shown by", group->shown, group->nr_shown);
		put_reasons(html, "Ruled out", group->ruled_out, group->nr_ruled_out);
		html_fold_end(html);
	}
	html_section_end(html);
}

void render_watch_html(struct strbuf *out, const struct load_story *story, const struct load_view *view,
		       const struct watch_trace *trace, const struct snapshot *sealed, const struct render_options *how)
{
	STRBUF_AUTO title = STRBUF_INIT;
	struct html html;

	strbuf_addf(&title, "gpudiag watch %s: %s", str_or(sealed->host.name, ""),
		    story->headline ? story->headline : "");
	html_open(&html, out, how, title.buf);
	put_head(&html, story, sealed);
	put_phases(&html, story);
	put_gpus(&html, story, trace);
	put_last(&html, view);
	html_close(&html);
}
