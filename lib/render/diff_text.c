// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_text.c - a comparison for people. */
#include "base/compat.h"
#include "render/diff_rows.h"
#include "render/page.h"

enum { MARK = 2, TEXT = 10, HANG = 12 };

const struct diff_format diff_formats[] = {
	{ .name = "text", .render = render_diff_text },
	{ .name = "json", .render = render_diff_json },
	{ .name = "markdown", .render = render_diff_markdown },
	{ .name = NULL },
};

static void put_paragraph(struct page *page, size_t hang, const char *text)
{
	page_flow(page, hang, text);
	page_end_line(page);
}

static void put_head(struct page *page, const struct diff *diff)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (diff->machine_known && !diff->same_machine)
		strbuf_addstr(&text, "Two machines: ");
	diff_put_side(&text, diff->before);
	strbuf_addstr(&text, " → ");
	diff_put_side(&text, diff->after);
	put_paragraph(page, MARK, text.buf);
	strbuf_reset(&text);
	diff_put_sum(&text, diff);
	put_paragraph(page, MARK, text.buf);
	for (size_t i = 0; i < diff->messages.nr; i++) {
		page_put(page, INK_DIM, "- ");
		put_paragraph(page, MARK, diff->messages.v[i]);
	}
}

static void put_mark(struct page *page, enum diff_weight weight)
{
	page_move(page, MARK);
	if (weight == DIFF_WORSE)
		page_put(page, INK_FAIL, "worse");
	if (weight == DIFF_BETTER)
		page_put(page, INK_PASS, "better");
	page_move(page, TEXT);
}

static void put_row(struct page *page, const struct diff_row *row)
{
	const struct difference *item = row->first;
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "%s: %s ", row->things, item->what);
	diff_put_change(&text, item);
	if (item->why)
		strbuf_addf(&text, " (%s)", item->why);
	put_mark(page, item->weight);
	put_paragraph(page, HANG, text.buf);
}

void render_diff_groups(struct strbuf *out, const struct diff *diff, const struct render_options *options)
{
	struct diff_rows rows;
	struct page page;

	page_open(&page, out, options);
	diff_rows_make(&rows, diff);
	for (size_t i = 0; i < rows.nr; i++) {
		if (!i || rows.rows[i - 1].first->group != rows.rows[i].first->group) {
			page_end_line(&page);
			put_paragraph(&page, 0, diff_group_title(rows.rows[i].first->group));
		}
		put_row(&page, &rows.rows[i]);
	}
	diff_rows_release(&rows);
}

void render_diff_text(struct strbuf *out, const struct diff *diff, const struct render_options *options)
{
	struct page page;

	page_open(&page, out, options);
	put_head(&page, diff);
	render_diff_groups(out, diff, options);
}
