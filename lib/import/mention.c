// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/mention.h"

#include "base/text.h"
#include "import/sentence.h"

enum { MOST_CHARACTERS = 400 };	/* of a sentence that are looked at, on either side of the words */

/* Where the words stand. */
struct place {
	const char *text, *at, *end;
	const char *quote;		/* the mark that opens what they are quoted in; NULL: they are not */
	const char *from, *behind;	/* with what they are quoted in */
	struct span before, after;	/* the rest of the sentence */
};

static bool begins_quote(const char *text, const char *at)
{
	if (*at == '\'')
		return at == text || (!is_letter_or_digit(at[-1]) && (unsigned char)at[-1] < 0x80);
	return (*at == '"' || *at == '`') && (at == text || at[-1] != '\\');
}

static bool ends_quote(const char *at, char mark)
{
	return *at == mark && at[-1] != '\\' && (mark != '\'' || !is_letter_or_digit(at[1]));
}

static const char *past_quote(const char *end, char mark)
{
	while (*end && !ends_quote(end, mark))
		end++;
	return *end ? end + 1 : end;
}

/* The mark whose quotation is still open there, or NULL. An apostrophe opens none. */
static const char *open_quote(const char *text, const char *at)
{
	const char *open = NULL;

	for (const char *next = text; next < at; next++)
		if (open ? ends_quote(next, *open) : begins_quote(text, next))
			open = open ? NULL : next;
	return open;
}

static struct place place_of(const char *text, const char *at, size_t len)
{
	struct place ret = { .text = text, .at = at, .end = at + len, .quote = open_quote(text, at) };
	struct span near;

	ret.from = ret.quote ? ret.quote : at;
	ret.behind = ret.quote ? past_quote(ret.end, *ret.quote) : ret.end;
	/* Of a line as long as a file what stands near is looked at. */
	near = (struct span){ ret.from - text > MOST_CHARACTERS ? ret.from - MOST_CHARACTERS : text, ret.behind };
	near.end += strnlen(ret.behind, MOST_CHARACTERS);
	ret.before = (struct span){ sentence_of(near, ret.from).at, ret.from };
	ret.after = (struct span){ ret.behind, sentence_of((struct span){ ret.behind, near.end }, ret.behind).end };
	return ret;
}

/* ---- source and lists */

static bool has_before(const struct place *place, const char *const *marks, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (memmem(place->text, (size_t)(place->at - place->text), marks[i], strlen(marks[i])))
			return true;
	return false;
}

/* "0000:5e:00.0" */
static bool names_address(const char *text)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	enum { DOMAIN = 4, BUS = 2, DEVICE = 2 };

	for (const char *at = text; (at = strchr(at, ':')); at++)
		if (at - text >= DOMAIN && strspn(at - DOMAIN, digits) == DOMAIN && strspn(at + 1, digits) == BUS &&
		    at[1 + BUS] == ':' && strspn(at + 2 + BUS, digits) == DEVICE && at[2 + BUS + DEVICE] == '.' &&
		    is_digit(at[3 + BUS + DEVICE]))
			return true;
	return false;
}

/* "# … the device handle for GPU 0000:5e:00.0: …": a ticket's title. What a manual has a chapter of has no address. */
static bool is_title(const char *text)
{
	return text_begins(text, "# ") && !strchr("$#!", *past_blanks(text + 2)) && names_address(text);
}

/* A row of a table, a heading, a comment, a line about a test, or a command; in a patch, too. */
static bool is_of_frame(const char *text)
{
	static const char *const frames[] = {
		"|", "#", "/*", ";", "<!--", "<li", "<td", "<th", "<tr", "<dt", "<dd", "<h1", "<h2", "<h3", "<h4",
		"not ok ", "=== RUN", "--- PASS", "--- FAIL", "PASS: ", "TASK [", "@@ ", "sed ", "awk ", "rg ", "ag ",
		"ack ", "echo ", "logger ",
	};
	const char *first = past_blanks(text);

	/* "##[error]…" is how runners of builds print one. */
	if (is_title(text) || text_begins(first, "##["))
		return false;
	if (*first == '+' || *first == '-')
		first = *past_blanks(first + 1) == '#' ? past_blanks(first + 1) : first;
	return text_begins_any(first, frames, ARRAY_SIZE(frames)) ||
	       memmem(text, strnlen(text, MOST_CHARACTERS), " PASSED", strlen(" PASSED"));
}

/* "'…' in result.stdout" */
static bool is_searched_for(const struct place *place)
{
	static const char *const searches[] = { " in ", " not in " };
	const char *next = place->end;

	next += strspn(next, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/ ");
	return (*next == '\'' || *next == '"') && text_begins_any(next + 1, searches, ARRAY_SIZE(searches));
}

static size_t name_len(const char *text)
{
	size_t len = 0;

	while (is_letter_or_digit(text[len]) || text[len] == '_' || text[len] == '.')
		len++;
	return len;
}

/* "CUDA_ERROR_ECC_UNCORRECTABLE = 214," and other lines of a list of names; "[NAME](https://…)". */
static bool is_definition(const struct place *place)
{
	const char *first = past_blanks(place->text), *next = past_blanks(place->end);
	size_t len = strlen(next);

	if (place->at > place->text && place->at[-1] == '[' && text_begins(place->end, "]("))
		return true;
	if (first + name_len(first) != place->end)
		return false;
	return (*next && strchr("=,", *next)) || is_digit(*next) || text_begins(next, ": \"") ||
	       text_begins(next, ": '") || (len && next[len - 1] == ',');
}

/* Statements: "return cudaErrorECCUncorrectable;", "CASE( CUDA_ERROR_ECC_UNCORRECTABLE );", "const NAME = CU(214)". */
static bool is_statement(const struct place *place)
{
	static const char *const words[] = { "return ", "const ", "let ", "var " };
	const char *first = past_blanks(place->text), *next = past_blanks(place->end);
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (text_begins(first, words[i]) && past_blanks(first + strlen(words[i])) == place->at)
			return *next == ';' || *next == '=';
	len = name_len(first);
	return len && first[len] == '(' && past_blanks(first + len + 1) == place->at && *next == ')' &&
	       (next[1] == ';' || next[1] == ',');
}

/* "RuntimeError('CUDA error: …')": how Python prints one that was raised. */
static bool is_exception(const struct place *place)
{
	static const char *const names[] = { "Error", "Exception" };
	const char *name = place->quote - 1;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);

		if ((size_t)(name - place->text) > len && !strncmp(name - len, names[i], len))
			return true;
	}
	return false;
}

/* "LibvirtError(Code=1, Domain=10, Message='…')": how programs in Go print one. */
static bool is_message_of_exception(const struct place *place)
{
	static const char *const calls[] = { "Error(", "Exception(" };
	static const char field[] = "Message=";
	const size_t len = strlen(field);

	return (size_t)(place->quote - place->text) > len && !strncmp(place->quote - len, field, len) &&
	       has_before(place, calls, ARRAY_SIZE(calls));
}

/* A string of a program's source: among arguments, or in a list of strings. */
static bool is_literal(const struct place *place)
{
	const char *before = place->quote;
	char next = *past_blanks(place->behind);

	/* r"…" and b"…" of Python. */
	if (before > place->text + 1 && strchr("rbfu", before[-1]) && !is_letter_or_digit(before[-2]))
		before--;
	while (before > place->text && before[-1] == ' ')
		before--;
	if (before == place->text)
		return false;
	/* Of a record the keys are known. */
	if (before[-1] == '=')
		return !is_message_of_exception(place);
	if (strchr("([", before[-1]) && is_letter_or_digit(before > place->text + 1 ? before[-2] : ' '))
		return !is_exception(place);
	return before[-1] == '{' && next == ',';
}

static bool is_source(const struct place *place)
{
	static const char *const marks[] = {
		"grep", "if (", "if \"", " assert", "// ", "egex", "EGEX", "attern", "ATTERN", "#define ",
		"return \"", "raise ", "throw ", "printf(", "rrorf(", "= \"", "= '", "= [", "= {", "= (", "match=",
		"ontains(", " const ", "except ", "- name: ", "njected", "imulated", "imulating",
		"[mock", "xpecting ",
	};

	static const char *const begins[] = { "case ", "assert" };
	/* Of a rule's YAML, where they are indented. */
	static const char *const fields[] = { "description: ", "summary: ", "- description: ", "- summary: " };

	if ((place->quote || *place->text == ' ') && text_begins_any(past_blanks(place->text), fields, ARRAY_SIZE(fields)))
		return true;

	return text_begins_any(past_blanks(place->text), begins, ARRAY_SIZE(begins)) ||
	       has_before(place, marks, ARRAY_SIZE(marks)) || is_of_frame(place->text) || is_definition(place) ||
	       is_statement(place) || is_searched_for(place);
}

/* ---- records of logs */

/* msg="…", "stderr": "…", and what NCCL and others quote themselves. */
static bool is_of_record(const struct place *place)
{
	static const char *const keys[] = {
		"stdout\": ", "stderr\": ", "msg\": ", "message\": ", "MESSAGE\": ", "log\": ", "line\": ",
		"error\": ", "err\": ", "reason\": ", "output\": ", "Payload\": ", "stdout=", "stderr=", "msg=",
		"message=", "error=", "err=", "reason=", "output=", "exception=", "cause=",
		"detail\": ", "status\": ", "text\": ", "body\": ", "message: ", "msg: ", "Msg: ",
	};
	static const char *const failures[] = { "ailure ", "CUDA library: ", "NCCL WARN " };
	const char *text = place->text, *at = place->quote;

	if (at >= text + 6 && !strncmp(at - 6, "exec: ", 6))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t len = strlen(keys[i]), bare = len - 1;

		if (((size_t)(at - text) >= len && !strncmp(at - len, keys[i], len)) ||
		    ((size_t)(at - text) >= bare && !strncmp(at - bare, keys[i], bare)))
			return true;
	}
	return *at == '\'' && has_before(place, failures, ARRAY_SIZE(failures));
}

/* All that a line holds is the words, as people paste them; in a list of strings only a file has them so. */
static bool is_all_of_line(const struct place *place)
{
	const char *first = place->text + strspn(place->text, " *->\t");

	return first == place->quote && !*past_blanks(place->behind) &&
	       (*place->quote == '`' || first == past_blanks(place->text));
}

/* ---- sentences */

static bool has_first_person(struct span span)
{
	static const char *const words[] = { "I ", "I'", "we ", "my ", "our ", "me ", "us " };

	for (const char *at = span.at; at < span.end; at++)
		if ((unsigned char)*at >= 0x80)
			return true;
	return sentence_has_any(span, words, ARRAY_SIZE(words));
}

static bool begins_with_any(const struct place *place, const char *const *words, size_t nr)
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
static bool is_of_list(const struct place *place)
{
	static const char *const words[] = {
		"if ", "whether ", "unless ", "in case ", "search ", "fix ", "fix:", "fix(", "fixes ", "fixed ", "fixed:",
		"resolved ", "a typical ", "typical ", "common ", "known ", "possible ", "faq", "如果", "もし", "만약", "если ",
	};

	return begins_with_any(place, words, ARRAY_SIZE(words));
}

/* What would be, and what is asked, too. */
static bool is_conditional(const struct place *place)
{
	static const char *const words[] = {
		"when ", "whenever ", "where ", "once ", "does ", "do ", "what ", "why ", "how ", "is ", "look ", "see ",
		"previously ", "wenn ", "falls ",
	};

	return is_of_list(place) || begins_with_any(place, words, ARRAY_SIZE(words));
}

/* "X means that", "X | the driver is not loaded": no program goes on so. */
static bool is_subject(const struct place *place)
{
	static const char *const words[] = {
		"usually mean", "typically", "means that", "means the", "indicates ", "is what ", "is handled",
		"is printed", "is raised", "is returned", "may be returned", "can be returned", "is thrown", "occurs when", "occurs if", "happens when",
		"(when ", "(if ", " => ", " | ", " — ", "是指",
	};
	const char *bar = strstr(place->end, " | ");

	/* Plugins of Nagios have figures behind a bar. */
	if (bar && !strchr(bar + 3, ' ') && strchr(bar, '='))
		return false;
	return sentence_has_any(place->after, words, ARRAY_SIZE(words));
}

/* "?" behind the words. "I get "…" - is it dead?" tells of them, too. */
static bool is_asked(const struct place *place)
{
	static const char *const supposed[] = { "if ", "whether ", "should ", "would " };

	return (*place->after.end == '?' || text_begins(place->after.end, "？") || place->after.end[-1] == '?') &&
	       !(place->quote && sentence_tells_of_own(place->before) &&
		 !sentence_has_any(place->before, supposed, ARRAY_SIZE(supposed)));
}

/* "in such cases", "?" behind the words. */
static bool is_explained(const struct place *place)
{
	static const char *const words[] = {
		" means", " mean ", "usually", "refers to", "stands for", "is defined", "is expected",
		"in such cases", "in this case", "can be", "may ", "should ", "caused by", "are caused",
		"is gone", "are gone", "went away", "goes away", "go away", "disappear", "no longer", "is fixed",
		"was fixed", "solved",
	};
	static const char *const conditions[] = { "if ", "when " };

	return is_asked(place) || is_subject(place) || sentence_has_any(place->after, words, ARRAY_SIZE(words)) ||
	       (!has_first_person(place->before) && sentence_has_any(place->after, conditions, ARRAY_SIZE(conditions)));
}

/* "there is no …", "we never saw …", "(e.g. …": directly before the words. */
static bool is_denied(const struct place *place)
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

/* Who explains or advises. */
static bool is_advice(const struct place *place)
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
static bool is_report(const struct place *place)
{
	static const char *const words[] = {
		"get", "got", "giv", "gave", "say", "said", "show", "report", "print", "throw", "threw", "fail",
		"crash", "die", "end", "stop", "log", "saw", "error", "complain", "found", "receiv", "hit",
		"output", "answer", "return", "display", "again", "nvidia-smi", "rocm-smi", "rocminfo", "docker",
		"meldet", "zeigt", "kommt", "affiche", "aparece", "restituisce",
	};

	return has_first_person(place->before) || sentence_has_any(place->before, words, ARRAY_SIZE(words));
}

/* In a chain of errors each ends in a colon or a bracket; in a sentence a word stands before the words. */
static bool is_in_sentence(const struct place *place)
{
	const char *last = place->from;

	while (last > place->text && last[-1] == ' ')
		last--;
	return last > place->text &&
	       (is_letter_or_digit(last[-1]) || (unsigned char)last[-1] >= 0x80 || strchr(",(`", last[-1]));
}

static bool is_of_prose(const struct place *place)
{
	/* "When the job starts: …" tells what came. */
	if (!place->quote && !is_in_sentence(place))
		return is_of_list(place) || is_subject(place);
	if (is_conditional(place) || (place->quote && is_explained(place)))
		return true;
	if (is_denied(place) || is_advice(place) || is_explained(place))
		return true;
	/* What is quoted with nothing of a program's before it is a name for the error, if nobody says that he had it. */
	return place->quote && place->at == place->quote + 1 && !is_report(place);
}

/* `device marked unhealthy: GPU-…`: the form of a line, in which somebody left out a value. */
static bool is_form(const struct place *place)
{
	static const char *const gaps[] = { "-…", "-...", "=…", "=..." };

	for (size_t i = 0; place->quote && i < ARRAY_SIZE(gaps); i++)
		if (memmem(place->end, (size_t)(place->behind - place->end), gaps[i], strlen(gaps[i])))
			return true;
	return false;
}

static const char *past_mention_in(const char *text, const char *at, size_t len)
{
	struct place place = place_of(text, at, len);

	if (is_source(&place))
		return at + strlen(at);
	if (is_form(&place))
		return place.behind;
	if (place.quote && is_of_record(&place))
		return NULL;
	if (place.quote && is_literal(&place))
		return place.behind;
	return !(place.quote && is_all_of_line(&place)) && is_of_prose(&place) ? place.after.end : NULL;
}

/* ---- strings of JSON and of sources, which are lines of their own */

/* Behind the mark where a string begins that is all of a line, but for a comma; NULL: there is more, or it is long. */
static const char *whole_string(const char *text, const char **ret_end)
{
	const char *mark = past_blanks(text), *end;

	if (*mark != '"' && *mark != '\'')
		return NULL;
	end = past_quote(mark + 1, *mark);
	*ret_end = end - 1;
	if (end <= mark + 2 || end[-1] != *mark || end - mark >= MOST_CHARACTERS)
		return NULL;
	return *past_blanks(end + (*end == ',')) ? NULL : mark + 1;
}

/* The words in what the string holds: without the backslashes of its quotes. */
static bool is_mentioned_within(const char *string, const char *end, const char *at, size_t len)
{
	char line[MOST_CHARACTERS];
	size_t nr = 0, place = 0;

	for (const char *next = string; next < end; next++) {
		if (next == at)
			place = nr;
		if (*next != '\\' || !strchr("\"'", next[1]))
			line[nr++] = *next;
	}
	line[nr] = '\0';
	return past_mention_in(line, line + place, len);
}

const char *past_mention(const char *text, const char *at, size_t len)
{
	const char *end, *string = whole_string(text, &end);

	if (!string || at < string || at + len > end)
		return past_mention_in(text, at, len);
	/* Of a list of such words a source has one in each string. */
	if (at == string && at + len == end && end[1] == ',')
		return end;
	return is_mentioned_within(string, end, at, len) ? end : NULL;
}
