// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * topology_svg.c - the tree, drawn as SVG 1.1: a box a line, joined with the
 * one above it. One file that needs no other, on white. What is weak differs in
 * its border as well as in its colour.
 */
#include "base/compat.h"
#include "render/topology.h"

#include "eval/facts/topology.h"
#include "render/xml.h"

enum {
	MARGIN = 16, ROW_HEIGHT = 30, BOX_HEIGHT = 22, STEP = 28, CHARACTER = 8, PADDING = 8, HEAD = 34,
};

#define NODE_COLOUR "#dddddd"
#define BRIDGE_COLOUR "#ffffff"
#define DEVICE_COLOUR "#cfe8f7"
#define WEAK_COLOUR "#d55e00"

static size_t left_of(const struct topology_row *row)
{
	return MARGIN + STEP * row->depth;
}

static size_t top_of(size_t row)
{
	return HEAD + ROW_HEIGHT * row;
}

static size_t width_of(const struct topology_row *row)
{
	return strlen(row->text) * CHARACTER + 2 * PADDING;
}

/* From the left border of the row above that it hangs at, down and to its own. */
static void put_edge(struct strbuf *out, const struct topology *topology, size_t at)
{
	const struct topology_row *row = &topology->rows[at];
	size_t above = at;

	if (!row->depth)
		return;
	while (above > 0 && topology->rows[above].depth >= row->depth)
		above--;
	strbuf_addf(out, "<path d=\"M%zu %zuV%zuH%zu\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"/>\n",
		    left_of(&topology->rows[above]) + STEP / 2, top_of(above) + BOX_HEIGHT, top_of(at) + BOX_HEIGHT / 2,
		    left_of(row), row->is_weak ? WEAK_COLOUR : "#666666", row->is_weak ? 3 : 1);
}

static void put_row(struct strbuf *out, const struct topology *topology, size_t at)
{
	const struct topology_row *row = &topology->rows[at];
	const char *colour = !row->depth ? NODE_COLOUR : row->is_device ? DEVICE_COLOUR : BRIDGE_COLOUR;

	put_edge(out, topology, at);
	strbuf_addf(out, "<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%d\" rx=\"3\" fill=\"%s\" stroke=\"%s\" "
		    "stroke-width=\"%d\"%s/>\n", left_of(row), top_of(at), width_of(row), BOX_HEIGHT, colour,
		    row->is_weak ? WEAK_COLOUR : "#666666", row->is_weak ? 3 : 1,
		    row->is_weak ? " stroke-dasharray=\"7 3\"" : "");
	strbuf_addf(out, "<text x=\"%zu\" y=\"%zu\">", left_of(row) + PADDING, top_of(at) + BOX_HEIGHT - 7);
	xml_text(out, row->text, false);
	strbuf_addstr(out, "</text>\n");
}

void render_topology_svg(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options)
{
	struct arena arena = { .blocks = NULL };
	struct topology topology;
	size_t width = 0;

	(void)options;
	topology_of(&arena, snapshot, &topology);
	for (size_t i = 0; i < topology.nr_rows; i++) {
		size_t right = left_of(&topology.rows[i]) + width_of(&topology.rows[i]);

		width = right > width ? right : width;
	}
	strbuf_addf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" font-family=\"monospace\" "
		    "font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<text x=\"%d\" y=\"20\" "
		    "font-weight=\"bold\">", width + MARGIN, top_of(topology.nr_rows) + MARGIN, MARGIN);
	xml_text(out, str_or(snapshot->host.name, "?"), false);
	strbuf_addstr(out, "</text>\n");
	for (size_t i = 0; i < topology.nr_rows; i++)
		put_row(out, &topology, i);
	strbuf_addstr(out, "</svg>\n");
	arena_release(&arena);
}
