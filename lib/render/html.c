// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/html.h"

#include "render/xml.h"

/* What a browser may do with the page: apply its own stylesheet. Nothing is fetched or run, whatever is in it. */
#define CONTENT_POLICY "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

void html_open(struct html *html, struct strbuf *out, const struct render_options *options, const char *title)
{
	*html = (struct html){ .out = out, .ascii = options->ascii };
	html_put(
		html,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"" CONTENT_POLICY "\"/>\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		"<meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n");
	html_put(html, "<title>");
	html_text(html, title && *title ? title : "gpudiag");
	html_put(html, "</title>\n<style>\n");
	html_put(html, html_style);
	html_put(html, "</style>\n</head>\n<body>\n<main>\n");
}

void html_close(struct html *html)
{
	html_put(html, "</main>\n</body>\n</html>\n");
	arena_release(&html->arena);
}

void html_put(struct html *html, const char *markup)
{
	strbuf_addstr(html->out, markup);
}

void html_text(struct html *html, const char *text)
{
	if (text)
		xml_text(html->out, text, html->ascii);
}

void html_element(struct html *html, const char *tag, const char *class, const char *text)
{
	if (!text || !*text)
		return;
	strbuf_addf(html->out, "<%s%s%s%s>", tag, class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
	html_text(html, text);
	strbuf_addf(html->out, "</%s>\n", tag);
}

const char *html_class(enum style style)
{
	static const char *const classes[] = {
		[STYLE_PLAIN] = "plain", [STYLE_DIM] = "dim", [STYLE_PASS] = "pass", [STYLE_NOTE] = "note",
		[STYLE_WARN] = "warn", [STYLE_FAIL] = "fail", [STYLE_UNKNOWN] = "unknown",
	};

	return classes[style];
}

static void add_word(struct strbuf *out, enum style style, const char *word, bool ascii)
{
	strbuf_addf(out, "<b class=\"word %s\">", html_class(style));
	xml_text(out, word, ascii);
	strbuf_addstr(out, "</b>");
}

void html_word(struct html *html, enum style style, const char *word)
{
	add_word(html->out, style, word, html->ascii);
}

void html_command(struct html *html, const char *command)
{
	html_put(html, "<pre><code>");
	html_text(html, command);
	html_put(html, "</code></pre>\n");
}

void html_section(struct html *html, const char *id, const char *heading)
{
	strbuf_addf(html->out, "<section id=\"%s\">\n", id);
	html_element(html, "h2", NULL, heading);
}

void html_section_end(struct html *html)
{
	html_put(html, "</section>\n");
}

void html_fold(struct html *html, bool is_open)
{
	html_put(html, is_open ? "<details open=\"open\">\n<summary>" : "<details>\n<summary>");
}

void html_fold_body(struct html *html)
{
	html_put(html, "</summary>\n");
}

void html_fold_end(struct html *html)
{
	html_put(html, "</details>\n");
}

/* ---- tables */

void html_table_open(struct html_table *table, struct html *html, const char *label, const struct html_column *columns,
		     size_t nr_columns)
{
	*table = (struct html_table){ .html = html, .label = label, .columns = columns, .nr_columns = nr_columns };
}

void html_table_add(struct html_table *table, const char *const *cells)
{
	struct arena *arena = &table->html->arena;
	const char **row = arena_alloc(arena, table->nr_columns * sizeof(*row));

	for (size_t i = 0; i < table->nr_columns; i++)
		row[i] = cells[i] ? cells[i] : "";
	table->rows = arena_grow(arena, table->rows, table->nr_rows, sizeof(*table->rows));
	table->rows[table->nr_rows++] = row;
}

static bool has_cells(const struct html_table *table, size_t column)
{
	for (size_t i = 0; i < table->nr_rows; i++)
		if (*table->rows[i][column])
			return true;
	return false;
}

static void put_head(const struct html_table *table, const bool *shown)
{
	struct html *html = table->html;

	html_put(html, "<thead><tr>");
	for (size_t i = 0; i < table->nr_columns; i++) {
		if (!shown[i])
			continue;
		strbuf_addf(html->out, "<th scope=\"col\"%s>", table->columns[i].right ? " class=\"r\"" : "");
		html_text(html, table->columns[i].head);
		html_put(html, "</th>");
	}
	html_put(html, "</tr></thead>\n");
}

static void put_row(const struct html_table *table, const bool *shown, const char *const *row)
{
	struct html *html = table->html;
	bool is_first = true;

	html_put(html, "<tr>");
	for (size_t i = 0; i < table->nr_columns; i++) {
		const char *tag = is_first ? "th" : "td";

		if (!shown[i])
			continue;
		strbuf_addf(html->out, "<%s%s%s>%s</%s>", tag, is_first ? " scope=\"row\"" : "",
			    table->columns[i].right ? " class=\"r\"" : "", row[i], tag);
		is_first = false;
	}
	html_put(html, "</tr>\n");
}

void html_table_put(const struct html_table *table)
{
	struct html *html = table->html;
	bool *shown;

	if (!table->nr_rows)
		return;
	shown = arena_alloc(&html->arena, table->nr_columns * sizeof(*shown));
	for (size_t i = 0; i < table->nr_columns; i++)
		shown[i] = has_cells(table, i);
	/* By keyboard a box scrolls only where it takes the focus. */
	html_put(html, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
	html_text(html, table->label);
	html_put(html, table->is_wide ? "\"><table class=\"wide\">\n" : "\"><table>\n");
	put_head(table, shown);
	html_put(html, "<tbody>\n");
	for (size_t i = 0; i < table->nr_rows; i++)
		put_row(table, shown, table->rows[i]);
	html_put(html, "</tbody></table></div>\n");
}

const char *html_cell(struct html *html, const char *text)
{
	STRBUF_AUTO cell = STRBUF_INIT;

	if (!text || !*text)
		return "";
	xml_text(&cell, text, html->ascii);
	return arena_strdup(&html->arena, cell.buf);
}

const char *html_code_cell(struct html *html, const char *text)
{
	const char *cell = html_cell(html, text);

	return *cell ? arena_printf(&html->arena, "<code>%s</code>", cell) : "";
}

const char *html_word_cell(struct html *html, enum style style, const char *word)
{
	STRBUF_AUTO cell = STRBUF_INIT;

	if (!word || !*word)
		return "";
	add_word(&cell, style, word, html->ascii);
	return arena_strdup(&html->arena, cell.buf);
}
