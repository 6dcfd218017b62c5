// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/questions.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/line/prompt.h"
#include "import/words/sentence.h"

enum {
	MOST_OF_QUESTION = 8,  /* lines between it and its answer */
	MOST_OF_ACCEPTED = 60, /* between one and an answer that was accepted */
	LEAST = 2,	       /* of a list: one question alone is a ticket's own */
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

/* "A (accepted, 12 votes): …", or what a page has for it: who asked says that it helped. */
static bool is_accepted(const struct dump_line *line)
{
	const char *text = line->text, *end;

	if (line->begins_accepted)
		return true;
	text += strspn(text, " *#");
	text = text_begins(text, "Answer") ? text + strlen("Answer") : text + (*text == 'A');
	end = strstr(text, "):");
	return end && (text_begins(text, " (accepted") || text_begins(text, " [accepted")) &&
	       !memchr(text, '.', (size_t)(end - text));
}

/*
 * One question with its accepted answer: what comes below is others'. Who asked may say below it that it did not help
 * for long.
 */
static size_t end_of_accepted(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const goes_on[] = { "again", "still", "not fix", "didn't", "did not", "no longer", "same " };
	static const char *const well[] = { "shows", "works", "work again", "is back" };
	size_t at = i + 1;

	while (at < nr && at - i < MOST_OF_ACCEPTED && !begins_with(lines[at].text, 'Q') && !is_accepted(&lines[at]))
		at++;
	if (at == nr || !is_accepted(&lines[at]))
		return 0;
	for (size_t k = at + 1; k < nr && !begins_with(lines[k].text, 'Q'); k++)
		if (sentence_has_any(span_of(lines[k].text), goes_on, ARRAY_SIZE(goes_on)) &&
		    !sentence_has_any(span_of(lines[k].text), well, ARRAY_SIZE(well)))
			return 0;
	return at + 1;
}

/* "Q: …", or what a page has for one. */
static bool is_question(const struct dump_line *line)
{
	return line->begins_question || begins_with(line->text, 'Q');
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

		if (!is_question(&lines[i]))
			continue;
		for (size_t answer; end < nr && (answer = answer_below(lines, nr, end)) < nr; nr_questions++)
			end = next_question(lines, nr, answer);
		/* The text is cut before the last one's answer. */
		if (nr_questions && end < nr && begins_with(lines[end].text, 'Q')) {
			end = next_question(lines, nr, end + 1);
			nr_questions++;
		}
		if (nr_questions < LEAST)
			end = end_of_accepted(lines, nr, i);
		if (!end)
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}
