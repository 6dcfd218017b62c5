// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mail.c - a text as a mail carries it (quoted-printable, RFC 2045): "=" at the end of a line that goes on in the next,
 * and "=3D" for the character itself. Archives of mails and trackers show it so.
 */
#include "base/compat.h"
#include "import/dump/dump.h"

#include "base/text.h"
#include "base/text_scan.h"

/*
 * Columns of a line, with its "="; one that is broken for its length has most of them; so many such lines are no
 * chance.
 */
enum { MAX_COLUMNS = 76, FULL_COLUMNS = 70, FEWEST_FULL = 2 };

/* Not "==" of base64 and of lines that are drawn. */
static bool goes_on(const char *text)
{
	size_t len = strnlen(text, MAX_COLUMNS + 1);

	return len > 1 && len <= MAX_COLUMNS && text[len - 1] == '=' && text[len - 2] != '=';
}

/* A "=" at the end of a line may be its own: there is "=3D", too, or lines are as long as they may be. */
static bool is_quoted_printable(const struct dump_line *lines, size_t nr)
{
	bool is_broken = false, has_sign = false;
	size_t nr_full = 0;

	for (size_t i = 0; i < nr && !(is_broken && has_sign) && nr_full < FEWEST_FULL; i++) {
		bool is_open = i + 1 < nr && goes_on(lines[i].text);

		is_broken |= is_open;
		nr_full += is_open && strlen(lines[i].text) >= FULL_COLUMNS;
		has_sign |= strstr(lines[i].text, "=3D") != NULL;
	}
	return (is_broken && has_sign) || nr_full >= FEWEST_FULL;
}

/* "=3D"; what stands for no ASCII character that one sees stays as it is. */
static void add_decoded(struct strbuf *out, const char *text, size_t len)
{
	for (const char *at = text; at < text + len; at++) {
		int high = *at == '=' && text + len - at > 2 ? hex_digit(at[1]) : -1,
		    low = high < 0 ? -1 : hex_digit(at[2]);
		int value = low < 0 ? 0 : high * 16 + low;

		if (value >= ' ' && value <= '~') {
			strbuf_addch(out, (char)value);
			at += 2;
		} else {
			strbuf_addch(out, *at);
		}
	}
}

void dump_unfold_mail(struct arena *arena, struct dump_line *lines, size_t *nr)
{
	STRBUF_AUTO whole = STRBUF_INIT;
	size_t to = 0;

	if (!is_quoted_printable(lines, *nr))
		return;
	for (size_t i = 0; i < *nr; i++, to++) {
		lines[to] = lines[i];
		if (!strchr(lines[i].text, '='))
			continue;
		strbuf_setlen(&whole, 0);
		while (i + 1 < *nr && goes_on(lines[i].text)) {
			add_decoded(&whole, lines[i].text, strlen(lines[i].text) - 1);
			i++;
		}
		add_decoded(&whole, lines[i].text, strlen(lines[i].text));
		while (whole.len && whole.buf[whole.len - 1] == ' ')
			strbuf_setlen(&whole, whole.len - 1);
		lines[to].text = arena_strdup(arena, whole.buf);
		lines[to].tabbed = NULL;
	}
	*nr = to;
}
