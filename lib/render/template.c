// SPDX-License-Identifier: GPL-2.0-or-later
/* template.c - the sentence of a finding before there is evidence. */
#include "base/compat.h"
#include "render/render.h"

/* "{errors} errors" of {errors|error|errors}; "runs" of {runs|run}; else the place as it is. */
static void put_place(struct strbuf *out, const char *place, size_t len)
{
	const char *end = place + len, *bar = memchr(place, '|', len), *second = NULL;

	if (bar)
		second = memchr(bar + 1, '|', (size_t)(end - bar - 1));
	if (second)
		strbuf_addf(out, "{%.*s} %.*s", (int)(bar - place), place, (int)(end - second - 1), second + 1);
	else if (bar)
		strbuf_add(out, place, (size_t)(bar - place));
	else
		strbuf_addf(out, "{%.*s}", (int)len, place);
}

void render_template(struct strbuf *out, const char *template)
{
	const char *place;
	size_t len;

	while ((place = strbuf_add_to_place(out, &template, &len)))
		put_place(out, place, len);
}
