// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/test_result.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/document/stamp.h"

enum { MOST_LINES = 2000 }; /* of a suite, or of a run */

/* Not within "PCI:0000:07:00". */
static bool is_clock(const char *text, const char *at)
{
	static const char form[] = "00:00:00";

	return is_digit(*at) && (at == text || (!is_digit(at[-1]) && at[-1] != ':')) &&
	       strnlen(at, strlen(form)) == strlen(form) && text_has_clock(at, at + strlen(form));
}

/* Anywhere, as the log may begin behind a name or a tag; heads of JUnit tell when the suite ran. */
static bool has_time(const char *text)
{
	static const char *const heads[] = { "<testsuite", "<testcase" };
	bool is_head = text_begins_any(past_blanks(text), heads, ARRAY_SIZE(heads));

	for (const char *at = text; *at; at++)
		if (stamp_is_of_boot(at) || (!is_head && is_clock(text, at)))
			return true;
	return false;
}

static bool have_times(const struct dump_line *lines, size_t from, size_t to)
{
	while (from < to && !has_time(lines[from].text))
		from++;
	return from < to;
}

/* Of a test whose name says that it is given an error, "test_parse_xid": not "sparse". */
static bool is_error_expected(const char *name, const char *end)
{
	static const char *const words[] = { "fails_gracefully", "test_error", "parse", "xid" };

	for (const char *at = name; at < end; at++)
		if ((at == name || !is_letter_or_digit(at[-1])) && text_begins_any(at, words, ARRAY_SIZE(words)))
			return true;
	return false;
}

/* Nothing but one string up to the line's end: not 'gpu07' NVRM: …, name='a'. */
static bool is_one_string(const char *text)
{
	size_t len = strlen(text);
	const char *next = len > 2 && strchr("\"'`", *text) ? strchr(text + 1, *text) : NULL;

	return next && next[1] != ' ' && next[1] != ':' && next[1] != ',' && text[len - 1] == *text;
}

/* "ok 3 - parses 'NVRM: Xid …'" of TAP: what a string holds, and not what a test of a machine says behind its name. */
static bool is_tap(const char *text)
{
	const char *at = text + strlen("ok "), *quote;
	uint64_t number;
	bool fits = true;

	if (!text_begins(text, "ok ") || !scan_u64(&at, 10, &number, &fits) || !text_begins(at, " - "))
		return false;
	at += strlen(" - ");
	quote = at + strcspn(at, ":\"'`");
	if (is_error_expected(at, quote))
		return true;
	return quote > at && quote[-1] == ' ' && is_one_string(quote);
}

/* PASS: test_link.py "NVRM: Xid …": a test's name, and nothing but a string that it was given. */
static bool is_passed(const char *text)
{
	size_t name;

	if (!text_begins(text, "PASS: "))
		return false;
	text += strlen("PASS: ");
	name = strcspn(text, " ");
	return name && text[name] && is_one_string(text + name + 1);
}

/* failures="0" */
static bool has_none(const char *text, const char *end, const char *what)
{
	const char *at = strstr(text, what);

	return at && at < end && text_begins(at + strlen(what), "=\"0\"");
}

/* Behind JUnit's <testsuite … failures="0" errors="0">, which is whole in its line and not empty; or NULL. */
static const char *behind_passed(const char *text)
{
	const char *head = past_blanks(text), *end = strchr(head, '>');

	if (!text_begins(head, "<testsuite ") || !end || end[-1] == '/' || !has_none(head, end, " failures") ||
	    !has_none(head, end, " errors"))
		return NULL;
	return end + 1;
}

/* What a line of a suite shows of what a test printed; NULL: nothing. */
static const char *printed(const char *text)
{
	static const char *const begins[] = { "<system-out>", "<system-err>" };

	for (const char *at = text; (at = strchr(at, '<')); at++)
		if (text_begins_any(at, begins, ARRAY_SIZE(begins)))
			return at[strlen(begins[0])] && !text_begins(at + strlen(begins[0]), "</system-") ?
				       at + strlen(begins[0]) :
				       NULL;
	text = past_blanks(text);
	return *text && (*text != '<' || text_begins(text, "<![")) ? text : NULL;
}

/* A string, or one that was escaped for XML, as the error that a test is given is: a bare one is a machine's. */
static bool is_string(const char *text)
{
	static const char *const escapes[] = { "&lt;", "&gt;", "&quot;", "&apos;", "&#" };

	return strchr("\"'`", *text) || text_has_any(text, escapes, ARRAY_SIZE(escapes));
}

/* May what a line of a suite that passed says be of the machine that it ran on? */
static bool tells_of_machine(const char *text, bool *is_expected)
{
	static const char *const others[] = { "<testsuite ", "<failure", "<error" };
	const char *head = strstr(text, "<testcase "), *name = head ? strstr(head, " name=\"") : NULL, *shown;

	if (text_has_any(text, others, ARRAY_SIZE(others)))
		return true;
	if (head) {
		/* Two on a line are not told apart. */
		if (strstr(head + 1, "<testcase "))
			return printed(text);
		name = name ? name + strlen(" name=\"") : head;
		*is_expected = is_error_expected(name, name + strcspn(name, "\">"));
	}
	shown = printed(text);
	if (shown && !*is_expected && (!is_string(shown) || strstr(shown, "<system-")))
		return true;
	/* What stands behind the test is the suite's. */
	if (strstr(text, "</testcase>") || (head && strstr(head, "/>")))
		*is_expected = false;
	return false;
}

/* The very suite that passed, up to its own end, behind which nothing but the end of all suites stands. */
static size_t end_of_suite(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char tag[] = "</testsuite>";
	const char *text = behind_passed(lines[i].text);
	bool is_expected = false;

	for (size_t at = i; text && at < nr && at - i < MOST_LINES; text = ++at < nr ? lines[at].text : NULL) {
		const char *end = strstr(text, tag);

		if (tells_of_machine(text, &is_expected))
			return 0;
		if (end)
			return scan_end(end + strlen(tag)) || !strcmp(end + strlen(tag), "</testsuites>") ? at + 1 : 0;
	}
	return 0;
}

/* "# FAIL:  0" */
static bool is_none_of(const char *text, const char *what)
{
	const char *value = scan_behind(text, what);

	return value && !strcmp(value, "0");
}

/* Is it of a run of automake? Others have neither a result nor the mark of a comment. */
static bool is_of_run(const char *text)
{
	static const char *const results[] = { "PASS: ", "XFAIL: ", "SKIP: ", "#", "===" };

	return !*text || text_begins_any(text, results, ARRAY_SIZE(results));
}

/* Was another test of its run told of before? That one was asked for the run, whose lines are so seen but twice. */
static bool is_further_of_run(const struct dump_line *lines, size_t i)
{
	while (i && is_of_run(lines[i - 1].text))
		if (text_begins(lines[--i].text, "PASS: "))
			return true;
	return false;
}

/* Automake's "PASS: a.sh" and what is below, up to its summary, in which none failed. */
static size_t end_of_run(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t end = i;

	if (!text_begins(lines[i].text, "PASS: ") || is_further_of_run(lines, i))
		return 0;
	while (end < nr && end - i < MOST_LINES && is_of_run(lines[end].text))
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
