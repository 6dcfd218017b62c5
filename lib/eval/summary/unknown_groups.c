// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/summary/unknown_groups.h"

#include "eval/judge/subject.h"

bool result_has_unknown(const struct result *result)
{
	return result->outcome == OUTCOME_UNKNOWN || result->failure;
}

static bool tell_alike(const struct result *a, const struct result *b)
{
	return result_has_unknown(a) && result_has_unknown(b) && a->check == b->check &&
	       !strcmp(unknown_group_reason(a), unknown_group_reason(b));
}

bool unknown_group_begins(const struct report *report, size_t at)
{
	if (!result_has_unknown(&report->results[at]))
		return false;
	/* Backwards, as results of one check stand together, and as a rule tell the same. */
	for (size_t i = at; i; i--)
		if (tell_alike(&report->results[i - 1], &report->results[at]))
			return false;
	return true;
}

size_t unknown_group_count(const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_results; i++)
		nr += unknown_group_begins(report, i);
	return nr;
}

/* The GPUs with the same result as `at`. */
static const char *alike_gpus(struct arena *arena, const struct report *report, size_t at)
{
	size_t *indexes = NULL, nr = 0;

	for (size_t i = at; i < report->nr_results; i++) {
		const struct subject *subject = &report->results[i].subject;

		if (!subject->gpu || !tell_alike(&report->results[i], &report->results[at]))
			continue;
		indexes = arena_grow(arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = subject->gpu_index;
	}
	return nr ? gpu_ranges(arena, indexes, nr) : "";
}

const char *unknown_group_subjects(struct arena *arena, const struct report *report, size_t at)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addstr(&text, alike_gpus(arena, report, at));
	for (size_t i = at; i < report->nr_results; i++) {
		const struct subject *subject = &report->results[i].subject;

		if (subject->gpu || subject->kind == SUBJECT_NODE)
			continue;
		if (tell_alike(&report->results[i], &report->results[at]))
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", subject->name);
	}
	return arena_strdup(arena, text.buf);
}

const char *unknown_group_reason(const struct result *result)
{
	/* A warning that stands beside a failure has no reason of its own. */
	if (result->failure && result->outcome != OUTCOME_UNKNOWN)
		return result->failure;
	return result->reason ? result->reason : "no reason given";
}

void unknown_group_add(struct arena *arena, struct strbuf *out, const struct report *report, size_t at)
{
	const struct result *result = &report->results[at];
	const char *subjects = unknown_group_subjects(arena, report, at);

	strbuf_addstr(out, result->check->name);
	if (*subjects)
		strbuf_addf(out, ", %s", subjects);
	if (result->failure)
		strbuf_addstr(out, ", no answer");
	else if (result->maintenance)
		strbuf_addstr(out, ", open during maintenance");
	else if (result->required)
		strbuf_addstr(out, ", required");
	strbuf_addf(out, ": %s", unknown_group_reason(result));
}
