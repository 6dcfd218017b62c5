// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/man_page.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/document/stamp.h"
#include "import/line/prompt.h"

enum { MOST_PRINTED = 200 }; /* lines of an example */

/* "DF(1)", "zpool-status(8)": its length, or 0. */
static size_t reference_len(const char *text)
{
	size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:+-");
	const char *at = text + name;

	if (!name || *at++ != '(' || !is_digit(*at++))
		return 0;
	while (is_letter_or_digit(*at))
		at++;
	return *at == ')' ? (size_t)(at - text) + 1 : 0;
}

/* The same name to the left and to the right, and what manual it is of between them. */
static bool is_head(const char *text)
{
	size_t len = reference_len(text), whole = strlen(text);

	return len && text_begins(text + len, "  ") && whole > 2 * len && text[whole - len - 1] == ' ' &&
	       !strncmp(text, text + whole - len, len);
}

static size_t next_text(const struct dump_line *lines, size_t nr, size_t i)
{
	while (i < nr && !*lines[i].text)
		i++;
	return i;
}

/* "NAME", "# NAME", and below it "df - report file system space usage": a table's first row has no dash. */
static bool is_name(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *text = lines[i].text;

	if (strcmp(text + strspn(text, "# "), "NAME") != 0)
		return false;
	i = next_text(lines, nr, i + 1);
	return i < nr && (strstr(lines[i].text, " - ") || strstr(lines[i].text, " — ") || strstr(lines[i].text, " – "));
}

/* ".TH DF 1", ".Dt DF 1", ".TH \"ZPOOL\" \"8\"": a page's source, in the macros of man(7) or mdoc(7). */
static bool is_head_of_source(const char *text)
{
	struct text_word words[3];

	if (!text_begins(text, ".TH ") && !text_begins(text, ".Dt "))
		return false;
	return scan_words(text, words, ARRAY_SIZE(words)) == ARRAY_SIZE(words) &&
	       is_digit(words[2].text[*words[2].text == '"']);
}

/* Where the lines end that ".nf" or ".EX" begins there, which are printed as they stand; i: there are none. */
static size_t end_of_print(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const begins[] = { ".nf", ".EX" }, *const ends[] = { ".fi", ".EE" };
	size_t end = i + 1;

	if (!text_is_any(lines[i].text, begins, ARRAY_SIZE(begins)))
		return i;
	for (; end < nr && end - i < MOST_PRINTED; end++) {
		const char *text = lines[end].text;

		if (text_is_any(text, ends, ARRAY_SIZE(ends)))
			return end;
		if (text_is_any(text, begins, ARRAY_SIZE(begins)) || (prompt_command(text) && strchr(text, '@')))
			break;
	}
	return i;
}

/*
 * Commands of the page itself are indented, but not in its source and in Markdown: there only a prompt with a name ends
 * it. Logs in it are indented, too, or between the macros of an example.
 */
static size_t end_of_page(const struct dump_line *lines, size_t nr, size_t i)
{
	bool is_source = strchr("#.", *lines[i].text);

	while (++i < nr) {
		const char *text = lines[i].text;

		i = end_of_print(lines, nr, i);
		if (text != lines[i].text)
			continue;
		if (prompt_command(text) && (!is_source || strchr(text, '@')))
			break;
		if ((is_source || *text != ' ') && stamp_begins(text))
			break;
	}
	return i;
}

/* Where the section ends whose head stands there: what is in it is indented. */
static size_t end_of_examples(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t at = next_text(lines, nr, i + 1), end = 0;

	if (strcmp(lines[i].text, "EXAMPLES") != 0 && strcmp(lines[i].text, "EXAMPLE") != 0)
		return 0;
	for (; at < nr && *lines[at].text == ' '; at = next_text(lines, nr, at + 1))
		end = at + 1;
	return end;
}

bool man_page_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		const char *text = lines[i].text;
		size_t end = 0;

		if (is_head(text) || is_head_of_source(text) || is_name(lines, nr, i))
			end = end_of_page(lines, nr, i);
		else if (*text == 'E')
			end = end_of_examples(lines, nr, i);
		if (!end)
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}
