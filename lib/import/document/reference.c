// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/reference.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/words/sentence.h"

enum {
	MOST_LINES = 400,	/* of a table or section */
	MOST_OF_LIST = 60,	/* lines from the head of a list to one of its points */
};

/* Behind the mark of a list, or a page's; NULL: there is none. */
static const char *past_bullet(const char *text)
{
	const char *mark = past_blanks(text);

	mark += text_begins(mark, "<ul>") ? strlen("<ul>") : 0;
	if (text_begins(mark, "<li>"))
		return past_blanks(mark + strlen("<li>"));
	return *mark && strchr("*-+", *mark) && mark[1] == ' ' ? past_blanks(mark + 1) : NULL;
}

/* The mark of a quotation with words in it, or NULL. */
static const char *quote_in(const char *text)
{
	const char *mark = strpbrk(text, "`\"");

	return mark && mark[1] && strchr(mark + 1, *mark) ? mark : NULL;
}

static bool has_any(const char *begin, const char *end, const char *const *words, size_t nr)
{
	return sentence_has_any((struct span){ begin, end }, words, nr);
}

/* Who tells what came, or what he did about it; of more than one sentence nobody knows. */
static bool is_report(const char *begin, const char *end)
{
	static const char *const words[] = { "I ", "I'", "we ", "my ", "our ", "then", "now", "again", "after",
					     "got ", "saw ", "still" };

	return memchr(begin, ';', (size_t)(end - begin)) || memchr(begin, ':', (size_t)(end - begin)) ||
	       has_any(begin, end, words, ARRAY_SIZE(words));
}

/* "**watcher:** " */
static const char *past_scope(const char *text)
{
	const char *end = text_begins(text, "**") ? strstr(text, ":** ") : NULL;

	return end ? end + strlen(":** ") : text;
}

static bool begins_with_verb(const char *text)
{
	static const char *const verbs[] = { "handle", "fix", "fixes", "fixed", "detect", "recognise", "recognize",
					     "support", "parse", "ignore", "suppress", "match", "treat", "document",
					     "classify", "add support for", "added support for", "add detection of",
					     "added detection of", "added handling of" };

	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		size_t len = strlen(verbs[i]);

		if (!strncasecmp(text, verbs[i], len) && text[len + (text[len] == 's')] == ' ')
			return true;
	}
	return false;
}

/* "… on gpu07": what is to be done there. */
static bool names_node(const char *text)
{
	const char *name = strstr(text, " on ");
	size_t len;

	if (!name)
		return false;
	name += strlen(" on ");
	len = strcspn(name, " .,;)");
	return len && is_digit(name[len - 1]);
}

/* "… is printed; fixed in 550.90.07." behind the message: nothing but the version is below. */
static bool is_fixed_in_version(const char *text)
{
	static const char *const fixed[] = { ": fixed in ", "; fixed in ", ", fixed in ", "(fixed in " };

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		const char *at = strstr(text, fixed[i]);

		if (!at)
			continue;
		at += strlen(fixed[i]);
		if (!is_digit(*at))
			continue;
		at += strspn(at, "0123456789.");
		at += strspn(at, ") .");
		if (!*at || text_begins(at, "</li>"))
			return true;
	}
	return false;
}

/* Is the list one of issues, as its head says? People list what their nodes print, too. */
static bool is_below_release(const struct dump_line *lines, size_t i)
{
	static const char *const heads[] = { "issue", "fixed", "fixes", "release", "changes", "limitation" };
	size_t row;

	for (size_t near = 0; i-- && near < MOST_OF_LIST; near++)
		if (*lines[i].text && !past_bullet(lines[i].text) && lines[i].text[0] != ' ')
			return text_find_row(lines[i].text, heads, sizeof(*heads), ARRAY_SIZE(heads), true, &row);
	return false;
}

/*
 * - Handle `…` (#412), - Fixed an issue where the message "…" was printed, - On some boards, "…" may be logged during
 * boot,
 * - While it is locked, there are benign errors such as `…`.
 * - "…" after resume: fixed in 550.107.02.
 */
static bool is_change(const char *text, bool is_of_release)
{
	static const char *const possible[] = { "may be logged", "may be printed", "might be logged",
						"can be ignored", "may appear", "might appear" };
	static const char *const benign[] = { "benign error", "harmless error", "benign message", "harmless message" };
	static const char *const own[] = { "I ", "we ", "my ", "our ", "still", "again" };
	const char *first = past_bullet(text), *quote, *behind;

	first = first ? past_scope(first) : NULL;
	quote = first ? quote_in(first) : NULL;
	if (!quote || is_report(first, quote))
		return false;
	behind = strrchr(first, *quote) + 1;
	if (names_node(behind))
		return false;
	if (is_fixed_in_version(behind))
		return is_of_release && !has_any(behind, behind + strlen(behind), own, ARRAY_SIZE(own));
	return begins_with_verb(first) || has_any(first, quote, benign, ARRAY_SIZE(benign)) ||
	       has_any(behind, first + strlen(first), possible, ARRAY_SIZE(possible));
}

/* **Q: What does `…` mean?** */
static bool is_question(const char *text)
{
	static const char *const asked[] = { "What do", "What if ", "Why do", "How do", "How can", "Is it ",
					     "Can I " };
	const char *first = text + strspn(text, " *-#>");

	if (!text_begins(first, "Q: ") && !text_begins(first, "Q. "))
		return false;
	return text_begins_any(first + strlen("Q: "), asked, ARRAY_SIZE(asked)) && strchr(first, '?');
}

/* A manual page begins with the section of its name. */
static bool has_name_above(const struct dump_line *lines, size_t i)
{
	for (size_t k = i; k-- && i - k < MOST_LINES;)
		if (!strcmp(lines[k].text, "NAME"))
			return true;
	return false;
}

/* DIAGNOSTICS of a manual page: what is indented below it. */
static size_t end_of_diagnostics(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t end = i + 1;

	if (strcmp(lines[i].text, "DIAGNOSTICS") != 0 || !has_name_above(lines, i))
		return 0;
	while (end < nr && end - i < MOST_LINES && (!*lines[end].text || *lines[end].text == ' '))
		end++;
	return end;
}

/* | Message | Meaning | Action |: a table of a ticket tells where each came, or when. */
static size_t end_of_table(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const columns[] = { "meaning", "explanation", "recommended", "example" };
	static const char *const messages[] = { "message", "error", "log", "xid", "line" };
	static const char *const places[] = { "node", "host", "gpu", "time", "date", "when", "serial", "server",
					      "status", "count", "seen", "where", "machine", "rack", "slot" };
	const char *text = lines[i].text, *stop = text + strlen(text);
	size_t end = i + 1;

	if (*text != '|' || !has_any(text, stop, columns, ARRAY_SIZE(columns)) ||
	    !has_any(text, stop, messages, ARRAY_SIZE(messages)) || has_any(text, stop, places, ARRAY_SIZE(places)))
		return 0;
	while (end < nr && *lines[end].text == '|' && end - i < MOST_LINES)
		end++;
	return end;
}

/* The caption of a table as pages have it: "Table 3 Uncorrectable ECC Errors XID Log Examples#" */
static bool is_caption(const char *text)
{
	return text_begins(text, "Table ") && is_digit(text[strlen("Table ")]);
}

/* One of examples of lines, a cell to a line: up to the next caption, or the heading of the next section. */
static size_t end_of_examples(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t end = i + 1, len;

	if (!is_caption(lines[i].text) || !strstr(lines[i].text, "Log Examples"))
		return 0;
	for (; end < nr && end - i < MOST_LINES && !is_caption(lines[end].text); end++) {
		len = strlen(lines[end].text);
		if (len > 1 && lines[end].text[len - 1] == '#')
			break;
	}
	return end;
}

bool reference_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		size_t end = end_of_diagnostics(lines, nr, i);

		if (!end)
			end = end_of_table(lines, nr, i);
		if (!end)
			end = end_of_examples(lines, nr, i);
		if (!end && !is_change(lines[i].text, is_below_release(lines, i)) && !is_question(lines[i].text))
			continue;
		*ret = (struct left_out){ .begin = i, .end = end ? end : i + 1 };
		return true;
	}
	return false;
}
