// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * topology_svg.c - the tree, drawn as SVG 1.1: a box a line, joined with the
 * one above it. Alone it is one file that needs no other, on white; in a page of
 * HTML its colours are those of the page, by class. What is weak is named, and
 * differs in its border as well as in its colour.
 */
#include "base/compat.h"
#include "render/topology.h"

#include "render/svg_text.h"
#include "render/xml.h"

enum {
	MARGIN = 16, ROW_HEIGHT = 30, BOX_HEIGHT = 22, STEP = 28, PADDING = 8, HEAD = 34,
	BORDER = 2,			/* above the first box, for a wide one */
	CHARACTER = 8,			/* of a monospaced font of 13 px none is as wide */
};

#define NODE_COLOUR "#dddddd"
#define BRIDGE_COLOUR "#ffffff"
#define DEVICE_COLOUR "#cfe8f7"
#define WEAK_COLOUR "#d55e00"
#define EDGE_COLOUR "#666666"

struct drawing {
	struct strbuf *out;
	const struct topology *topology;
	size_t top;			/* of its first row */
	bool ascii;
};

static size_t left_of(const struct topology_row *row)
{
	return MARGIN + STEP * row->depth;
}

static size_t top_of(const struct drawing *drawing, size_t row)
{
	return drawing->top + ROW_HEIGHT * row;
}

/* Text as it will be drawn: what a terminal must not see is longer than it was. */
static void row_text(struct strbuf *out, const struct topology_row *row, bool ascii)
{
	render_clean(out, row->text, ascii);
	if (row->is_weak)
		render_clean(out, " \xe2\x86\x90 weakest hop", ascii);
}

static size_t text_width(const char *clean)
{
	return svg_text_columns(clean) * CHARACTER;
}

static size_t width_of(const struct topology_row *row, bool ascii)
{
	STRBUF_AUTO text = STRBUF_INIT;

	row_text(&text, row, ascii);
	return text_width(text.buf) + 2 * PADDING;
}

/* From the left border of the row above that it hangs at, down and to its own. */
static void put_edge(const struct drawing *drawing, size_t at)
{
	const struct topology_row *rows = drawing->topology->rows;
	size_t above = at;

	if (!rows[at].depth)
		return;
	while (above > 0 && rows[above].depth >= rows[at].depth)
		above--;
	strbuf_addf(drawing->out, "<path%s d=\"M%zu %zuV%zuH%zu\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"/>\n",
		    rows[at].is_weak ? " class=\"weak\"" : "", left_of(&rows[above]) + STEP / 2,
		    top_of(drawing, above) + BOX_HEIGHT, top_of(drawing, at) + BOX_HEIGHT / 2, left_of(&rows[at]),
		    rows[at].is_weak ? WEAK_COLOUR : EDGE_COLOUR, rows[at].is_weak ? 3 : 1);
}

static void put_row(const struct drawing *drawing, size_t at)
{
	const struct topology_row *row = &drawing->topology->rows[at];
	const char *class = !row->depth ? "node" : row->is_device ? "device" : "bridge";
	const char *colour = !row->depth ? NODE_COLOUR : row->is_device ? DEVICE_COLOUR : BRIDGE_COLOUR;
	struct strbuf *out = drawing->out;
	STRBUF_AUTO text = STRBUF_INIT;

	row_text(&text, row, drawing->ascii);
	put_edge(drawing, at);
	strbuf_addf(out, "<rect class=\"%s%s\" x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%d\" rx=\"3\" fill=\"%s\" "
		    "stroke=\"%s\" stroke-width=\"%d\"%s/>\n", class, row->is_weak ? " weak" : "", left_of(row),
		    top_of(drawing, at), text_width(text.buf) + 2 * PADDING, BOX_HEIGHT, colour,
		    row->is_weak ? WEAK_COLOUR : EDGE_COLOUR, row->is_weak ? 3 : 1,
		    row->is_weak ? " stroke-dasharray=\"7 3\"" : "");
	strbuf_addf(out, "<text x=\"%zu\" y=\"%zu\">", left_of(row) + PADDING, top_of(drawing, at) + BOX_HEIGHT - 7);
	xml_add(out, text.buf, text.len);
	strbuf_addstr(out, "</text>\n");
}

static void put_begin(const struct drawing *drawing, const char *title, bool is_document)
{
	const struct topology *topology = drawing->topology;
	STRBUF_AUTO clean = STRBUF_INIT;
	size_t width, height = top_of(drawing, topology->nr_rows) + MARGIN;

	render_clean(&clean, title, drawing->ascii);
	width = is_document ? MARGIN + text_width(clean.buf) : 0;
	for (size_t i = 0; i < topology->nr_rows; i++) {
		size_t right = left_of(&topology->rows[i]) + width_of(&topology->rows[i], drawing->ascii);

		width = right > width ? right : width;
	}
	width += MARGIN;
	strbuf_addf(drawing->out,
		    "<svg%s class=\"topology\" role=\"img\" width=\"%zu\" height=\"%zu\" "
		    "viewBox=\"0 0 %zu %zu\">\n<title>",
		    is_document ? " xmlns=\"http://www.w3.org/2000/svg\" font-family=\"monospace\" font-size=\"13\""
				: "",
		    width, height, width, height);
	xml_add(drawing->out, clean.buf, clean.len);
	strbuf_addstr(drawing->out, "</title>\n");
	if (!is_document)
		return;
	strbuf_addf(drawing->out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<text x=\"%d\" y=\"20\" "
		    "font-weight=\"bold\">", MARGIN);
	xml_add(drawing->out, clean.buf, clean.len);
	strbuf_addstr(drawing->out, "</text>\n");
}

void topology_svg(struct strbuf *out, const struct topology *topology, const char *title, bool is_document, bool ascii)
{
	const struct drawing drawing = {
		.out = out, .topology = topology, .top = is_document ? HEAD : BORDER, .ascii = ascii,
	};

	put_begin(&drawing, title, is_document);
	for (size_t i = 0; i < topology->nr_rows; i++)
		put_row(&drawing, i);
	strbuf_addstr(out, "</svg>\n");
}

void render_topology_svg(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options)
{
	struct arena arena = { .blocks = NULL };
	struct topology topology;

	topology_of(&arena, snapshot, &topology);
	topology_svg(out, &topology, str_or(snapshot->host.name, "?"), true, options->ascii);
	arena_release(&arena);
}
