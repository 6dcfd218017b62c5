// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * picture.c - the text report as a terminal shows it, drawn as SVG 1.1: for a page, a chat or slides. One file that
 * needs no other, on a light ground or a dark one as its reader prefers.
 */
#include "base/compat.h"
#include "render/formats.h"
#include "render/xml.h"

#include "base/text.h"

/*
 * In pixels. Fonts of one width are 0.6 of their size wide (DejaVu Sans Mono, Menlo, Liberation Mono), or less
 * (Consolas).
 */
enum { FONT_SIZE = 14, LINE_HEIGHT = 19, MARGIN = 16, CHARACTER_TENTHS = 84, COLUMNS = 100 };

/* Codes of SGR that term_writer.c uses, and what they are on each ground; contrast 4.5 or more. */
static const struct ink {
	const char *code, *name, *light, *dark;
} inks[] = {
	{ "2", "dim", "#5f6670", "#9aa2ad" },
	{ "32", "pass", "#1a6b2b", "#6fd083" },
	{ "36", "note", "#0b6472", "#62c5d6" },
	{ "1;33", "warn", "#7a4b00;font-weight:bold", "#f0b429;font-weight:bold" },
	{ "1;31", "fail", "#b3171c;font-weight:bold", "#ff7b72;font-weight:bold" },
	{ "35", "unknown", "#7a2f9e", "#d3a4f0" },
};

static void put_style(struct strbuf *out)
{
	strbuf_addf(
		out,
		"<style>text{font:%dpx \"DejaVu Sans Mono\",Menlo,Consolas,\"Liberation Mono\",monospace;fill:#1f2328;"
		"white-space:pre}.ground{fill:#ffffff;stroke:#c5cad1}",
		FONT_SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(inks); i++)
		strbuf_addf(out, ".%s{fill:%s}", inks[i].name, inks[i].light);
	strbuf_addstr(out, "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117;stroke:#3d444d}");
	for (size_t i = 0; i < ARRAY_SIZE(inks); i++)
		strbuf_addf(out, ".%s{fill:%s}", inks[i].name, inks[i].dark);
	strbuf_addstr(out, "}</style>\n");
}

static const char *ink_of(const char *code, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(inks); i++)
		if (strlen(inks[i].code) == len && !memcmp(inks[i].code, code, len))
			return inks[i].name;
	return NULL;
}

/* A line of the text report: an ink goes from its escape sequence to the next. */
static void put_line(struct strbuf *out, const char *line, size_t len)
{
	const char *end = line + len;
	bool inked = false;

	while (line < end) {
		const char *escape = memchr(line, '\x1b', (size_t)(end - line));
		size_t plain = (size_t)((escape ? escape : end) - line), code_len;
		const char *ink;

		xml_add(out, line, plain);
		if (!escape)
			break;
		code_len = strcspn(escape + 2, "m");
		ink = ink_of(escape + 2, code_len);
		strbuf_addstr(out, inked ? "</tspan>" : "");
		inked = ink;
		if (ink)
			strbuf_addf(out, "<tspan class=\"%s\">", ink);
		line = escape + 2 + code_len + 1;
	}
	strbuf_addstr(out, inked ? "</tspan>" : "");
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

void render_picture(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	const struct render_options text_options = { .columns = COLUMNS, .colour = true, .ascii = options->ascii };
	STRBUF_AUTO text = STRBUF_INIT;
	size_t lines, width = COLUMNS * CHARACTER_TENTHS / 10 + 2 * MARGIN, height, y = MARGIN + FONT_SIZE;

	render_text(&text, report, &text_options);
	lines = count_lines(text.buf);
	height = lines * LINE_HEIGHT + 2 * MARGIN;
	strbuf_addf(
		out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" viewBox=\"0 0 %zu %zu\" xml:space=\"preserve\" "
		"role=\"img\">\n"
		"<title>",
		width, height, width, height);
	xml_text(out, report->headline ? report->headline : "a report of gpudiag", options->ascii);
	strbuf_addstr(out, "</title>\n");
	put_style(out);
	strbuf_addf(out, "<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"%zu\" height=\"%zu\" rx=\"6\"/>\n",
		    width - 1, height - 1);
	for (const char *at = text.buf; *at; y += LINE_HEIGHT) {
		size_t len = strcspn(at, "\n");

		if (len) {
			strbuf_addf(out, "<text x=\"%d\" y=\"%zu\">", MARGIN, y);
			put_line(out, at, len);
			strbuf_addstr(out, "</text>\n");
		}
		at += len + (at[len] == '\n');
	}
	strbuf_addstr(out, "</svg>\n");
}
