// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "base/compat.h"
#include "import/program/test_summary.h"

#include "import/dump/error_put.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_COLUMNS = 8 };

/* All that a line holds. */
static const char *const verdicts[] = {
	"Result = FAIL", "Test failed!", "Test failed", "Test FAILED", "TEST FAILED", "Test Failed!", "Test Failed",
	"Verification failed", "Verification FAILED", "mismatch detected.", "error: mismatch detected.",
};

/* What a line begins with. */
static const char *const beginnings[] = {
	"FAILED (failures=", "FAILED (errors=", "test result: FAILED. ", "Failed Tests (",
};

static bool takes_number(const char **at, uint64_t *ret)
{
	bool fits = true;

	return scan_u64(at, 10, ret, &fits) && fits;
}

/* "3 failed, 41 passed, 2 warnings in 12.31s": of pytest, in a frame of "=" or without. */
static bool is_of_pytest(const char *at)
{
	bool is_failed = false;

	for (;;) {
		const char *word;
		uint64_t count;

		if (!takes_number(&at, &count) || !scan_char(&at, ' '))
			return false;
		word = at;
		at += strspn(at, "abcdefghijklmnopqrstuvwxyz ");
		is_failed |= count && (text_begins(word, "failed") || text_begins(word, "error"));
		if (!text_begins(at, ", "))
			return is_failed && at - word > 4 && !strncmp(at - 4, " in ", 4) && is_digit(*at);
		at += 2;
	}
}

/* "93% tests passed, 4 tests failed out of 57": of ctest. */
static bool is_of_ctest(const char *text)
{
	static const char passed[] = "% tests passed, ";
	const char *at = strstr(text, passed);
	uint64_t count;

	at = at ? at + strlen(passed) : "";
	return takes_number(&at, &count) && count && text_begins(at, " tests failed out of ");
}

/* "[  FAILED  ] 3 tests, listed below:", " 3 FAILED TESTS": of GoogleTest. */
static bool is_of_googletest(const char *text)
{
	/* The second as it is pasted where blanks are lost. */
	static const char *const failed[] = { "[  FAILED  ] ", "[ FAILED ] " };
	const char *begin = text;
	bool is_head;
	uint64_t count;

	for (size_t i = 0; i < ARRAY_SIZE(failed); i++)
		text += text_begins(text, failed[i]) ? strlen(failed[i]) : 0;
	is_head = text > begin;
	/* Where tests are switched off, a run without failures says so, too. */
	if (!takes_number(&text, &count) || !count)
		return false;
	if (is_head)
		return text_begins(text, " test, listed below:") || text_begins(text, " tests, listed below:");
	return !strcmp(text, " FAILED TEST") || !strcmp(text, " FAILED TESTS");
}

/* "FAILED 3 of 25 tests.": of OpenCL's. */
static bool is_of_opencl(const char *text)
{
	static const char failed[] = "FAILED ";
	uint64_t count, of;

	if (!text_begins(text, failed))
		return false;
	text += strlen(failed);
	if (!takes_number(&text, &count) || !count || !text_begins(text, " of "))
		return false;
	text += strlen(" of ");
	return takes_number(&text, &of) && text_begins(text, " tests.");
}

/* What the line tells; NULL: nothing of failed tests. */
static const char *failed_tests(const char *text)
{
	const char *said = past_blanks(text);

	said = past_blanks(said + strspn(said, "="));
	if (text_is_any(said, verdicts, ARRAY_SIZE(verdicts)) ||
	    text_begins_any(said, beginnings, ARRAY_SIZE(beginnings)))
		return said;
	return is_of_pytest(said) || is_of_ctest(said) || is_of_googletest(said) || is_of_opencl(said) ? said : NULL;
}

/* ---- Julia's table */

/* "Test Summary:   | Pass  Fail  Error  Total  Time", with as many numbers below it: columns of none are left out. */
static const char *columns_of(const char *text)
{
	const char *bar = text_begins(past_blanks(text), "Test Summary:") ? strchr(text, '|') : NULL;

	return bar && (strstr(bar, " Fail ") || strstr(bar, " Error ")) ? bar + 1 : NULL;
}

/* "1086 Fail, 6 Error"; NULL: the row below the head does not fit it. */
static const char *counts_of(struct arena *arena, const char *columns, const char *row)
{
	const char *at = strchr(row, '|');
	STRBUF_AUTO said = STRBUF_INIT;

	at = at ? at + 1 : "";
	for (int i = 0; i < MOST_COLUMNS && *(columns = past_blanks(columns)); i++) {
		size_t len = strcspn(columns, " ");
		uint64_t count;

		at = past_blanks(at);
		if (!takes_number(&at, &count))
			break;
		if (count && (text_begins(columns, "Fail ") || text_begins(columns, "Error ")))
			strbuf_addf(&said, "%s%" PRIu64 " %.*s", said.len ? ", " : "", count, (int)len, columns);
		columns += len;
	}
	return said.len ? arena_strdup(arena, said.buf) : NULL;
}

static bool is_julia(const struct dump_line *lines, size_t nr)
{
	const char *columns = columns_of(lines->text), *at = columns && nr > 1 ? strchr(lines[1].text, '|') : NULL;

	return at && is_digit(*past_blanks(at + 1));
}

bool test_summary_begins(const struct dump_line *lines, size_t nr)
{
	return failed_tests(lines->text) || is_julia(lines, nr);
}

size_t test_summary_read(struct reading *reading, size_t at)
{
	struct dump_line *lines = &reading->part->lines[at];
	const bool is_table = is_julia(lines, reading->part->nr_lines - at);
	const char *said = is_table ? counts_of(reading->arena, columns_of(lines->text), lines[1].text) :
				      failed_tests(lines->text);

	if (!said)
		return 1;
	said = arena_strdup(reading->arena, said);
	program_error_put(reading, lines, "tests", "tests failed", said);
	lines[is_table].is_taken = true;
	return 1 + is_table;
}
