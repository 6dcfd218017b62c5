// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "import/words/mention_place.h"

static bool has_between(const char *from, const char *to, const char *const *marks, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (memmem(from, (size_t)(to - from), marks[i], strlen(marks[i])))
			return true;
	return false;
}

bool mention_has_before(const struct mention_place *place, const char *const *marks, size_t nr)
{
	return has_between(place->text, place->at, marks, nr);
}

/*
 * "bool Call(T, const char*) [with T = int] …": the function that says it, as the compiler names one to a program. What
 * is behind the last such is no source, whatever the function's types look like.
 */
static const char *past_functions(const struct mention_place *place)
{
	const char *ret = place->text, *at = place->text;

	while ((at = strstr(at, " [with ")) && at < place->at) {
		const char *end = strstr(at, "] ");

		if (!end || end >= place->at)
			break;
		ret = at = end + 2;
	}
	return ret;
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

/* "    | MemoryError: …": of a group of exceptions, which Python frames on one side. */
static bool is_of_exceptions(const char *bar)
{
	static const char *const kinds[] = { "Error: ", "Exception: " };
	const char *name = past_blanks(bar + 1), *colon = strchr(name, ':');

	for (size_t i = 0; colon && i < ARRAY_SIZE(kinds); i++) {
		const size_t len = strlen(kinds[i]) - 2;

		if ((size_t)(colon - name) > len && text_begins(colon - len, kinds[i]) &&
		    !memchr(name, ' ', (size_t)(colon - name)))
			return !strchr(colon, '|');
	}
	return false;
}

/* A row of a table, a heading, a comment, a line about a test or of a translation, or a command; in a patch, too. */
static bool is_of_frame(const char *text)
{
	static const char *const frames[] = {
		"|", "#", "/*", ";", "<!--", "<li", "<td", "<th", "<tr", "<dt", "<dd", "<h1", "<h2", "<h3", "<h4",
		"not ok ", "=== RUN", "--- PASS", "--- FAIL", "PASS: ", "TASK [", "@@ ", "sed ", "awk ", "rg ", "ag ",
		"ack ", "echo ", "logger ", "<resources>", "<string name=\"", "<message><source>", "msgid \"", "msgstr \"",
	};
	const char *first = past_blanks(text);

	/* "##[error]…" is how runners of builds print one. */
	if (is_title(text) || text_begins(first, "##["))
		return false;
	/* Triton Inference Server has a table of its models, each with what it failed by. */
	if (*first == '|' && (strstr(first, "| UNAVAILABLE: ") || is_of_exceptions(first)))
		return false;
	if (*first == '+' || *first == '-')
		first = *past_blanks(first + 1) == '#' ? past_blanks(first + 1) : first;
	return text_begins_any(first, frames, ARRAY_SIZE(frames)) ||
	       memmem(text, strnlen(text, MENTION_MOST_CHARACTERS), " PASSED", strlen(" PASSED"));
}

/* "'…' in result.stdout" */
static bool is_searched_for(const struct mention_place *place)
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
static bool is_definition(const struct mention_place *place)
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
static bool is_statement(const struct mention_place *place)
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
static bool is_exception(const struct mention_place *place)
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
static bool is_message_of_exception(const struct mention_place *place)
{
	static const char *const calls[] = { "Error(", "Exception(" };
	static const char field[] = "Message=";
	const size_t len = strlen(field);

	return (size_t)(place->quote - place->text) > len && !strncmp(place->quote - len, field, len) &&
	       mention_has_before(place, calls, ARRAY_SIZE(calls));
}

/* A string of a program's source: among arguments, or in a list of strings. */
bool mention_is_literal(const struct mention_place *place)
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

bool mention_is_source(const struct mention_place *place)
{
	static const char *const marks[] = {
		"grep", "if (", "if \"", " assert", "// ", "egex", "EGEX", "attern", "ATTERN", "#define ",
		"return \"", "raise ", "throw ", "printf(", "rrorf(", "= \"", "= '", "= [", "= {", "= (", "match=",
		"ontains(", " const ", "except ", "- name: ", "njected", "imulated", "imulating",
		"[mock", "xpecting ", "|| echo \"", "|| echo '", "{ echo \"", "{ echo '",
	};

	static const char *const begins[] = { "case ", "assert" };
	/* Of a rule's YAML, where they are indented. */
	static const char *const fields[] = { "description: ", "summary: ", "- description: ", "- summary: " };

	if ((place->quote || *place->text == ' ') &&
	    text_begins_any(past_blanks(place->text), fields, ARRAY_SIZE(fields)))
		return true;

	return text_begins_any(past_blanks(place->text), begins, ARRAY_SIZE(begins)) ||
	       has_between(past_functions(place), place->at, marks, ARRAY_SIZE(marks)) || is_of_frame(place->text) ||
	       is_definition(place) || is_statement(place) || is_searched_for(place);
}
