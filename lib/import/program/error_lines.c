// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/error_lines.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/error_put.h"
#include "import/line/string_text.h"

enum {
	MOST_LINES = 64,		/* that are kept; the first one is told */
	LEAST_CHARACTERS = 6,		/* of a line, "Killed": most lines of some texts are shorter */
	MOST_CHARACTERS = 1000,		/* what has more is no message */
	MOST_SAID = 200,		/* of it that are told */
};

/* What was left out can be quoted at most. */
static bool may_be_one(const struct dump_part *part, const struct dump_line *line, enum dump_kind kind)
{
	size_t len = strnlen(line->text, MOST_CHARACTERS + 1);

	if (len < LEAST_CHARACTERS || len > MOST_CHARACTERS)
		return false;
	if (part->kind == DUMP_LEFT_OUT && kind != DUMP_QUOTED_ERROR)
		return false;
	/* Lines of a text in strings were looked at each by itself. */
	return !line->is_taken && !string_text_is_in(line->text);
}

/* From where on a part's lines may be anybody's: behind the last one that its tool's reader took. */
static size_t first_of_others(const struct dump_part *part)
{
	size_t nr = dump_is_of_tool(part->kind) ? part->nr_lines : 0;

	while (nr && !part->lines[nr - 1].is_taken)
		nr--;
	return nr;
}

bool error_lines_part(struct arena *arena, struct dump_parts *parts, enum dump_kind kind,
		      bool (*is_one)(const struct dump_part *part, size_t at), struct dump_part *ret)
{
	struct dump_line *lines = NULL;
	const char *file = NULL;
	size_t nr = 0;

	if (dump_parts_have_report(parts))
		return false;
	for (size_t i = 0; i < parts->nr; i++)
		for (size_t k = first_of_others(&parts->v[i]); k < parts->v[i].nr_lines && nr < MOST_LINES; k++) {
			struct dump_line *line = &parts->v[i].lines[k];

			if ((file && strcmp(file, parts->v[i].file) != 0) || !may_be_one(&parts->v[i], line, kind) ||
			    !is_one(&parts->v[i], k))
				continue;
			file = parts->v[i].file;
			lines = arena_grow(arena, lines, nr, sizeof(*lines));
			lines[nr++] = *line;
			line->text = "";
		}
	*ret = (struct dump_part){ .kind = kind, .file = file, .lines = lines, .nr_lines = nr, .is_picked = true };
	return nr;
}

static const char *said_in(struct arena *arena, const char *text)
{
	text = past_blanks(text);
	return arena_strndup(arena, text, utf8_floor(text, strnlen(text, MOST_SAID)));
}

void error_lines_read(struct reading *reading, const char *key, const char *words)
{
	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];

		program_error_put(reading, line, key, words, said_in(reading->arena, line->text));
	}
}
