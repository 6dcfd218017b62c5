// SPDX-License-Identifier: GPL-2.0-or-later
/* account.c - which lines were understood: the sources of a snapshot, and what no reader took. */
#include "base/compat.h"
#include "import/join.h"

static void count_taken(const struct dump_part *part, size_t *ret_lines, size_t *ret_taken)
{
	*ret_lines = *ret_taken = 0;
	for (size_t i = 0; i < part->nr_lines; i++) {
		*ret_lines += *part->lines[i].text ? 1 : 0;
		*ret_taken += *part->lines[i].text && part->lines[i].is_taken ? 1 : 0;
	}
}

static void add_source(struct snapshot *ret, const struct dump_part *part, size_t lines, size_t taken)
{
	struct arena *arena = &ret->arena;
	const struct dump_source *kind = dump_source(part->kind);
	struct import_source *source =
		list_element(arena, ret, sources, import_source, arena_printf(arena, "%u", part->number));

	source->file = val_str(part->file);
	source->kind = val_str(kind->id);
	source->title = val_str(kind->title);
	if (part->about)
		source->about = val_str(part->about);
	if (part->nr_lines)
		source->first_line = val_u64(part->lines[0].number);
	source->lines = val_u64(lines);
	source->lines_taken = val_u64(taken);
	source->is_cut = val_bool(part->is_cut);
	if (part->taken_at)
		source->taken_at = val_str(part->taken_at);
}

static void add_untaken(struct arena *arena, struct import_account *account, const struct dump_part *part)
{
	struct import_untaken *open = NULL;

	for (size_t i = 0; i < part->nr_lines; i++) {
		const struct dump_line *line = &part->lines[i];

		if (!*line->text)
			continue;
		if (line->is_taken) {
			open = NULL;
		} else if (open) {
			open->last_line = line->number;
		} else {
			account->untaken =
				arena_grow(arena, account->untaken, account->nr_untaken, sizeof(*account->untaken));
			open = &account->untaken[account->nr_untaken++];
			*open = (struct import_untaken){
				.file = part->file, .first_line = line->number, .last_line = line->number,
				.text = line->text,
			};
		}
	}
}

static void add_skipped(struct arena *arena, struct import_account *account, const struct dump_skipped *skipped)
{
	for (size_t i = 0; i < skipped->nr_lines; i++)
		account->nr_lines += *skipped->lines[i].text ? 1 : 0;
	account->untaken = arena_grow(arena, account->untaken, account->nr_untaken, sizeof(*account->untaken));
	account->untaken[account->nr_untaken++] = (struct import_untaken){
		.file = skipped->file, .first_line = skipped->lines->number,
		.last_line = skipped->lines[skipped->nr_lines - 1].number, .text = skipped->lines->text,
	};
}

void dump_account_for(struct snapshot *ret, const struct dump_parts *parts, struct import_account *account)
{
	for (size_t i = 0; i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];
		size_t lines, taken;

		count_taken(part, &lines, &taken);
		account->nr_lines += lines;
		account->nr_taken += taken;
		add_untaken(&ret->arena, account, part);
		if (!taken && !part->told)
			continue;
		account->nr_parts++;
		add_source(ret, part, lines, taken);
	}
	for (size_t i = 0; i < parts->nr_skipped; i++)
		add_skipped(&ret->arena, account, &parts->skipped[i]);
}
