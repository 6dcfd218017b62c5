/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * md.h - texts in Markdown that GitHub and Jira both render. Private to lib/render.
 *
 * The dialect is GitHub Flavored Markdown without HTML. Texts come from
 * anywhere: nothing in them is markup, and nobody is mentioned and nothing
 * linked by them. A word that GitHub would read something into after it has
 * read the Markdown (@user, #12, a URL, an emoji between two colons, which
 * 0000:ab:00.0 has) is put as code, where it does not look; a backslash does
 * not keep it from that.
 */
#pragma once

#include "base/arena.h"
#include "render/render.h"

struct md {
	struct strbuf *out;
	bool ascii;
	bool in_table;		/* where a bar ends the cell, also one within code */
};

/* Text within a line, read as it stands. */
void md_text(struct md *md, const char *text);
/* The same as code: a name, an address, a value. Nothing where it is empty. */
void md_code(struct md *md, const char *text);
/* A command ready to paste, in lines of its own, so many columns in from the left. */
void md_command(struct md *md, size_t indent, const char *command);

/*
 * A table, of texts that were made with md_text() and md_code(). Columns in
 * which no row has anything are left out, and a table without rows is nothing.
 */
struct md_table {
	struct arena *arena;
	size_t nr_columns, nr_rows;
	const char ***rows;		/* the first is the head */
};
void md_table_open(struct md_table *table, struct arena *arena, const char *const *heads, size_t nr_columns);
void md_table_add(struct md_table *table, const char *const *cells);
void md_table_put(const struct md_table *table, struct strbuf *out);

/* A cell, in arena: text or code; "" for NULL. */
const char *md_cell(struct arena *arena, const char *text, bool ascii);
const char *md_code_cell(struct arena *arena, const char *text, bool ascii);
