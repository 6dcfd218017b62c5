// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/json.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/json_token.h"
#include "base/text.h"

/* How much of a key an error shows. */
#define SHOWN_KEY_BYTES 64

enum { FEW_KEYS = 24 };

/*
 * cJSON's tree is walked in document order, the order in which the lexer saw
 * the values. A value keeps its number, the index into doc->offset, in
 * valueint: a lossy copy of valuedouble that nobody here has a use for.
 */
struct linker {
	const struct json_doc *doc;
	struct json_error *error;
	unsigned flags;
	size_t nr;				/* values seen */
	const cJSON *members[JSON_MAX_KEYS];	/* of the object being looked at, to sort */
};

/* Copies what a terminal may show of a key: no control characters, cut between characters. */
static void show_key(char shown[SHOWN_KEY_BYTES + sizeof("…")], const char *key)
{
	size_t len = strlen(key);
	const char *cut = "";

	if (len > SHOWN_KEY_BYTES) {
		len = utf8_floor(key, SHOWN_KEY_BYTES);
		cut = "…";
	}
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)key[i];

		shown[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
		/* U+0080 to U+009F steer terminals as well. */
		if (i && (unsigned char)key[i - 1] == 0xc2 && c < 0xa0)
			shown[i - 1] = shown[i] = '?';
	}
	memcpy(shown + len, cut, strlen(cut) + 1);
}

/* By key, equal keys in document order. */
static int compare_members(const void *a, const void *b)
{
	const cJSON *const *left = a, *const *right = b;
	int order = strcmp((*left)->string, (*right)->string);

	return order ? order : ((*left)->valueint > (*right)->valueint) - ((*left)->valueint < (*right)->valueint);
}

/* Of an object with a few keys: by each other, which needs no sorting. */
static bool has_no_twins(const cJSON *object)
{
	size_t nr = 0;

	for (const cJSON *member = object->child; member; member = member->next)
		if (++nr > FEW_KEYS)
			return false;
	for (const cJSON *member = object->child; member; member = member->next)
		for (const cJSON *later = member->next; later; later = later->next)
			if (*member->string == *later->string && !strcmp(member->string, later->string))
				return false;
	return true;
}

static int refuse_twins(struct linker *linker, const cJSON *object)
{
	const cJSON **members = linker->members;
	char shown[SHOWN_KEY_BYTES + sizeof("…")];
	size_t nr = 0;

	if (has_no_twins(object))
		return 0;
	for (const cJSON *member = object->child; member; member = member->next)
		members[nr++] = member;
	if (nr > 1)
		qsort(members, nr, sizeof(*members), compare_members);
	for (size_t i = 1; i < nr; i++) {
		if (strcmp(members[i - 1]->string, members[i]->string))
			continue;
		show_key(shown, members[i]->string);
		return json_refuse_at(linker->doc->text, linker->doc->offset[members[i]->valueint], linker->error,
				   "key \"%s\" twice", shown);
	}
	return 0;
}

/* Numbers value and all below it. The depth is what the lexer let through. */
static int link_value(struct linker *linker, cJSON *value)
{
	if (linker->nr == linker->doc->nr)
		return json_refuse_at(linker->doc->text, 0, linker->error, "read differently by cJSON");
	value->valueint = (int)linker->nr++;
	for (cJSON *child = value->child; child; child = child->next) {
		if (link_value(linker, child) < 0)
			return -EINVAL;
	}
	return cJSON_IsObject(value) && !(linker->flags & JSON_TWIN_KEYS) ? refuse_twins(linker, value) : 0;
}

static int build_tree(struct json_doc *doc, unsigned flags, struct json_error *error)
{
	struct linker linker = { .doc = doc, .error = error, .flags = flags };

	doc->root = cJSON_ParseWithLength(doc->text, doc->len);
	if (!doc->root)
		return json_refuse_at(doc->text, 0, error, "refused by cJSON, or out of memory");
	if (link_value(&linker, doc->root) < 0)
		return -EINVAL;
	/* Never seen; the numbers would lie if it happened. */
	if (linker.nr != doc->nr)
		return json_refuse_at(doc->text, 0, error, "read differently by cJSON");
	return 0;
}

/* All at once: who asks for the line of each of a million values is not to count them anew each time. */
static void count_lines(struct json_doc *doc)
{
	unsigned line = 1;
	size_t at = 0;

	doc->line = xcalloc(doc->nr + 1, sizeof(*doc->line));
	for (size_t i = 0; i < doc->nr; i++) {
		for (; at < doc->offset[i]; at++)
			line += doc->text[at] == '\n';
		doc->line[i] = line;
	}
}

int json_parse(const char *text, size_t len, unsigned flags, struct json_doc *ret, struct json_error *error)
{
	*ret = (struct json_doc){ 0 };
	if (!len) {
		*error = (struct json_error){ .what = "empty" };
		return -EINVAL;
	}
	if (len > JSON_MAX_BYTES) {
		*error = (struct json_error){ 0 };
		snprintf(error->what, sizeof(error->what), "larger than %zu MiB", JSON_MAX_BYTES >> 20);
		return -EINVAL;
	}
	ret->text = xmalloc(len + 1);
	memcpy(ret->text, text, len);
	ret->text[len] = '\0';
	ret->len = len;
	if (json_lex(ret, flags, error) < 0 || build_tree(ret, flags, error) < 0) {
		json_release(ret);
		return -EINVAL;
	}
	count_lines(ret);
	return 0;
}

void json_release(struct json_doc *doc)
{
	cJSON_Delete(doc->root);
	free(doc->text);
	free(doc->offset);
	free(doc->line);
	*doc = (struct json_doc){ 0 };
}

unsigned json_line(const struct json_doc *doc, const cJSON *value)
{
	return doc->line[value->valueint];
}

const cJSON *json_member(const cJSON *object, const char *key)
{
	if (!cJSON_IsObject(object))
		return NULL;
	for (const cJSON *member = object->child; member; member = member->next) {
		if (!strcmp(member->string, key))
			return member;
	}
	return NULL;
}

int json_u64(const struct json_doc *doc, const cJSON *value, uint64_t *ret)
{
	bool fits = true;
	const char *digit;
	uint64_t sum = 0;
	bool is_negative;

	if (!cJSON_IsNumber(value))
		return -EINVAL;
	digit = doc->text + doc->offset[value->valueint];
	is_negative = *digit == '-';
	if (is_negative)
		digit++;
	for (; *digit >= '0' && *digit <= '9'; digit++) {
		if (__builtin_mul_overflow(sum, (uint64_t)10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(*digit - '0'), &sum))
			fits = false;
	}
	if (*digit == '.' || *digit == 'e' || *digit == 'E')
		return -EINVAL;
	if (!fits || (is_negative && sum))
		return -ERANGE;
	*ret = sum;
	return 0;
}
