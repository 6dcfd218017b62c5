// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/questions.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/line/prompt.h"

enum {
	MOST_OF_QUESTION = 8,	/* lines between it and its answer */
	LEAST = 2,		/* of a list: one question alone is a ticket's own */
};

/* "Q. Why …", "**Q:** Why …", "Q3: Why …"; the same of an answer. */
static bool begins_with(const char *text, char letter)
{
	text += strspn(text, " *#");
	if (*text++ != letter)
		return false;
	text += strspn(text, "0123456789");
	return strchr(".:", *text) && *text && (text[1] == ' ' || !strncmp(text + 1, "** ", 3));
}

/* The answer to the question that stands there, or nr. */
static size_t answer_below(const struct dump_line *lines, size_t nr, size_t i)
{
	for (size_t at = i + 1; at < nr && at - i <= MOST_OF_QUESTION && !begins_with(lines[at].text, 'Q'); at++)
		if (begins_with(lines[at].text, 'A'))
			return at;
	return nr;
}

static size_t next_question(const struct dump_line *lines, size_t nr, size_t i)
{
	while (i < nr && !begins_with(lines[i].text, 'Q') && !prompt_command(lines[i].text))
		i++;
	return i;
}

bool questions_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		size_t end = i, nr_questions = 0;

		if (!begins_with(lines[i].text, 'Q'))
			continue;
		for (size_t answer; end < nr && (answer = answer_below(lines, nr, end)) < nr; nr_questions++)
			end = next_question(lines, nr, answer);
		/* The text is cut before the last one's answer. */
		if (nr_questions && end < nr && begins_with(lines[end].text, 'Q')) {
			end = next_question(lines, nr, end + 1);
			nr_questions++;
		}
		if (nr_questions < LEAST)
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}
