// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/example.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/words/sentence.h"

enum {
	NEAR = 4,	       /* lines between a sentence and its example */
	MOST_BELOW = 60,       /* of an example */
	MOST_FENCED = 400,     /* of one between fences */
	MOST_CHARACTERS = 300, /* of a sentence */
};

/* Of which no machine is. */
static const char *const books[] = { " book)", " manual)", " docs)", " documentation)", " tutorial)" };

/* ---- sentences */

/*
 * "If you see:", "You may get the following error:", "如果报错，类似：": the lines below are what may be seen, and no
 * machine's. "If you need more, see the log:" has its verb elsewhere.
 */
static bool is_condition(const char *text)
{
	static const char *const subjects[] = { "if you ", "If you ", "you may ", "You may ", "you might ",
						"You might ", "you should ", "You should " };
	static const char *const verbs[] = { "see:", "get:", "see the following", "get the following",
					     "see something like", "see an error", "see a message", "get an error",
					     "encounter ", "observe ", "receive ", "see output like",
					     "see output similar", "see a line like", "see lines like",
					     "see errors like", "see this error", "get this error" };
	size_t len = strlen(text);

	while (len && text[len - 1] == '*')
		len--;
	if (!len || (text[len - 1] != ':' && (len < 3 || strncmp(text + len - 3, "：", 3) != 0)))
		return false;
	if ((text_begins(past_blanks(text), "如果") || strstr(text, "例如")) &&
	    (strstr(text, "报错") || strstr(text, "出现") || strstr(text, "看到")))
		return !strstr(text, "我");
	if (strstr(text, "输出示例") || strstr(text, "示例输出"))
		return !strstr(text, "我");
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		const char *at = strstr(text, subjects[i]);

		if (at && text_begins_any(at + strlen(subjects[i]), verbs, ARRAY_SIZE(verbs)))
			return true;
	}
	return false;
}

/* The last sentence of the line, without its colon and the mark of a list. */
static struct span last_sentence(const char *text)
{
	size_t len = strlen(text);
	struct span ret = { text, text + len - (len && text[len - 1] == ':') };

	/* "::" of reStructuredText. */
	ret.end -= len > 1 && ret.end[-1] == ':';
	if (len)
		ret.at = sentence_of(ret, ret.end - 1).at;
	ret.at += strspn(ret.at, " *-/#>");
	if (text_begins(ret.at, "• "))
		ret.at += strlen("• ");
	return ret;
}

static bool is_own(struct span sentence)
{
	static const char *const words[] = { "I ", "I'", "we ", "my ", "our ", "me ", "us " };

	return sentence_has_any(sentence, words, ARRAY_SIZE(words));
}

/*
 * "For example, in this case you will see:": of whoever reads it; "You will see:" stands in what a ticket tells to do.
 */
static bool is_general(struct span sentence)
{
	static const char *const begins[] = { "For example", "Sometimes", "Occasionally", "Typically", "Usually",
					      "In some cases" };
	static const char *const likely[] = { "you are likely to see ",
					      "you're likely to see ",
					      "you’re likely to see ",
					      "you would see ",
					      "you'd see ",
					      "you’d see " };
	static const char *const seen[] = { "you will see ", "you'll see ", "you’ll see ", "you will get ",
					    "you'll get ", "you’ll get ", "you can see ", "you may see ",
					    "you might see " };

	if (*sentence.end != ':')
		return false;
	return (sentence_has_any(sentence, likely, ARRAY_SIZE(likely)) && !is_own(sentence)) ||
	       (text_begins_any(sentence.at, begins, ARRAY_SIZE(begins)) &&
		sentence_has_any(sentence, seen, ARRAY_SIZE(seen)));
}

static bool ends_with_any(struct span span, const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(words[i]);

		if (span_len(span) >= len && !strncasecmp(span.end - len, words[i], len))
			return true;
	}
	return false;
}

/* "… output such as this (example from a book):", whoever asks about it. */
static bool is_of_book(struct span sentence)
{
	static const char *const words[] = { "(example from ", "(example taken from " };

	return ends_with_any(sentence, books, ARRAY_SIZE(books)) &&
	       sentence_has_any(sentence, words, ARRAY_SIZE(words));
}

/* "Use the command scontrol show node, for example": what its reader may do. */
static bool is_advice(struct span sentence)
{
	static const char *const ends[] = { ", for example", ", for instance" };

	return text_begins(sentence.at, "Use ") && ends_with_any(sentence, ends, ARRAY_SIZE(ends));
}

/*
 * "When the kernel logs": who has no other verb before tells what would be. "When the job starts the kernel logs" tells
 * what came.
 */
static bool begins_supposed(struct span sentence)
{
	static const char *const begins[] = { "when the ", "whenever the ", "if the " };
	static const char *const speakers[] = { "kernel ", "driver ", "log ", "node ", "system ", "host " };
	static const char *const verbs[] = { "logs", "prints", "reports", "contains", "shows", "has ", "writes",
					     "emits" };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		const char *next = sentence.at;

		if (strncasecmp(next, begins[i], strlen(begins[i])) != 0)
			continue;
		next += strlen(begins[i]);
		for (size_t k = 0; k < ARRAY_SIZE(speakers); k++)
			if (text_begins(next, speakers[k]))
				return text_begins_any(next + strlen(speakers[k]), verbs, ARRAY_SIZE(verbs));
	}
	return false;
}

/* "If `dmesg` shows": of a command nothing else is told. */
static bool is_command_supposed(struct span sentence)
{
	static const char *const verbs[] = { "shows", "prints", "reports", "contains", "says" };
	const char *end;

	if (!text_begins(sentence.at, "If `"))
		return false;
	end = memchr(sentence.at + 4, '`', (size_t)(sentence.end - sentence.at - 4));
	return end && end + 2 < sentence.end && end[1] == ' ' &&
	       text_word_is_any(end + 2, (size_t)(sentence.end - end - 2), verbs, ARRAY_SIZE(verbs));
}

/* "When the kernel logs a line like", "This alert fires when the kernel logs a line such as" */
static bool is_supposed(struct span sentence)
{
	static const char *const rules[] = { "fires when ", "fires if ", "triggers when ", "triggers if ",
					     "triggered when " };
	static const char *const ends[] = { " like", " like this", " such as", " following", " with" };
	static const char *const verbs[] = { " prints", " logs", " reports", " contains", " writes" };

	if (!strncasecmp(sentence.at, "if ", strlen("if ")) && ends_with_any(sentence, verbs, ARRAY_SIZE(verbs)))
		return begins_supposed(sentence);
	if (is_command_supposed(sentence))
		return true;
	return ends_with_any(sentence, ends, ARRAY_SIZE(ends)) &&
	       (begins_supposed(sentence) || sentence_has_any(sentence, rules, ARRAY_SIZE(rules)));
}

/* "… may cause errors when a device is read, e.g.," */
static bool is_possible(struct span sentence)
{
	static const char *const ends[] = { "e.g.,", "e.g." };
	static const char *const words[] = { "may ", "might ", "can ", "could " };

	return ends_with_any(sentence, ends, ARRAY_SIZE(ends)) && sentence_has_any(sentence, words, ARRAY_SIZE(words));
}

/* Nobody who had the error says so: what may come, and what is given to a program. */
static bool is_introduction(struct span sentence)
{
	static const char *const ends[] = { "may appear", "might appear", "can appear", "may be logged",
					    "may be printed", "may log", "might log", "may print", "may report",
					    "given a log with", "given a log like", "given a line like",
					    "if you saw", "instance, if you see", "example, if you see",
					    "would look like", "might look like", "may look like",
					    "would look like this", "might look like this", "may look like this",
					    "likely that the diagnostics report will include", "log signature",
					    "Message from dmesg" };

	return ends_with_any(sentence, ends, ARRAY_SIZE(ends)) || is_supposed(sentence) || is_possible(sentence);
}

/* A ticket, too, may have it above its log: what stands below the lines tells whose they are. */
static bool may_be_introduction(struct span sentence)
{
	static const char *const ends[] = { "example", "example is", "instance", "such as", " like", " like this",
					    "these", "of the form", "similar to the following", "example error" };
	static const char *const begins[] = { "if a ", "if the " };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncasecmp(sentence.at, begins[i], strlen(begins[i])))
			return true;
	return ends_with_any(sentence, ends, ARRAY_SIZE(ends));
}

/* "were not recognised.", "In general, such an error tells …", "• Exercise: which component is to blame?" */
static bool is_lesson(const char *text)
{
	static const char *const begins[] = { "were not ", "was not ", "are not ", "is not ", "are now ", "is now ",
					      "means ", "This means ", "would ", "that would ", "it will ",
					      "In general", "In this case", "In such", "Exercise", "Such ", "must ",
					      "should " };
	static const char *const words[] = { "recogni", "parse", "match", "handle", "detect", "classif", "mean",
					     "drain", "such a", "Such a", "Exercise", "be ", "In this case" };
	const char *first = text + strspn(text, " *-/#>");

	if (text_begins(first, "• "))
		first += strlen("• ");
	return text_begins_any(first, begins, ARRAY_SIZE(begins)) && text_has_any(first, words, ARRAY_SIZE(words)) &&
	       !is_own(sentence_of(span_of(first), first));
}

/* ---- what stands below */

/* Where the block ends that begins there: at an empty line, and one that is indented, where that ends. */
static size_t block_end(const struct dump_line *lines, size_t nr, size_t begin, size_t indent)
{
	bool is_indented = strspn(lines[begin].text, " ") > indent;
	size_t end = begin, i;

	for (i = begin; i < nr && i - begin < MOST_BELOW; i++) {
		if (*lines[i].text && is_indented && strspn(lines[i].text, " ") <= indent)
			break;
		if (*lines[i].text)
			end = i + 1;
		else if (!is_indented)
			break;
	}
	return i - begin < MOST_BELOW ? end : begin;
}

/* Where the fence closes that was opened above; 0: it does not. */
static size_t fence_below(const struct dump_line *lines, size_t nr, size_t begin)
{
	for (size_t i = begin; i < nr && i - begin < MOST_FENCED; i++)
		if (lines[i].is_fence)
			return i;
	return 0;
}

/* The lines below, without the directive that tells how they are shown (".. code-block:: console"); none if there are
 * many. */
static bool block_below(const struct dump_line *lines, size_t nr, size_t i, struct left_out *ret)
{
	size_t begin = i + 1, end = 0;
	bool is_fenced = false;

	while (begin < nr && begin - i < NEAR &&
	       (!*lines[begin].text || text_begins(past_blanks(lines[begin].text), ".. ")))
		is_fenced |= lines[begin++].is_fence;
	if (begin >= nr || !*lines[begin].text)
		return false;
	if (is_fenced)
		end = fence_below(lines, nr, begin);
	if (!end)
		end = block_end(lines, nr, begin, strspn(lines[i].text, " "));
	*ret = (struct left_out){ .begin = begin, .end = end };
	return end > begin;
}

/* Does a line draw a lesson, below the block or in it, where the block ends then? */
static bool has_lesson(const struct dump_line *lines, size_t nr, struct left_out *block)
{
	for (size_t i = block->begin + 1; i < nr && i < block->end + NEAR; i++) {
		if (!is_lesson(lines[i].text)) {
			if (i >= block->end && *lines[i].text)
				return false;
			continue;
		}
		if (i < block->end)
			block->end = i;
		return true;
	}
	return false;
}

/* What a tool prints has empty lines in it: the example goes on to where the lesson is, if there is one. */
static bool block_to_lesson(const struct dump_line *lines, size_t nr, size_t i, struct left_out *ret)
{
	if (!block_below(lines, nr, i, ret))
		return false;
	for (size_t k = ret->end; k < nr && k - ret->begin < MOST_BELOW; k++)
		if (is_lesson(lines[k].text)) {
			ret->end = k;
			break;
		}
	return true;
}

/* "# Example output", and below it the output as comments. */
static bool is_head_of_comments(const char *text)
{
	static const char *const words[] = { "xample output", "xpected output", "ample output", "xample:" };

	return *past_blanks(text) == '#' && text_has_any(text, words, ARRAY_SIZE(words));
}

static bool comments_below(const struct dump_line *lines, size_t nr, size_t i, struct left_out *ret)
{
	size_t end = i + 1;

	while (end < nr && *past_blanks(lines[end].text) == '#' && end - i < MOST_BELOW)
		end++;
	*ret = (struct left_out){ .begin = i + 1, .end = end };
	return end > i + 1;
}

/* "# example: …" in a file of settings. */
static bool is_commented_example(const char *text)
{
	const char *first = past_blanks(text);

	return *first == '#' && (text_begins(first, "# example: ") || text_begins(first, "# e.g. "));
}

/* "the client has the version X.Y", in as many letters as a number has: who wrote it down left it to his readers. */
static bool has_placeholder(const char *text)
{
	const char *version = strstr(text, "the version ");

	return version && text_begins(version + strlen("the version "), "XX");
}

/* What all of the above end in, or have in them: most lines of a log do not, and cost no more than that. */
static bool may_introduce(const char *text)
{
	static const char *const ends[] = { " like", " this", " as", " following", " with", "appear", "logged",
					    "printed", " log", " print", " report", " prints", " logs", " reports",
					    " contains", " writes", " shows", " says", "saw", "see", "example", " is", "instance", "these",
					    "form", " error", " include", " signature", " dmesg", "e.g.," };
	size_t len = strnlen(text, MOST_CHARACTERS);
	struct span span = { text, text + len };

	if (len < 8 || len == MOST_CHARACTERS)
		return false;
	if (text_begins(past_blanks(text), "Example of a") || strstr(text, "：") || strstr(text, "f the ") ||
	    strstr(text, "f a ") || strstr(text, "ou "))
		return true;
	span.end -= text[len - 1] == ':';
	span.end -= span.end[-1] == ':';
	return ends_with_any(span, ends, ARRAY_SIZE(ends)) || ends_with_any(span, books, ARRAY_SIZE(books));
}

/* "Example of a corrected error in `dmesg`:" */
static bool is_named_example(struct span sentence)
{
	static const char *const begins[] = { "Example of a ", "Example of an " };

	return *sentence.end == ':' && text_begins_any(sentence.at, begins, ARRAY_SIZE(begins));
}

static bool is_introduced(const struct dump_line *lines, size_t nr, size_t i, struct left_out *ret)
{
	const char *text = lines[i].text;
	struct span sentence;

	if (!may_introduce(text))
		return false;
	sentence = last_sentence(text);
	if (is_condition(text) || is_general(sentence) || is_of_book(sentence))
		return block_below(lines, nr, i, ret);
	if (is_own(sentence))
		return false;
	if (is_named_example(sentence))
		return block_below(lines, nr, i, ret);
	if (is_introduction(sentence) || is_advice(sentence))
		return block_to_lesson(lines, nr, i, ret);
	return may_be_introduction(sentence) && block_below(lines, nr, i, ret) && has_lesson(lines, nr, ret);
}

bool example_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		if (is_introduced(lines, nr, i, ret))
			return true;
		if (is_head_of_comments(lines[i].text) && comments_below(lines, nr, i, ret))
			return true;
		if (is_commented_example(lines[i].text) || has_placeholder(lines[i].text)) {
			*ret = (struct left_out){ .begin = i, .end = i + 1 };
			return true;
		}
	}
	return false;
}
