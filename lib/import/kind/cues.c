// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cues.c - many words at once. Their first three characters are looked up at each place of the line; only where they
 * stand the word is compared. Letters count in either case.
 */
#include "base/compat.h"
#include "import/kind/cues.h"

#include <endian.h>

enum { WINDOW_BYTES = 3, TABLE_BITS = 12, MAX_CHARACTERS = 8 };

#define KIND(kind) (UINT64_C(1) << DUMP_##kind)

static const struct cue {
	const char *text;
	size_t len;
	uint64_t kinds;
} cues[] = {
#define CUE(id, text) { text, sizeof(text) - 1, KIND(id) },
#include "import/kind/cues.def"
};
#define CUE(id, text) _Static_assert(sizeof(text) - 1 == 1 || sizeof(text) - 1 >= WINDOW_BYTES, "too short: " text);
#include "import/kind/cues.def"
_Static_assert(ARRAY_SIZE(cues) <= UINT16_MAX, "words are numbered in two bytes");
_Static_assert(NR_DUMP_KINDS <= 64, "kinds are bits of a number");

static struct {
	bool is_made;
	uint64_t always;			/* kinds without a cue */
	struct character {
		char is;
		uint64_t kinds;
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
	character->kinds |= cue->kinds;
}

static void make_table(void)
{
	for (enum dump_kind kind = 0; kind < NR_DUMP_KINDS; kind++)
		table.always |= dump_source(kind)->begins ? UINT64_C(1) << kind : 0;
	for (size_t i = 0; i < ARRAY_SIZE(cues); i++) {
		unsigned key = cues[i].len == 1 ? 0 : hash(cues[i].text);

		table.always &= ~cues[i].kinds;
		if (cues[i].len == 1) {
			add_character(&cues[i]);
			continue;
		}
		table.next[i + 1] = table.first[key];
		table.first[key] = (uint16_t)(i + 1);
	}
	table.is_made = true;
}

uint64_t dump_cues(const char *text)
{
	size_t len = strlen(text);
	uint64_t ret;

	if (!table.is_made)
		make_table();
	ret = table.always;
	for (size_t i = 0; i < table.nr_characters; i++)
		if (memchr(text, table.characters[i].is, len))
			ret |= table.characters[i].kinds;
	for (size_t at = 0; at + WINDOW_BYTES <= len; at++)
		for (unsigned word = table.first[hash(text + at)]; word; word = table.next[word])
			if (!strncasecmp(text + at, cues[word - 1].text, cues[word - 1].len))
				ret |= cues[word - 1].kinds;
	return ret;
}

bool dump_line_begins(const char *text, const enum dump_kind *kinds, size_t nr)
{
	const struct dump_line line = { .text = text };
	uint64_t may_begin = dump_cues(text);

	for (size_t i = 0; i < nr; i++)
		if ((may_begin & UINT64_C(1) << kinds[i]) && dump_source(kinds[i])->begins(&line, 1) != BEGINS_NOT)
			return true;
	return false;
}
