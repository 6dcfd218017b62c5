// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/unlisted_error.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/readers.h"
#include "import/program/error_lines.h"
#include "import/program/error_signs.h"
#include "import/words/mention.h"
#include "klog/unlisted.h"

/* What tells of an error. A logger's level needs no more beside it; words stand in what people write, too. */
static const struct { const char *text; bool is_level; } marks[] = {
	{ "ERROR", true }, { "FATAL", true }, { "CRITICAL", true }, { "level=error", true }, { "level=fatal", true },
	{ "[error]", true }, { "[critical]", true }, { "panic: ", true }, { "Segmentation fault", true },
	{ "FAILED", false },
	{ "Error", false }, { "error", false }, { "fatal", false }, { "Fatal", false }, { "Failed", false },
	{ "failed", false },
	{ "failure", false }, { "could not", false }, { "Could not", false }, { "couldn't", false },
	{ "unable to", false },
	{ "Unable to", false }, { "cannot ", false }, { "Cannot ", false }, { "can't ", false }, { "timed out", false },
	{ "Timed out", false }, { "not responding", false }, { "No such device", false },
	{ "Device or resource busy", false }, { "Input/output error", false },
};

/* "ERROR", not "CUDA_ERROR_UNKNOWN" and "cudaError_t". */
static bool is_word(const char *text, const char *at, const char *behind)
{
	return (at == text || !(is_letter_or_digit(at[-1]) || strchr("_-#\"'`*", at[-1]))) && *behind != '_' &&
	       *behind != '-' && !(*behind >= 'A' && *behind <= 'Z');
}

/*
 * Who prints an error says when, or who it is, or begins with the word and goes on behind a colon: "error: …", "failed
 * to …: …", "tool: failed to …". People's sentences, lists, source and tables do not.
 */
static bool is_printed(const char *text, const char *at, size_t row)
{
	const char *first = past_blanks(text), *said = error_past_speakers(first);
	const char *behind = at + strlen(marks[row].text);

	if (!*first || strchr("#-*|<>{}\"'`+/;", *first) || !is_word(text, at, behind))
		return false;
	if (text_has_clock(text, at))
		return true;
	if (marks[row].is_level)
		return at == said || at[-1] == '[' || said > first;
	/* "Failed to open the device: -22" */
	return said > first || (at == first && strstr(behind, ": "));
}

/* Where the line says so, or NULL. */
static const char *error_of(const char *text)
{
	const char *at = text;
	size_t row;

	for (int i = 0; i < MOST_MENTIONS; i++) {
		const char *past;

		at = text_find_row(at, &marks[0].text, sizeof(*marks), ARRAY_SIZE(marks), false, &row);
		if (!at)
			return NULL;
		past = past_mention(text, at, strlen(marks[row].text));
		if (!past && is_printed(text, at, row))
			return at;
		at = past ? past : at + 1;
	}
	return NULL;
}

bool unlisted_error_is_in(const char *text)
{
	return error_names_gpus(text) && !error_is_harmless(text) && !klog_denies_error(span_of(text)) &&
	       error_of(text);
}

bool unlisted_error_is_at(const struct dump_part *part, size_t at)
{
	return unlisted_error_is_in(part->lines[at].text) && !error_is_ignored(part, at);
}

/* ---- lines that name no GPU, in a text that is about them */

/* Words that say as much where nothing else of the text tells of an error. */
static const char *const more_marks[] = {
	"Out of memory", "out of memory", "Abort was called", "Aborted", "not found",
	"No such file", "does not exist", "not available",
	"unmet dependencies", "no compatible", "undefined symbol", "crash", "SIGSEGV", "SIGBUS", "SIGABRT",
	"Killed", "Exception", "lost", "not appear to have", "Unimplemented", "refused", "denied", "Invalid",
	"invalid", "fails", "err:", "Couldn't", "mismatch",
};

/* Not within a sentence: "… failed", "failed: …", "failed with error -22", "failed (…)"; "an unknown error" may end one. */
static bool ends_message(const char *at, const char *behind)
{
	static const char *const ends[] = { ": ", " with ", " (", ".", "!", ", rc", ", error", " rc ", " -" };

	return *behind ? text_begins_any(behind, ends, ARRAY_SIZE(ends)) : strcmp(at, "error") != 0;
}

/* The words begin what is said, or end it. */
static bool is_told(const char *text, const char *at, const char *behind)
{
	const char *first = past_blanks(text), *said = error_past_speakers(first);

	if (!*first || strchr("#-*|<>{}\"'`+/;", *first) || !is_word(text, at, behind))
		return false;
	/* "[error]", and not "event[error]". */
	return said > first || text_has_clock(text, at) || at == said || at == first ||
	       (at[-1] == '[' && (at - 1 == text || at[-2] == ' ')) || ends_message(at, behind);
}

/* "  Warning  Failed  88m  kubelet  Error: …": of Kubernetes, who says it last but one. */
static bool is_of_event(const char *text)
{
	static const char *const speakers[] = { " kubelet ", "-scheduler ", "-controller " };
	const char *first = past_blanks(text);

	return text_begins(first, "Warning ") && text_has_any(first, speakers, ARRAY_SIZE(speakers)) &&
	       strstr(first, "rror: ");
}

/* "(Worker_2 pid=17) ERROR 04-25 16:14:44 [core.py:390] …": a level stands near the beginning. */
static bool has_level(const char *text)
{
	static const char *const levels[] = { " ERROR ",  " FATAL ",  " CRITICAL ", "[ERROR]",
					     "[FATAL]", " ERROR: ", " FATAL: " };
	enum { MOST_BEFORE = 100 };
	size_t row;
	const char *at = text_find_row(text, levels, sizeof(*levels), ARRAY_SIZE(levels), false, &row);

	return error_is_of_ansible(text) || is_of_event(text) || error_is_of_level(text, 'E') ||
	       error_is_of_level(text, 'F') ||
	       text_begins(text, "[E] ") || text_begins(text, "[F] ") ||
	       (at && at - text < MOST_BEFORE && !past_mention(text, at, strlen(levels[row])));
}

/* Nothing before that name, or what ends so: "model: ", "[rank0] ", "(Worker) ". */
static bool begins_name(const char *text, const char *at)
{
	while (at > text && (is_letter_or_digit(at[-1]) || strchr("_.", at[-1]) || (at[-1] == ':' && *at != ' ')))
		at--;
	/* As compilers name types: "struct Ort::Exception: …". */
	if (at > text && (text_begins(text, "struct ") || text_begins(text, "class ")))
		return at == strchr(text, ' ') + 1;
	return at == text || at[-1] == '`' || (at - text > 1 && at[-1] == ' ' && strchr(":])", at[-2]));
}

/* "loading the model: FileNotFoundError", "XlaRuntimeError: INTERNAL: …": an exception, whatever is before its name. */
static bool has_exception(const char *text)
{
	static const char *const ends[] = { "Error", "Exception" };
	const char *at = text;
	size_t row;

	for (int i = 0; i < MOST_MENTIONS; i++, at++) {
		const char *behind;

		at = text_find_row(at, ends, sizeof(*ends), ARRAY_SIZE(ends), false, &row);
		if (!at)
			return false;
		behind = at + strlen(ends[row]);

		if (at > text && is_letter_or_digit(at[-1]) && (!*behind || text_begins(behind, ": ")) &&
		    begins_name(text, at) && !past_mention(text, at, strlen(ends[row])))
			return true;
	}
	return false;
}

/* "OPTIX_ERROR_PIPELINE_LINK_ERROR in optixPipelineCreate(…)": a constant begins the line, and goes on as what failed. */
static bool begins_with_constant(const char *text)
{
	static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *first = error_past_speakers(past_blanks(text)), *name = strstr(first, "_ERROR_");
	size_t len = strspn(first, capitals);

	return name && name > first && name < first + len &&
	       (text_begins(first + len, " in ") || text_begins(first + len, ": ") || text_begins(first + len, " ("));
}

static bool has_told(const char *text, const char *const *words, size_t size, size_t nr)
{
	const char *at = text;
	size_t row;

	for (int i = 0; i < MOST_MENTIONS && (at = text_find_row(at, words, size, nr, false, &row)); i++) {
		size_t len = strlen(*(const char *const *)(const void *)((const char *)words + row * size));
		const char *past = past_mention(text, at, len);

		if (!past && is_told(text, at, at + len) && !error_counts_none(text, at, at + len))
			return true;
		at = past ? past : at + 1;
	}
	return false;
}

/* What a traceback ends in is program_end.c's, which knows those that a program survives. */
static bool is_of_traceback(const struct dump_part *part, size_t at)
{
	return at && part->lines[at - 1].text[0] == ' ';
}

bool unlisted_error_may_be_in(const char *text)
{
	/* Its first word is Kubernetes' name for all that is not "Normal". */
	if (is_of_event(text))
		return true;
	if (error_is_of_kernel(text) || error_is_harmless(text) || error_is_harmless_beside(text) ||
	    error_is_of_level(text, 'W') || klog_denies_error(span_of(text)))
		return false;
	return has_level(text) || begins_with_constant(text) || has_exception(text) ||
	       ((has_told(text, &marks[0].text, sizeof(*marks), ARRAY_SIZE(marks)) ||
		 has_told(text, more_marks, sizeof(*more_marks), ARRAY_SIZE(more_marks))) &&
		!error_is_written(text) && !error_is_field(text));
}

bool unlisted_error_is_beside(const struct dump_part *part, size_t at)
{
	const char *text = part->lines[at].text;

	return unlisted_error_may_be_in(text) && !error_is_ignored(part, at) &&
	       !(has_exception(text) && is_of_traceback(part, at));
}

bool unlisted_error_has_level(const struct dump_part *part, size_t at)
{
	const char *text = part->lines[at].text;

	return unlisted_error_is_beside(part, at) && (has_level(text) || has_exception(text));
}

void unlisted_error_read(struct reading *reading)
{
	error_lines_read(reading, "unlisted", "an error of a program");
}
