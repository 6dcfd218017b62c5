// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/job_table.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/error_put.h"
#include "import/dump/whose_node.h"
#include "klog/span.h"

enum { MOST_WORDS = 48, NO_COLUMN = -1 };

struct words {
	struct span v[MOST_WORDS];
	int nr;
};

/* Between blanks, or between bars, where one may be empty. */
static void words_of(const char *text, struct words *ret)
{
	bool has_bars = strchr(text, '|') != NULL;
	const char *ends = has_bars ? "|" : " ";

	ret->nr = 0;
	for (text = past_blanks(text); *text && ret->nr < MOST_WORDS; text = has_bars ? text : past_blanks(text)) {
		size_t len = strcspn(text, ends);

		ret->v[ret->nr++] = (struct span){ text, text + len };
		text += len + (has_bars && text[len] == '|');
	}
}

struct head {
	int state, nodes;
};

static bool head_of(const char *text, struct head *ret)
{
	struct words words;
	bool has_job = false;

	*ret = (struct head){ .state = NO_COLUMN, .nodes = NO_COLUMN };
	if (!strstr(text, "JobID") || !strstr(text, "State"))
		return false;
	words_of(text, &words);
	for (int i = 0; i < words.nr; i++) {
		/* Names of columns are one word each, and capitals begin them. */
		if (*words.v[i].at < 'A' || *words.v[i].at > 'Z')
			return false;
		has_job |= span_is(words.v[i], "JobID") || span_is(words.v[i], "JobIDRaw");
		if (span_is(words.v[i], "State"))
			ret->state = i;
		else if (span_is(words.v[i], "NodeList"))
			ret->nodes = i;
	}
	return has_job && ret->state != NO_COLUMN;
}

bool job_table_begins(const char *text)
{
	struct head head;

	return head_of(text, &head);
}

/* "812001", "812001_7": a job. Its steps, "812001.batch", ended with it. */
static bool is_job(struct span span)
{
	size_t len = span_len(span);

	if (!len || !is_digit(*span.at))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_digit(span.at[i]) && !strchr("_+", span.at[i]))
			return false;
	return true;
}

/* "gpu[07-08]", and no time, number or exit code. */
static bool is_nodes(struct span span)
{
	return span_len(span) && is_letter_or_digit(*span.at) && !is_digit(*span.at) &&
	       !memchr(span.at, ':', span_len(span));
}

/* The nodes are as far from the state as in the head: names of jobs may have blanks. */
static const char *nodes_of(struct arena *arena, const struct head *head, const struct words *words, int state)
{
	int at = head->nodes == NO_COLUMN ? NO_COLUMN : state + head->nodes - head->state;

	if (at < 0 || at >= words->nr || !is_nodes(words->v[at]))
		return NULL;
	return arena_strndup(arena, words->v[at].at, span_len(words->v[at]));
}

static void read_row(struct reading *reading, struct dump_line *line, const struct head *head)
{
	static const char *const failed[] = { "NODE_FAIL", "BOOT_FAIL" };
	const char *state = NULL, *nodes = NULL;
	struct span job = { NULL, NULL };
	struct words words;

	words_of(line->text, &words);
	for (int i = 0; i < words.nr; i++) {
		if (!job.at && is_job(words.v[i]))
			job = words.v[i];
		for (size_t k = 0; !state && k < ARRAY_SIZE(failed); k++)
			if (span_is(words.v[i], failed[k])) {
				state = failed[k];
				nodes = nodes_of(reading->arena, head, &words, i);
			}
	}
	if (!state || !job.at || (nodes && nodes_are_of_others(reading, nodes)))
		return;
	program_error_put(reading, line, "job-node", state,
			  arena_printf(reading->arena, "JOB %.*s%s%s: %s", (int)span_len(job), job.at,
				       nodes ? " ON " : "", nodes ? nodes : "", state));
}

size_t job_table_read(struct reading *reading, struct dump_line *lines, size_t nr)
{
	struct head head;
	size_t i = 1;

	if (!head_of(lines->text, &head))
		return i;
	lines->is_taken = true;
	for (; i < nr && *lines[i].text && !job_table_begins(lines[i].text); i++) {
		lines[i].is_taken = true;
		read_row(reading, &lines[i], &head);
	}
	return i;
}
