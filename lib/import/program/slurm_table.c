// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/slurm_table.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/error_put.h"
#include "import/dump/whose_node.h"
#include "import/program/slurm_later.h"
#include "import/program/slurm_reason.h"
#include "import/program/slurm_row.h"

enum { MOST_LISTS = 64 };

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

static void put_row(struct reading *reading, struct dump_line *line, const struct slurm_row *row, const char *key,
		    const char *reason)
{
	static const char reasons_of[] = "sinfo -R";
	const char *said = !strcmp(key, "drained") ? past_blanks(line->text) :
		arena_printf(reading->arena, "%.*s: %s", (int)row->nodes_len, row->nodes, reason);

	program_error_put(reading, line, key,
			  row->state ? arena_strndup(reading->arena, row->state, row->state_len) : reasons_of,
			  arena_strndup(reading->arena, said, strnlen(said, MOST_REASON_WORDS)));
}

/* Where nobody gave a reason the state is all that is told. */
static void read_row(struct reading *reading, struct dump_line *line, const struct slurm_row *row, struct seen *seen,
		     struct slurm_later **later)
{
	const char *nodes = row->nodes ? arena_strndup(reading->arena, row->nodes, row->nodes_len) : NULL;
	const char *reason = row->reason ? arena_strndup(reading->arena, row->reason, row->reason_len) : "none";
	const char *key = slurm_reason_key(slurm_reason_of(reason));

	line->is_taken = true;
	if (!nodes || !row->is_out || !key || (!row->reason && is_seen(seen, nodes)) ||
	    nodes_are_of_others(reading, nodes) || slurm_are_in_use_later(reading, later, nodes, line))
		return;
	if (row->state && (!strcmp(reason, "none") || !strcmp(reason, "(null)")))
		reason = arena_strndup(reading->arena, row->state, row->state_len);
	put_row(reading, line, row, key, reason);
}

size_t slurm_table_read(struct reading *reading, struct dump_line *lines, size_t nr, struct slurm_later **later)
{
	struct seen seen = { .nr = 0 };
	struct slurm_head head;
	struct slurm_row row;
	size_t i = 1;

	if (!slurm_head_of(lines->text, &head))
		return i;
	lines->is_taken = true;
	for (; i < nr; i++) {
		if (!*lines[i].text)
			continue;
		if (!slurm_row_of(&head, lines[i].text, &row))
			break;
		read_row(reading, &lines[i], &row, &seen, later);
	}
	return i;
}
