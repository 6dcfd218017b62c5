// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/test_result.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_LINES = 2000 }; /* of a suite, or of a run */

/* Not within "PCI:0000:07:00". */
static bool is_clock(const char *text, const char *at)
{
	static const char form[] = "00:00:00";

	return is_digit(*at) && (at == text || (!is_digit(at[-1]) && at[-1] != ':')) &&
	       strnlen(at, strlen(form)) == strlen(form) && text_has_clock(at, at + strlen(form));
}

/* "[  812.120331]" */
static bool is_boot_stamp(const char *at)
{
	size_t digits = *at == '[' ? strspn(at + 1, " 0123456789") : 0;

	return digits && at[1 + digits] == '.' && strspn(at + digits + 2, "0123456789") == 6;
}

/* Anywhere, as the log may begin behind a name or a tag; heads of JUnit tell when the suite ran. */
static bool has_time(const char *text)
{
	static const char *const heads[] = { "<testsuite", "<testcase" };
	bool is_head = text_begins_any(past_blanks(text), heads, ARRAY_SIZE(heads));

	for (const char *at = text; *at; at++)
		if (is_boot_stamp(at) || (!is_head && is_clock(text, at)))
			return true;
	return false;
}

static bool have_times(const struct dump_line *lines, size_t from, size_t to)
{
	while (from < to && !has_time(lines[from].text))
		from++;
	return from < to;
}

/* "ok 3 - parses 'NVRM: Xid …'" of TAP. */
static bool is_tap(const char *text)
{
	const char *at = text + strlen("ok ");
	uint64_t number;
	bool fits = true;

	return text_begins(text, "ok ") && scan_u64(&at, 10, &number, &fits) && text_begins(at, " - ");
}

/* PASS: test_link.py "NVRM: Xid …": a test's name, and nothing but a string that it was given. */
static bool is_passed(const char *text)
{
	size_t len = strlen(text), name;

	if (!text_begins(text, "PASS: "))
		return false;
	text += strlen("PASS: ");
	len -= strlen("PASS: ");
	name = strcspn(text, " ");
	return name && len > name + 2 && strchr("\"'`", text[name + 1]) && text[len - 1] == text[name + 1];
}

/* failures="0" */
static bool has_none(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	return !at || text_begins(at + strlen(what), "=\"0\"");
}

/* JUnit's <testsuite … failures="0" errors="0">, up to its end. */
static size_t end_of_suite(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *head = past_blanks(lines[i].text);
	size_t end = i + 1;

	if (!text_begins(head, "<testsuite ") || !strstr(head, " failures=") || !has_none(head, " failures") ||
	    !has_none(head, " errors"))
		return 0;
	while (end < nr && end - i < MOST_LINES && !strstr(lines[end].text, "</testsuite>"))
		end++;
	return end < nr && end - i < MOST_LINES ? end + 1 : 0;
}

/* "# FAIL:  0" */
static bool is_none_of(const char *text, const char *what)
{
	const char *value = scan_behind(text, what);

	return value && !strcmp(value, "0");
}

/*
 * Automake's "PASS: a.sh" and what is below, up to its summary, in which none failed. Only lines of the run itself are
 * between: others have neither a result nor the mark of a comment.
 */
static size_t end_of_run(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const results[] = { "PASS: ", "XFAIL: ", "SKIP: ", "#", "===" };
	size_t end = i;

	/* The first one of a run was asked for all of it. */
	if (!text_begins(lines[i].text, "PASS: ") || (i && text_begins(lines[i - 1].text, "PASS: ")))
		return 0;
	while (end < nr && end - i < MOST_LINES &&
	       (!*lines[end].text || text_begins_any(lines[end].text, results, ARRAY_SIZE(results))))
		end++;
	if (end == nr || !text_begins(lines[end].text, "Testsuite summary for "))
		return 0;
	for (size_t k = end + 1; k < nr && k - end < 12; k++)
		if (text_begins(lines[k].text, "# FAIL:"))
			return is_none_of(lines[k].text, "# FAIL:") ? end : 0;
	return 0;
}

bool test_result_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		size_t end = end_of_suite(lines, nr, i);

		if (!end)
			end = end_of_run(lines, nr, i);
		if (!end && (is_tap(lines[i].text) || is_passed(lines[i].text)))
			end = i + 1;
		if (!end || have_times(lines, i, end))
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}
