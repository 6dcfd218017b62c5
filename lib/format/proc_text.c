// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/proc_text.h"

#include "base/text.h"
#include "format/text_value.h"

void proc_text_release(struct proc_text *file)
{
	strbuf_release(&file->text);
}

const char *proc_text_value(const char *text, const char *key)
{
	static const char separators[] = " \t:=";
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (!strncmp(line, key, len) && line[len] && strchr(separators, line[len]))
			return line + len + strspn(line + len, separators);
	}
	return NULL;
}

/* The value's bounds; NULL: *ret_missing has the reason. */
static const char *find_value(const struct proc_text *file, struct arena *arena, const char *key, const char *end_at,
			      size_t *ret_len, struct val_head *ret_missing)
{
	const char *value;

	*ret_missing = (struct val_head){ .state = file->state, .why = file->why };
	if (file->state != VAL_OK)
		return NULL;
	value = proc_text_value(file->text.buf, key);
	*ret_len = value ? strcspn(value, end_at) : 0;
	if (value && *ret_len)
		return value;
	*ret_missing = (struct val_head){ .state = VAL_ABSENT, .why = arena_printf(arena, "no %s there", key) };
	return NULL;
}

struct val_str proc_text_str(const struct proc_text *file, struct arena *arena, const char *key)
{
	struct val_head missing;
	size_t len;
	const char *value = find_value(file, arena, key, "\n", &len, &missing);
	struct val_str ret;

	if (!value)
		return no_str(missing.state, missing.why);
	while (len && value[len - 1] && strchr(" \t\r", value[len - 1]))
		len--;
	ret = text_value(arena, value, len);
	ret.from = file->from;
	return ret;
}

struct val_u64 proc_text_u64(const struct proc_text *file, struct arena *arena, const char *key, uint64_t multiplier)
{
	struct val_head missing;
	size_t len;
	const char *value = find_value(file, arena, key, " \t\n", &len, &missing);
	const char *word;
	struct val_u64 ret;
	uint64_t number;

	if (!value)
		return no_u64(missing.state, missing.why);
	word = arena_strndup(arena, value, len);
	if (parse_u64(word, &number) || __builtin_mul_overflow(number, multiplier, &number))
		return no_u64(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", word));
	ret = val_u64(number);
	ret.from = file->from;
	return ret;
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
