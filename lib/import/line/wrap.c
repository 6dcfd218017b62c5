// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wrap.c - copied from a terminal, a long line is pieces of exactly the terminal's columns, and what is left. The width
 * is told by the text: no line is longer, and those of that length are followed by what begins like no line of their
 * kind. Rows of tables, and lists whose lines are equally long, are followed by what begins like them.
 */
#include "base/compat.h"
#include "import/line/wrap.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/line/prompt.h"

enum {
	NARROWEST = 60,
	WIDEST = 250,
	USUAL = 80,		/* columns of a terminal: one break is enough to see that it is so wide, */
	FEWEST = 3,		/* and of others so many, fewer if nothing else is amid words or closes a bracket */
	MAX_LINES = 1 << 16,	/* of a text: longer ones are files */
	MARKS = 3,		/* between the words that a line begins with */
	RULE = 12,		/* signs of one kind at its beginning: a line is drawn */
};

struct text {
	struct dump_line *lines;
	size_t nr;
	uint16_t *columns;	/* of each line, WIDEST + 1 of what is longer */
	size_t width;
	bool is_sure;		/* that it is: then a line with one column less has lost the blank at its end */
};

static bool has_tab(const struct dump_line *line)
{
	return line->tabbed && strchr(line->tabbed, '\t');
}

/* With the blanks at its end, on which it may have been broken. */
static const char *whole(const struct dump_line *line)
{
	return line->tabbed && !has_tab(line) ? line->tabbed : line->text;
}

static uint16_t columns_of(const char *text)
{
	uint16_t ret = 0;

	for (; *text && ret <= WIDEST; text++)
		ret += ((unsigned char)*text & 0xc0) != 0x80;
	return ret;
}

static char last_of(const char *text)
{
	size_t len = strlen(text);

	return len ? text[len - 1] : '\0';
}

/* ---- what a line may be */

static bool is_of_word(char c)
{
	return is_letter_or_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_row(const char *text)
{
	text = past_blanks(text);
	return *text == '|' || *text == '+' || is_box_sign(text);
}

/* Of a row, and of a line that is drawn around one. */
static bool ends_row(const char *text)
{
	size_t len = strlen(text);

	return last_of(text) == '|' || last_of(text) == '+' || (len > 2 && is_box_sign(text + len - 3));
}

static bool ends_filled(const char *text)
{
	size_t len = strlen(text);

	return len > 1 && text[len - 1] == ' ' && text[len - 2] == ' ';
}

/* "=========": the sign, or NUL. */
static char rule_of(const char *text)
{
	size_t nr = 0;

	if (is_of_word(*text) || *text == ' ')
		return '\0';
	while (*text && text[nr] == *text)
		nr++;
	return nr >= RULE ? *text : '\0';
}

static size_t word_length(const char *text)
{
	size_t len = 0;

	while (is_of_word(text[len]))
		len++;
	return len;
}

/* Between words: how many characters are none of a word's. */
static size_t mark_length(const char *text)
{
	size_t len = 0;

	while (text[len] && !is_of_word(text[len]))
		len++;
	return len;
}

/* "GPU3" and "GPU4", "Link" and "Link", "DCGM_FI_DEV_XID_ERRORS" and "DCGM_FI_DEV_SM_CLOCK". */
static bool are_words_alike(const char *a, size_t len_a, const char *b, size_t len_b)
{
	enum { LONG = 6 };
	size_t same = 0;

	while (same < len_a && same < len_b && (a[same] == b[same] || (is_digit(a[same]) && is_digit(b[same]))))
		same++;
	return !is_digit(*a) && ((same > 2 && same == len_a && same == len_b) || same >= LONG);
}

/*
 * "2026-05-01T10:11:12 a: …" and "2026-05-01T10:11:13 b: …", but not two sentences, nor a line and what is left of it
 */
static bool begin_alike(const char *a, const char *b)
{
	size_t len_a = word_length(a), len_b = word_length(b);
	bool is_of_words = true;

	if (are_words_alike(a, len_a, b, len_b))
		return true;
	if (len_a != len_b && (strspn(a, "0123456789") < len_a || strspn(b, "0123456789") < len_b))
		return false;
	for (size_t i = 0; i < MARKS; i++) {
		size_t len;

		if (!word_length(a) != !word_length(b))
			return false;
		a += word_length(a);
		b += word_length(b);
		len = mark_length(a);
		if (!len || len != mark_length(b) || strncmp(a, b, len) != 0)
			return false;
		is_of_words &= len == 1 && *a == ' ';
		a += len;
		b += len;
	}
	return !is_of_words;
}

/*
 * Where columns of a table begin, behind blanks that fill them: rows of one table have the same, what is left of a row
 * has not.
 */
static bool have_columns_alike(const char *a, const char *b)
{
	enum { FEWEST_COLUMNS = 3 };
	int nr = 0;

	for (size_t i = 0; a[i] && b[i]; i++)
		nr += i >= 2 && a[i] != ' ' && b[i] != ' ' && !strncmp(&a[i - 2], "  ", 2) &&
		      !strncmp(&b[i - 2], "  ", 2);
	return nr >= FEWEST_COLUMNS;
}

/* "[   12.345678] ", "2026-05-01 10:11:12", "May  1 10:11:12 node7": a line of a log. Not what is left of a date. */
static bool has_stamp(const char *text)
{
	enum { WITHIN = 24 };
	size_t digits = strspn(text, "0123456789");

	if (*text == '[' && is_digit(*past_blanks(text + 1)))
		return true;
	if (digits && digits < 4 && (digits < 2 || !strchr(":/-.", text[digits])))
		return false;
	return text_has_clock(text, text + strnlen(text, WITHIN));
}

/* With a command behind it: without one it may as well be the end of a tag, unless it names a machine. */
static bool is_prompt(const char *text)
{
	const char *command = prompt_command(text);

	return command && (*command || (strchr(text, '@') && !strpbrk(text, "<> \"'")));
}

/* ---- between two lines */

/* Broken within a word or at a blank, where no sentence ends and none begins. */
static bool is_amid(const char *line, const char *next)
{
	char last = last_of(line);

	if (last == ' ')
		return true;
	if (strchr("[{<\"'", *next) || (strchr("-*# ", *next) && next[1] == ' ') ||
	    (strchr(".:;!?)", last) && !is_digit(*next)))
		return false;
	return *next < 'A' || *next > 'Z' || (last >= 'A' && last <= 'Z') || last == '_' || last == '/';
}

/* A text in JSON, of which each of the lines has one end. */
static bool closes_quote(const char *line, const char *next)
{
	size_t nr[2] = { 0 };

	for (const char *at = line; *at; at++)
		nr[0] += *at == '"';
	for (const char *at = next; *at; at++)
		nr[1] += *at == '"';
	return nr[0] % 2 && nr[1] % 2 && (strstr(line, "\": \"") || strstr(line, "\":\""));
}

/* "(UUID: GPU-11" and "111111)": a bracket is open, and the next line closes it before it opens any. */
static bool closes_bracket(const char *line, const char *next)
{
	static const char brackets[] = "()[]";
	char last = last_of(line);

	for (size_t i = 0; i < strlen(brackets); i += 2) {
		const char *open = strrchr(line, brackets[i]), *close = strrchr(line, brackets[i + 1]);
		const char *closing = strchr(next, brackets[i + 1]), *opening = strchr(next, brackets[i]);

		/* In code and JSON a line ends with it. */
		if (open && (!close || close < open) && closing && (!opening || closing < opening))
			return !strchr("([,;", last);
	}
	return closes_quote(line, next);
}

/* ---- pieces */

/* What ends as a row and begins as none is what is left of one: blanks at the end of its first piece are often lost. */
static bool row_goes_on(const struct text *text, size_t first, size_t at)
{
	const char *last = whole(&text->lines[at]), *next = text->lines[at + 1].text;

	if (ends_row(next) && !is_row(next))
		return at == first || text->columns[at] == text->width;
	if (text->columns[at] < text->width || ends_row(last))
		return false;
	return ends_row(next) ? text->columns[at + 1] < text->width : !is_row(next);
}

/* With one column less than the width: the blank at its end. */
static bool lost_blank(const struct text *text, size_t at)
{
	return text->columns[at] + 1U == text->width && is_amid(whole(&text->lines[at]), text->lines[at + 1].text);
}

/* A line of gpu-burn's progress, which it ends with a blank: as long as one that was broken there. */
static bool is_whole_progress(const char *begin, const char *last, const char *next)
{
	size_t len = strlen(last);

	while (len && last[len - 1] == ' ')
		len--;
	return len > 2 && !strncmp(last + len - 2, " C", 2) && *next != '-' && strstr(begin, "proc'd: ");
}

/* "50.0%  proc'd: …": it begins one. */
static bool begins_progress(const char *text)
{
	text += strspn(text, ".0123456789");
	return *text == '%' && text_begins(past_blanks(text + 1), "proc'd: ");
}

/* Is the next line what is left of this one, the last piece so far of the line that begins with `first`? */
static bool goes_on(const struct text *text, size_t first, size_t at)
{
	const char *begin = text->lines[first].text, *last = whole(&text->lines[at]), *next;
	char rule = rule_of(begin);

	if (text->columns[at] > text->width || at + 1 == text->nr || !*text->lines[at + 1].text)
		return false;
	if (is_row(begin))
		return row_goes_on(text, first, at);
	/* A terminal makes blanks of tabs. */
	if (text->columns[at] < text->width && !(text->is_sure && lost_blank(text, at)))
		return false;
	if (has_tab(&text->lines[at]) || has_tab(&text->lines[at + 1]))
		return false;
	next = text->lines[at + 1].text;
	if (begins_progress(next) || is_whole_progress(begin, last, next))
		return false;
	if (rule)
		return text->columns[at + 1] < text->width && last_of(next) == rule;
	/* Indentation, but for blanks between columns that were broken. */
	if (*next == ' ' && (strspn(next, " ") == strspn(begin, " ") || (next[1] == ' ' && last_of(last) != ' ')))
		return false;
	/* A list below a heading that is as long by chance. */
	if (at + 2 < text->nr && text->columns[at + 1] < text->width && begin_alike(next, text->lines[at + 2].text))
		return false;
	return !(is_row(next) && ends_row(next)) && (!rule_of(next) || last_of(last) == *next) && !has_stamp(next) &&
	       !begin_alike(begin, next) && !have_columns_alike(begin, next) && !is_prompt(next);
}

static size_t pieces(const struct text *text, size_t first)
{
	size_t at = first;

	while (goes_on(text, first, at))
		at++;
	return at - first + 1;
}

/* ---- the width */

/* Had the first word of the next line no room in this one? Then somebody broke a sentence at its blanks. */
static bool is_broken_at_blank(const struct text *text, size_t first, size_t at)
{
	const size_t columns = text->columns[at], longest_word = 16;
	const char *begin = text->lines[first].text, *next = at + 1 < text->nr ? text->lines[at + 1].text : "";
	size_t len = strcspn(next, " ");

	return columns < text->width && columns + longest_word > text->width && len &&
	       columns + 1 + len > text->width && !is_row(begin) && !rule_of(begin) && !is_row(next) &&
	       !rule_of(next) && !has_stamp(next) && !begin_alike(begin, next);
}

/* What shows that a terminal of that width broke lines, and that none did. */
struct evidence {
	size_t nr_good, nr_amid, nr_closed, nr_sure, nr_bad, nr_at_blanks;
	const char *last_good, *last_bad;	/* lines that are the same count once */
};

static void take_evidence(const struct text *text, size_t first, size_t nr_pieces, struct evidence *ret)
{
	const struct dump_line *line = &text->lines[first];
	size_t last = first + nr_pieces - 1;

	ret->nr_at_blanks += is_broken_at_blank(text, first, last);
	/* What is filled up to one width looks like pieces without an end. */
	if (text->columns[last] == text->width) {
		ret->nr_bad += !ends_row(whole(&text->lines[last])) && !rule_of(line->text) &&
			       strcmp(line->text, ret->last_bad) != 0;
		ret->last_bad = line->text;
	} else if (nr_pieces > 1 && strcmp(line->text, ret->last_good) != 0) {
		bool is_good = text->width == USUAL || !ends_filled(whole(line));

		ret->nr_good += is_good ? nr_pieces - 1 : 0;
		for (size_t i = 0; is_good && i + 1 < nr_pieces; i++) {
			bool amid = is_amid(whole(&line[i]), line[i + 1].text);
			bool closes = closes_bracket(line[i].text, line[i + 1].text);

			ret->nr_amid += amid;
			ret->nr_closed += closes;
			ret->nr_sure += amid || closes;
		}
		ret->last_good = line->text;
	}
}

static bool is_width(const struct text *text)
{
	struct evidence is = { .last_good = "", .last_bad = "" };

	for (size_t i = 0, nr_pieces; i < text->nr; i += nr_pieces) {
		nr_pieces = pieces(text, i);
		take_evidence(text, i, nr_pieces, &is);
	}
	if (is.nr_at_blanks * 2 > is.nr_good + 1)
		return false;
	if (text->width == USUAL && is.nr_amid)
		return is.nr_bad * 2 <= is.nr_good;
	if (!is.nr_bad && is.nr_sure == is.nr_good && (is.nr_good > 1 || is.nr_closed))
		return true;
	return is.nr_good >= (size_t)FEWEST && is.nr_bad * 3 <= is.nr_good;
}

/* "------------ ---------- ---------- ": the columns of a table, each of whose rows is as long, as of sacct. */
static bool is_rule_of_columns(const char *text)
{
	return text_begins(text, "---") && strchr(text, ' ') && !text[strspn(text, "- ")];
}

/* Where each line is indented, the blanks are somebody's own if they do not fit a terminal that is as wide as usual. */
static size_t find_width(struct text *text)
{
	size_t nr_of[WIDEST + 2] = { 0 }, nr_longer;
	bool is_indented = true, is_of_table[WIDEST + 2] = { false }, may_be;

	for (size_t i = 0; i < text->nr; i++) {
		nr_of[text->columns[i]]++;
		is_of_table[text->columns[i]] |= is_rule_of_columns(whole(&text->lines[i]));
		is_indented &= strchr(" ", *text->lines[i].text) != NULL;
	}
	nr_longer = nr_of[WIDEST + 1];
	for (text->width = WIDEST; text->width >= NARROWEST; text->width--) {
		/* People's own sentences may be longer. */
		if (nr_longer > 2 + text->nr / 50)
			break;
		may_be = text->width == USUAL ? nr_of[USUAL] > 0 : !is_indented && nr_of[text->width];
		if (may_be && !is_of_table[text->width] && is_width(text))
			return text->width;
		nr_longer += nr_of[text->width];
	}
	return 0;
}

/* ---- the whole */

static void glue(struct arena *arena, const struct text *all, size_t first, size_t nr, struct dump_line *ret)
{
	const struct dump_line *lines = &all->lines[first];
	STRBUF_AUTO text = STRBUF_INIT;
	size_t len;

	for (size_t i = 0; i < nr; i++) {
		strbuf_addstr(&text, whole(&lines[i]));
		if (i + 1 < nr)
			strbuf_addchars(&text, ' ', all->width - all->columns[first + i]);
	}
	len = text.len;
	while (len && text.buf[len - 1] == ' ')
		len--;
	*ret = (struct dump_line){
		.text = arena_strndup(arena, text.buf, len),
		.tabbed = len < text.len ? arena_strdup(arena, text.buf) : NULL,
		.number = lines->number,
	};
}

void wrap_undo(struct arena *arena, struct dump_line *lines, size_t *nr)
{
	struct text text = { .lines = lines, .nr = *nr };
	size_t to = 0;

	if (*nr > MAX_LINES)
		return;
	text.columns = malloc((*nr + 1) * sizeof(*text.columns));
	if (!text.columns)
		abort();
	for (size_t i = 0; i < *nr; i++)
		text.columns[i] = columns_of(whole(&lines[i]));
	text.is_sure = find_width(&text);
	if (text.is_sure) {
		for (size_t i = 0, nr_pieces; i < *nr; i += nr_pieces, to++) {
			nr_pieces = pieces(&text, i);
			if (nr_pieces == 1)
				lines[to] = lines[i];
			else
				glue(arena, &text, i, nr_pieces, &lines[to]);
		}
		*nr = to;
	}
	free(text.columns);
}
