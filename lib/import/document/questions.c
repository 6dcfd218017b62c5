// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/questions.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/kind/cues.h"
#include "import/line/log_pieces.h"
#include "import/line/prompt.h"
#include "import/words/sentence.h"
#include "klog/line.h"

enum {
	MOST_OF_QUESTION = 8,  /* lines between it and its answer */
	MOST_OF_ACCEPTED = 60, /* between one and an answer that was accepted */
	MOST_OF_ANSWER = 400,  /* of one, and of what stands below an answer that was accepted */
	LEAST = 2,	       /* of a list: one question alone is a ticket's own */
};

/* "Q. Why …", "**Q:** Why …", "Q3: Why …"; the same of an answer. */
static bool begins_with(const char *text, char letter)
{
	text += strspn(text, " *#");
	if (*text++ != letter)
		return false;
	text += strspn(text, "0123456789");
	return *text && strchr(".:", *text) && (text[1] == ' ' || text_begins(text + 1, "** ") || !text[1]);
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

/* Who asked says that it did not help, or not for long. Only "again" may be of what works. */
static bool goes_on(const char *text)
{
	static const char *const words[] = { "still",	  "not ",     "didn't",	   "doesn't", "no longer", "same ", "but",
					     "once more", "lost",     "today",	   "never",   "nothing",   "none",  "fails",
					     "failed",	  "came back", "comes back", "until",	 "no luck",   "same:" };
	static const char *const again[] = { "again" };
	static const char *const well[] = { "shows my", "works", "work again" };
	struct span span = span_of(text);

	return sentence_has_any(span, words, ARRAY_SIZE(words)) ||
	       (sentence_has_any(span, again, ARRAY_SIZE(again)) && !sentence_has_any(span, well, ARRAY_SIZE(well)));
}

/*
 * One question with its accepted answer: what comes below is others'. In doubt it is a ticket, and 0. ret_seen: up to
 * where no other one is to be looked for then.
 */
static size_t end_of_accepted(const struct dump_line *lines, size_t nr, size_t i, size_t *ret_seen)
{
	size_t at = i + 1;

	while (at < nr && at - i < MOST_OF_ACCEPTED && !begins_with(lines[at].text, 'Q') && !is_accepted(&lines[at]))
		at++;
	if (at == nr || !is_accepted(&lines[at]))
		return 0;
	for (size_t k = at + 1; k < nr && !begins_with(lines[k].text, 'Q'); k++)
		if (k - at > MOST_OF_ANSWER || goes_on(lines[k].text)) {
			*ret_seen = k;
			return 0;
		}
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

/* A blank line, and below it what is neither indented nor of the list; or a prompt. */
static size_t end_of_paragraphs(const struct dump_line *lines, size_t nr, size_t i)
{
	for (i++; i < nr && !prompt_command(lines[i].text); i++)
		if (!*lines[i - 1].text && *lines[i].text && *lines[i].text != ' ')
			break;
	return i;
}

/* The next one, or where the answer that stands there ends, which is the last then. */
static size_t next_question(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t at = i + 1;

	while (at < nr && at - i <= MOST_OF_ANSWER && !begins_with(lines[at].text, 'Q') &&
	       !prompt_command(lines[at].text))
		at++;
	return at < nr && begins_with(lines[at].text, 'Q') ? at : end_of_paragraphs(lines, nr, i);
}

/* What stands behind "A1: ". */
static const char *past_mark(const char *text)
{
	const char *mark = begins_with(text, 'A') ? text + strcspn(text, ".:") + 1 : text;

	return mark + strspn(mark, " *");
}

/* What a tool says that failed, as it prints it: a manual shows it in the question, or indented. */
static bool is_failure(const char *text)
{
	static const enum dump_kind kinds[] = { DUMP_SMI_FAILURE, DUMP_ROCM_FAILURE };

	return *text != ' ' && dump_line_begins(text, kinds, ARRAY_SIZE(kinds));
}

/*
 * A line of a log with its time or its device, a tool's output, or an answer that is what a log or a tool says: a
 * ticket's form was filled in. A manual shows such lines without these, below some words of its own.
 */
static bool is_of_machine(const char *text, bool is_answer)
{
	static const enum dump_kind tools[] = { DUMP_SMI_QUERY, DUMP_SMI_XML,	    DUMP_SMI_CSV,   DUMP_SMI_LIST,
						DUMP_SMI_TABLE, DUMP_LSPCI,	    DUMP_AMD_SMI,   DUMP_AMD_SMI_TABLE,
						DUMP_ROCM_SMI,	DUMP_ROCM_SMI_CSV,  DUMP_XPU_SMI,   DUMP_XPU_SMI_TABLE,
						DUMP_HL_SMI,	DUMP_DCGMI,	    DUMP_DCGM_TABLE, DUMP_BMC_LOG,
						DUMP_GPU_BURN,	DUMP_MEMORY_ERRORS, DUMP_FABRIC_LOG };
	static const enum dump_kind failures[] = { DUMP_SMI_FAILURE, DUMP_ROCM_FAILURE, DUMP_PROGRAM_ERROR };
	static const char *const parts[] = { "(PCI:", "0000:", "   : " };
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line = { .level = -1 };
	const char *said = past_mark(text);

	klog_line_parse(&context, span_of(said), &line);
	klog_line_context_release(&context);
	return line.time.has_boot || line.time.has_wall || text_has_any(text, parts, ARRAY_SIZE(parts)) ||
	       dump_line_begins(said, tools, ARRAY_SIZE(tools)) ||
	       (is_answer && (log_quoted_line(said, said) == said ||
			      dump_line_begins(said, failures, ARRAY_SIZE(failures))));
}

/* Is the last sign of the line a question's, "**Q: Why?**"? */
static bool asks(const char *text)
{
	size_t len = strlen(text);

	while (len && strchr("* ", text[len - 1]))
		len--;
	return len && text[len - 1] == '?';
}

/* "Q: What does `NVRM: Xid (PCI:0000:3b:00): 31` mean?": who asks quotes it. */
static bool quotes_in_question(const char *text)
{
	const char *quote = strchr(text, '`');

	return begins_with(text, 'Q') && asks(text) && quote && strchr(quote + 1, '`');
}

/* Do people ask there, and is nothing there a machine's? */
static bool is_list(const struct dump_line *lines, size_t begin, size_t end)
{
	size_t nr_asked = 0;
	bool in_question = false, is_answer = false, has_asked = false;

	for (size_t i = begin; i < end; i++) {
		const char *text = lines[i].text;

		has_asked &= !is_question(&lines[i]);
		in_question = is_question(&lines[i]) || (in_question && !begins_with(text, 'A'));
		/* The first words of an answer, which may stand below its mark. */
		is_answer = begins_with(text, 'A') || (is_answer && !*past_mark(lines[i - 1].text));
		if ((is_of_machine(text, is_answer) && !quotes_in_question(text)) ||
		    (!in_question && is_failure(text)))
			return false;
		if (!in_question || has_asked || !asks(text))
			continue;
		nr_asked++;
		has_asked = true;
	}
	return nr_asked >= LEAST;
}

/* Where the list that begins there ends, or the one question with its answer; 0: there is none up to *ret_seen. */
static size_t end_of_list(const struct dump_line *lines, size_t nr, size_t i, size_t *ret_seen)
{
	size_t end = i, nr_questions = 0;

	for (size_t answer; end < nr && (answer = answer_below(lines, nr, end)) < nr; nr_questions++)
		end = next_question(lines, nr, answer);
	/* The text is cut before the last one's answer. */
	if (nr_questions && end < nr && begins_with(lines[end].text, 'Q')) {
		end = end_of_paragraphs(lines, nr, end);
		nr_questions++;
	}
	*ret_seen = end > i ? end - 1 : i;
	if (nr_questions < LEAST)
		return end_of_accepted(lines, nr, i, ret_seen);
	return is_list(lines, i, end) ? end : 0;
}

bool questions_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from, end; i < nr; i++) {
		size_t seen;

		if (!is_question(&lines[i]))
			continue;
		end = end_of_list(lines, nr, i, &seen);
		if (end) {
			*ret = (struct left_out){ .begin = i, .end = end };
			return true;
		}
		/* None of its questions begins another list. */
		i = seen;
	}
	return false;
}
