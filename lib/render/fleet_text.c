// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_text.c - a fleet on one screen: the sentence, then the worst first, then what is only counted. */
#include "base/compat.h"
#include "render/fleet_rows.h"

#include "render/phrases.h"

enum { MOST_LINES = 12, MOST_BYTES = 2000, NAME_COLUMN = 2, TEXT_COLUMN = 18 };

static void put_facts(struct term_writer *term, const struct strs *facts)
{
	for (size_t i = 0; i < facts->nr; i++)
		term_fact(term, 0, facts->v[i]);
	term_end_line(term);
}

/* "gpudiag 0.1.0 fleet · 1000 nodes · 8000 GPUs · 2026-11-28 03:12 UTC" */
static void put_head(struct term_writer *term, struct arena *arena, const struct fleet *fleet)
{
	struct strs facts = { .nr = 0 };

	term_fact(term, 0, "gpudiag " GPUDIAG_VERSION " fleet");
	fleet_head_facts(arena, fleet, &facts);
	put_facts(term, &facts);
	term_end_line(term);
}

static void put_sentence(struct term_writer *term, const struct fleet *fleet)
{
	const char *word = phrase_verdict_word(fleet->verdict);
	size_t hang = strlen(word) + 2;

	term_put(term, fleet_style(fleet), word);
	term_move(term, hang);
	term_flow(term, hang, fleet->headline);
	term_end_line(term);
}

/* A name in its column, and a text that flows beside it; a long name has the line to itself. */
static void put_row(struct term_writer *term, const struct fleet_row *row)
{
	STRBUF_AUTO shown = STRBUF_INIT;

	term_move(term, NAME_COLUMN);
	if (!row->name) {
		term_put(term, row->style, row->text);
		term_end_line(term);
		return;
	}
	term_clean(term, &shown, row->name);
	term_put(term, row->style, shown.buf);
	term_move(term, TEXT_COLUMN);
	term_flow(term, TEXT_COLUMN, row->text);
	term_end_line(term);
}

static void put_part(struct term_writer *term, const struct fleet_part *part)
{
	term_end_line(term);
	term_put(term, STYLE_PLAIN, part->heading);
	term_end_line(term);
	for (size_t i = 0; i < part->nr; i++)
		put_row(term, &part->rows[i]);
}

static void render_fleet_text(struct strbuf *out, const struct fleet *fleet, const struct render_options *options)
{
	struct arena arena = { .blocks = NULL };
	struct strs counts = { .nr = 0 };
	struct fleet_parts parts;
	struct term_writer term;

	term_open(&term, out, options);
	put_head(&term, &arena, fleet);
	put_sentence(&term, fleet);
	fleet_parts_of(&parts, &arena, fleet, MOST_LINES, MOST_BYTES);
	for (size_t i = 0; i < parts.nr; i++)
		put_part(&term, &parts.parts[i]);
	term_end_line(&term);
	fleet_count_facts(&arena, fleet, &counts);
	put_facts(&term, &counts);
	arena_release(&arena);
}

const struct fleet_format fleet_formats[] = {
	{ "text", render_fleet_text },
	{ "json", render_fleet_json },
	{ "markdown", render_fleet_markdown },
	{ "html", render_fleet_html },
	{ "csv", render_fleet_csv },
	{ "sql", render_fleet_sql },
	{ .name = NULL },
};
