/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bmc_cells.h - the cells of a line between bars, or commas where it has no bar, as ipmitool and FreeIPMI print them.
 */
#pragma once

#include "base/arena.h"
#include "base/text_scan.h"

enum { BMC_CELLS = 12 };

struct bmc_cell {
	const char *at;
	size_t len;
};

/* How many there are, one more behind a bar at the end; what is more than BMC_CELLS is left out. */
static inline size_t bmc_cells(const char *text, struct bmc_cell ret[BMC_CELLS])
{
	const char sign[2] = { strchr(text, '|') ? '|' : ',', '\0' };
	size_t nr = 0;

	text = past_blanks(text);
	/* A row of a table in Markdown. */
	for (text += *text == '|'; nr < BMC_CELLS; text++) {
		size_t len = strcspn(text, sign);

		ret[nr] = (struct bmc_cell){ past_blanks(text), len };
		ret[nr].len -= (size_t)(ret[nr].at - text);
		while (ret[nr].len && ret[nr].at[ret[nr].len - 1] == ' ')
			ret[nr].len--;
		nr++;
		text += len;
		if (!*text)
			break;
	}
	return nr;
}

static inline bool cell_begins(struct bmc_cell cell, const char *words)
{
	return cell.len >= strlen(words) && !strncasecmp(cell.at, words, strlen(words));
}

static inline bool cell_is(struct bmc_cell cell, const char *words)
{
	return cell.len == strlen(words) && cell_begins(cell, words);
}

static inline bool cell_has(struct bmc_cell cell, const char *word)
{
	const char *at = strcasestr(cell.at, word);

	return at && (size_t)(at - cell.at) + strlen(word) <= cell.len;
}

static inline const char *cell_text(struct arena *arena, struct bmc_cell cell)
{
	return arena_strndup(arena, cell.at, cell.len);
}
