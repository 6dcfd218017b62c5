// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "import/words/mention_place.h"
#include "import/words/sentence.h"

static bool has_first_person(struct span span)
{
	static const char *const words[] = { "I ", "I'", "we ", "my ", "our ", "me ", "us " };

	for (const char *at = span.at; at < span.end; at++)
		if ((unsigned char)*at >= 0x80)
			return true;
	return sentence_has_any(span, words, ARRAY_SIZE(words));
}

static bool begins_with_any(const struct mention_place *place, const char *const *words, size_t nr)
{
	const char *first = place->before.at;

	first += strspn(first, " *->\t0123456789)");
	if (first >= place->before.end)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!strncasecmp(first, words[i], strlen(words[i])))
			return (unsigned char)*first >= 0x80 ||
			       !has_first_person((struct span){ first, place->before.end });
	return false;
}

/* What was changed, and what one may see, begin so. */
static bool is_of_list(const struct mention_place *place)
{
	static const char *const words[] = {
		"if ", "whether ", "unless ", "in case ", "search ", "fix ", "fix:", "fix(", "fixes ", "fixed ",
		"fixed:",
		"resolved ", "a typical ", "typical ", "common ", "known ", "possible ", "faq", "如果", "もし", "만약",
		"если ", "treat ", "treats ", "si aparece ", "si appare ",
	};

	return begins_with_any(place, words, ARRAY_SIZE(words));
}

/* What would be, and what is asked, too. */
static bool is_conditional(const struct mention_place *place)
{
	static const char *const words[] = {
		"when ", "whenever ", "where ", "once ", "does ", "do ", "what ", "why ", "how ", "is ", "look ",
		"see ",
		"previously ", "wenn ", "falls ",
	};

	return is_of_list(place) || begins_with_any(place, words, ARRAY_SIZE(words));
}

/* "X means that", "X | the driver is not loaded": no program goes on so. */
static bool is_subject(const struct mention_place *place)
{
	static const char *const words[] = {
		"usually mean", "typically", "means that", "means the", "indicates ", "is what ", "is handled",
		"is printed", "is raised", "is parsed", "are parsed", "is returned", "may be returned", "can be returned", "is thrown",
		"occurs when", "occurs if", "happens when",
		"(when ", "(if ", " => ", " | ", " — ", "是指",
	};
	const char *bar = strstr(place->end, " | ");

	/* Plugins of Nagios have figures behind a bar. */
	if (bar && !strchr(bar + 3, ' ') && strchr(bar, '='))
		return false;
	return sentence_has_any(place->after, words, ARRAY_SIZE(words));
}

/* "?" behind the words. "I get "…" - is it dead?" tells of them, too. */
static bool is_asked(const struct mention_place *place)
{
	static const char *const supposed[] = { "if ", "whether ", "should ", "would " };

	return (*place->after.end == '?' || text_begins(place->after.end, "？") || place->after.end[-1] == '?') &&
	       !(place->quote && sentence_tells_of_own(place->before) &&
		 !sentence_has_any(place->before, supposed, ARRAY_SIZE(supposed)));
}

/* "in such cases", "?" behind the words; "NAME when calling clBuildProgram" is a program's. */
static bool is_explained(const struct mention_place *place)
{
	static const char *const words[] = {
		" means", " mean ", "usually", "refers to", "stands for", "is defined", "is expected",
		"in such cases", "in this case", "can be", "may ", "should ", "caused by", "are caused",
		"is gone", "are gone", "went away", "goes away", "go away", "disappear", "no longer", "is fixed",
		"was fixed", "solved",
	};
	static const char *const conditions[] = { "if ", "when " };

	return is_asked(place) || is_subject(place) || sentence_has_any(place->after, words, ARRAY_SIZE(words)) ||
	       (!has_first_person(place->before) && !text_begins(place->behind, " when calling ") &&
		sentence_has_any(place->after, conditions, ARRAY_SIZE(conditions)));
}

/* "there is no …", "we never saw …", "(e.g. …": directly before the words. */
static bool is_denied(const struct mention_place *place)
{
	static const char *const words[] = {
		"no ", "never ", "without ", "not see ", "not get ", "t see ", "t get ", "e.g. ", "i.e. ",
		"such as ", "like ", "unlike ", "look for ", "looks for ", "search for ", "searches for ",
		"watch for ", "watches for ", "alert on ", "alerts on ",
	};
	enum { CLOSE = 16 };
	struct span close = place->before;

	if (span_len(close) > CLOSE)
		close.at = close.end - CLOSE;
	if (close.end >= place->text + 5 &&
	    (!strncasecmp(close.end - 5, "e.g. ", 5) || !strncasecmp(close.end - 5, "i.e. ", 5)))
		return true;
	return sentence_has_any(close, words, ARRAY_SIZE(words));
}

/* "The agent no longer crashes with "…"": what was changed in a program, and not into another error. */
static bool is_over(const struct mention_place *place)
{
	static const char *const words[] = { "no longer crash", "no longer fail", "no longer hang", "no longer panic",
					    "no longer abort", "no longer die",	 "no longer exit", "no longer log" };
	static const char *const others[] = { "but ", "instead", "and now", "now ", "since " };
	struct span rest = { place->text, place->text + strnlen(place->text, MENTION_MOST_CHARACTERS) };

	return place->quote && sentence_has_any(place->before, words, ARRAY_SIZE(words)) &&
	       !has_first_person(place->before) && !sentence_has_any(rest, others, ARRAY_SIZE(others));
}

/* Who explains or advises. */
static bool is_advice(const struct mention_place *place)
{
	static const char *const words[] = {
		"may ", "might ", "would ", "should ", "can be", "can cause", "could be", "could cause", "if you",
		"when you", "whether ", "in case of", "example", "fix", "avoid", "prevent", "resolv",
		"handles", "handling", "detects", "means", "is called", "are called", "typically", "usually",
		"common", "known", "that is why", "search", "look for", "look in", "documented", "describes",
		"explain", "sets the", ", falls ", "如果", "例如", "可能", "もし", "만약", "если",
	};

	/* "The call returns `…`" is how a name is documented. */
	static const char *const documents[] = { "returns " };

	return (sentence_has_any(place->before, words, ARRAY_SIZE(words)) ||
		(place->quote && sentence_has_any(place->before, documents, ARRAY_SIZE(documents)))) &&
	       !has_first_person(place->before);
}

/* Who tells what happened. */
static bool is_report(const struct mention_place *place)
{
	static const char *const words[] = {
		"get", "got", "giv", "gave", "say", "said", "show", "report", "print", "throw", "threw", "fail",
		"crash", "die", "end", "stop", "log", "saw", "error", "complain", "found", "receiv", "hit",
		"output", "answer", "return", "display", "again", "still", "nvidia-smi", "rocm-smi", "rocminfo", "docker",
		"meldet", "zeigt", "kommt", "affiche", "aparece", "restituisce",
	};

	return has_first_person(place->before) || sentence_has_any(place->before, words, ARRAY_SIZE(words));
}

/* "hip_code_object.cpp:506: "…"", "guarantee(false && "…")": a program prints where in its source it is. */
static bool is_behind_source(const struct mention_place *place)
{
	static const char assertion[] = "(false && ";
	const char *quote = place->quote;
	size_t before = (size_t)(quote - place->text), len = strlen(assertion);

	if (before > len && !strncmp(quote - len, assertion, len))
		return true;
	return before > 3 && quote[-1] == ' ' && quote[-2] == ':' && is_digit(quote[-3]);
}

/* In a chain of errors each ends in a colon or a bracket; in a sentence a word stands before the words. */
static bool is_in_sentence(const struct mention_place *place)
{
	const char *last = place->from;

	while (last > place->text && last[-1] == ' ')
		last--;
	return last > place->text &&
	       (is_letter_or_digit(last[-1]) || (unsigned char)last[-1] >= 0x80 || strchr(",(`", last[-1]));
}

bool mention_is_of_prose(const struct mention_place *place)
{
	/* "When the job starts: …" tells what came. */
	if (!place->quote && !is_in_sentence(place))
		return is_of_list(place) || is_subject(place);
	if (is_conditional(place) || (place->quote && is_explained(place)))
		return true;
	if (is_denied(place) || is_over(place) || is_advice(place) || is_explained(place))
		return true;
	/*
	 * What is quoted with nothing of a program's before it is a name for the error, if nobody says that he had it.
	 */
	return place->quote && place->at == place->quote + 1 && !is_report(place) && !is_behind_source(place);
}
