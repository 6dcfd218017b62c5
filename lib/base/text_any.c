// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"

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
		if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
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
