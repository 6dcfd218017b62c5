// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/git.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/document/stamp.h"
#include "import/line/prompt.h"

enum {
	NR_OF_NAME = 40,   /* digits of a commit's name */
	LEAST_OF_NAME = 7, /* where it is short */
	MOST_HEADS = 8,	   /* lines between a commit's name and its message */
	INDENT = 4,	   /* blanks before each line of a message */
	MOST_LINES = 2000, /* of a message or hunk */
};

/* ---- messages */

static size_t digits_of_name(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

static bool is_address_of(const char *text, const char *head)
{
	return text_begins(text, head) && strchr(text, '<') && strchr(text, '@');
}

/* A log at the indent of the message itself may have been pasted below it; what its author quotes is deeper. */
static bool is_of_message(const char *text)
{
	size_t indent = strspn(text, " ");

	return !text[indent] || indent > INDENT || (indent == INDENT && !stamp_begins(text));
}

/* "commit 8a1f211c…", and below it "Author: Name <address>": what is indented as far as git does it is its message. */
static size_t end_of_commit(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t end = i + 1;

	if (!text_begins(lines[i].text, "commit ") || digits_of_name(lines[i].text + strlen("commit ")) < LEAST_OF_NAME)
		return 0;
	end += end < nr && text_begins(lines[end].text, "Merge: ");
	if (end == nr || !is_address_of(lines[end].text, "Author: "))
		return 0;
	/* "Date:", "Commit:", "CommitDate:" */
	while (++end < nr && *lines[end].text && *lines[end].text != ' ')
		if (end - i >= MOST_HEADS || !strchr(lines[end].text, ':'))
			return 0;
	while (end < nr && end - i < MOST_LINES && is_of_message(lines[end].text))
		end++;
	return end;
}

/* The same without its author, as some formats have it: what changed is below. */
static size_t end_of_bare_commit(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *name = lines[i].text + strlen("commit ");
	size_t end = i + 1;

	if (!text_begins(lines[i].text, "commit ") || digits_of_name(name) != NR_OF_NAME || name[NR_OF_NAME])
		return 0;
	while (end < nr && end - i < MOST_LINES && (!*lines[end].text || strspn(lines[end].text, " ") >= INDENT) &&
	       is_of_message(lines[end].text))
		end++;
	return end < nr && *lines[end].text == ' ' && strstr(lines[end].text, " | ") ? end : 0;
}

/* "* Mon Mar 02 2026 A. Name <address> - 1.2-1" of an RPM's changes: each is an item below it. */
static size_t end_of_rpm(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char form[] = "* Mon Mar 02 2026 ";
	const char *text = lines[i].text;
	size_t end = i + 1;

	if (strlen(text) < strlen(form) || !month_by_name(text + strlen("* Mon ")) ||
	    !text_begins_like(text + strlen("* Mon Mar"), " 00 0000 ") || !strchr(text, '<') || !strstr(text, "> - "))
		return 0;
	while (end < nr && end - i < MOST_LINES && text_begins(lines[end].text, "- ") &&
	       !stamp_begins(lines[end].text + strlen("- ")))
		end++;
	return end > i + 1 ? end : 0;
}

/* "$ git log --oneline": a commit to a line below it, with nothing but its name before its title. */
static size_t end_of_list(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *command = prompt_command(lines[i].text);
	size_t end = i + 1;

	if (!command || !text_begins(command, "git log "))
		return 0;
	for (; end < nr; end++) {
		size_t digits = digits_of_name(lines[end].text);

		if (digits < LEAST_OF_NAME || digits > NR_OF_NAME || lines[end].text[digits] != ' ')
			break;
	}
	return end > i + 1 ? end : 0;
}

/* "From 8a1f211c… Mon Sep 17 00:00:00 2001": git format-patch gives each mail that date. */
static size_t end_of_mail(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *name = lines[i].text + strlen("From ");
	size_t end = i + 1;

	if (!text_begins(lines[i].text, "From ") || digits_of_name(name) != NR_OF_NAME ||
	    !text_begins(name + NR_OF_NAME, " Mon Sep 17 00:00:00 2001"))
		return 0;
	while (end < nr && end - i < MOST_LINES && strcmp(lines[end].text, "---") != 0 &&
	       !text_begins(lines[end].text, "diff --git "))
		end++;
	return end;
}

/* ---- hunks */

/* Is one of these a folder on the way to the file? */
static bool is_below(const char *path, const char *const *folders, size_t nr)
{
	for (const char *at = path, *end; (end = strchr(at, '/')); at = end + 1)
		if (text_word_is_any(at, (size_t)(end - at), folders, nr))
			return true;
	return false;
}

/* A program's source, wherever it stands but among what was found on a machine. */
static bool is_source(const char *path, const char *end)
{
	static const char *const ends[] = { ".c",  ".h",  ".cc", ".cpp", ".py",	 ".go",
					    ".rs", ".sh", ".js", ".ts",	 ".java" };
	static const char *const found[] = { "results", "logs", "dumps" };

	return text_is_any(end, ends, ARRAY_SIZE(ends)) && !is_below(path, found, ARRAY_SIZE(found)) &&
	       !text_begins(path, "var/log/") && !strstr(path, "/var/log/");
}

/*
 * What tests are given, and documents, and not what was found on a machine: of a log, only a folder of data tells it.
 * People keep logs and reports of their machines in repositories, too, and call them what they like.
 */
static bool is_given(const char *path, const char *end)
{
	static const char *const logs[] = { ".log", ".txt" };
	static const char *const documents[] = { ".md", ".rst", ".yaml", ".yml" };
	static const char *const tests[] = { "test", "tests" }, *const data[] = { "data" };
	static const char *const given[] = { "testdata", "test_data", "fixture", "fixtures" };
	static const char *const docs[] = { "docs" };
	static const char *const found[] = { "result",	"results", "log",  "logs", "report",
					     "reports", "output",  "dump", "dumps" };
	bool is_of_tests = is_below(path, tests, ARRAY_SIZE(tests));

	if (is_below(path, found, ARRAY_SIZE(found)))
		return false;
	if (text_is_any(end, logs, ARRAY_SIZE(logs)))
		return is_below(path, given, ARRAY_SIZE(given)) ||
		       (is_of_tests && is_below(path, data, ARRAY_SIZE(data)));
	return text_is_any(end, documents, ARRAY_SIZE(documents)) &&
	       (is_of_tests || is_below(path, given, ARRAY_SIZE(given)) || is_below(path, docs, ARRAY_SIZE(docs)));
}

/*
 * "+++ b/tests/data/a.log" below "--- a/tests/data/a.log" or "--- /dev/null": a file of a repository, which is of its
 * tests or source. diff(1) itself names two files that somebody has.
 */
static bool is_file(const struct dump_line *lines, size_t i)
{
	const char *path = lines[i].text + strlen("+++ b/"), *old, *end;

	if (!i || !text_begins(lines[i].text, "+++ b/"))
		return false;
	old = lines[i - 1].text;
	if (strcmp(old, "--- /dev/null") != 0 &&
	    (!text_begins(old, "--- a/") || strcmp(old + strlen("--- a/"), path) != 0))
		return false;
	end = strrchr(path, '.');
	return end && (is_source(path, end) || is_given(path, end));
}

/* The number of lines in "-10,6 " or "+1 ", which is 1 where it is not told; *at goes past it. */
static bool take_range(const char **at, char sign, uint64_t *ret)
{
	uint64_t begin;
	bool fits = true;

	if (!scan_char(at, sign) || !scan_u64(at, 10, &begin, &fits))
		return false;
	*ret = 1;
	if (scan_char(at, ',') && !scan_u64(at, 10, ret, &fits))
		return false;
	return scan_char(at, ' ') && fits;
}

/* "@@ -10,6 +10,7 @@": up to as many lines of the old file and the new one. 0: there is no hunk. */
static size_t end_of_hunk(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *at = lines[i].text;
	uint64_t nr_old, nr_new;
	size_t end = i + 1;

	if (!text_begins(at, "@@ "))
		return 0;
	at += strlen("@@ ");
	if (!take_range(&at, '-', &nr_old) || !take_range(&at, '+', &nr_new) || !text_begins(at, "@@"))
		return 0;
	for (; end < nr && end - i < MOST_LINES && (nr_old || nr_new); end++) {
		const char sign = *lines[end].text;

		if (sign && !strchr("+- \\", sign))
			break;
		nr_old -= nr_old && (!sign || sign == '-' || sign == ' ');
		nr_new -= nr_new && (!sign || sign == '+' || sign == ' ');
	}
	return end;
}

/* Where the hunks end that stand below a file's name. */
static size_t end_of_hunks(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t end = i + 1, next;

	if (!is_file(lines, i))
		return 0;
	while (end < nr && (next = end_of_hunk(lines, nr, end)))
		end = next;
	return end > i + 1 ? end : 0;
}

bool git_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		size_t end = 0;

		switch (*lines[i].text) {
		case 'c':
			end = end_of_commit(lines, nr, i);
			end = end ? end : end_of_bare_commit(lines, nr, i);
			break;
		case '*':
			end = end_of_rpm(lines, nr, i);
			break;
		case 'F':
			end = end_of_mail(lines, nr, i);
			break;
		case '+':
			end = end_of_hunks(lines, nr, i);
			break;
		default:
			end = strstr(lines[i].text, "git log ") ? end_of_list(lines, nr, i) : 0;
		}
		if (!end)
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}
