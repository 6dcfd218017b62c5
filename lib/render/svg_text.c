// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/svg_text.h"

#include "base/text.h"
#include "render/render.h"

enum { FIRST_WIDE = 0x1100 };	/* from this character on one may take two columns */

static size_t columns_of(uint32_t character)
{
	return character < FIRST_WIDE ? 1 : 2;
}

size_t svg_text_columns(const char *clean)
{
	size_t columns = 0;

	while (*clean)
		columns += columns_of(utf8_take(&clean));
	return columns;
}

/* The end of the line that text begins with. */
static const char *line_end(const char *text, size_t most)
{
	const char *at = text, *blank = NULL;
	size_t columns = 0;

	while (*at) {
		const char *from = at;

		/* One that ends the line needs no room. */
		if (*from == ' ' && from > text)
			blank = from;
		columns += columns_of(utf8_take(&at));
		if (columns > most && from > text)
			return blank ? blank : from;
	}
	return at;
}

void svg_text_wrap(struct arena *arena, const char *text, size_t columns, bool ascii, struct strs *ret)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	render_clean(&clean, text, ascii);
	for (const char *at = clean.buf + strspn(clean.buf, " "); *at;) {
		const char *end = line_end(at, columns);

		strs_add(arena, ret, arena_strndup(arena, at, (size_t)(end - at)));
		at = end + strspn(end, " ");
	}
}
