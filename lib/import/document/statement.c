// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/statement.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/line/string_text.h"

enum {
	MOST_CHARACTERS = 600
}; /* of a statement: in what has more a whole text stands in a string, and may hold a log */

/* Behind the string that begins there, or NULL: "…", `…`, r#"…"#, R"(…)". */
static const char *past_string(const char *text)
{
	const char *at = text;
	char mark;

	while (*at && strchr("rRbfuL#(", *at) && at - text < 3)
		at++;
	mark = *at++;
	if (mark != '"' && mark != '`' && mark != '\'')
		return NULL;
	for (; *at && *at != mark; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 + strspn(at + 1, "#") : NULL;
}

/* The mark of a change in a patch may stand before it. */
static const char *past_change(const char *text)
{
	text += (*text == '+' || *text == '-');
	return past_blanks(text);
}

/* `pr_err("…");`, `static final String F = "…";`, `const log = `…`;`: a string ends before the semicolon at the end. */
static bool is_ended(const char *text)
{
	static const char *const begins[] = { "(\"", "(`", "('", "= \"", "= `", "= '", "= r", "= R", "return ",
					    "(KERN_" };
	size_t len = strlen(text);
	const char *end;

	if (len < 6 || text[len - 1] != ';')
		return false;
	end = text + len - 1;
	while (end > text && strchr(")#", end[-1]))
		end--;
	return end > text + 2 && strchr("\"`'", end[-1]) && text_has_any(text, begins, ARRAY_SIZE(begins));
}

/*
 * {`…`, "fatal"}, of a table, where the first string is a line: an object of JSON has a key there, and a colon. What
 * Python prints of a database has a node there.
 */
static bool is_row(const char *text)
{
	size_t len = strlen(text);
	const char *first = past_change(text), *string, *behind;

	if (len < 6 || !strchr("{(", *first) || text[len - 1] != ',' || !strchr("})", text[len - 2]))
		return false;
	string = past_blanks(first + 1);
	behind = past_string(string);
	return behind && *past_blanks(behind) == ',' && memchr(string, ' ', (size_t)(behind - string));
}

/* sample = '''…''' */
static bool is_of_three_marks(const char *text)
{
	static const char *const marks[] = { "= '''", "= \"\"\"" };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *at = strstr(text, marks[i]);

		if (at && strstr(at + strlen(marks[i]), marks[i] + 2))
			return true;
	}
	return false;
}

/*
 * echo '…' > /dev/kmsg: what somebody writes there to see what comes of it; what the kernel says of it is another line.
 * Of a text in a string each line is asked by itself.
 */
static bool is_injection(const char *text)
{
	static const char *const devices[] = { "> /dev/kmsg", ">/dev/kmsg", "tee /dev/kmsg", "tee -a /dev/kmsg" };

	return strstr(text, "/dev/kmsg") && text_has_any(text, devices, ARRAY_SIZE(devices)) &&
	       !string_text_is_in(text);
}

/* A catalogue of a program's messages in another language (gettext). */
static bool is_translation(const char *text)
{
	return text_begins(text, "msgid \"") || text_begins(text, "msgid_plural \"") || text_begins(text, "msgstr \"") ||
	       (text_begins(text, "msgstr[") && strstr(text, "] \""));
}

bool statement_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		const char *text = lines[i].text;

		if (strnlen(text, MOST_CHARACTERS) == MOST_CHARACTERS)
			continue;
		if (!is_ended(text) && !is_row(text) && !is_of_three_marks(text) && !is_injection(text) &&
		    !is_translation(text))
			continue;
		*ret = (struct left_out){ .begin = i, .end = i + 1 };
		return true;
	}
	return false;
}
