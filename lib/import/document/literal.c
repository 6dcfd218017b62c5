// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/literal.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_LINES = 400,	/* of one literal: what does not end by then is something else */
};

/* ---- of several lines: between two marks */

static const struct mark { const char *open, *close; } marks[] = {
	{ "\"\"\"", "\"\"\"" }, { "'''", "'''" }, { "R\"(", ")\"" }, { "r#\"", "\"#" }, { "`", "`" },
};

static size_t count_of(const char *text, const char *mark)
{
	size_t ret = 0;

	for (const char *at = text; (at = strstr(at, mark)); at += strlen(mark))
		ret++;
	return ret;
}

/* "input: ", "name =": nothing but a name stands before the sign that ends there. */
static bool is_name_before(const char *text, const char *sign)
{
	const char *first = past_blanks(text);

	if (first == sign || is_digit(*first))
		return false;
	while (first < sign && (is_letter_or_digit(*first) || *first == '_'))
		first++;
	return first == sign;
}

/* What a source has before a string: "text = ", "parse(", "input: ", "return ". */
static bool expects_string(const char *text, const char *at)
{
	while (at > text && strchr("rbfu", at[-1]) && (at - 1 == text || !is_letter_or_digit(at[-2])))
		at--;
	while (at > text && at[-1] == ' ')
		at--;
	if (at == text)
		return false;
	if (at[-1] == '=' || at[-1] == '(')
		return true;
	/* The field of a record, which is indented in it. */
	if (at[-1] == ':')
		return *text == ' ' && is_name_before(text, at - 1);
	return at - text >= 6 && !strncmp(at - 6, "return", 6) && past_blanks(text) == at - 6;
}

/* The text that says what a function or class of Python does is the first line below its head. */
static bool is_below_head(const struct dump_line *lines, size_t i)
{
	static const char *const heads[] = { "def ", "class ", "async def " };
	const char *above = i ? past_blanks(lines[i - 1].text) : "";
	size_t len = strlen(above);

	return len && above[len - 1] == ':' &&
	       (text_begins_any(above, heads, ARRAY_SIZE(heads)) || strstr(above, ") -> ") || !strcmp(above, "):"));
}

/* The mark that is opened in the line and not closed in it, or NULL. */
static const struct mark *open_mark(const struct dump_line *lines, size_t i)
{
	const char *text = lines[i].text;

	for (size_t k = 0; k < ARRAY_SIZE(marks); k++) {
		const char *at = strstr(text, marks[k].open);
		size_t len = strlen(marks[k].open);

		if (!at || strstr(at + len, marks[k].close) || (len == 1 && count_of(text, "```")))
			continue;
		if (expects_string(text, at) || (len == 3 && at == past_blanks(text) && is_below_head(lines, i)))
			return &marks[k];
	}
	return NULL;
}

/* The word that ends what is written to a file, "cat > x.go << 'EOF'"; 0: nothing is. */
static size_t heredoc_word(const char *text, const char **ret)
{
	const char *at = strstr(text, "<<");
	size_t len = 0;

	if (!at || !strchr(text, '>'))
		return 0;
	at += 2;
	at += strspn(at, "- '\"\\");
	while ((at[len] >= 'A' && at[len] <= 'Z') || at[len] == '_')
		len++;
	*ret = at;
	return len >= 2 ? len : 0;
}

/*
 * In prose one of these is easily lost, and what is between two of them is not long: the next one must end the string.
 */
static bool ends_literal(const char *text, const struct mark *mark)
{
	const char *at = strstr(text, mark->close) + strlen(mark->close);

	return mark->close[1] || !at[strspn(at, " ,;)]}")];
}

static size_t end_of_mark(const struct dump_line *lines, size_t nr, size_t i, const struct mark *mark)
{
	for (size_t k = i + 1; k < nr && k - i < MOST_LINES; k++)
		if (strstr(lines[k].text, mark->close))
			return ends_literal(lines[k].text, mark) ? k + 1 : 0;
	return 0;
}

/* What a person writes and sends is no source: the file's name says so, or the command below. */
static bool is_sent(const struct dump_line *lines, size_t nr, size_t i, size_t end)
{
	static const char *const names[] = { "ticket", "report", "mail", "message", "incident", "issue", "note" };
	static const char *const commands[] = { "mail ", "mailx ", "mutt ", "sendmail " };
	const char *command = end < nr ? past_blanks(lines[end].text) : "";

	command += strspn(command, "$# ");
	return text_has_any(lines[i].text, names, ARRAY_SIZE(names)) ||
	       text_begins_any(command, commands, ARRAY_SIZE(commands));
}

static size_t end_of_heredoc(const struct dump_line *lines, size_t nr, size_t i, const char *word, size_t len)
{
	for (size_t k = i + 1; k < nr && k - i < MOST_LINES; k++) {
		const char *text = past_blanks(lines[k].text);

		if (!strncmp(text, word, len) && !text[len])
			return is_sent(lines, nr, i, k + 1) ? 0 : k + 1;
	}
	return 0;
}

/* ---- a string in each line */

/* Behind the string that the line begins with, or NULL. */
static const char *past_string(const char *text)
{
	const char *at = past_blanks(text);
	char mark;

	if (*at && strchr("rbfuL", *at))
		at++;
	mark = *at++;
	if (mark != '"' && mark != '\'')
		return NULL;
	for (; *at && *at != mark; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? past_blanks(at + 1) : NULL;
}

/* A string, and behind it what goes on to the next line or ends the list or call that it stands in. */
static bool is_string(const char *text)
{
	const char *behind = past_string(text);

	if (!behind)
		return false;
	behind += strspn(behind, " ,;+\\)]}.");
	return !*behind || text_begins(behind, "//") || *behind == '#';
}

/* "…" + and "…" \: the string goes on in the next line. */
static bool is_joined(const char *text)
{
	size_t len = strlen(text), blanks;

	if (!len || (text[len - 1] != '+' && text[len - 1] != '\\'))
		return false;
	for (blanks = 1; blanks < len && text[len - 1 - blanks] == ' '; blanks++)
		continue;
	return blanks < len && strchr("\"'`", text[len - 1 - blanks]);
}

/* Does the line begin a list or a call of a source, which goes on below? One of JSON has a key before its bracket. */
static bool begins_strings(const char *text)
{
	static const char *const lists[] = { "= ", "(", "!", "]string", "=" };
	size_t len = strlen(text);

	if (!len)
		return false;
	if (text[len - 1] == '(' || text[len - 1] == '=')
		return true;
	if ((text[len - 1] != '[' && text[len - 1] != '{') || *past_blanks(text) == '"')
		return false;
	return text_has_any(text, lists, ARRAY_SIZE(lists));
}

static bool is_comment(const char *text)
{
	const char *first = past_blanks(text);

	return !*first || *first == '#' || text_begins(first, "//");
}

/*
 * message: "…", is a field of a record in Go or JavaScript, and message="…", an argument in Python: YAML and logs have
 * no comma there, and JSON quotes the name.
 */
static bool is_field(const char *text)
{
	size_t len = strlen(text);
	const char *sign = strpbrk(text, ":="), *mark;

	if (len < 4 || text[len - 1] != ',' || !sign || !is_name_before(text, sign))
		return false;
	mark = past_blanks(sign + 1);
	return (*mark == '"' || *mark == '`') && mark < text + len - 2 && text[len - 2] == *mark;
}

/*
 * "…\n" and another string below it, with nothing between them, are one in C and Python. Who prints strings one a line,
 * as jq does, has no argument above them.
 */
static bool is_followed(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *behind = past_string(lines[i].text), *above = i ? lines[i - 1].text : "";
	size_t len = strlen(lines[i].text), len_above = strlen(above);

	return behind && !*behind && len > 3 && !strncmp(lines[i].text + len - 3, "\\n", 2) && len_above &&
	       above[len_above - 1] == ',' && !is_string(above) && i + 1 < nr && is_string(lines[i + 1].text);
}

static size_t end_of_strings(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t end = i;

	for (size_t k = i; k < nr && k - i < MOST_LINES; k++) {
		if (is_string(lines[k].text))
			end = k + 1;
		else if (!is_comment(lines[k].text))
			break;
	}
	return end;
}

/* Where the strings end that begin in the line; 0: none do. */
static size_t strings_end(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *text = lines[i].text;

	if (!*text)
		return 0;
	if (is_field(text))
		return i + 1;
	if (is_joined(text)) {
		size_t end = end_of_strings(lines, nr, i + 1);

		return end > i + 1 ? end : 0;
	}
	/* With its head, which would begin a list of lines. */
	if (begins_strings(text) && i + 1 < nr && is_string(lines[i + 1].text))
		return end_of_strings(lines, nr, i + 1);
	return is_string(text) && is_followed(lines, nr, i) ? end_of_strings(lines, nr, i) : 0;
}

/* Most lines of a log have none of these. */
static bool may_begin(const char *text)
{
	size_t len = strlen(text);

	return strpbrk(text, "\"'`") || strstr(text, "<<") || (len && strchr("([{=", text[len - 1]));
}

bool literal_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		const struct mark *mark;
		const char *word;
		size_t len, end;

		if (!may_begin(lines[i].text))
			continue;
		mark = open_mark(lines, i);
		len = mark ? 0 : heredoc_word(lines[i].text, &word);
		if (mark)
			end = end_of_mark(lines, nr, i, mark);
		else
			end = len ? end_of_heredoc(lines, nr, i, word, len) : strings_end(lines, nr, i);
		if (end) {
			*ret = (struct left_out){ .begin = i, .end = end };
			return true;
		}
	}
	return false;
}
