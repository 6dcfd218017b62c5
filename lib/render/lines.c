// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/lines.h"

#include "base/text.h"

enum { DEEPER = 4 };

/* Where the last column begins, as bytes; 0: the line has none. */
static size_t last_column(const char *line, size_t indent)
{
	size_t ret = 0;

	for (size_t i = indent; line[i]; i++)
		if (i >= indent + 2 && line[i] != ' ' && line[i - 1] == ' ' && line[i - 2] == ' ')
			ret = i;
	return ret;
}

static void break_up(struct term_writer *term, const char *line)
{
	size_t indent = strspn(line, " "), column = last_column(line, indent), columns;
	STRBUF_AUTO before = STRBUF_INIT;

	strbuf_add(&before, line, column ? column : indent);
	columns = utf8_columns(before.buf);
	if (columns <= term->columns)
		term_put(term, STYLE_PLAIN, before.buf);
	else
		term_flow(term, indent, before.buf);
	if (columns > term->columns * 2 / 3) {
		term_end_line(term);
		columns = indent + DEEPER;
	}
	term_flow(term, columns, line + (column ? column : indent));
}

void term_line(struct term_writer *term, const char *line)
{
	if (utf8_columns(line) <= term->columns)
		term_put(term, STYLE_PLAIN, line);
	else
		break_up(term, line);
	term_end_line(term);
}

void render_lines(struct strbuf *out, const char *text, const struct render_options *options)
{
	STRBUF_AUTO line = STRBUF_INIT;
	struct term_writer term;

	term_open(&term, out, options);
	for (const char *at = text; *at; at += at[line.len] == '\n' ? line.len + 1 : line.len) {
		strbuf_setlen(&line, 0);
		strbuf_add(&line, at, strcspn(at, "\n"));
		term_line(&term, line.buf);
	}
}
