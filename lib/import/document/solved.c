// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/solved.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/kind/cues.h"
#include "import/line/log_pieces.h"
#include "import/line/node_name.h"
#include "import/words/sentence.h"
#include "klog/line.h"

enum {
	HEAD_LINES = 6,	  /* title and fields of a tracker */
	MOST_LINES = 600,	/* of a ticket: a longer text has a log in it */
	MOST_CHARACTERS = 1000,	/* of a line */
	MOST_OF_NAME = 64,
};

/* ---- the head */

static bool begins_ticket(const char *text)
{
	static const char *const heads[] = { "Subject: ", "Title: ", "Topic: ", "Summary: " };

	return text_begins_any(text, heads, ARRAY_SIZE(heads));
}

/* "Re: [solved] GPU hangs", "Xid 79 - solved", "case 7 (closed, replaced)", "[2024-03-11] incident closed" */
static bool is_title(const char *text, bool is_first)
{
	static const char *const marks[] = { "[solved]", "(solved)", "[resolved]", "(resolved)", "[fixed]",
					    "(closed, ", "(closed)" };
	static const char *const ends[] = { " - solved",	       " - resolved",	 ": solved",	": resolved",
					   " incident closed", " ticket closed", " case closed" };
	size_t len = strlen(text);

	/* An item of a list is one of several. */
	if (!is_first && !begins_ticket(text))
		return false;
	if (strchr("-*|", *text) || (is_digit(*text) && strchr(".)", text[strspn(text, "0123456789")])))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (strcasestr(text, marks[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (len > strlen(ends[i]) && !strcasecmp(text + len - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* "Status: Done  Resolution: Fixed" of a tracker: nothing but the word, which a field or a sentence may follow. */
static bool is_field_of(const char *text, const char *const *values, size_t nr)
{
	static const char *const keys[] = { "Status: ", "Resolution: ", "State: " };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *key = strcasestr(text, keys[i]), *value;
		size_t len = 0;

		if (!key || (key > text && key[-1] != ' '))
			continue;
		value = key + strlen(keys[i]);
		while (is_letter_or_digit(value[len]))
			len++;
		if (text_word_is_any(value, len, values, nr) &&
		    (!value[len] || value[len] == '.' || text_begins(value + len, "  ")))
			return true;
	}
	return false;
}

static bool is_field(const char *text)
{
	static const char *const values[] = { "done", "fixed", "solved", "resolved", "closed" };

	return is_field_of(text, values, ARRAY_SIZE(values));
}

/* Of another ticket beside it, or of a later day. */
static bool is_open_field(const char *text)
{
	static const char *const values[] = { "open",	"new",	      "reopened",      "unresolved",
					     "pending", "monitoring", "investigating", "ongoing" };

	return is_field_of(text, values, ARRAY_SIZE(values)) || strcasestr(text, "Status: In progress") ||
	       strcasestr(text, "[open]");
}

/* ---- what stands below */

/* A line of a log, or of a tool that failed. */
static bool is_evidence(const char *text)
{
	static const enum dump_kind kinds[] = { DUMP_SMI_FAILURE, DUMP_ROCM_FAILURE, DUMP_PROGRAM_ERROR };
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line = { .level = -1 };

	/* Nobody writes such a line. */
	if (strnlen(text, MOST_CHARACTERS + 1) > MOST_CHARACTERS)
		return true;
	klog_line_parse(&context, span_of(text), &line);
	klog_line_context_release(&context);
	return line.time.has_boot || line.time.has_wall || log_quoted_line(text, text) ||
	       dump_line_begins(text, kinds, ARRAY_SIZE(kinds));
}

/* Words of what is not over, not well, or well only elsewhere or for a while: in doubt it is. */
static bool is_denied(const char *text)
{
	static const char *const words[] = {
		"nothing", "none", "never", "no one", "nobody", "not ", "not,", "cannot", "neither", "nor ",
		"no longer", "other", "rest of", "but", "however", "although", "though", "except", "only ",
		", then", "and then", "then it", "until", "till ", "unless", "if ", "when ", "lost", "fails",
		"failed", "failing", "dies", "died", "broken", "still", "yet", "hope", "should", "would",
		"might", "maybe", "may ", "for now", "each ", "every ", "sometimes",
		"mostly", "warranty", "hardly", "barely", "almost", "before ",
	};
	static const char *const again[] = { "again" };
	static const char *const well[] = { "works again", "working again", "good again", "fine again" };
	static const char *const with[] = { "with " };
	struct span span = span_of(text);
	const char *first = strcasestr(text, "with ");

	return sentence_has_any(span, words, ARRAY_SIZE(words)) || strcasestr(text, "n't ") || strchr(text, '?') ||
	       (first && sentence_has_any(span_of(first + 1), with, ARRAY_SIZE(with))) ||
	       (sentence_has_any(span, again, ARRAY_SIZE(again)) && !sentence_has_any(span, well, ARRAY_SIZE(well)));
}

static bool is_for_a_while(const char *text)
{
	static const char *const words[] = { "minutes", "hour" };

	return sentence_has_any(span_of(text), words, ARRAY_SIZE(words));
}

static bool is_contrary(const char *text)
{
	return is_denied(text) || is_for_a_while(text);
}

/* The deed is of another day, or not done. */
static bool is_of_another_day(const char *text)
{
	static const char *const words[] = { "yesterday", "last ",    "previous", "earlier", "already", "ago",
					    "next",	 "tomorrow", "waiting",	 "pending", "will ",	"to be ",
					    "needs ",	 "must ",    "once ",	 "plan",    "request",	"open",
					    "aber",	 "nicht",    "noch",	 "erst ",   "gestern",	"morgen",
					    "muss",	 "soll",     "wird ",	 "sobald",  "bis ",	"trotzdem",
					    "pero",	 "ayer",     "todavía",	 "mais ",   "hier ",	"encore" };

	return sentence_has_any(span_of(text), words, ARRAY_SIZE(words));
}

/*
 * "Card replaced, burn-in passed. Closing." names the part, the deed and the proof: whoever writes it below a log means
 * the log, whatever the title says. A test that passed may have taken hours.
 */
static bool is_closing(const char *text)
{
	static const char *const parts[] = { "card", "gpu", "board", "riser", "karte", "tarjeta", "carte", "the rma" };
	static const char *const deeds[] = { "replaced", "reseated",   "swapped",  "after the rma", "getauscht",
					    "ersetzt",	"ausgetauscht", "reemplaz", "remplac",	      "sustitu" };
	static const char *const proofs[] = {
		"all passed",	 "burn-in passed",   "all is well",	  "all good",	   "back in production",
		"back in service", "back to service",  "returned to service", "back in the queue",
		"läuft wieder",	 "wieder in betrieb", "todo funciona",
	};
	struct span span = span_of(text);

	return sentence_has_any(span, parts, ARRAY_SIZE(parts)) && sentence_has_any(span, deeds, ARRAY_SIZE(deeds)) &&
	       sentence_has_any(span, proofs, ARRAY_SIZE(proofs)) && !is_denied(text) && !is_of_another_day(text) &&
	       (!is_for_a_while(text) || strcasestr(text, "passed"));
}

/* Somebody tells how it ended, and has no more to say. */
static bool is_end(const char *text)
{
	static const char *const well[] = { "back in production", "back in service",   "returned to service",
					   "back to service",	 "correct operation", "without errors",
					   "without any error",	 "problem is gone",   "issue is gone",
					   "error is gone",	 "errors are gone",   "hang is gone",
					   "hangs are gone",	 "crashes are gone",  "message is gone",
					   "messages are gone",	 "all pass",	      "passes on all",
					   "no hang ",		 "no crash ",	      "no error since",
					   "no errors since",	 "jobs running",      "works now",
					   "works fine",	 "works again",	      "working again",
					   "fixed it",		 "fixed by ",	      "solved:",
					   "solved by ",	 "solved it",	      "as solved" };

	return is_closing(text) || (sentence_has_any(span_of(text), well, ARRAY_SIZE(well)) && !is_contrary(text));
}

/* Does its last sentence go on in the next line? */
static bool is_unfinished(const char *text)
{
	return *text && !strchr(".!?:;", text[strlen(text) - 1]);
}

/* The same of a line whose sentence may begin in the one above it, or go on in the one below. */
static bool is_end_at(const struct dump_line *lines, size_t nr, size_t i)
{
	if (!is_end(lines[i].text))
		return false;
	if (i && is_unfinished(lines[i - 1].text) && !is_evidence(lines[i - 1].text) && is_contrary(lines[i - 1].text))
		return false;
	return i + 1 == nr || !is_unfinished(lines[i].text) || !is_contrary(lines[i + 1].text);
}

/* It is not over, or another one has it. */
static bool is_recurrence(const char *text)
{
	static const char *const words[] = { "again",	  "still",	  "reopen",	  "re-open",	"came back",
					    "comes back", "come back",	  "is back:",	  "recur",	"same here",
					    "me too",	  "same issue",	  "same problem", "same error", "unsolved",
					    "not solved", "not resolved", "not fixed",	  "but now",	"now it ",
					    "another ",	  "any idea",	  "any news" };

	return is_open_field(text) || (sentence_has_any(span_of(text), words, ARRAY_SIZE(words)) && !is_end(text));
}

/* Does a line name a node that is not the first that was named, which is put into `name`? */
static bool is_of_another(const char *text, char name[MOST_OF_NAME])
{
	while (*text) {
		char word[MOST_OF_NAME];
		size_t len = node_name_len(text), kept = len;

		while (kept && strchr(".-_", text[kept - 1]))
			kept--;
		if (kept && kept < sizeof(word)) {
			memcpy(word, text, kept);
			word[kept] = '\0';
			if (node_name_is_sure(word) && !*name)
				memcpy(name, word, kept + 1);
			else if (node_name_is_sure(word) && strcasecmp(word, name) != 0)
				return true;
		}
		text += len + (text[len] != '\0');
	}
	return false;
}

/* Does a line name a GPU that is not the first one, whose address is put into `first`? What was done was for one. */
static bool is_of_another_gpu(const char *text, struct span *first)
{
	static const char begin[] = "(PCI:";

	for (const char *at = text; (at = strstr(at, begin)); at++) {
		struct span address = { at, at + strcspn(at, ")") };

		if (!first->at)
			*first = address;
		else if (span_len(address) != span_len(*first) || strncmp(address.at, first->at, span_len(*first)) != 0)
			return true;
	}
	return false;
}

/* The end of a text that has no head of a ticket: a line that closes it, below a log of one GPU. */
static size_t end_of_closed(const struct dump_line *lines, size_t nr, size_t end)
{
	struct span gpu = { NULL, NULL };
	bool has_log = false;

	for (size_t i = 0; i < nr; i++) {
		has_log |= *lines[i].text && is_evidence(lines[i].text);
		if (is_of_another_gpu(lines[i].text, &gpu))
			return 0;
	}
	return has_log && end && is_closing(lines[end - 1].text) ? end : 0;
}

/*
 * Where the text tells of its end, below the last line of a log; 0: it does not, or the fault goes on. It ends where
 * another ticket begins, or another node has something.
 */
static size_t end_of_ticket(const struct dump_line *lines, size_t nr)
{
	char name[MOST_OF_NAME] = "";
	bool has_head = false;
	size_t end = 0;

	for (size_t i = 0; i < nr; i++) {
		const char *text = lines[i].text;
		bool is_log = *text && is_evidence(text);

		if ((has_head && begins_ticket(text)) || is_of_another(text, name))
			break;
		has_head |= i && (!*text || is_log || end);
		if (!*text)
			continue;
		if (is_log)
			end = 0;
		else if (is_recurrence(text))
			return 0;
		else if (i && is_end_at(lines, nr, i))
			end = i + 1;
		else if (end && is_contrary(text))
			end = 0;
	}
	return end;
}

/* Does one of the first lines say so? */
static bool is_headed(const struct dump_line *lines, size_t nr)
{
	size_t seen = 0;

	for (size_t i = 0; i < nr && seen < HEAD_LINES; i++) {
		const char *text = lines[i].text;

		seen += *text != '\0';
		if (*text && is_evidence(text))
			return false;
		if (*text && (is_title(text, seen == 1) || is_field(text)))
			return true;
	}
	return false;
}

bool solved_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	size_t end;

	if (from || nr > MOST_LINES)
		return false;
	end = end_of_ticket(lines, nr);
	if (end && !is_headed(lines, nr))
		end = end_of_closed(lines, nr, end);
	*ret = (struct left_out){ .begin = 0, .end = end };
	return end > 1;
}
