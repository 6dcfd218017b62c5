// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_markdown.c - a comparison for tickets and pull requests: tables as
 * GitHub renders them and converters to other trackers' forms understand.
 */
#include "base/compat.h"
#include "render/diff_rows.h"

/*
 * Text from anywhere as a cell or a line: what Markdown and HTML read as more
 * than a letter is escaped. Every escape is of ASCII punctuation, which
 * CommonMark allows anywhere (2.4 Backslash escapes).
 */
static void put_escaped(struct strbuf *out, const char *text, bool ascii)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	render_clean(&clean, text, ascii);
	for (const char *at = clean.buf; *at; at++) {
		if (strchr("\\`*_[]|~#@!", *at))
			strbuf_addch(out, '\\');
		if (*at == '<')
			strbuf_addstr(out, "&lt;");
		else if (*at == '>')
			strbuf_addstr(out, "&gt;");
		else if (*at == '&')
			strbuf_addstr(out, "&amp;");
		else
			strbuf_addch(out, *at);
	}
}

static void put_line(struct strbuf *out, const char *before, const struct strbuf *text, const char *after, bool ascii)
{
	strbuf_addstr(out, before);
	put_escaped(out, text->buf, ascii);
	strbuf_addstr(out, after);
}

static void put_head(struct strbuf *out, const struct diff *diff, bool ascii)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (diff->machine_known && !diff->same_machine)
		strbuf_addstr(&text, "Two machines: ");
	diff_put_side(&text, diff->before);
	strbuf_addstr(&text, " → ");
	diff_put_side(&text, diff->after);
	put_line(out, "### gpudiag diff: ", &text, "\n\n", ascii);
	strbuf_reset(&text);
	diff_put_sum(&text, diff);
	put_line(out, "**", &text, "**\n", ascii);
	for (size_t i = 0; i < diff->messages.nr; i++) {
		strbuf_addstr(out, i ? "- " : "\n- ");
		put_escaped(out, diff->messages.v[i], ascii);
		strbuf_addch(out, '\n');
	}
}

static void put_cell(struct strbuf *out, const char *text, bool ascii)
{
	strbuf_addstr(out, text && *text ? " " : "");
	put_escaped(out, text ? text : "", ascii);
	strbuf_addstr(out, " |");
}

static void put_row(struct strbuf *out, const struct diff_row *row, bool ascii)
{
	const struct difference *item = row->first;

	strbuf_addch(out, '|');
	put_cell(out, item->weight == DIFF_OTHER ? "" : diff_weight_name(item->weight), ascii);
	put_cell(out, row->things, ascii);
	put_cell(out, item->what, ascii);
	put_cell(out, item->before ? item->before : "none", ascii);
	put_cell(out, item->after ? item->after : "none", ascii);
	put_cell(out, item->why, ascii);
	strbuf_addch(out, '\n');
}

void render_diff_markdown(struct strbuf *out, const struct diff *diff, const struct render_options *options)
{
	struct diff_rows rows;

	put_head(out, diff, options->ascii);
	diff_rows_make(&rows, diff);
	for (size_t i = 0; i < rows.nr; i++) {
		if (!i || rows.rows[i - 1].first->group != rows.rows[i].first->group)
			strbuf_addf(out, "\n#### %s\n\n| | Where | What | Before | After | Remark |\n"
				    "|---|---|---|---|---|---|\n", diff_group_title(rows.rows[i].first->group));
		put_row(out, &rows.rows[i], options->ascii);
	}
	diff_rows_release(&rows);
}
