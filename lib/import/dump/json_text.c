// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/json_text.h"

#include <errno.h>

#include "base/text.h"

size_t json_text_lines(const struct dump_line *lines, size_t nr, bool *ret_is_cut)
{
	struct json_scan scan;
	size_t ret = json_scan(lines, nr, &scan) ? scan.nr_lines : 0;

	*ret_is_cut = ret && scan.nr_open;
	strbuf_release(&scan.out);
	return ret;
}

/*
 * strstr() is several times as fast as memmem(), and ends where the line does: of one that is too long, a part is
 * looked at.
 */
static const char *find_within(const char *text, size_t len, const char *words, size_t nr)
{
	return text[len] ? memmem(text, len, words, nr) : strstr(text, words);
}

/* Bounded, as every bracket of a long text is asked for every kind. */
bool json_text_has_key(const struct dump_line *lines, size_t nr, const char *key)
{
	enum { MAX_LINES = 200, MAX_BYTES = 16384 };
	const char *at = json_scan_start(lines, nr);
	size_t bytes = 0, len;
	char quoted[64];

	len = strlen(key);
	if (!at || len > sizeof(quoted) - 3)
		return false;
	quoted[0] = '"';
	memcpy(quoted + 1, key, len);
	memcpy(quoted + 1 + len, "\"", 2);
	len += 2;
	for (size_t i = 0; i < nr && i < MAX_LINES && bytes < MAX_BYTES; i++) {
		size_t here = strnlen(i ? lines[i].text : at, MAX_BYTES - bytes);
		const char *found = i ? lines[i].text : at, *end = found + here;

		while ((found = find_within(found, (size_t)(end - found), quoted, len))) {
			found += len;
			if (found[strspn(found, " ")] == ':')
				return true;
		}
		bytes += here + 1;
	}
	return false;
}

bool json_text_has_any(const struct dump_line *lines, size_t nr, const char *const *keys, size_t nr_keys)
{
	for (size_t i = 0; i < nr_keys; i++)
		if (json_text_has_key(lines, nr, keys[i]))
			return true;
	return false;
}

int json_text_read(const struct dump_part *part, struct json_text *ret)
{
	struct json_scan scan;
	struct json_error error;
	int r = -EINVAL;

	*ret = (struct json_text){ .part = part };
	if (json_scan(part->lines, part->nr_lines, &scan))
		r = json_parse(scan.out.buf, scan.out.len, JSON_TWIN_KEYS, &ret->doc, &error);
	ret->nr_open = scan.nr_open;
	strbuf_release(&scan.out);
	return r;
}

static bool has_brackets_only(const char *text)
{
	return *text && text[strspn(text, " {}[],")] == '\0';
}

void json_text_release(struct json_text *text)
{
	const struct dump_part *part = text->part;
	bool is_taken = false;

	for (size_t i = 0; i < part->nr_lines; i++)
		is_taken |= part->lines[i].is_taken;
	for (size_t i = 0; is_taken && i < part->nr_lines; i++)
		part->lines[i].is_taken |= has_brackets_only(part->lines[i].text);
	json_release(&text->doc);
}

struct dump_line *json_text_line(const struct json_text *text, const cJSON *value)
{
	return &text->part->lines[json_line(&text->doc, value) - 1];
}

bool json_text_number(const cJSON *value, double *ret)
{
	char number[64];
	const char *at;
	size_t len;

	if (cJSON_IsNumber(value)) {
		*ret = value->valuedouble;
		return true;
	}
	if (!cJSON_IsString(value))
		return false;
	at = value->valuestring + strspn(value->valuestring, " ");
	len = strspn(at, "+-.0123456789eE");
	if (len >= sizeof(number) || (at[len] && at[len] != ' ' && at[len] != '%'))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)len, at);
	return !parse_f64(number, ret);
}

const char *json_text_string(struct arena *arena, const struct json_text *text, const cJSON *value)
{
	uint64_t number;

	if (cJSON_IsString(value))
		return arena_strdup(arena, value->valuestring);
	if (!cJSON_IsNumber(value))
		return NULL;
	if (!json_u64(&text->doc, value, &number))
		return arena_printf(arena, "%llu", (unsigned long long)number);
	return arena_printf(arena, "%g", value->valuedouble);
}

struct numbered {
	const struct json_text *text;
	const char *const *names;
	size_t nr_names;
	json_numbered_fn *fn;
	void *to;
};

static void each_numbered(const struct numbered *numbered, const cJSON *value, unsigned depth)
{
	enum { DEEPEST = 12 };
	uint64_t number;

	for (size_t i = 0; cJSON_IsObject(value) && i < numbered->nr_names; i++) {
		const cJSON *member = json_member(value, numbered->names[i]);

		if (member && !json_u64(&numbered->text->doc, member, &number)) {
			numbered->fn(numbered->to, value, member, number);
			return;
		}
	}
	for (const cJSON *child = value->child; child && depth < DEEPEST; child = child->next)
		each_numbered(numbered, child, depth + 1);
}

void json_text_numbered(const struct json_text *text, const char *const *names, size_t nr_names, json_numbered_fn *fn,
			void *to)
{
	const struct numbered numbered = { text, names, nr_names, fn, to };

	each_numbered(&numbered, text->doc.root, 0);
}
