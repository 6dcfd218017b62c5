// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/paste.h"

#include "base/text.h"
#include "base/text_scan.h"

/* ---- a blank line after each line */

enum {
	FEWEST = 6,		/* lines in a row that have one: so many paragraphs of a line each nobody writes, */
	FEWEST_OF_ALL = 3,	/* and where no two lines of the text are beside each other */
};

/* From a line on: the next that has text, or nr. */
static size_t next_text(const struct dump_line *lines, size_t nr, size_t from)
{
	while (from < nr && !*lines[from].text)
		from++;
	return from;
}

/*
 * Where the lines end that have a blank one after them, and thrice as many where there was one before. *ret_nr: how
 * many.
 */
static size_t stretch(const struct dump_line *lines, size_t nr, size_t first, size_t *ret_nr)
{
	size_t next = first;

	*ret_nr = 0;
	do {
		first = next;
		next = next_text(lines, nr, first + 1);
		++*ret_nr;
	} while (next < nr && (next - first) % 2 == 0);
	return first + 1;
}

static size_t close_up(struct dump_line *lines, size_t at, size_t end, size_t to)
{
	for (size_t next; at < end; at = next) {
		size_t nr_blank;

		next = next_text(lines, end, at + 1);
		nr_blank = (next - at - 1) / 2;
		for (size_t i = 0; i <= nr_blank; i++)
			lines[to++] = lines[at + i];
	}
	return to;
}

void paste_close_up(struct dump_line *lines, size_t *nr)
{
	const size_t first = next_text(lines, *nr, 0);
	size_t to = 0, end, nr_lines;

	for (size_t at = 0; at < *nr; at = end) {
		end = *lines[at].text ? stretch(lines, *nr, at, &nr_lines) : at + 1;
		if (*lines[at].text && (nr_lines >= FEWEST || (nr_lines >= FEWEST_OF_ALL && at == first &&
								next_text(lines, *nr, end) == *nr)))
			to = close_up(lines, at, end, to);
		else
			while (at < end)
				lines[to++] = lines[at++];
	}
	*nr = to;
}

/* ---- pagers */

/* "lines 1-23", "lines 1-23/45 (END)", "lines 24-46/46 (END)", "lines 1-23/3012 1%" of less. */
static bool is_place(const char *text)
{
	uint64_t number;
	bool fits = true;

	if (!text_begins(text, "lines "))
		return false;
	text += strlen("lines ");
	if (!scan_u64(&text, 10, &number, &fits) || *text++ != '-' || !scan_u64(&text, 10, &number, &fits))
		return false;
	if (*text == '/' && (text++, !scan_u64(&text, 10, &number, &fits)))
		return false;
	if (*text == ' ' && is_digit(text[1])) {
		text++;
		return scan_u64(&text, 10, &number, &fits) && !strcmp(text, "%");
	}
	return !*text || !strcmp(text, " (END)");
}

/* Behind "--More--" or "--More--(12%)" of more, which the next line may follow; NULL: it does not begin so. */
static const char *past_more(const char *text)
{
	size_t digits;

	text = past_blanks(text);
	if (*text != '-' || !text_begins(text, "--More--"))
		return NULL;
	text += strlen("--More--");
	digits = *text == '(' ? strspn(text + 1, "0123456789") : 0;
	return digits && text_begins(text + 1 + digits, "%)") ? text + 1 + digits + 2 : text;
}

static bool is_foot(const char *text)
{
	text = past_blanks(text);
	if (*text == 'l')
		return is_place(text);
	return !strcmp(text, "(END)") || !strcmp(text, "...skipping...");
}

/* Where the text ends on a screen, and what less asks with: by themselves they may be anything. */
static bool is_filler(const char *text)
{
	text = past_blanks(text);
	return (*text == '~' || *text == ':') && !text[1];
}

void paste_drop_pager(struct dump_line *lines, size_t *nr)
{
	bool has_foot = false;
	size_t to = 0;

	for (size_t i = 0; i < *nr && !has_foot; i++)
		has_foot = is_foot(lines[i].text) || past_more(lines[i].text);
	for (size_t i = 0; has_foot && i < *nr; i++) {
		const char *behind = past_more(lines[i].text);

		if (is_foot(lines[i].text) || is_filler(lines[i].text) || (behind && !*past_blanks(behind)))
			continue;
		lines[to] = lines[i];
		if (behind)
			lines[to] = (struct dump_line){ .text = behind, .number = lines[i].number };
		to++;
	}
	*nr = has_foot ? to : *nr;
}
