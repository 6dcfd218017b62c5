// SPDX-License-Identifier: GPL-2.0-or-later
/* clean.c - text as a terminal may show it: valid UTF-8 or ASCII, and nothing that steers the terminal. */
#include "base/compat.h"
#include "render/term_writer.h"

#include <stdint.h>

#include "base/text.h"

/* What ASCII says instead; any other character is "?". */
static const struct {
	uint32_t character;
	const char *ascii;
} fallbacks[] = {
	{ 0x00a0, " " },   { 0x00a9, "(C)" }, { 0x00ae, "(R)" }, { 0x00b0, "deg" }, { 0x00b1, "+/-" }, { 0x00b2, "^2" },
	{ 0x00b5, "u" },   { 0x00b7, "|" },   { 0x00d7, "x" },   { 0x03bc, "u" },   { 0x2010, "-" },   { 0x2011, "-" },
	{ 0x2012, "-" },   { 0x2013, "-" },   { 0x2014, "-" },   { 0x2018, "'" },   { 0x2019, "'" },   { 0x201c, "\"" },
	{ 0x201d, "\"" },  { 0x2026, "..." }, { 0x202f, " " },   { 0x2122, "(TM)" }, { 0x2190, "<-" }, { 0x2192, "->" },
	{ 0x2194, "<->" }, { 0x2248, "~" },   { 0x2264, "<=" },  { 0x2265, ">=" },
};

static bool is_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

static const char *ascii_for(uint32_t character)
{
	for (size_t i = 0; i < ARRAY_SIZE(fallbacks); i++)
		if (fallbacks[i].character == character)
			return fallbacks[i].ascii;
	return "?";
}

static void add_character(const struct term_writer *term, struct strbuf *out, const char *bytes, size_t len,
			  uint32_t character)
{
	if (character == '\n' || character == '\t')
		strbuf_addch(out, ' ');
	else if (is_control(character))
		strbuf_addf(out, "\\x%02x", character);
	else if (utf8_is_deceptive(character))
		strbuf_addf(out, "\\u%04x", character);
	else if (term->ascii && character >= 0x80)
		strbuf_addstr(out, ascii_for(character));
	else
		strbuf_add(out, bytes, len);
}

void term_clean(const struct term_writer *term, struct strbuf *out, const char *text)
{
	STRBUF_AUTO valid = STRBUF_INIT;
	const char *end;

	if (!text)
		return;
	utf8_clean(&valid, text, strlen(text));
	end = valid.buf + valid.len;
	for (const char *at = valid.buf; at < end;) {
		const char *from = at;
		uint32_t character = utf8_take(&at);

		add_character(term, out, from, (size_t)(at - from), character);
	}
}

void render_clean(struct strbuf *out, const char *text, bool ascii)
{
	const struct term_writer term = { .ascii = ascii };

	term_clean(&term, out, text);
}

void term_clean_cut(const struct term_writer *term, struct strbuf *out, const char *text, size_t max)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	const char *dots = term->ascii ? "..." : "…";
	size_t keep = 0;

	term_clean(term, &clean, text);
	if (utf8_columns(clean.buf) <= max) {
		strbuf_add(out, clean.buf, clean.len);
		return;
	}
	if (max < utf8_columns(dots))
		return;
	for (size_t room = max - utf8_columns(dots); keep < clean.len; keep++) {
		if (((unsigned char)clean.buf[keep] & 0xc0) != 0x80 && !room--)
			break;
	}
	strbuf_add(out, clean.buf, keep);
	strbuf_addstr(out, dots);
}
