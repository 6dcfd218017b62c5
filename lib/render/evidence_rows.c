// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/evidence_rows.h"

#include "eval/judge/subject.h"
#include "render/phrases.h"

static bool is_same_thing(const struct evidence_row *a, const struct evidence_row *b)
{
	return !strcmp(a->what, b->what) && !strcmp(a->of ? a->of : "", b->of ? b->of : "");
}

static bool is_same(const struct evidence_row *a, const struct evidence_row *b)
{
	return is_same_thing(a, b) && !strcmp(a->observed, b->observed) && !strcmp(a->expected, b->expected) &&
	       !strcmp(a->source, b->source);
}

/* Of several GPUs rows of one name stand together, to be compared; of one in the order of the check. */
static struct evidence_row *insert(struct evidence_rows *rows, const struct evidence_row *row)
{
	size_t at = rows->nr;

	for (size_t i = 0; rows->of_several && i < rows->nr; i++)
		if (is_same_thing(&rows->items[i], row))
			at = i + 1;
	rows->items = arena_grow(rows->arena, rows->items, rows->nr, sizeof(*rows->items));
	memmove(&rows->items[at + 1], &rows->items[at], (rows->nr - at) * sizeof(*rows->items));
	rows->items[at] = *row;
	rows->nr++;
	return &rows->items[at];
}

static bool has_gpu(const struct evidence_row *row, size_t index)
{
	for (size_t i = 0; i < row->nr_gpus; i++)
		if (row->gpus[i] == index)
			return true;
	return false;
}

/* Of one GPU the same may be said twice, of two links of it: each is a row. */
static void add(struct evidence_rows *rows, const struct evidence_row *row, size_t gpu)
{
	struct evidence_row *found = NULL;

	/* A row has a GPU once, and no more are listed than it has room for. */
	for (size_t i = 0; i < rows->nr && !found; i++)
		if (is_same(&rows->items[i], row) && !has_gpu(&rows->items[i], gpu))
			found = &rows->items[i];
	if (!found)
		found = insert(rows, row);
	found->gpus[found->nr_gpus++] = gpu;
}

static void add_evidence(struct evidence_rows *rows, const struct report *report, const struct evidence *evidence,
			 size_t gpu)
{
	STRBUF_AUTO observed = STRBUF_INIT;
	STRBUF_AUTO expected = STRBUF_INIT;

	phrase_observed(&observed, evidence);
	phrase_expected(&expected, evidence);
	const struct evidence_row row = {
		.what = evidence->field->name, .of = evidence->of, .observed = arena_strdup(rows->arena, observed.buf),
		.expected = arena_strdup(rows->arena, expected.buf),
		.source = phrase_source(rows->arena, report, evidence),
	};

	add(rows, &row, gpu);
}

void evidence_rows_of(struct arena *arena, const struct report *report, const struct group *group,
		      struct evidence_rows *ret)
{
	*ret = (struct evidence_rows){ .arena = arena, .of_several = group->nr > 1 };
	for (size_t i = 0; i < group->nr_members && i < MAX_EVIDENCE_MEMBERS; i++) {
		const struct finding *finding = report->findings[group->members[i]];

		for (size_t k = 0; k < finding->evidence.nr; k++)
			if (!finding->evidence.items[k].is_phrase)
				add_evidence(ret, report, &finding->evidence.items[k], finding->subject.gpu_index);
	}
	if (group->nr_members > MAX_EVIDENCE_MEMBERS)
		ret->left_out = group->nr_members - MAX_EVIDENCE_MEMBERS;
}

const char *evidence_row_gpus(const struct evidence_rows *rows, const struct evidence_row *row)
{
	return rows->of_several ? gpu_ranges(rows->arena, row->gpus, row->nr_gpus) : "";
}
