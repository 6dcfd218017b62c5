// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/xml.h"

#include "render/render.h"

void xml_add(struct strbuf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		/* U+FFFE and U+FFFF; control characters and surrogates are gone already. */
		if (i + 2 < len && !memcmp(text + i, "\xef\xbf", 2) && (unsigned char)text[i + 2] >= 0xbe) {
			strbuf_addch(out, '?');
			i += 2;
			continue;
		}
		switch (text[i]) {
		case '&': strbuf_addstr(out, "&amp;"); break;
		case '<': strbuf_addstr(out, "&lt;"); break;
		case '>': strbuf_addstr(out, "&gt;"); break;
		case '"': strbuf_addstr(out, "&quot;"); break;
		default: strbuf_addch(out, text[i]); break;
		}
	}
}

void xml_text(struct strbuf *out, const char *text, bool ascii)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	render_clean(&clean, text, ascii);
	xml_add(out, clean.buf, clean.len);
}

void xml_attribute(struct strbuf *out, const char *name, const char *text, bool ascii)
{
	if (!text)
		return;
	strbuf_addf(out, " %s=\"", name);
	xml_text(out, text, ascii);
	strbuf_addch(out, '"');
}
