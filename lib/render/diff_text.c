// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_text.c - a comparison for people. */
#include "base/compat.h"
#include "render/diff_rows.h"
#include "render/term_writer.h"

enum { MARK = 2, TEXT = 10, HANG = 12, LOSS_HANG = 4 };

const struct diff_format diff_formats[] = {
	{ .name = "text", .render = render_diff_text },
	{ .name = "json", .render = render_diff_json },
	{ .name = "markdown", .render = render_diff_markdown },
	{ .name = "html", .render = render_diff_html },
	{ .name = NULL },
};

static void put_paragraph(struct term_writer *term, size_t hang, const char *text)
{
	term_flow(term, hang, text);
	term_end_line(term);
}

static void put_head(struct term_writer *term, const struct diff *diff)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (diff->machine_known && !diff->same_machine)
		strbuf_addstr(&text, "Two machines: ");
	diff_put_side(&text, diff->before);
	strbuf_addstr(&text, " → ");
	diff_put_side(&text, diff->after);
	put_paragraph(term, MARK, text.buf);
	strbuf_reset(&text);
	diff_put_sum(&text, diff);
	put_paragraph(term, MARK, text.buf);
	for (size_t i = 0; i < diff->messages.nr; i++) {
		term_put(term, STYLE_DIM, "- ");
		put_paragraph(term, MARK, diff->messages.v[i]);
	}
}

/* The word of the runtime that the container has; both where it is another. */
static void add_options(struct strbuf *out, const char *runtime, const struct container_loss *loss)
{
	const bool is_pod = !strcmp(runtime, "kubernetes");
	const bool is_option = loss->option && (!is_pod || !loss->kubernetes);
	const bool is_other = strcmp(runtime, "docker") != 0 && strcmp(runtime, "podman") != 0;

	if (is_option)
		strbuf_addf(out, "; %s: %s", is_other ? "docker, podman" : runtime, loss->option);
	if (loss->kubernetes && is_other)
		strbuf_addf(out, "; Kubernetes: %s", loss->kubernetes);
}

static void put_loss(struct term_writer *term, const char *runtime, const struct diff_loss_row *row)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "%s: %s → %s", row->things, row->first->host, row->first->inside);
	add_options(&text, runtime, row->first);
	term_move(term, MARK);
	put_paragraph(term, LOSS_HANG, text.buf);
}

/* Host first, whichever stood first on the command line. */
static void put_container(struct term_writer *term, const struct container_diff *container)
{
	struct arena arena = { .blocks = NULL };
	STRBUF_AUTO text = STRBUF_INIT;
	struct diff_loss_row *rows;
	size_t nr;

	if (!container->is_pair)
		return;
	term_end_line(term);
	diff_put_container_head(&text, container);
	put_paragraph(term, 0, text.buf);
	nr = diff_loss_rows(&arena, container, &rows);
	for (size_t i = 0; i < nr; i++)
		put_loss(term, container->runtime, &rows[i]);
	strbuf_reset(&text);
	diff_put_not_compared(&text, container);
	if (text.len) {
		term_move(term, MARK);
		put_paragraph(term, LOSS_HANG, text.buf);
	}
	arena_release(&arena);
}

static void put_mark(struct term_writer *term, enum diff_weight weight)
{
	term_move(term, MARK);
	if (weight == DIFF_WORSE)
		term_put(term, STYLE_FAIL, "worse");
	if (weight == DIFF_BETTER)
		term_put(term, STYLE_PASS, "better");
	term_move(term, TEXT);
}

static void put_row(struct term_writer *term, const struct diff_row *row)
{
	const struct difference *item = row->first;
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "%s: %s ", row->things, item->what);
	diff_put_change(&text, item);
	if (item->why)
		strbuf_addf(&text, " (%s)", item->why);
	put_mark(term, item->weight);
	put_paragraph(term, HANG, text.buf);
}

void render_diff_groups(struct strbuf *out, const struct diff *diff, const struct render_options *options)
{
	struct diff_rows rows;
	struct term_writer term;

	term_open(&term, out, options);
	diff_rows_make(&rows, diff);
	for (size_t i = 0; i < rows.nr; i++) {
		if (!i || rows.rows[i - 1].first->group != rows.rows[i].first->group) {
			term_end_line(&term);
			put_paragraph(&term, 0, diff_group_title(rows.rows[i].first->group));
		}
		put_row(&term, &rows.rows[i]);
	}
	diff_rows_release(&rows);
}

void render_diff_text(struct strbuf *out, const struct diff *diff, const struct render_options *options)
{
	struct term_writer term;

	term_open(&term, out, options);
	put_head(&term, diff);
	put_container(&term, &diff->container);
	render_diff_groups(out, diff, options);
}
