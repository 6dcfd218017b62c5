// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_markdown.c - a fleet for a ticket or a chat: short enough to be pasted. md.c has the dialect. */
#include "base/compat.h"
#include "render/fleet_rows.h"

#include "base/text.h"
#include "render/md.h"
#include "render/phrases.h"

enum { MOST_ROWS = 12, MOST_BYTES = 400 };

static void put_facts(struct md *md, const struct strs *facts)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < facts->nr; i++)
		strbuf_addf(&text, "%s%s", i ? " · " : "", facts->v[i]);
	md_text(md, text.buf);
	strbuf_addstr(md->out, "\n\n");
}

/* As a scheduler takes them. */
static void put_bad(struct md *md, const struct fleet *fleet)
{
	STRBUF_AUTO list = STRBUF_INIT;

	render_fleet_nodes(&list, fleet, FLEET_BAD);
	if (!list.len)
		return;
	strbuf_addstr(md->out, "Must not get work, or out of line: ");
	strbuf_rtrim(&list);
	if (list.len > MOST_BYTES)
		md_text(md, "gpudiag fleet --nodes bad lists them");
	else
		md_code(md, list.buf);
	strbuf_addstr(md->out, "\n\n");
}

static void put_head(struct md *md, struct arena *arena, const struct fleet *fleet)
{
	struct strs facts = { .nr = 0 };

	strbuf_addf(md->out, "## gpudiag fleet: %s\n\n**", phrase_verdict_word(fleet->verdict));
	md_text(md, fleet->headline);
	strbuf_addstr(md->out, "**\n\n");
	fleet_head_facts(arena, fleet, &facts);
	strs_add(arena, &facts, arena_printf(arena, "exit status %d", fleet->exit_status));
	put_facts(md, &facts);
	put_bad(md, fleet);
}

static void put_part(struct md *md, struct arena *arena, const struct fleet_part *part)
{
	const char *const heads[] = { part->name_head, part->text_head };
	struct md_table table;

	md_table_open(&table, arena, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < part->nr; i++)
		md_table_add(&table, (const char *[]){
			md_cell(arena, part->rows[i].name, md->ascii), md_cell(arena, part->rows[i].text, md->ascii),
		});
	strbuf_addf(md->out, "### %s\n\n", part->heading);
	md_table_put(&table, md->out);
}

void render_fleet_markdown(struct strbuf *out, const struct fleet *fleet, const struct render_options *options)
{
	struct md md = { .out = out, .ascii = options->ascii };
	struct arena arena = { .blocks = NULL };
	struct strs counts = { .nr = 0 };
	struct fleet_parts parts;

	put_head(&md, &arena, fleet);
	fleet_parts_of(&parts, &arena, fleet, MOST_ROWS, MOST_BYTES);
	for (size_t i = 0; i < parts.nr; i++)
		put_part(&md, &arena, &parts.parts[i]);
	fleet_count_facts(&arena, fleet, &counts);
	put_facts(&md, &counts);
	arena_release(&arena);
}
