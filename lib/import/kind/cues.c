// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cues.c - many words at once. Their first three characters are looked up at each place of the line; only where they
 * stand the word is compared. Letters count in either case.
 */
#include "base/compat.h"
#include "import/kind/cues.h"

#include <endian.h>

enum { WINDOW_BYTES = 3, TABLE_BITS = 12, MAX_CHARACTERS = 8 };

static const struct cue {
	const char *text;
	size_t len;
	enum dump_kind kind;
} cues[] = {
#define CUE(id, text) { text, sizeof(text) - 1, DUMP_##id },
#include "import/kind/cues.def"
};
#define CUE(id, text) _Static_assert(sizeof(text) - 1 == 1 || sizeof(text) - 1 >= WINDOW_BYTES, "too short: " text);
#include "import/kind/cues.def"
_Static_assert(ARRAY_SIZE(cues) <= UINT16_MAX, "words are numbered in two bytes");

static struct {
	bool is_made;
	struct dump_kinds always;		/* kinds without a cue */
	struct character {
		char is;
		struct dump_kinds kinds;
	} characters[MAX_CHARACTERS];		/* cues of one character */
	size_t nr_characters;
	uint16_t first[1 << TABLE_BITS];		/* 1 + the word of that hash, or 0 */
	uint16_t next[ARRAY_SIZE(cues) + 1];	/* of the same hash */
} table;

/* Four bytes are read, of which the last does not count. Letters of either case differ in one bit. */
static unsigned hash(const char *window)
{
	uint32_t value;

	memcpy(&value, window, sizeof(value));
	return ((le32toh(value) | 0x20202020) << 8) * 0x9e3779b1U >> (32 - TABLE_BITS);
}

static void add_character(const struct cue *cue)
{
	struct character *character = table.characters;

	while (character < table.characters + table.nr_characters && character->is != *cue->text)
		character++;
	if (character == table.characters + table.nr_characters && ++table.nr_characters > MAX_CHARACTERS)
		abort();
	character->is = *cue->text;
	dump_kinds_add(&character->kinds, cue->kind);
}

static void make_table(void)
{
	struct dump_kinds named = { .words = { 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(cues); i++)
		dump_kinds_add(&named, cues[i].kind);
	for (enum dump_kind kind = 0; kind < NR_DUMP_KINDS; kind++)
		if (dump_source(kind)->begins && !dump_kinds_has(&named, kind))
			dump_kinds_add(&table.always, kind);
	for (size_t i = 0; i < ARRAY_SIZE(cues); i++) {
		unsigned key = cues[i].len == 1 ? 0 : hash(cues[i].text);

		if (cues[i].len == 1) {
			add_character(&cues[i]);
			continue;
		}
		table.next[i + 1] = table.first[key];
		table.first[key] = (uint16_t)(i + 1);
	}
	table.is_made = true;
}

static void add_kinds(struct dump_kinds *to, const struct dump_kinds *kinds)
{
	for (size_t i = 0; i < DUMP_KINDS_WORDS; i++)
		to->words[i] |= kinds->words[i];
}

struct dump_kinds dump_cues(const char *text)
{
	size_t len = strlen(text);
	struct dump_kinds ret;

	if (!table.is_made)
		make_table();
	ret = table.always;
	for (size_t i = 0; i < table.nr_characters; i++)
		if (memchr(text, table.characters[i].is, len))
			add_kinds(&ret, &table.characters[i].kinds);
	for (size_t at = 0; at + WINDOW_BYTES <= len; at++)
		for (unsigned word = table.first[hash(text + at)]; word; word = table.next[word])
			if (!strncasecmp(text + at, cues[word - 1].text, cues[word - 1].len))
				dump_kinds_add(&ret, cues[word - 1].kind);
	return ret;
}

bool dump_has_cue(const char *text)
{
	struct dump_kinds kinds = dump_cues(text);
	enum dump_kind any;

	return dump_kinds_take(&kinds, &any);
}

bool dump_line_begins(const char *text, const enum dump_kind *kinds, size_t nr)
{
	const struct dump_line line = { .text = text };
	const struct dump_kinds may_begin = dump_cues(text);

	for (size_t i = 0; i < nr; i++)
		if (dump_kinds_has(&may_begin, kinds[i]) && dump_source(kinds[i])->begins(&line, 1) != BEGINS_NOT)
			return true;
	return false;
}
