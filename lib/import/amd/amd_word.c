// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/amd/amd_word.h"

bool amd_is_no_value(const char *text)
{
	static const char *const words[] = { "N/A", "None", "null", "unknown", "Unsupported", "Not supported",
					     "AMDSMI_STATUS" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncasecmp(text, words[i], strlen(words[i])))
			return true;
	return !*text;
}

bool amd_path_ends(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = end ? strlen(end) : 0;

	return end && len >= end_len && !strcmp(path + len - end_len, end) &&
	       (len == end_len || path[len - end_len - 1] == '/');
}
