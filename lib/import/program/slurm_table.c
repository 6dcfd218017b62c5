// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/slurm_table.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/error_put.h"
#include "import/dump/whose_node.h"
#include "import/program/slurm_later.h"
#include "import/program/slurm_reason.h"

enum { MOST_COLUMNS = 24, MOST_WORDS = 64, NO_COLUMN = -1, MOST_LISTS = 64 };

/* Of which column, from the left; those behind the reason, which is of several words, from the right. */
struct table {
	int nr, node, state, reason, time;
};

struct row {
	const char *nodes, *state;
	size_t nodes_len, state_len;
	const char *reason;		/* NULL: the table has none */
	size_t reason_len;
	bool is_out;
};

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

static bool head_of(const char *text, struct table *ret)
{
	const char *word;
	size_t len;

	*ret = (struct table){ .node = NO_COLUMN, .state = NO_COLUMN, .reason = NO_COLUMN, .time = NO_COLUMN };
	while ((word = scan_word(&text, &len)) && len) {
		size_t i = 0;

		while (i < ARRAY_SIZE(columns) && (strlen(columns[i].name) != len || strncmp(columns[i].name, word, len) != 0))
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
	struct table table;

	return head_of(text, &table);
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

static int place_of(const struct table *table, const struct words *words, int column)
{
	return table->reason != NO_COLUMN && column > table->reason ? words->nr - (table->nr - column) : column;
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
	return (len > 10 && strspn(word, "0123456789-") == 10 && word[10] == 'T') || (len == 7 && text_begins(word, "Unknown"));
}

static void take_reason(const struct table *table, const struct words *words, struct row *ret)
{
	int last = words->nr - (table->nr - table->reason - 1) - 1;

	ret->reason = words->v[table->reason];
	ret->reason_len = (size_t)(words->v[last] + words->len[last] - ret->reason);
}

/* false: the line is none. *ret->nodes is NULL in a row of a partition without nodes. */
static bool row_of(const struct table *table, const char *text, struct row *ret)
{
	struct words words;
	int node, state, time;

	*ret = (struct row){ .nodes = NULL };
	if (!words_of(text, &words))
		return false;
	if (words.nr == table->nr - 1 && words.nr && words.len[words.nr - 1] == 3 && text_begins(words.v[words.nr - 1], "n/a"))
		return true;
	if (words.nr < table->nr || (table->reason == NO_COLUMN && words.nr > table->nr))
		return false;
	node = place_of(table, &words, table->node);
	state = table->state != NO_COLUMN ? place_of(table, &words, table->state) : NO_COLUMN;
	time = table->time != NO_COLUMN ? place_of(table, &words, table->time) : NO_COLUMN;
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
	if (table->reason != NO_COLUMN)
		take_reason(table, &words, ret);
	return true;
}

/* ---- what they tell */

/* A node is in a row for each of its partitions. */
struct seen {
	const char *nodes[MOST_LISTS];
	size_t nr;
};

static bool is_seen(struct seen *seen, const char *nodes)
{
	if (text_is_any(nodes, seen->nodes, seen->nr))
		return true;
	if (seen->nr < MOST_LISTS)
		seen->nodes[seen->nr++] = nodes;
	return false;
}

static void put_row(struct reading *reading, struct dump_line *line, const struct row *row, const char *key, const char *reason)
{
	static const char reasons_of[] = "sinfo -R";
	const char *said = !strcmp(key, "drained") ? past_blanks(line->text) :
		arena_printf(reading->arena, "%.*s: %s", (int)row->nodes_len, row->nodes, reason);

	program_error_put(reading, line, key,
			  row->state ? arena_strndup(reading->arena, row->state, row->state_len) : reasons_of,
			  arena_strndup(reading->arena, said, strnlen(said, MOST_REASON_WORDS)));
}

/* Where nobody gave a reason the state is all that is told. */
static void read_row(struct reading *reading, struct dump_line *line, const struct row *row, struct seen *seen,
		     struct slurm_later **later)
{
	const char *nodes = row->nodes ? arena_strndup(reading->arena, row->nodes, row->nodes_len) : NULL;
	const char *reason = row->reason ? arena_strndup(reading->arena, row->reason, row->reason_len) : "none";
	const char *key = slurm_reason_key(slurm_reason_of(reason));

	line->is_taken = true;
	if (!nodes || !row->is_out || !key || (!row->reason && is_seen(seen, nodes)) || nodes_are_of_others(reading, nodes) ||
	    slurm_are_in_use_later(reading, later, nodes, line))
		return;
	if (row->state && (!strcmp(reason, "none") || !strcmp(reason, "(null)")))
		reason = arena_strndup(reading->arena, row->state, row->state_len);
	put_row(reading, line, row, key, reason);
}

size_t slurm_table_rows(struct arena *arena, const struct dump_line *lines, size_t nr,
			void (*row_told)(void *to, const char *nodes, const char *state, size_t state_len), void *to)
{
	struct table table;
	struct row row;
	size_t i = 1;

	if (!head_of(lines->text, &table))
		return i;
	for (; i < nr; i++) {
		if (!*lines[i].text)
			continue;
		if (!row_of(&table, lines[i].text, &row))
			break;
		if (row.nodes)
			row_told(to, arena_strndup(arena, row.nodes, row.nodes_len), row.state, row.state_len);
	}
	return i;
}

size_t slurm_table_read(struct reading *reading, struct dump_line *lines, size_t nr, struct slurm_later **later)
{
	struct seen seen = { .nr = 0 };
	struct table table;
	struct row row;
	size_t i = 1;

	if (!head_of(lines->text, &table))
		return i;
	lines->is_taken = true;
	for (; i < nr; i++) {
		if (!*lines[i].text)
			continue;
		if (!row_of(&table, lines[i].text, &row))
			break;
		read_row(reading, &lines[i], &row, &seen, later);
	}
	return i;
}
