// SPDX-License-Identifier: GPL-2.0-or-later
/* text_find.c - many words in one text. */
#include "base/compat.h"
#include "base/text.h"

/*
 * The two bytes that each word begins with: few places of a text have such a pair, and few words share one. Rows of a
 * pair are a chain, the first one of the table first; they count from 1.
 */
enum { PAIRS = 1024, MAX_ROWS = 2048, MAX_KEPT = 64 };

struct pairs {
	const char *const *words;	/* whose they are; NULL: nobody's yet */
	size_t nr;
	uint16_t first[PAIRS], next[MAX_ROWS + 1];
};

/* A text is asked line by line for the words of some tables. */
static struct pairs kept[MAX_KEPT];

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Of letters of either case the same: what that finds too much, begins() sees. */
static unsigned pair_at(const char *text)
{
	return ((unsigned)(text[0] & 0x1f) << 5 | (unsigned)(text[1] & 0x1f)) % PAIRS;
}

static bool begins(const char *text, const char *word, bool any_case)
{
	for (; *word; text++, word++)
		if (*text != *word && !(any_case && lower(*text) == lower(*word)))
			return false;
	return true;
}

static const char *word_of(const char *const *words, size_t stride, size_t row)
{
	return *(const char *const *)(const void *)((const char *)words + row * stride);
}

/* A row beyond the most that there may be is not found: no table has as many. */
static void chain(struct pairs *ret, const char *const *words, size_t stride, size_t nr)
{
	ret->words = words;
	ret->nr = nr;
	memset(ret->first, 0, sizeof(ret->first));
	for (size_t row = nr < MAX_ROWS ? nr : MAX_ROWS; row > 0; row--) {
		uint16_t *first = &ret->first[pair_at(word_of(words, stride, row - 1))];

		ret->next[row] = *first;
		*first = (uint16_t)row;
	}
}

static const struct pairs *pairs_of(const char *const *words, size_t stride, size_t nr)
{
	size_t home = (uintptr_t)words >> 4;
	struct pairs *pairs = &kept[home % MAX_KEPT];

	/* Its own place or the next that is free; where none is, the table at its own place has to go. */
	for (size_t i = 0; i < MAX_KEPT; i++) {
		struct pairs *at = &kept[(home + i) % MAX_KEPT];

		if (at->words == words && at->nr == nr)
			return at;
		if (!at->words) {
			pairs = at;
			break;
		}
	}
	chain(pairs, words, stride, nr);
	return pairs;
}

const char *text_find_row(const char *text, const char *const *words, size_t stride, size_t nr, bool any_case,
			  size_t *ret_row)
{
	const struct pairs *pairs;

	if (!*text)
		return NULL;
	pairs = pairs_of(words, stride, nr);
	for (; *text; text++)
		for (size_t row = pairs->first[pair_at(text)]; row; row = pairs->next[row])
			if (begins(text, word_of(words, stride, row - 1), any_case)) {
				*ret_row = row - 1;
				return text;
			}
	return NULL;
}
