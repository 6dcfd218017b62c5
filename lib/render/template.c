// SPDX-License-Identifier: GPL-2.0-or-later
/* template.c - the sentence of a finding before there is evidence. */
#include "base/compat.h"
#include "render/render.h"

void render_template(struct strbuf *out, const char *template)
{
	while (*template) {
		size_t len = strcspn(template, "{"), place, bar;

		strbuf_add(out, template, len);
		template += len;
		place = strcspn(template, "}");
		bar = strcspn(template, "|");
		if (*template && bar < place)
			strbuf_add(out, template + 1, bar - 1);
		else
			strbuf_add(out, template, place + (template[place] == '}'));
		template += place + (template[place] == '}');
	}
}
