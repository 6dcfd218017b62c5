// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/not_a_number.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/error_put.h"
#include "import/program/error_weight.h"

enum {
	MOST_BETWEEN = 24,	/* characters between a result's name and its value */
	MOST_NAME = 16,		/* of a name */
	MOST_VALUES = 16,	/* of a line that are looked at: what has more prints a matrix */
};

/* What programs compute and print: training, solvers, tests that compare two of them. */
static const char *const results[] = {
	"loss", "grad norm", "grad_norm", "gradient norm", "perplexity", "residual", "forces", " vs. ",
};

/* A test that expects it, a count of it, what was lost on a network: nothing that a program computed. */
static bool is_other(const char *text)
{
	static const char *const words[] = { "!= ", "expect", "passed", "passes", "packet loss", "best loss", "best_loss",
					     "check", "retr", "fixed", "appeared", "returns", "not computed" };
	size_t row;

	return text_find_row(text, words, sizeof(*words), ARRAY_SIZE(words), true, &row);
}

/* A word of its own, behind a sign: not "nanosecond", "nan%" or the name of a check ("check_nan"). */
static bool is_nan(const char *text, const char *at)
{
	/* Not a name of a person: "Nan". */
	if (at[0] == 'N' && at[1] == 'a' && at[2] == 'n')
		return false;
	return at > text && strchr(" :=-[('\"", at[-1]) && !is_letter_or_digit(at[3]) && !(at[3] && strchr("_%-", at[3]));
}

/* Between a name and its value stand a colon or an equals sign, and no other value. */
static bool joins(const char *behind, const char *at)
{
	const size_t len = (size_t)(at - behind), mark = strcspn(behind, ":=");

	return len <= MOST_BETWEEN && mark < len && strcspn(behind, ".,|") >= len;
}

/* The name of the result that a value belongs to; NULL: of none. */
static const char *result_before(const char *text, const char *at)
{
	const char *name = at - text > MOST_BETWEEN + MOST_NAME ? at - MOST_BETWEEN - MOST_NAME : text;

	for (; name < at; name++)
		for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
			size_t len = strlen(results[i]);

			if (strncasecmp(name, results[i], len) == 0 && name + len <= at && joins(name + len, at) &&
			    (name == text || *name == ' ' || !is_letter_or_digit(name[-1])))
				return name;
		}
	return NULL;
}

/* Where the result stands; NULL: the line has none that is no number. */
static const char *said_in(const char *text)
{
	const char *at = strcasestr(text, "nan");

	if (!at || is_other(text))
		return NULL;
	for (int i = 0; at && i < MOST_VALUES; i++, at = strcasestr(at + 1, "nan")) {
		const char *name = is_nan(text, at) ? result_before(text, at) : NULL;

		if (name)
			return name;
	}
	return NULL;
}

bool not_a_number_says(const char *text)
{
	return said_in(text);
}

void not_a_number_read(struct reading *reading, struct dump_line *line)
{
	const char *at = said_in(line->text);

	/* With the word before it: "val_loss: nan", "Reference vs. OpenCL: nan". */
	for (at += *at == ' '; at > line->text && at[-1] != ' ';)
		at--;
	if (strstr(line->text, " vs. ") && at - line->text > 1)
		for (at--; at > line->text && at[-1] != ' ';)
			at--;
	program_error_put(reading, line, "not-a-number", "nan", error_said(reading->arena, at));
}
