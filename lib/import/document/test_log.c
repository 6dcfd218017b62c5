// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/test_log.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/document/stamp.h"
#include "klog/span.h"

enum {
	MOST_OF_TEST = 200, /* lines */
	MOST_OF_RUN = 1000,
	MOST_ABOVE = 8, /* above the name of a test */
};

static bool has_word(struct span name, const char *const *words, size_t nr)
{
	for (; name.at < name.end; name.at++)
		for (size_t i = 0; i < nr; i++)
			if (strlen(words[i]) <= span_len(name) && !strncasecmp(name.at, words[i], strlen(words[i])))
				return true;
	return false;
}

/* A test of a program that reads errors, as its name or its file's says: others may have met the error. */
static bool reads_errors(struct span name)
{
	static const char *const words[] = { "xid", "parse" };

	return has_word(name, words, ARRAY_SIZE(words));
}

static bool is_of_hardware(struct span name)
{
	static const char *const words[] = { "burn",	 "stress", "memtest", "diag", "nccl",	  "bandwidth", "soak",
					    "hardware", "e2e",	   "node",    "host", "cluster", "integration" };

	return has_word(name, words, ARRAY_SIZE(words));
}

static bool is_given_errors(struct span name)
{
	return reads_errors(name) && !is_of_hardware(name);
}

/* "2026/03/02 10:11:12 " is what Go's own log prints, and no kernel's does. */
static bool is_of_machine(const char *text)
{
	text = past_blanks(text);
	if (text_begins_like(text, "0000/00/00 00:00:00 "))
		text += strlen("0000/00/00 00:00:00 ");
	for (const char *at = text; *at; at++)
		if (stamp_is_of_boot(at) || text_begins_like(at, "00:00:00"))
			if (at == text || (at[-1] != ':' && !is_digit(at[-1])))
				return true;
	return strstr(text, "kernel: ");
}

/* ---- the run */

struct test_framework {
	/* The end of the test that begins at that line; 0: none does. */
	size_t (*end_of_test)(const struct dump_line *lines, size_t nr, size_t i);
	/* How its run ends, in a line that has both. */
	const char *verdict, *count;
};

static bool is_failure(const char *text)
{
	static const char *const begins[] = { "--- FAIL", "FAIL", "FAILED", "panic:", "not ok ", "ERROR:", "✗", "✕" };
	static const char *const parts[] = { " failing", " FAILED", "BUILD FAILURE", "FAIL [" };
	static const char *const counts[] = { " failed", " error", " errors", " failures" };

	text = past_blanks(text);
	if (text_begins_any(text, begins, ARRAY_SIZE(begins)) || text_has_any(text, parts, ARRAY_SIZE(parts)))
		return true;
	/* "1 failed, 2 passed", and not "0 failures" */
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const char *at = strstr(text, counts[i]);

		if (at && at > text && is_digit(at[-1]) && (at[-1] != '0' || (at > text + 1 && is_digit(at[-2]))))
			return true;
	}
	return false;
}

/* Did it end well, and did no test of it fail? */
static bool has_passed(const struct test_framework *of, const struct dump_line *lines, size_t nr, size_t from,
		       size_t end)
{
	bool ret = !of->verdict;

	for (size_t i = from > MOST_OF_RUN ? from - MOST_OF_RUN : 0; i < nr && i < end + MOST_OF_RUN; i++) {
		const char *text = lines[i].text;

		if ((i < from || i >= end - 1) && is_failure(text))
			return false;
		ret |= of->verdict && i + 1 >= end && strstr(text, of->verdict) && strstr(text, of->count);
	}
	return ret;
}

/* ---- tests, by framework */

/* Below the line `i`, the first that begins with `what` and goes on with `name`; 0: none. */
static size_t line_of_end(const struct dump_line *lines, size_t nr, size_t i, const char *what, struct span name)
{
	size_t len = strlen(what);

	for (size_t k = i + 1; k < nr && k - i < MOST_OF_TEST; k++) {
		const char *text = past_blanks(lines[k].text);

		if (text_begins(text, what) && !strncmp(text + len, name.at, span_len(name)))
			return k;
	}
	return 0;
}

/* Go's "=== RUN   TestLost" … "--- PASS: TestLost (0.00s)": of one that is within another the outer one is asked. */
static size_t end_of_go(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char begin[] = "=== RUN   ";
	const char *name = lines[i].text + strlen(begin);
	struct span span;
	size_t end;

	if (!text_begins(lines[i].text, begin))
		return 0;
	span = (struct span){ name, name + strcspn(name, " /") };
	end = is_of_hardware(span) ? 0 : line_of_end(lines, nr, i, "--- PASS: ", span);
	return end && lines[end].text[strlen("--- PASS: ") + span_len(span)] == ' ' ? end + 1 : 0;
}

/* Pytest's "test_xid.py::test_lost", "--- live log call ---", … "PASSED". */
static size_t end_of_pytest(const struct dump_line *lines, size_t nr, size_t i)
{
	struct span name = span_of(lines[i].text);

	if (!strstr(lines[i].text, ".py::") || i + 1 == nr || !text_begins(lines[i + 1].text, "---") ||
	    !strstr(lines[i + 1].text, " live log ") || !is_given_errors(name))
		return 0;
	for (size_t k = i + 2; k < nr && k - i < MOST_OF_TEST; k++) {
		if (strstr(lines[k].text, ".py::"))
			return 0;
		if (text_begins(lines[k].text, "PASSED"))
			return k + 1;
	}
	return 0;
}

/* Python's unittest: "test_lost (tests.TestXid) ... what it printed", "ok". */
static size_t end_of_unittest(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *text = lines[i].text, *shown = strstr(text, ") ... ");
	struct span name = { text, shown ? shown : text };

	if (!text_begins(text, "test") || !shown || !strstr(text, " (") || !is_given_errors(name))
		return 0;
	for (size_t k = i + 1; k < nr && k - i < MOST_OF_TEST && !strstr(lines[k].text, ") ... "); k++)
		if (!strcmp(lines[k].text, "ok"))
			return k + 1;
	return 0;
}

/* Jest's "PASS src/parse.test.ts", up to the next file or to the sum. */
static size_t end_of_jest(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const ends[] = { "PASS ", "Tests:", "Test Suites:" };
	struct span name = span_of(lines[i].text);

	if (!text_begins(lines[i].text, "PASS ") || !is_given_errors(name) ||
	    (!strstr(lines[i].text, ".test.") && !strstr(lines[i].text, ".spec.")))
		return 0;
	for (size_t k = i + 1; k < nr && k - i < MOST_OF_TEST; k++)
		if (text_begins_any(lines[k].text, ends, ARRAY_SIZE(ends)))
			return k;
	return 0;
}

/* Gradle's "XidTest > parses79 STANDARD_OUT" … "XidTest > parses79 PASSED". */
static size_t end_of_gradle(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *text = lines[i].text, *streams = strstr(text, " STANDARD_");
	struct span name = { text, streams ? streams : text };
	size_t end;

	if (!streams || !strstr(text, " > ") || !is_given_errors(name))
		return 0;
	end = line_of_end(lines, nr, i, "", name);
	return end && !strcmp(lines[end].text + span_len(name), " PASSED") ? end + 1 : 0;
}

/* Maven's "Running org.example.XidTest" … "Tests run: 3, Failures: 0, Errors: 0". */
static size_t end_of_maven(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *text = strstr(lines[i].text, "Running ");
	struct span name = span_of(text ? text : "");

	if (!text || (text > lines[i].text && text[-1] != ' ') || !is_given_errors(name))
		return 0;
	for (size_t k = i + 1; k < nr && k - i < MOST_OF_TEST; k++) {
		if (strstr(lines[k].text, "Running "))
			return 0;
		if (strstr(lines[k].text, "Tests run: "))
			return strstr(lines[k].text, ", Failures: 0, Errors: 0") ? k + 1 : 0;
	}
	return 0;
}

/* Nextest's "--- STDOUT: xid parse::dbe ---" below "PASS [   0.012s] xid parse::dbe". */
static size_t end_of_nextest(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const ends[] = { "PASS [", "Summary [", "---" };
	const char *above = i ? past_blanks(lines[i - 1].text) : "", *name = strchr(above, ']');

	if (!text_begins(lines[i].text, "--- STD") || !text_begins(above, "PASS [") || !name ||
	    !strstr(lines[i].text, past_blanks(name + 1)) || !is_given_errors(span_of(name)))
		return 0;
	for (size_t k = i + 1; k < nr && k - i < MOST_OF_TEST; k++)
		if (text_begins_any(past_blanks(lines[k].text), ends, ARRAY_SIZE(ends)))
			return k;
	return 0;
}

/* Behind the sign of a test that passed; or NULL. */
static const char *behind_tick(const char *text)
{
	static const char *const ticks[] = { "✓ ", "✔ " };

	text = past_blanks(text);
	return text_begins_any(text, ticks, ARRAY_SIZE(ticks)) ? text + strlen(ticks[0]) : NULL;
}

/* Bats prints what a test wrote below its name, Mocha above it, the first below the name of the group. */
static size_t end_of_bats(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *name = behind_tick(lines[i].text);
	size_t end = i + 1;

	if (!name || !is_given_errors(span_of(name)))
		return 0;
	while (end < nr && end - i < MOST_OF_TEST && text_begins(lines[end].text, "   ") &&
	       !behind_tick(lines[end].text))
		end++;
	return end;
}

static size_t end_of_mocha(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *name = NULL;
	size_t end = i;

	if (i && !behind_tick(lines[i - 1].text) && !text_begins(lines[i - 1].text, "  "))
		return 0;
	while (end < nr && end - i < MOST_ABOVE && *lines[end].text && !name)
		name = behind_tick(lines[end++].text);
	return name && is_given_errors(span_of(name)) ? end : 0;
}

/* TAP's remarks, "# what it printed", above "ok 1 - parses xid 79". */
static size_t end_of_tap(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *name;
	size_t end = i;

	if (!i || (!text_begins(lines[i - 1].text, "TAP version ") && !text_begins(lines[i - 1].text, "ok ")))
		return 0;
	while (end < nr && end - i < MOST_OF_TEST && text_begins(lines[end].text, "# "))
		end++;
	name = end < nr && text_begins(lines[end].text, "ok ") ? strstr(lines[end].text, " - ") : NULL;
	return name && is_given_errors(span_of(name)) ? end + 1 : 0;
}

static const struct test_framework frameworks[] = {
	{ end_of_go, NULL, NULL },
	{ end_of_pytest, " passed", "===" },
	{ end_of_unittest, "OK", "" },
	{ end_of_jest, "Tests:", " passed" },
	{ end_of_gradle, "BUILD SUCCESSFUL", "" },
	{ end_of_maven, "BUILD SUCCESS", "" },
	{ end_of_nextest, "Summary [", " passed" },
	{ end_of_bats, " tests, ", " 0 failures" },
	{ end_of_mocha, " passing (", "" },
	{ end_of_tap, NULL, NULL },
};

bool test_log_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(frameworks); k++) {
			size_t end = frameworks[k].end_of_test(lines, nr, i), at = i;

			/* One that printed nothing has nothing to leave out. */
			if (end < i + 2)
				continue;
			while (at < end && !is_of_machine(lines[at].text))
				at++;
			if (at < end || !has_passed(&frameworks[k], lines, nr, i, end))
				continue;
			*ret = (struct left_out){ .begin = i, .end = end };
			return true;
		}
	}
	return false;
}
