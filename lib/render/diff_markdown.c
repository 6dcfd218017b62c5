// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_markdown.c - a comparison for tickets and pull requests: tables as
 * GitHub renders them and converters to other trackers' forms understand. md.c
 * has the dialect.
 */
#include "base/compat.h"
#include "render/diff_rows.h"
#include "render/md.h"

static void put_head(struct md *md, const struct diff *diff)
{
	STRBUF_AUTO text = STRBUF_INIT;

	diff_put_side(&text, diff->before);
	strbuf_addstr(&text, " → ");
	diff_put_side(&text, diff->after);
	strbuf_addstr(md->out, diff->machine_known && !diff->same_machine ? "### gpudiag diff: Two machines: " :
									    "### gpudiag diff: ");
	md_text(md, text.buf);
	strbuf_reset(&text);
	diff_put_sum(&text, diff);
	strbuf_addf(md->out, "\n\n**%s**\n\n", text.buf);
	for (size_t i = 0; i < diff->messages.nr; i++) {
		strbuf_addstr(md->out, "- ");
		md_text(md, diff->messages.v[i]);
		strbuf_addstr(md->out, i + 1 < diff->messages.nr ? "\n" : "\n\n");
	}
}

static void put_container(struct md *md, const struct container_diff *container)
{
	static const char *const heads[] = { "What", "Host", "Container", "docker, podman", "Kubernetes" };
	struct arena arena = { .blocks = NULL };
	STRBUF_AUTO text = STRBUF_INIT;
	struct diff_loss_row *rows;
	struct md_table table;
	size_t nr;

	if (!container->is_pair)
		return;
	diff_put_container_head(&text, container);
	strbuf_addstr(md->out, "#### ");
	md_text(md, text.buf);
	strbuf_addstr(md->out, "\n\n");
	md_table_open(&table, &arena, heads, ARRAY_SIZE(heads));
	nr = diff_loss_rows(&arena, container, &rows);
	for (size_t i = 0; i < nr; i++)
		md_table_add(&table, (const char *[]){
			md_cell(&arena, rows[i].things, md->ascii), md_cell(&arena, rows[i].first->host, md->ascii),
			md_cell(&arena, rows[i].first->inside, md->ascii),
			md_code_cell(&arena, rows[i].first->option, md->ascii),
			md_code_cell(&arena, rows[i].first->kubernetes, md->ascii),
		});
	md_table_put(&table, md->out);
	strbuf_reset(&text);
	diff_put_not_compared(&text, container);
	if (text.len) {
		md_text(md, text.buf);
		strbuf_addstr(md->out, "\n\n");
	}
	arena_release(&arena);
}

static void add_row(struct md_table *table, const struct diff_row *row, bool ascii)
{
	const struct difference *item = row->first;
	struct arena *arena = table->arena;

	md_table_add(table, (const char *[]){
		item->weight == DIFF_OTHER ? "" : diff_weight_name(item->weight), md_cell(arena, row->things, ascii),
		md_code_cell(arena, item->what, ascii), md_cell(arena, item->before ? item->before : "none", ascii),
		md_cell(arena, item->after ? item->after : "none", ascii), md_cell(arena, item->why, ascii),
	});
}

void render_diff_markdown(struct strbuf *out, const struct diff *diff, const struct render_options *options)
{
	static const char *const heads[] = { "", "Where", "What", "Before", "After", "Remark" };
	struct md md = { .out = out, .ascii = options->ascii };
	struct diff_rows rows;

	put_head(&md, diff);
	put_container(&md, &diff->container);
	diff_rows_make(&rows, diff);
	for (size_t i = 0, next; i < rows.nr; i = next) {
		enum diff_group group = rows.rows[i].first->group;
		struct md_table table;

		md_table_open(&table, &rows.arena, heads, ARRAY_SIZE(heads));
		for (next = i; next < rows.nr && rows.rows[next].first->group == group; next++)
			add_row(&table, &rows.rows[next], options->ascii);
		strbuf_addf(out, "#### %s\n\n", diff_group_title(group));
		md_table_put(&table, out);
	}
	diff_rows_release(&rows);
}
