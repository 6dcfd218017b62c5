// SPDX-License-Identifier: GPL-2.0-or-later
/* clean.c - text as a terminal may show it: valid UTF-8 or ASCII, and nothing that steers the terminal. */
#include "base/compat.h"
#include "render/page.h"

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

/* Takes the character text begins with, which is valid UTF-8. */
static uint32_t take_character(const char **text)
{
	const unsigned char *byte = (const unsigned char *)*text;
	size_t more = byte[0] < 0x80 ? 0 : byte[0] < 0xe0 ? 1 : byte[0] < 0xf0 ? 2 : 3;
	uint32_t character = more ? byte[0] & (0x3fu >> more) : byte[0];

	for (size_t i = 1; i <= more; i++)
		character = character << 6 | (byte[i] & 0x3f);
	*text += more + 1;
	return character;
}

static bool is_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

/* Invisible, or turns the direction of what follows: it could make a line read as what it does not say. */
static bool is_deceptive(uint32_t character)
{
	return character == 0xad || character == 0x61c || (character >= 0x200b && character <= 0x200f) ||
	       (character >= 0x2028 && character <= 0x202e) || (character >= 0x2060 && character <= 0x206f) ||
	       character == 0xfeff;
}

static const char *ascii_for(uint32_t character)
{
	for (size_t i = 0; i < ARRAY_SIZE(fallbacks); i++)
		if (fallbacks[i].character == character)
			return fallbacks[i].ascii;
	return "?";
}

static void add_character(const struct page *page, struct strbuf *out, const char *bytes, size_t len,
			  uint32_t character)
{
	if (character == '\n' || character == '\t')
		strbuf_addch(out, ' ');
	else if (is_control(character))
		strbuf_addf(out, "\\x%02x", character);
	else if (is_deceptive(character))
		strbuf_addf(out, "\\u%04x", character);
	else if (page->ascii && character >= 0x80)
		strbuf_addstr(out, ascii_for(character));
	else
		strbuf_add(out, bytes, len);
}

void page_clean(const struct page *page, struct strbuf *out, const char *text)
{
	STRBUF_AUTO valid = STRBUF_INIT;
	const char *end;

	if (!text)
		return;
	utf8_clean(&valid, text, strlen(text));
	end = valid.buf + valid.len;
	for (const char *at = valid.buf; at < end;) {
		const char *from = at;
		uint32_t character = take_character(&at);

		add_character(page, out, from, (size_t)(at - from), character);
	}
}

void render_clean(struct strbuf *out, const char *text, bool ascii)
{
	const struct page page = { .ascii = ascii };

	page_clean(&page, out, text);
}

void page_clean_cut(const struct page *page, struct strbuf *out, const char *text, size_t max)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	const char *dots = page->ascii ? "..." : "…";
	size_t keep = 0;

	page_clean(page, &clean, text);
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
