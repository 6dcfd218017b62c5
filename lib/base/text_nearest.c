// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"

/* Longer words are no typing errors. */
#define MAX_WORD 64

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * How many letters must be put in, left out, changed or swapped with their
 * neighbour to turn one word into the other. cost[i][j] is that number for
 * the first letters, i % 3 of a and j of b: three rows are all it looks back.
 */
static unsigned edits_between(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned cost[3][MAX_WORD + 1];

	for (size_t j = 0; j <= b_len; j++)
		cost[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		const unsigned *before = cost[(i - 1) % 3];
		const unsigned *two_before = cost[(i + 1) % 3];
		unsigned *row = cost[i % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = before[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = smaller(row[j], smaller(before[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = smaller(row[j], two_before[j - 2] + 1);
		}
	}
	return cost[a_len % 3][b_len];
}

const char *nearest_word(const char *mistyped, const char *const *candidates, size_t nr)
{
	size_t len = strlen(mistyped);
	/* About one letter in three may be wrong: more, and any word is near. */
	unsigned limit = (unsigned)(len + 1) / 3;
	const char *nearest = NULL;

	if (len > MAX_WORD)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		size_t candidate_len = strlen(candidates[i]);
		unsigned edits;

		if (candidate_len > MAX_WORD)
			continue;
		edits = edits_between(mistyped, len, candidates[i], candidate_len);
		if (nearest ? edits < limit : edits <= limit && edits < len) {
			nearest = candidates[i];
			limit = edits;
		}
	}
	return nearest;
}
