// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/slurm_row.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/program/slurm_reason.h"

enum { MOST_COLUMNS = 24, MOST_WORDS = 64, NO_COLUMN = -1 };

/* ---- head */

static const struct { const char *name; enum { OTHER, NODE, STATE, REASON, TIME } is; } columns[] = {
	{ "NODELIST", NODE }, { "HOSTNAMES", NODE }, { "STATE", STATE }, { "REASON", REASON }, { "TIMESTAMP", TIME },
	{ "PARTITION", OTHER }, { "AVAIL", OTHER }, { "TIMELIMIT", OTHER }, { "NODES", OTHER }, { "CPUS", OTHER },
	{ "S:C:T", OTHER }, { "MEMORY", OTHER }, { "TMP_DISK", OTHER }, { "WEIGHT", OTHER }, { "AVAIL_FE", OTHER },
	{ "AVAIL_FEATURES", OTHER }, { "ACTIVE_FEATURES", OTHER }, { "FEATURES", OTHER }, { "USER", OTHER },
	{ "JOB_SIZE", OTHER }, { "ROOT", OTHER }, { "OVERSUBS", OTHER }, { "OVERSUBSCRIBE", OTHER }, { "SHARE", OTHER },
	{ "GROUPS", OTHER }, { "GRES", OTHER }, { "GRES_USED", OTHER }, { "CPUS(A/I/O/T)", OTHER },
	{ "NODES(A/I/O/T)", OTHER }, { "CPU_LOAD", OTHER }, { "FREE_MEM", OTHER }, { "RESERVATION", OTHER },
	{ "SOCKETS", OTHER }, { "CORES", OTHER }, { "THREADS", OTHER }, { "VERSION", OTHER },
};

bool slurm_head_of(const char *text, struct slurm_head *ret)
{
	const char *word;
	size_t len;

	*ret = (struct slurm_head){ .node = NO_COLUMN, .state = NO_COLUMN, .reason = NO_COLUMN, .time = NO_COLUMN };
	while ((word = scan_word(&text, &len)) && len) {
		size_t i = 0;

		while (i < ARRAY_SIZE(columns) &&
		       (strlen(columns[i].name) != len || strncmp(columns[i].name, word, len) != 0))
			i++;
		if (i == ARRAY_SIZE(columns) || ret->nr == MOST_COLUMNS)
			return false;
		if (columns[i].is == NODE)
			ret->node = ret->nr;
		else if (columns[i].is == STATE)
			ret->state = ret->nr;
		else if (columns[i].is == REASON)
			ret->reason = ret->nr;
		else if (columns[i].is == TIME)
			ret->time = ret->nr;
		ret->nr++;
	}
	return ret->node != NO_COLUMN && (ret->state != NO_COLUMN || ret->reason != NO_COLUMN);
}

bool slurm_table_begins(const char *text)
{
	struct slurm_head head;

	return slurm_head_of(text, &head);
}

/* ---- rows */

struct words {
	const char *v[MOST_WORDS];
	size_t len[MOST_WORDS];
	int nr;
};

static bool words_of(const char *text, struct words *ret)
{
	for (ret->nr = 0; ret->nr < MOST_WORDS; ret->nr++) {
		ret->v[ret->nr] = scan_word(&text, &ret->len[ret->nr]);
		if (!ret->len[ret->nr])
			return true;
	}
	return false;
}

static int place_of(const struct slurm_head *head, const struct words *words, int column)
{
	return head->reason != NO_COLUMN && column > head->reason ? words->nr - (head->nr - column) : column;
}

/* "gpu[001-003],login1" */
static bool is_node_list(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_letter_or_digit(word[i]) && !strchr("-_.,[]", word[i]))
			return false;
	return is_letter_or_digit(*word);
}

static bool has_number(const char *word, size_t len)
{
	return strcspn(word, "0123456789") < len;
}

static bool is_time(const char *word, size_t len)
{
	return (len > 10 && strspn(word, "0123456789-") == 10 && word[10] == 'T') ||
	       (len == 7 && text_begins(word, "Unknown"));
}

static void take_reason(const struct slurm_head *head, const struct words *words, struct slurm_row *ret)
{
	int last = words->nr - (head->nr - head->reason - 1) - 1;

	ret->reason = words->v[head->reason];
	ret->reason_len = (size_t)(words->v[last] + words->len[last] - ret->reason);
}

bool slurm_row_of(const struct slurm_head *head, const char *text, struct slurm_row *ret)
{
	struct words words;
	int node, state, time;

	*ret = (struct slurm_row){ .nodes = NULL };
	if (!words_of(text, &words))
		return false;
	if (words.nr == head->nr - 1 && words.nr && words.len[words.nr - 1] == 3 &&
	    text_begins(words.v[words.nr - 1], "n/a"))
		return true;
	if (words.nr < head->nr || (head->reason == NO_COLUMN && words.nr > head->nr))
		return false;
	node = place_of(head, &words, head->node);
	state = head->state != NO_COLUMN ? place_of(head, &words, head->state) : NO_COLUMN;
	time = head->time != NO_COLUMN ? place_of(head, &words, head->time) : NO_COLUMN;
	ret->is_out = true;
	/* Two words are anybody's. */
	if (state == NO_COLUMN && time == NO_COLUMN && !has_number(words.v[node], words.len[node]))
		return false;
	if (!is_node_list(words.v[node], words.len[node]) ||
	    (state != NO_COLUMN && !slurm_is_state(words.v[state], words.len[state], &ret->is_out)) ||
	    (time != NO_COLUMN && !is_time(words.v[time], words.len[time])))
		return false;
	ret->nodes = words.v[node];
	ret->nodes_len = words.len[node];
	ret->state = state != NO_COLUMN ? words.v[state] : NULL;
	ret->state_len = state != NO_COLUMN ? words.len[state] : 0;
	if (head->reason != NO_COLUMN)
		take_reason(head, &words, ret);
	return true;
}

size_t slurm_table_rows(struct arena *arena, const struct dump_line *lines, size_t nr,
			void (*row_told)(void *to, const char *nodes, const char *state, size_t state_len), void *to)
{
	struct slurm_head head;
	struct slurm_row row;
	size_t i = 1;

	if (!slurm_head_of(lines->text, &head))
		return i;
	for (; i < nr; i++) {
		if (!*lines[i].text)
			continue;
		if (!slurm_row_of(&head, lines[i].text, &row))
			break;
		if (row.nodes)
			row_told(to, arena_strndup(arena, row.nodes, row.nodes_len), row.state, row.state_len);
	}
	return i;
}
