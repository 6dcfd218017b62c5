// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/device/group_name.h"

#include "base/text.h"

/* "name:password:number:members"; false for a line that is none. */
static bool parse_line(struct arena *arena, const char *line, const char **ret_name, uint64_t *ret_id)
{
	size_t name_len = strcspn(line, ":\n");
	const char *password = line + name_len + 1, *number;

	if (!name_len || line[name_len] != ':')
		return false;
	number = password + strcspn(password, ":\n");
	if (*number++ != ':' || parse_u64(arena_strndup(arena, number, strcspn(number, ":\n")), ret_id))
		return false;
	*ret_name = arena_strndup(arena, line, name_len);
	return true;
}

struct val_str group_name(struct arena *arena, const char *text, uint64_t id)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	const char *name;
	uint64_t found;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!parse_line(arena, line, &name, &found) || found != id)
			continue;
		utf8_clean(&clean, name, strlen(name));
		return val_str(arena_strdup(arena, clean.buf));
	}
	return no_str(VAL_ABSENT, "no such group in /etc/group");
}
