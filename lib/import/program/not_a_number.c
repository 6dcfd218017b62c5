// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/not_a_number.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/error_put.h"
#include "import/program/error_weight.h"

enum { MOST_BETWEEN = 24 };	/* characters between a result's name and its value */

/* What programs compute and print: training, solvers, tests that compare two of them. */
static const char *const results[] = {
	"loss", "grad norm", "grad_norm", "gradient norm", "perplexity", "energy", "residual", "forces", "vs. ", "checksum",
};

/* A word of its own, behind a sign: not "nanosecond", "nan%" or the name of a check ("check_nan"). */
static bool is_nan(const char *text, const char *at)
{
	return at > text && strchr(" :=-[('\"", at[-1]) && !is_letter_or_digit(at[3]) && !strchr("_%-", at[3] ? at[3] : ' ');
}

/* The name of a result that the value belongs to: nothing but signs and another word stand between. */
static const char *result_before(const char *text, const char *at)
{
	const char *name = text, *ret = NULL;
	size_t row;

	while ((name = text_find_row(name, results, sizeof(*results), ARRAY_SIZE(results), true, &row)) && name < at) {
		const char *behind = name + strlen(results[row]);

		if (at >= behind && at - behind <= MOST_BETWEEN && !memchr(behind, '.', (size_t)(at - behind)) &&
		    !memchr(behind, ',', (size_t)(at - behind)) && !memchr(behind, '|', (size_t)(at - behind)) &&
		    (memchr(behind, ':', (size_t)(at - behind)) || memchr(behind, '=', (size_t)(at - behind))))
			ret = name;
		name++;
	}
	return ret;
}

/* Where the result stands; NULL: the line has none that is no number. */
static const char *said_in(const char *text)
{
	for (const char *at = text; (at = strcasestr(at, "nan")); at++) {
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
	while (at > line->text && at[-1] != ' ')
		at--;
	program_error_put(reading, line, "not-a-number", "nan", error_said(reading->arena, at));
}
