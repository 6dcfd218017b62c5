// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/error_lines.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/error_put.h"
#include "import/dump/readers.h"
#include "import/line/string_text.h"
#include "import/program/error_beside.h"
#include "import/program/error_weight.h"
#include "import/program/likely_error.h"

enum {
	MOST_LINES = 64,		/* that are kept; the one that says most is told */
	MOST_LIKELY = 1024,		/* of those that any word makes one */
	MOST_ABOVE = 20,		/* lines above the bare end of a program that may say why */
	LEAST_CHARACTERS = 6,		/* of a line, "Killed": most lines of some texts are shorter */
	MOST_CHARACTERS = 1000,		/* what has more is no message */
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

static size_t telling_line(const struct dump_line *lines, size_t nr)
{
	size_t ret = 0;

	for (size_t i = 1; i < nr; i++)
		if (error_weight(lines[i].text) > error_weight(lines[ret].text))
			ret = i;
	return ret;
}

/* Above the bare end of a program: the line that says most of an error; NULL: none does. */
static struct dump_line *telling_above(const struct dump_part *part, size_t at, enum dump_kind kind,
				       bool (*may_say)(const char *text))
{
	struct dump_line *ret = NULL;

	for (size_t i = at > MOST_ABOVE ? at - MOST_ABOVE : 0; i < at; i++) {
		struct dump_line *line = &part->lines[i];

		if (may_be_one(part, line, kind) && may_say(line->text) &&
		    error_weight(line->text) > (ret ? error_weight(ret->text) : ERROR_SAYS_LITTLE))
			ret = line;
	}
	return ret;
}

/* With the line below where it only announces that: "Fatal server error:". */
static const char *with_next(struct arena *arena, const struct dump_part *part, size_t at)
{
	const char *text = part->lines[at].text, *next = at + 1 < part->nr_lines ? past_blanks(part->lines[at + 1].text) : "";
	const size_t len = strlen(text);

	return *next && len && text[len - 1] == ':' && strnlen(next, ERROR_MOST_SAID) < ERROR_MOST_SAID ?
	       arena_printf(arena, "%s %s", text, next) : text;
}

bool error_lines_part(struct arena *arena, struct dump_parts *parts, enum dump_kind kind,
		      bool (*is_one)(const struct dump_part *part, size_t at), bool (*may_say)(const char *text),
		      struct dump_part *ret)
{
	const size_t most = kind == DUMP_LIKELY_ERROR || kind == DUMP_ERROR_BESIDE ? MOST_LIKELY : MOST_LINES;
	struct dump_line *lines = NULL;
	struct dump_line *above = NULL;
	const char *file = ret->file;
	size_t nr = 0;

	if (dump_parts_have_report(parts))
		return false;
	for (size_t i = 0; i < parts->nr; i++)
		for (size_t k = first_of_others(&parts->v[i]); k < parts->v[i].nr_lines && nr < most; k++) {
			struct dump_line *line = &parts->v[i].lines[k];

			if ((file && strcmp(file, parts->v[i].file) != 0) || !may_be_one(&parts->v[i], line, kind) ||
			    !is_one(&parts->v[i], k))
				continue;
			file = parts->v[i].file;
			lines = arena_grow(arena, lines, nr, sizeof(*lines));
			if (may_say && !nr && error_weight(line->text) == ERROR_SAYS_LITTLE)
				above = telling_above(&parts->v[i], k, kind, may_say);
			lines[nr] = *line;
			lines[nr++].text = with_next(arena, &parts->v[i], k);
			line->text = "";
		}
	if (above && error_weight(lines[telling_line(lines, nr)].text) < error_weight(above->text)) {
		lines[0] = *above;
		above->text = "";
	}
	*ret = (struct dump_part){ .kind = kind, .file = file, .lines = lines, .nr_lines = nr, .is_picked = true };
	return nr;
}

/* All of them as one error of a program, of which that line is told, with the others that read most like one. */
static void put_lines(struct reading *reading, size_t telling, const char *key, const char *words)
{
	struct dump_line *lines = reading->part->lines;

	program_error_put(reading, &lines[telling], key, words, error_said(reading->arena, lines[telling].text));
	for (size_t i = 0; i < reading->part->nr_lines; i++)
		if (i != telling)
			program_error_put(reading, &lines[i], key, words, NULL);
	error_beside_put(reading, telling);
}

void error_lines_read(struct reading *reading, const char *key, const char *words)
{
	put_lines(reading, telling_line(reading->part->lines, reading->part->nr_lines), key, words);
}

void likely_error_read(struct reading *reading)
{
	const struct dump_line *lines = reading->part->lines;
	size_t likeliest = 0;
	unsigned most = 0;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		unsigned signs = likely_error_signs(lines[i].text);

		if (signs > most) {
			most = signs;
			likeliest = i;
		}
	}
	put_lines(reading, likeliest, "likely", "a line that reads like an error");
}
