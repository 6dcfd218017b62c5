// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "base/text_scan.h"

bool text_begins(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

bool text_is_any(const char *text, const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

bool text_word_is_any(const char *word, size_t len, const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(words[i]) == len && !strncasecmp(word, words[i], len))
			return true;
	return false;
}

bool text_begins_any(const char *text, const char *const *beginnings, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (text_begins(text, beginnings[i]))
			return true;
	return false;
}

bool text_has_any(const char *text, const char *const *parts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strstr(text, parts[i]))
			return true;
	return false;
}

bool text_is_among(const char *text, const char *const *words)
{
	while (*words && strcmp(text, *words) != 0)
		words++;
	return *words;
}

static bool is_letter(char c)
{
	return is_letter_or_digit(c) && !is_digit(c);
}

/* Of letters of either case the same: few places of a long text begin so. */
static bool may_begin(const char *at, const char *word)
{
	return !((*at ^ *word) & 0x1f);
}

/* "error 12" is not in "error 129". */
static bool is_cut(const char *end)
{
	return is_digit(end[-1]) && is_digit(*end);
}

bool text_has_word_of(const char *text, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, "|");

		for (const char *at = text; *at; at++)
			if (may_begin(at, words) && !strncasecmp(at, words, len) && !is_cut(at + len) &&
			    (at == text || !is_letter(at[-1]) || !is_letter(*words)))
				return true;
		words += len + (words[len] == '|');
	}
	return false;
}
