// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"

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
