// SPDX-License-Identifier: GPL-2.0-or-later
/* html_topology.c - what hangs where, drawn, and what lies between two devices as the matrix that tickets quote. */
#include "base/compat.h"
#include "render/html_report.h"

#include "render/topology.h"

/* Beyond these a page would be of nothing else. */
enum { MOST_ROWS = 400, MOST_DEVICES = 48 };

static void put_legend(struct html *html)
{
	html_put(html, "<p class=\"dim small\">");
	for (size_t i = 0; topology_words[i].word; i++) {
		html_text(html, i ? "; " : "");
		html_text(html, topology_words[i].word);
		html_text(html, ": ");
		html_text(html, topology_words[i].meaning);
	}
	html_put(html, "</p>\n");
}

static void put_matrix(struct html_page *page, const struct topology *topology)
{
	const struct snapshot *snapshot = page->report->snapshot;
	struct html *html = &page->html;
	struct html_column *columns = arena_alloc(&html->arena, (topology->nr + 1) * sizeof(*columns));
	const char **cells = arena_alloc(&html->arena, (topology->nr + 1) * sizeof(*cells));
	struct html_table table;

	columns[0] = (struct html_column){ .head = "" };
	for (size_t i = 0; i < topology->nr; i++)
		columns[i + 1] = (struct html_column){ .head = topology->devices[i].name };
	html_table_open(&table, html, "Matrix", columns, topology->nr + 1);
	table.is_wide = true;
	for (size_t i = 0; i < topology->nr; i++) {
		const struct topology_device *device = &topology->devices[i];

		cells[0] = html_cell(html, device->name);
		for (size_t k = 0; k < topology->nr; k++)
			cells[k + 1] =
				html_cell(html, topology_path(&html->arena, snapshot, device, &topology->devices[k]));
		html_table_add(&table, cells);
	}
	html_fold(html, false);
	html_text(html, "Matrix");
	html_fold_body(html);
	html_table_put(&table);
	put_legend(html);
	html_fold_end(html);
}

void html_topology(struct html_page *page)
{
	const struct snapshot *snapshot = page->report->snapshot;
	struct html *html = &page->html;
	struct topology topology;

	topology_of(&html->arena, snapshot, &topology);
	if (!topology.nr_rows)
		return;
	html_section(html, "topology", "Topology");
	if (topology.nr_rows > MOST_ROWS) {
		html_element(html, "p", NULL, arena_printf(&html->arena, "%zu devices: too many to be drawn here. "
							   "gpudiag topology -f svg draws them.", topology.nr));
	} else {
		html_put(html, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Topology\">\n");
		topology_svg(html->out, &topology,
			     arena_printf(&html->arena, "PCIe tree of %s", str_or(snapshot->host.name, "this node")),
			     false, html->ascii);
		html_put(html, "</div>\n");
	}
	if (topology.nr > 1 && topology.nr <= MOST_DEVICES)
		put_matrix(page, &topology);
	html_section_end(html);
}
