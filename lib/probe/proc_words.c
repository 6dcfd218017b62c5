// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/proc_words.h"

#include <stdbool.h>

const char *next_word(const char **at, size_t *ret_len)
{
	const char *word = *at + strspn(*at, " \t");

	*ret_len = strcspn(word, " \t\n");
	*at = word + *ret_len;
	return word;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

char *unescaped(struct arena *arena, const char *text, size_t len)
{
	char *path = arena_strndup(arena, text, len);
	char *to = path;

	for (const char *from = path; *from; to++) {
		if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) && is_octal(from[3])) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return path;
}
