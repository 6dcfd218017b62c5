// SPDX-License-Identifier: GPL-2.0-or-later
/* policy_errors.c - what is wrong with a policy file, by its line. */
#include "base/compat.h"
#include "eval/policy/policy_reading.h"

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

const char *policy_origin_of(struct policy_reading *r, const cJSON *value)
{
	return arena_printf(r->arena, "%s:%u", r->path, json_line(r->doc, value));
}
