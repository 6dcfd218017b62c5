// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/event_line.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/program/dcgm_result.h"

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

static const char *value_of(struct arena *arena, const char *text, const char *word)
{
	const char *at = past_quoted(text, word);

	return at ? arena_strndup(arena, at, strcspn(at, "\"\\")) : NULL;
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

	if (!at || !past_quoted(text, "entityType") || strstr(text, "Xid (PCI:") ||
	    (healthy && text_begins(healthy, "true")))
		return NULL;
	return xid_report_is_code(at) ? at : NULL;
}

bool event_line_is(const char *text)
{
	return event_in(text) != NULL;
}

/* Whom it is about. */
static void take_entities(struct arena *arena, const char *text, struct xid_report *ret)
{
	const char *address = event_entity(arena, text, "PCI"), *index = event_entity(arena, text, "GPU");

	ret->address = address ? dump_address(arena, address) : NULL;
	ret->uuid = event_entity(arena, text, "GPU_UUID");
	if (!index || parse_u64(index, &ret->index) || ret->index >= DCGM_MAX_GPUS)
		ret->index = UINT64_MAX;
}

/* A log has its lines as they were said: they need no time. */
static struct recovery facts_of(struct arena *arena, const struct dump_line *line, const struct xid_report *gpu)
{
	return (struct recovery){
		.check = value_of(arena, line->text, "checkName"), .node = value_of(arena, line->text, "nodeName"),
		.line = line, .gpu = *gpu,
	};
}

static void list_recoveries(struct arena *arena, struct event_lines *events)
{
	const struct dump_part *part = events->part;

	for (size_t i = 0; part && i < part->nr_lines; i++) {
		const struct dump_line *line = &part->lines[i];
		const char *healthy = past_quoted(line->text, "isHealthy");
		struct xid_report gpu = { .index = UINT64_MAX };
		struct recovery facts;

		if (!healthy || !text_begins(healthy, "true"))
			continue;
		take_entities(arena, line->text, &gpu);
		facts = facts_of(arena, line, &gpu);
		if (facts.check)
			recoveries_add(arena, &events->well, &facts);
	}
	events->is_listed = true;
}

static bool is_over(struct arena *arena, struct event_lines *events, const struct dump_line *line,
		    const struct xid_report *gpu)
{
	struct recovery facts;

	if (!events->is_listed)
		list_recoveries(arena, events);
	if (!events->well.nr)
		return false;
	facts = facts_of(arena, line, gpu);
	return recoveries_end(&events->well, &facts);
}

bool event_line_take(struct arena *arena, struct event_lines *events, const struct dump_line *line,
		     struct xid_report *ret)
{
	const char *text = line->text, *code = event_in(text), *fatal = past_quoted(text, "isFatal");

	if (!code)
		return false;
	xid_report_code(arena, arena_strndup(arena, code, strcspn(code, "\"\\")), value_of(arena, text, "message"),
			fatal && text_begins(fatal, "false"), ret);
	take_entities(arena, text, ret);
	return recovery_names_gpu(ret) && !is_over(arena, events, line, ret);
}
