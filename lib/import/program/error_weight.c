// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/error_weight.h"

#include <stdbool.h>

#include "base/text.h"
#include "base/text_scan.h"
#include "import/words/mention.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* ---- what says little */

/* Nothing but the words, and perhaps who died: "Aborted (core dumped)", "[node7:811] Segmentation fault". */
static bool is_bare_end(const char *text)
{
	static const char *const ends[] = {
		"Aborted", "Aborted.", "Segmentation fault", "Segmentation fault.", "Bus error", "Killed",
		"Illegal instruction", "Floating point exception", "Trace/breakpoint trap",
	};
	const char *said = past_blanks(text);

	if (strstr(text, "(core dumped)"))
		return true;
	if (*said == '[' && strchr(said, ']'))
		said = past_blanks(strchr(said, ']') + 1);
	return text_is_any(said, ends, ARRAY_SIZE(ends));
}

/* What built something says that it did not: the compiler said above why. */
static bool is_of_build(const char *text)
{
	static const char *const words[] = { ": *** [", "ninja: build stopped: " };

	return text_has_any(text, words, ARRAY_SIZE(words));
}

/*
 * "/usr/bin/blender(+0x1141923) [0x55d0a49af923]", "  File "/opt/run.py", line 12, in main", and of such a frame the
 * source, which a logger has something before.
 */
static bool is_frame(const char *text)
{
	const char *offset = *past_blanks(text) == '/' ? strstr(text, "+0x") : NULL, *file = strstr(text, " File \"");

	return (offset && strstr(offset, ") [0x")) || (file && strstr(file, "\", line ")) ||
	       strstr(text, "]    ");
}

/* How many words it has of letters alone, with what stands between them in a sentence; 0: it has others, too. */
static size_t plain_words(const char *text)
{
	size_t nr = 0;

	for (text = past_blanks(text); *text; text += strspn(text, " ")) {
		size_t len = strspn(text, letters);

		if (*text == '\'' || *text == ',' || *text == '.' || *text == '-') {
			text++;
			continue;
		}
		if (!len)
			return 0;
		nr++;
		text += len;
	}
	return nr;
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcasecmp(text + len - end_len, end);
}

/* "Error Log", "Error message", "The errors are:", and what goes on for long in words alone, as a person's sentence. */
static bool is_of_person(const char *text)
{
	static const char *const heads[] = { " log", " logs", " output", " message", " messages", " details", " trace" };
	enum { HEADING = 4, SENTENCE = 12 };
	size_t nr = plain_words(text);

	if (ends_in(text, ":") || nr >= SENTENCE || nr == 1)
		return true;
	for (size_t i = 0; nr && nr <= HEADING && i < ARRAY_SIZE(heads); i++)
		if (ends_in(text, heads[i]))
			return true;
	return false;
}

/* "2026-04-02 07:31:37 Note: not found 'config.txt'" */
static bool is_note(const char *text)
{
	const char *note = strcasestr(text, "note: ");

	return note && (note == past_blanks(text) || (note > text && note[-1] == ' ' && text_has_clock(text, note)));
}

/* ---- what says why */

/* ".c", ".py": of sources. */
static bool has_kind_of_source(const char *dot)
{
	static const char *const kinds[] = { ".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hpp", ".hip", ".py",
					     ".rs", ".go", ".jl", ".f90", ".java" };
	size_t len = 1 + strspn(dot + 1, "abcdefghijklmnopqrstuvwxyz0123456789");

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (len == strlen(kinds[i]) && !strncmp(dot, kinds[i], len))
			return true;
	return false;
}

/* "clwrap.h:268", "cuda_settings.h, line 67": but what a logger sets before each line, "stream_pool.cc:88] ". */
static bool has_place(const char *text)
{
	for (const char *dot = text; (dot = strchr(dot, '.')); dot++) {
		const char *behind = dot + 1 + strspn(dot + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
		size_t nr;

		if (!has_kind_of_source(dot))
			continue;
		if (text_begins(behind, ", line ") || text_begins(behind, " at line "))
			return true;
		nr = strspn(behind + (*behind == ':' || *behind == '('), "0123456789");
		if (*behind && nr && strchr(":(", *behind) && behind[1 + nr] != ']')
			return true;
	}
	return false;
}

/*
 * Words of a failure. Behind some of them a colon has why: "failed to open the device: no such file". Behind "error" alone
 * stands as often what came of it: "Error opening output files: Invalid argument".
 */
static const struct { const char *text; bool has_why_behind; } failures[] = {
	{ "error", false }, { "Error", false }, { "ERROR", false }, { "Exception", false }, { "errno", false },
	{ "ERRNO", false }, { "status", false },
	{ "failed", true }, { "Failed", true }, { "FAILED", true }, { "failure", true }, { "Failure", true },
	{ "cannot", true }, { "Cannot", true }, { "could not", true }, { "Could not", true }, { "unable to", true },
	{ "Unable to", true },
};

/* "error -5", "error-code 999", "status: 7", "failed with -22", "errno=14": but a stamp behind a level is none. */
static bool has_number(const char *behind)
{
	static const char *const between[] = { "code", "status", "value", "number", "with" };
	const char *at = behind;

	for (size_t i = 0; i <= ARRAY_SIZE(between); i++) {
		at += strspn(at, " :=(-#_");
		if (is_digit(*at)) {
			const char *end = at + strspn(at, "0123456789");

			return strspn(at, "0") != (size_t)(end - at) && !(*end && strchr("-/:.", *end) && is_digit(end[1]));
		}
		for (size_t k = 0; k < ARRAY_SIZE(between); k++)
			if (text_begins(at, between[k])) {
				at += strlen(between[k]);
				break;
			}
	}
	return false;
}

/* Of an exception directly behind its name: "ValueError: no such plan". */
static bool has_reason(const char *text, const char *at, size_t row)
{
	const char *behind = at + strlen(failures[row].text), *colon = strstr(behind, ": ");

	return colon && *past_blanks(colon + 1) &&
	       (failures[row].has_why_behind || (colon == behind && at > text && is_letter_or_digit(at[-1])));
}

/* The last failure of a line that says why; NULL: none does. */
static const char *last_reason(const char *text)
{
	const char *ret = NULL, *at = text;
	size_t row;

	for (int i = 0; i < MOST_MENTIONS; i++, at++) {
		const char *behind;

		at = text_find_row(at, &failures[0].text, sizeof(*failures), ARRAY_SIZE(failures), false, &row);
		if (!at)
			break;
		behind = at + strlen(failures[row].text);
		if (is_letter_or_digit(*behind) || *behind == '_')
			continue;
		if (has_number(behind) || has_reason(text, at, row))
			ret = at;
	}
	return ret;
}

enum error_weight error_weight(const char *text)
{
	static const char *const assertions[] = { "Assertion `", "GGML_ASSERT(", "ASSERT FAILED", "ssertion failed: " };

	if (is_bare_end(text) || is_of_build(text) || is_frame(text) || is_of_person(text) || is_note(text))
		return ERROR_SAYS_LITTLE;
	return text_has_any(text, assertions, ARRAY_SIZE(assertions)) || has_place(text) || last_reason(text) ?
	       ERROR_SAYS_WHY : ERROR_SAYS_WHAT;
}

/* Back over the words that say whose failure it is: "CUDA failure 35: …" behind what ends otherwise. */
static const char *begin_of_failure(const char *text, const char *at)
{
	enum { MOST_BEFORE = 24 };
	const char *begin = at;

	while (begin > text && (begin[-1] != ' ' || (begin - text > 1 && is_letter_or_digit(begin[-2]) &&
						     at - begin < MOST_BEFORE)))
		begin--;
	return begin;
}

const char *error_piece(const char *text, size_t most)
{
	const char *reason = strnlen(text, most + 1) > most ? last_reason(text) : NULL;

	return reason && (size_t)(reason - text) > most / 2 ? begin_of_failure(text, reason) : text;
}

const char *error_said(struct arena *arena, const char *text)
{
	const char *said = error_piece(past_blanks(text), ERROR_MOST_SAID);

	return arena_printf(arena, "%s%.*s", said == past_blanks(text) ? "" : "… ",
			    (int)utf8_floor(said, strnlen(said, ERROR_MOST_SAID)), said);
}
