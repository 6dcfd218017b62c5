// SPDX-License-Identifier: GPL-2.0-or-later
/* html_diff.c - a comparison as one page: whether anything got worse, then a table for each group, the worse first. */
#include "base/compat.h"
#include "render/diff_rows.h"
#include "render/html.h"

static enum style sum_style(const struct diff *diff)
{
	return !diff->nr_compared ? STYLE_UNKNOWN : diff->is_worse ? STYLE_FAIL : STYLE_PASS;
}

static void put_head(struct html *html, const struct diff *diff)
{
	STRBUF_AUTO sides = STRBUF_INIT;
	STRBUF_AUTO sum = STRBUF_INIT;

	strbuf_addstr(&sides, "gpudiag diff · ");
	if (diff->machine_known && !diff->same_machine)
		strbuf_addstr(&sides, "two machines: ");
	diff_put_side(&sides, diff->before);
	strbuf_addstr(&sides, " → ");
	diff_put_side(&sides, diff->after);
	diff_put_sum(&sum, diff);
	strbuf_addf(html->out, "<header class=\"%s\">\n", html_class(sum_style(diff)));
	html_element(html, "p", "dim", sides.buf);
	html_element(html, "h1", NULL, sum.buf);
	if (diff->messages.nr)
		html_put(html, "<ul>\n");
	for (size_t i = 0; i < diff->messages.nr; i++)
		html_element(html, "li", NULL, diff->messages.v[i]);
	html_put(html, diff->messages.nr ? "</ul>\n</header>\n" : "</header>\n");
}

/* ---- what a container was not given */

static void put_losses(struct html *html, const struct container_diff *container)
{
	static const struct html_column columns[] = {
		{ .head = "What" }, { .head = "Host" }, { .head = "Container" }, { .head = "docker, podman" },
		{ .head = "Kubernetes" },
	};
	struct diff_loss_row *rows;
	struct html_table table;
	size_t nr = diff_loss_rows(&html->arena, container, &rows);

	html_table_open(&table, html, "Lost in the container", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < nr; i++)
		html_table_add(&table, (const char *[]){
			html_cell(html, rows[i].things), html_cell(html, rows[i].first->host),
			html_cell(html, rows[i].first->inside), html_code_cell(html, rows[i].first->option),
			html_code_cell(html, rows[i].first->kubernetes),
		});
	html_table_put(&table);
}

static void put_container(struct html *html, const struct container_diff *container)
{
	STRBUF_AUTO head = STRBUF_INIT;
	STRBUF_AUTO rest = STRBUF_INIT;

	if (!container->is_pair)
		return;
	diff_put_container_head(&head, container);
	diff_put_not_compared(&rest, container);
	html_section(html, "container", head.buf);
	put_losses(html, container);
	html_element(html, "p", "dim", rest.buf);
	html_section_end(html);
}

/* ---- differences */

static const char *weight_cell(struct html *html, enum diff_weight weight)
{
	if (weight == DIFF_OTHER)
		return "";
	return html_word_cell(html, weight == DIFF_WORSE ? STYLE_FAIL : STYLE_PASS, diff_weight_name(weight));
}

static void add_row(struct html_table *table, const struct diff_row *row)
{
	const struct difference *item = row->first;
	struct html *html = table->html;

	html_table_add(table, (const char *[]){
				      html_cell(html, row->things),
				      weight_cell(html, item->weight),
				      html_code_cell(html, item->what),
				      html_cell(html, item->before ? item->before : "none"),
				      html_cell(html, item->after ? item->after : "none"),
				      html_cell(html, item->why),
			      });
}

static void put_group(struct html *html, enum diff_group group, const struct diff_row *rows, size_t nr)
{
	static const struct html_column columns[] = {
		{ .head = "Where" }, { .head = "Weight" }, { .head = "What" }, { .head = "Before" },
		{ .head = "After" },
		{ .head = "Remark" },
	};
	struct html_table table;

	html_table_open(&table, html, diff_group_title(group), columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < nr; i++)
		add_row(&table, &rows[i]);
	html_section(html, diff_group_name(group), diff_group_title(group));
	html_table_put(&table);
	html_section_end(html);
}

void render_diff_html(struct strbuf *out, const struct diff *diff, const struct render_options *options)
{
	STRBUF_AUTO title = STRBUF_INIT;
	struct diff_rows rows;
	struct html html;

	strbuf_addf(&title, "gpudiag diff %s: ", str_or(diff->after->host.name, ""));
	diff_put_sum(&title, diff);
	html_open(&html, out, options, title.buf);
	put_head(&html, diff);
	put_container(&html, &diff->container);
	diff_rows_make(&rows, diff);
	for (size_t i = 0, next; i < rows.nr; i = next) {
		enum diff_group group = rows.rows[i].first->group;

		for (next = i + 1; next < rows.nr && rows.rows[next].first->group == group; next++)
			;
		put_group(&html, group, &rows.rows[i], next - i);
	}
	diff_rows_release(&rows);
	html_close(&html);
}
