// SPDX-License-Identifier: GPL-2.0-or-later
/* text_find.c - many words in one text. */
#include "base/compat.h"
#include "base/text.h"

/* The two bytes that each word begins with, as a set: few places of a text have such a pair. */
enum { PAIRS = 1024 };

struct pairs {
	uint64_t bits[PAIRS / 64];
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Of letters of either case the same: what that finds too much, begins() sees. */
static unsigned pair_at(const char *text)
{
	return ((unsigned)(text[0] & 0x1f) << 5 | (unsigned)(text[1] & 0x1f)) % PAIRS;
}

static bool is_pair(const struct pairs *pairs, unsigned pair)
{
	return pairs->bits[pair / 64] >> (pair % 64) & 1;
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

const char *text_find_row(const char *text, const char *const *words, size_t stride, size_t nr, bool any_case, size_t *ret_row)
{
	struct pairs pairs = { .bits = { 0 } };

	for (size_t i = 0; i < nr; i++) {
		unsigned pair = pair_at(word_of(words, stride, i));

		pairs.bits[pair / 64] |= UINT64_C(1) << (pair % 64);
	}
	for (; *text; text++) {
		if (!is_pair(&pairs, pair_at(text)))
			continue;
		for (size_t i = 0; i < nr; i++) {
			if (!begins(text, word_of(words, stride, i), any_case))
				continue;
			*ret_row = i;
			return text;
		}
	}
	return NULL;
}
