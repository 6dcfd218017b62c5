// SPDX-License-Identifier: GPL-2.0-or-later
/* policy_file.c - the text of a policy file into a policy; anything that is not understood is an error with its line. */
#include "base/compat.h"
#include "eval/policy/policy_reading.h"

#include <errno.h>
#include <stdarg.h>

#include "base/strbuf.h"
#include "base/text.h"

/* More at once are one mistake, made everywhere. */
enum { MAX_ERRORS = 50 };

void policy_add_error(struct arena *arena, struct policy_errors *errors, unsigned line, const char *what)
{
	size_t at = errors->nr;

	if (errors->nr == MAX_ERRORS)
		return;
	errors->items = arena_grow(arena, errors->items, errors->nr++, sizeof(*errors->items));
	for (; at && errors->items[at - 1].line > line; at--)
		errors->items[at] = errors->items[at - 1];
	errors->items[at] = (struct policy_error){ .line = line, .what = arena_strdup(arena, what) };
}

/* Nobody will be told of another: finding its line and its words takes milliseconds, and there may be a million. */
static bool is_full(const struct policy_reading *r)
{
	return r->errors->nr == MAX_ERRORS;
}

void policy_refuse(struct policy_reading *r, const cJSON *at, const char *format, ...)
{
	STRBUF_AUTO what = STRBUF_INIT;
	va_list args;

	if (is_full(r))
		return;
	va_start(args, format);
	strbuf_vaddf(&what, format, args);
	va_end(args);
	policy_add_error(r->arena, r->errors, json_line(r->doc, at), what.buf);
}

void policy_refuse_line(struct policy_reading *r, unsigned line, const char *format, ...)
{
	STRBUF_AUTO what = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&what, format, args);
	va_end(args);
	policy_add_error(r->arena, r->errors, line, what.buf);
}

void policy_refuse_word(struct policy_reading *r, const cJSON *at, const char *what, const char *word,
			const char *const *near, size_t nr, const char *see)
{
	const char *nearest;

	if (is_full(r))
		return;
	nearest = nearest_word(word, near, nr);
	if (nearest)
		policy_refuse(r, at, "%s \"%s%.40s\" (did you mean \"%s\"?)", what, r->prefix, word, nearest);
	else
		policy_refuse(r, at, "%s \"%s%.40s\"; %s", what, r->prefix, word, see);
}

const char *policy_place_of(struct policy_reading *r, const cJSON *value)
{
	return arena_printf(r->arena, "%s:%u", r->path, json_line(r->doc, value));
}

static void refuse_key(struct policy_reading *r, const cJSON *value)
{
	const char *names[NR_POLICY_ROWS + NR_POLICY_PARTS];
	size_t len = strlen(value->string), nr = 0;

	for (size_t i = 0; i < NR_POLICY_ROWS; i++) {
		names[nr++] = policy_rows[i].key;
		if (cJSON_IsObject(value) && !strncmp(policy_rows[i].key, value->string, len) &&
		    policy_rows[i].key[len] == '.') {
			policy_refuse(r, value, "\"%s%.40s\": keys are written whole, as in \"%s\"", r->prefix,
				      value->string, policy_rows[i].key);
			return;
		}
	}
	for (size_t i = 0; i < NR_POLICY_PARTS && r->of == READING_FILE; i++)
		names[nr++] = policy_parts[i].key;
	for (size_t i = 0; i < NR_POLICY_PARTS && r->of != READING_FILE; i++) {
		if (strcmp(policy_parts[i].key, value->string) != 0)
			continue;
		policy_refuse(r, value, "\"%s%s\": stands at the top of the file, not in an override", r->prefix, value->string);
		return;
	}
	policy_refuse_word(r, value, "unknown key", value->string, names, nr, "see gpudiag policy");
}

/* The part of that name, which an override has no more of than its regrades; false: it is none. */
static bool read_part(struct policy_reading *r, const cJSON *value)
{
	if (!strcmp(value->string, "regrade")) {
		policy_read_regrades(r, value);
		return true;
	}
	if (r->of != READING_FILE)
		return false;
	if (!strcmp(value->string, "models"))
		policy_read_overrides(r, value, true);
	else if (!strcmp(value->string, "nodes"))
		policy_read_overrides(r, value, false);
	else if (!strcmp(value->string, "quiet"))
		policy_read_quiets(r, value);
	else
		return false;
	return true;
}

void policy_read_member(struct policy_reading *r, const cJSON *value)
{
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++) {
		if (strcmp(policy_rows[row].key, value->string) != 0)
			continue;
		policy_read_row(r, row, value);
		return;
	}
	if (!read_part(r, value))
		refuse_key(r, value);
}

static void read_root(struct policy_reading *r)
{
	const cJSON *root = r->doc->root;

	if (!cJSON_IsObject(root)) {
		policy_refuse(r, root, "an object expected, as in { \"%s\": … }", policy_rows[0].key);
		return;
	}
	for (const cJSON *value = root->child; value; value = value->next)
		policy_read_member(r, value);
	policy_check_pins(r);
}

int policy_parse(struct policy *ret, struct arena *arena, const struct strs *checks, const char *path,
		 const char *text, size_t len, struct policy_errors *errors)
{
	struct json_error error = { .line = 0 };
	struct json_doc doc;
	struct policy_reading reading = {
		.policy = ret, .arena = arena, .checks = checks, .doc = &doc, .errors = errors, .prefix = "",
	};

	memset(errors, 0, sizeof(*errors));
	*ret = policy_built_in;
	ret->path = reading.path = arena_strdup(arena, path);
	if (json_parse(text, len, JSON_COMMENTS, &doc, &error)) {
		policy_add_error(arena, errors, error.line, error.what);
		return -EINVAL;
	}
	read_root(&reading);
	json_release(&doc);
	return errors->nr ? -EINVAL : 0;
}
