// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/words/claims.h"

#include "base/text.h"
#include "import/dump/readers.h"
#include "import/words/fault_claim.h"
#include "import/words/xid_claim.h"

enum {
	MOST_XIDS = 5,		/* a text that names more explains them */
	MOST_LINES = 512,	/* that have the word: a log of a program has more */
};

void claims_read(struct reading *reading)
{
	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		xid_claim_read(reading, &reading->part->lines[i]);
		fault_claim_read(reading, &reading->part->lines[i]);
	}
}

/* X servers and databases have Xids of their own. */
static bool names_gpus(const char *text)
{
	static const char *const words[] = { "gpu", "nvidia", "cuda" };
	size_t row;

	return text_find_row(text, words, sizeof(*words), ARRAY_SIZE(words), true, &row);
}

struct found {
	struct dump_line **lines;
	size_t nr, nr_seen;
	const char *file;		/* of the first; others' are not told */
	uint64_t xids[MOST_XIDS + 1];
	size_t nr_xids;
	bool is_of_gpus;		/* as the words themselves say */
};

static void look_at_line(struct arena *arena, struct found *found, const struct dump_part *part, struct dump_line *line)
{
	bool is_fault = !line->is_taken && fault_claim_in(line->text);

	if ((found->file && strcmp(found->file, part->file) != 0) || (!is_fault && !strcasestr(line->text, "xid")) ||
	    found->nr_seen++ >= MOST_LINES)
		return;
	/* Of a log lines are kept that nothing is made of. */
	if (is_fault || ((!line->is_taken || part->kind == DUMP_LOG) && xid_claim_is_in(line->text))) {
		found->is_of_gpus |= is_fault;
		found->file = part->file;
		found->lines = arena_grow(arena, found->lines, found->nr, sizeof(*found->lines));
		found->lines[found->nr++] = line;
		found->nr_xids = xid_claim_numbers(line->text, found->xids, found->nr_xids, MOST_XIDS + 1);
	}
}

static bool is_about_gpus(const struct dump_parts *parts, const char *file)
{
	for (size_t i = 0; i < parts->nr; i++)
		for (size_t k = 0; k < parts->v[i].nr_lines && !strcmp(parts->v[i].file, file); k++)
			if (names_gpus(parts->v[i].lines[k].text))
				return true;
	return false;
}

bool claims_part(struct arena *arena, struct dump_parts *parts, struct dump_part *ret)
{
	struct found found = { .nr = 0 };
	struct dump_line *lines;

	/* Reports of the machine hold texts of others. */
	if (dump_parts_have_report(parts))
		return false;
	for (size_t i = 0; i < parts->nr; i++)
		for (size_t k = 0; k < parts->v[i].nr_lines && parts->v[i].kind != DUMP_RECORDED_FILE; k++)
			look_at_line(arena, &found, &parts->v[i], &parts->v[i].lines[k]);
	if (!found.nr || found.nr_xids > MOST_XIDS || (!found.is_of_gpus && !is_about_gpus(parts, found.file)))
		return false;
	lines = arena_alloc(arena, found.nr * sizeof(*lines));
	for (size_t i = 0; i < found.nr; i++) {
		lines[i] = *found.lines[i];
		found.lines[i]->text = "";
	}
	*ret = (struct dump_part){
		.kind = DUMP_CLAIM, .file = found.file, .lines = lines, .nr_lines = found.nr, .is_picked = true,
	};
	return true;
}
