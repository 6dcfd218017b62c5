// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clean.c - the lines of a dump as its tool wrote them: without the colours, quoting, code fences and carriage returns
 * that terminals, mails and trackers add. Each keeps the number it had in the file.
 */
#include "base/compat.h"
#include "import/dump/dump.h"
#include "import/line/attachment.h"
#include "import/line/bar_quote.h"
#include "import/line/fence.h"
#include "import/line/markup.h"
#include "import/line/paste.h"
#include "import/line/quote.h"
#include "import/line/wrap.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	TAB_COLUMNS = 8,
	MAX_LINE_BYTES = 1 << 20,	/* of one line: the rest of it is dropped */
	MAX_LINES = 8 * 1000 * 1000,	/* of one text: 400 MB of a log; the rest is left out */
};

/* ---- encodings */

/* PowerShell writes UTF-16 with a byte order mark. */
static bool is_utf16(const struct dump_text *text, bool *ret_big_endian)
{
	const unsigned char *bytes = (const unsigned char *)text->bytes;

	if (text->len < 2 || !((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)))
		return false;
	*ret_big_endian = bytes[0] == 0xfe;
	return true;
}

static unsigned unit_at(const struct dump_text *text, bool big_endian, size_t at)
{
	const unsigned char *bytes = (const unsigned char *)text->bytes;

	if (at + 1 >= text->len)
		return 0;
	return big_endian ? (unsigned)bytes[at] << 8 | bytes[at + 1] : (unsigned)bytes[at + 1] << 8 | bytes[at];
}

/* As UTF-8; half of a pair of surrogates (RFC 2781) is a "?". */
static char *narrow(struct arena *arena, const struct dump_text *text, bool big_endian, size_t *ret_len)
{
	STRBUF_AUTO out = STRBUF_INIT;

	for (size_t i = 2; i + 1 < text->len; i += 2) {
		unsigned unit = unit_at(text, big_endian, i), next = unit_at(text, big_endian, i + 2);

		if (unit < 0x80) {
			strbuf_addch(&out, (char)unit);
		} else if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
			utf8_add(&out, 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00));
			i += 2;
		} else {
			utf8_add(&out, unit >= 0xd800 && unit < 0xe000 ? '?' : unit);
		}
	}
	*ret_len = out.len;
	return arena_strndup(arena, out.buf, out.len);
}

/* ---- a line */

/* Where an escape sequence that begins at `at` ends: CSI, OSC, or two characters. */
static const char *past_escape(const char *at, const char *end)
{
	if (++at == end)
		return end;
	if (*at == ']') {
		while (at < end && *at != '\a' && !(*at == '\\' && at[-1] == '\033'))
			at++;
		return at < end ? at + 1 : end;
	}
	if (*at++ != '[')
		return at;
	while (at < end && (unsigned char)*at < 0x40)
		at++;
	return at < end ? at + 1 : end;
}

/* Blanks for tabs, and nothing at its end. false: it had neither. */
static bool expand(const char *text, struct strbuf *out)
{
	const char *at = text;

	strbuf_setlen(out, 0);
	for (;;) {
		size_t len = strcspn(at, "\t");

		strbuf_add(out, at, len);
		at += len;
		if (!*at++)
			break;
		strbuf_addchars(out, ' ', TAB_COLUMNS - out->len % TAB_COLUMNS);
	}
	while (out->len && out->buf[out->len - 1] == ' ')
		strbuf_setlen(out, out->len - 1);
	return strcmp(out->buf, text) != 0;
}

/* A no-break space (U+00A0), as web pages have it for indentation. */
static bool is_nbsp(const char *at, const char *end)
{
	return end - at > 1 && (unsigned char)at[0] == 0xc2 && (unsigned char)at[1] == 0xa0;
}

/* "can\xe2\x80\x99t": the apostrophe that word processors and forums put for the plain one. */
static const char curly[] = "\xe2\x80\x99";

static bool is_apostrophe(const char *begin, const char *at, const char *end)
{
	return at > begin && is_letter_or_digit(at[-1]) && end - at > (ptrdiff_t)strlen(curly) &&
	       !strncmp(at, curly, strlen(curly)) && is_letter_or_digit(at[strlen(curly)]);
}

/* Of what is behind a backslash that Markdown puts before its own signs: "nvidia\_smi", "\[  12.3\]", "\*ERROR\*". */
static bool is_markdown_sign(char c)
{
	return c && strchr("_*[]|<>~`#", c);
}

/* Where what is to be copied as it stands ends: almost always at the end. */
static const char *past_plain(const char *at, const char *end)
{
	for (; at < end; at++) {
		unsigned char c = (unsigned char)*at;

		if ((c < 0x20 && c != '\t') || c == 0x7f || c == 0xc2 || c == 0xe2 || c == '&' || c == '\\')
			break;
	}
	return at;
}

/* Without what a terminal does with it; a backspace takes back the character before it. */
static void clean_line(const char *at, const char *end, struct strbuf *out)
{
	/* Where tags stand, as in XML, entities are what keeps them apart from text. */
	bool has_tags;
	const char *begin = at;

	strbuf_setlen(out, 0);
	if (end - at > MAX_LINE_BYTES)
		end = at + MAX_LINE_BYTES;
	has_tags = memchr(at, '<', (size_t)(end - at));
	while (at < end) {
		const char *plain = past_plain(at, end);

		strbuf_add(out, at, (size_t)(plain - at));
		at = plain;
		if (at == end)
			return;
		if (*at == '\033') {
			at = past_escape(at, end);
		} else if (is_nbsp(at, end)) {
			strbuf_addch(out, ' ');
			at += 2;
		} else if (is_apostrophe(begin, at, end)) {
			strbuf_addch(out, '\'');
			at += strlen(curly);
		} else if (*at == '&' && !has_tags && dump_take_entity(&at, end, out)) {
			continue;
		} else if (*at == '\\' && end - at > 1) {
			/* A backslash before another one is no Markdown's but a string's, as is what follows both. */
			if (!is_markdown_sign(at[1]))
				strbuf_addch(out, '\\');
			strbuf_addch(out, at[1]);
			at += 2;
		} else if (*at == '\b') {
			strbuf_setlen(out, out->len ? out->len - 1 : 0);
			at++;
		} else if (((unsigned char)*at < 0x20 && *at != '\t') || *at == 0x7f) {
			at++;
		} else {
			strbuf_addch(out, *at++);
		}
	}
}

/* ---- the text as a whole */

static const char *line_end(const char *at, const char *end)
{
	const char *feed = memchr(at, '\n', (size_t)(end - at));

	return feed ? feed : end;
}

/* "2022/12/19 07:04:53 …": how programs in Go log, and hardly an example of a source. */
static bool begins_with_go_time(const char *text)
{
	return text_begins_like(text, "0000/00/00 00:00:00 ");
}

/* "# |   0  Tesla T4 …", "// +----": a table or a log that was pasted into a program or a script, as a comment. */
static const char *uncommented(const char *text)
{
	const char *first = text + strspn(text, " "), *at = first + (*first == '#'	       ? 1
								     : strncmp(first, "//", 2) ? 0
											       : 2);

	if (at == first)
		return text;
	at += *at == ' ';
	return *at == '|' || !strncmp(at, "+--", 3) || !strncmp(at, "===", 3) || begins_with_go_time(at) ? at : text;
}

/* "  --> NVRM: …": people point at a line so. */
static const char *past_arrow(const char *text)
{
	const char *first = text + strspn(text, " ");

	return !strncmp(first, "--> ", 4) ? first + 4 : text;
}

/*
 * A progress bar writes over its line: what stands after the last carriage return is what one saw. Those at the end of
 * the line are gone. gpu-burn counts errors only since it wrote the line before: of these all are kept.
 */
static const char *past_overwritten(const char *at, const char *end)
{
	static const char progress[] = "proc'd: ";
	const char *cr = memrchr(at, '\r', (size_t)(end - at));

	return cr && !memmem(at, (size_t)(end - at), progress, strlen(progress)) ? cr + 1 : at;
}

static size_t count_lines(const char *at, const char *end, bool *ret_is_cut)
{
	size_t nr = 0;

	for (; at < end && nr < MAX_LINES; at = line_end(at, end) + 1)
		nr++;
	*ret_is_cut = at < end;
	return nr;
}

/* Text that an issue indents by four blanks to show it as code has no line with fewer, but for empty ones. */
static size_t common_indent(const struct dump_line *lines, size_t nr)
{
	size_t ret = SIZE_MAX;

	for (size_t i = 0; i < nr && ret; i++) {
		size_t indent = strspn(lines[i].text, " ");

		if (lines[i].text[indent] && indent < ret)
			ret = indent;
	}
	return ret == SIZE_MAX ? 0 : ret;
}

static void strip_common_indent(struct dump_line *lines, size_t nr)
{
	size_t common = common_indent(lines, nr);

	for (size_t i = 0; common && i < nr; i++) {
		if (*lines[i].text)
			lines[i].text += common;
		if (lines[i].tabbed && strspn(lines[i].tabbed, " ") >= common)
			lines[i].tabbed += common;
	}
}

/*
 * "MESSAGE=…   ": a blank at the end of a line tells that a word was not broken there; at the end of each line it tells
 * nothing, as where a window was copied with its right margin.
 */
static void strip_common_end(struct dump_line *lines, size_t nr, struct arena *arena)
{
	for (size_t i = 0; i < nr; i++)
		if (*lines[i].text && (!lines[i].tabbed || lines[i].tabbed[strlen(lines[i].tabbed) - 1] != ' '))
			return;
	for (size_t i = 0; i < nr; i++) {
		const char *tabbed = lines[i].tabbed;
		size_t len = tabbed ? strlen(tabbed) : 0;

		while (len && tabbed[len - 1] == ' ')
			len--;
		lines[i].tabbed = len && memchr(tabbed, '\t', len) ? arena_strndup(arena, tabbed, len) : NULL;
	}
}

/* What people, mails and terminals did to the lines as a whole. */
static void unfold(struct arena *arena, struct dump_line *lines, size_t *nr)
{
	size_t before;

	bar_quote_undo(lines, *nr);
	paste_close_up(lines, nr);
	paste_drop_pager(lines, nr);
	strip_common_end(lines, *nr, arena);
	/* Blanks that the terminal showed count for its width, and those that an issue has before each line do not. */
	if (common_indent(lines, *nr)) {
		wrap_undo(arena, lines, nr);
		strip_common_indent(lines, *nr);
	}
	before = *nr;
	dump_unfold_mail(arena, lines, nr);
	/* A mail's lines have no terminal's width. */
	if (*nr < before)
		return;
	wrap_undo(arena, lines, nr);
	if (*nr < before)
		strip_common_indent(lines, *nr);
}

/* ---- lines that stand as they are */

/* Printable ASCII without "&": next to all lines of a dump are nothing else. */
static bool is_printable(const char *at, const char *end)
{
	enum { VECTOR_BYTES = 16 };
	typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES)));
	union { vector bytes; uint64_t halves[2]; } others = { .halves = { 0 } };
	bool ret = true;

	for (; end - at >= VECTOR_BYTES; at += VECTOR_BYTES) {
		vector bytes;

		memcpy(&bytes, at, sizeof(bytes));
		others.bytes |= (vector)(bytes - ' ' > '~' - ' ') | (vector)(bytes == '&');
	}
	for (; at < end; at++)
		ret &= *at >= ' ' && *at <= '~' && *at != '&';
	return ret && !(others.halves[0] | others.halves[1]);
}

/* Would cleaning leave it as it is? Not what may be quoted, commented or fenced, nor what has blanks at its end. */
static bool is_clean(const char *at, const char *end)
{
	for (const char *sign = at; (sign = memchr(sign, '\\', (size_t)(end - sign))) && end - sign > 1; sign += 2)
		if (is_markdown_sign(sign[1]))
			return false;
	if (end - at > MAX_LINE_BYTES || (end > at && (*at == '>' || end[-1] == ' ')) || !is_printable(at, end))
		return false;
	if (end > at && end[-1] == '>' && markup_inside(&at, &end))
		return false;
	while (at < end && *at == ' ')
		at++;
	if (end - at > 3 && !memcmp(at, "-->", 3))
		return false;
	return at == end || (!strchr("#/`~", *at) && (*at != '<' || !markup_inside(&at, &end)));
}

/* Everything kept ends in JSON, which is UTF-8. */
static const char *kept(struct arena *arena, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	if (!*text || fence_is(text))
		return "";
	if (utf8_valid(text, strlen(text)))
		return arena_strdup(arena, text);
	utf8_clean(&clean, text, strlen(text));
	return arena_strdup(arena, clean.buf);
}

/* A line of which something has to go; its buffers are two that serve all lines. */
static void clean(struct arena *arena, const char *at, const char *end, struct strbuf bufs[2], struct dump_line *ret)
{
	const char *text;
	bool differs;

	at = quote_past_blank_ones(past_overwritten(at, end));
	ret->begins_question = markup_has_class(at, end, "question");
	ret->begins_accepted = markup_has_class(at, end, "answer") &&
			       (markup_has_class(at, end, "accepted") || markup_has_class(at, end, "accepted-answer"));
	markup_inside(&at, &end);
	clean_line(at, end, &bufs[0]);
	text = quote_past_blank_ones(bufs[0].buf);
	text = past_arrow(uncommented(fence_past_glued(bufs[0].buf + (text - bufs[0].buf))));
	differs = expand(text, &bufs[1]);
	ret->is_fence = fence_is(bufs[1].buf);
	ret->text = kept(arena, bufs[1].buf);
	ret->tabbed = differs ? kept(arena, text) : NULL;
}

/*
 * The text is one of the arena's: lines that stand as they are end in it where their line feed was. numbers: which
 * lines of the file they are; NULL: they count from 1.
 */
static struct dump_line *lines_of(struct arena *arena, char *at, char *end, const unsigned *numbers, size_t *ret_nr,
				  bool *ret_is_cut)
{
	size_t nr = count_lines(at, end, ret_is_cut);
	struct dump_line *lines = arena_alloc(arena, (nr + 1) * sizeof(*lines));
	struct strbuf bufs[2] = { STRBUF_INIT, STRBUF_INIT };
	struct quote quote = { .begin = at };
	struct fence fence = { .is_open = false };

	for (size_t i = 0; i < nr; i++) {
		char *feed = memchr(at, '\n', (size_t)(end - at)), *stop = feed ? feed : end,
		     *next = feed ? feed + 1 : end;

		lines[i].number = numbers ? numbers[i] : (unsigned)i + 1;
		while (stop > at && stop[-1] == '\r')
			stop--;
		if (is_clean(at, stop)) {
			*stop = '\0';
			lines[i].text = at;
		} else {
			const char *first = quote_past_close_ones(&quote, at, end);

			clean(arena, first, stop, bufs, &lines[i]);
			if (lines[i].is_fence)
				fence_next(&fence, lines, i, first);
		}
		at = next;
	}
	strbuf_release(&bufs[0]);
	strbuf_release(&bufs[1]);
	unfold(arena, lines, &nr);
	lines = dump_unfold_html(arena, lines, &nr);
	*ret_nr = nr;
	return lines;
}

/* The bytes where they may be written to, and live as long as the arena. */
static char *own_bytes(struct arena *arena, const struct dump_text *text)
{
	char *ret;

	if (!text->own)
		return arena_strndup(arena, text->bytes, text->len);
	ret = strbuf_detach(text->own);
	arena_adopt(arena, ret);
	return ret;
}

/* Lines that end as on an old Mac: a text without a line feed is no progress bar. */
static void end_lines(char *bytes, size_t len)
{
	char *feed = memchr(bytes, '\n', len);

	if (feed && feed + 1 < bytes + len)
		return;
	for (char *at = bytes; (at = memchr(at, '\r', (size_t)(bytes + len - at)));)
		*at = '\n';
}

struct dump_line *dump_clean(struct arena *arena, const struct dump_text *text, size_t *ret_nr, bool *ret_is_cut)
{
	size_t len = text->len, mark = len >= 3 && !memcmp(text->bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
	const unsigned *numbers = NULL;
	bool big_endian;
	char *bytes, *unfolded;

	if (is_utf16(text, &big_endian)) {
		bytes = narrow(arena, text, big_endian, &len);
		end_lines(bytes, len);
		return lines_of(arena, bytes, bytes + len, NULL, ret_nr, ret_is_cut);
	}
	bytes = own_bytes(arena, text);
	end_lines(bytes, len);
	unfolded = attachment_unfold(arena, bytes, len, &len, &numbers);
	if (unfolded)
		return lines_of(arena, unfolded, unfolded + len, numbers, ret_nr, ret_is_cut);
	return lines_of(arena, bytes + mark, bytes + len, NULL, ret_nr, ret_is_cut);
}
