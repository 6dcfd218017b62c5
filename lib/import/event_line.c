// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/event_line.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dcgm_result.h"

static const char *past_mark(const char *text)
{
	return text + strspn(text, " :[\"\\");
}

/* Behind that word in quotes and the marks that follow it, or NULL. */
static const char *past_quoted(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at++)
		if (at > text && at[-1] == '"' && (at[len] == '"' || text_begins(at + len, "\\\"")))
			return past_mark(at + len);
	return NULL;
}

/* The value of the entity of that type, in quotes, or NULL. */
static const char *event_entity(struct arena *arena, const char *text, const char *type)
{
	const char *at = past_quoted(text, type), *value = at ? past_quoted(at - 1, "entityValue") : NULL;

	return value ? arena_strndup(arena, value, strcspn(value, "\"\\")) : NULL;
}

/* The code, or NULL: the line has none, its GPU is well, or it quotes the kernel's own line. */
static const char *event_in(const char *text)
{
	const char *at = past_quoted(text, "errorCode"), *healthy = past_quoted(text, "isHealthy");

	if (!at || !past_quoted(text, "entityType") || strstr(text, "Xid (PCI:") || (healthy && text_begins(healthy, "true")))
		return NULL;
	return xid_report_is_code(at) ? at : NULL;
}

bool event_line_is(const char *text)
{
	return event_in(text) != NULL;
}

/* ---- what is over: an event further down says of the same check that the GPU is well, or all are */

/* "GpuXidError 3", "GpuXidError" of all. */
static const char *whom(struct arena *arena, const char *text)
{
	static const char *const types[] = { "GPU", "PCI", "GPU_UUID" };
	const char *check = past_quoted(text, "checkName"), *value = NULL;

	if (!check)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(types) && !value; i++)
		value = event_entity(arena, text, types[i]);
	return arena_printf(arena, "%.*s%s%s", (int)strcspn(check, "\"\\"), check, value ? " " : "", value ? value : "");
}

static void list_recoveries(struct arena *arena, struct event_lines *events)
{
	const struct dump_part *part = events->part;

	for (size_t i = part ? part->nr_lines : 0; i && events->nr_well < ARRAY_SIZE(events->well); i--) {
		const char *healthy = past_quoted(part->lines[i - 1].text, "isHealthy");

		if (!healthy || !text_begins(healthy, "true"))
			continue;
		events->well[events->nr_well].whom = whom(arena, part->lines[i - 1].text);
		events->well[events->nr_well].line = &part->lines[i - 1];
		events->nr_well += events->well[events->nr_well].whom != NULL;
	}
	events->is_listed = true;
}

static bool is_over(struct arena *arena, struct event_lines *events, const struct dump_line *line)
{
	const char *of;

	if (!events->is_listed)
		list_recoveries(arena, events);
	of = events->nr_well ? whom(arena, line->text) : NULL;
	for (size_t i = 0; of && i < events->nr_well && events->well[i].line > line; i++) {
		size_t len = strlen(events->well[i].whom);

		if (!strncmp(of, events->well[i].whom, len) && (!of[len] || (of[len] == ' ' && !strchr(events->well[i].whom, ' '))))
			return true;
	}
	return false;
}

bool event_line_take(struct arena *arena, struct event_lines *events, const struct dump_line *line, struct xid_report *ret)
{
	const char *text = line->text, *code = event_in(text), *fatal = past_quoted(text, "isFatal"), *words = past_quoted(text, "message");
	const char *address, *index;

	if (!code || is_over(arena, events, line))
		return false;
	xid_report_code(arena, arena_strndup(arena, code, strcspn(code, "\"\\")),
			words ? arena_strndup(arena, words, strcspn(words, "\"\\")) : NULL, fatal && text_begins(fatal, "false"), ret);
	address = event_entity(arena, text, "PCI");
	index = event_entity(arena, text, "GPU");
	ret->address = address ? dump_address(arena, address) : NULL;
	ret->uuid = event_entity(arena, text, "GPU_UUID");
	if (!index || parse_u64(index, &ret->index) || ret->index >= DCGM_MAX_GPUS)
		ret->index = UINT64_MAX;
	return ret->address || ret->uuid || ret->index != UINT64_MAX;
}
