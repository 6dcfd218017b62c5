// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/python_text.h"

#include <string.h>

/* The text in quotes that begins here, on one line; NULL: none does. */
static const char *quoted(struct arena *arena, const char *at)
{
	size_t len;

	if (*at != '\'' && *at != '"')
		return NULL;
	len = strcspn(at + 1, *at == '"' ? "\"\\\n" : "'\\\n");
	return at[1 + len] == *at ? arena_strndup(arena, at + 1, len) : NULL;
}

static const char *past_white(const char *at)
{
	return at + strspn(at, " \t");
}

const char *python_assigned(struct arena *arena, const char *text, const char *name, bool *ret_is_none)
{
	size_t len = strlen(name);

	*ret_is_none = false;
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = past_white(line + (strncmp(line, name, len) ? 0 : len));

		if (strncmp(line, name, len) || (*at != '=' && *at != ':'))
			continue;
		if (*at == ':')
			at += strcspn(at, "=\n");
		if (*at != '=' || at[1] == '=')
			continue;
		at = past_white(at + 1);
		*ret_is_none = !strncmp(at, "None", strlen("None"));
		return quoted(arena, at);
	}
	return NULL;
}

const char *python_entry(struct arena *arena, const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = strstr(text, key); at; at = strstr(at + 1, key)) {
		const char *value = at + len;

		if (at == text || (at[-1] != '\'' && at[-1] != '"') || *value != at[-1])
			continue;
		value = past_white(value + 1);
		if (*value != ',' && *value != ':')
			continue;
		value = past_white(value + 1);
		if (*value == '\'' || *value == '"')
			return quoted(arena, value);
		return arena_strndup(arena, value, strcspn(value, ",)}] \t\r\n"));
	}
	return NULL;
}

/* "_" and "." stand for "-", and capitals for small letters (PyPA specifications, "Name normalization"). */
static char plain_letter(char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return (char)(letter - 'A' + 'a');
	return letter == '_' || letter == '.' ? '-' : letter;
}

static bool names_package(const char *line, size_t len, const char *package)
{
	size_t i = 0;

	while (package[i] && i < len && plain_letter(line[i]) == package[i])
		i++;
	return !package[i] && (i == len || strchr(" (=<>!~;[", line[i]));
}

const char *python_required(struct arena *arena, const char *metadata, const char *package)
{
	static const char field[] = "Requires-Dist:", extra[] = "extra";

	for (const char *line = metadata; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\n");
		const char *at, *version;

		if (strncmp(line, field, strlen(field)))
			continue;
		at = past_white(line + strlen(field));
		len -= (size_t)(at - line);
		if (!names_package(at, len, package) || memmem(at, len, extra, strlen(extra)))
			continue;
		version = at + strlen(package);
		version += strspn(version, " (");
		if (strncmp(version, "==", strlen("==")))
			return NULL;
		version = past_white(version + strlen("=="));
		len = strcspn(version, " );,\r\n");
		return len && version[len] != ',' && !memchr(version, '*', len) ? arena_strndup(arena, version, len)
										: NULL;
	}
	return NULL;
}

bool python_distribution(struct arena *arena, const char *folder, const char **ret_name, const char **ret_version)
{
	static const char *const suffixes[] = { ".dist-info", ".egg-info" };
	size_t len = strlen(folder), end = 0;
	const char *dash;
	char *name;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t suffix_len = strlen(suffixes[i]);

		if (len > suffix_len && !strcmp(folder + len - suffix_len, suffixes[i]))
			end = len - suffix_len;
	}
	dash = memchr(folder, '-', end);
	if (!dash || dash == folder || dash + 1 == folder + end)
		return false;
	name = arena_strndup(arena, folder, (size_t)(dash - folder));
	for (char *at = name; *at; at++)
		*at = plain_letter(*at);
	*ret_name = name;
	/* "torch-1.13.1-py3.egg-info" has the interpreter's behind it. */
	len = (size_t)(folder + end - dash - 1);
	*ret_version = arena_strndup(arena, dash + 1, strcspn(dash + 1, "-") < len ? strcspn(dash + 1, "-") : len);
	return true;
}
