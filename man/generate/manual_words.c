// SPDX-License-Identifier: GPL-2.0-or-later
/* manual_words.c - what may hold a GPU back as a part of the manual: the word, what it means, what to do. */
#include "base/compat.h"
#include "man/generate/manual.h"

#include "eval/load/load.h"
#include "man/generate/mdoc.h"

static const char *counts_words(enum bottleneck_counts counts)
{
	static const char *const words[] = {
		[COUNTS_NOTHING] = "exit status 0", [COUNTS_REMOVABLE] = "exit status 1", [COUNTS_FAULT] = "exit status 2",
	};

	return words[counts];
}

static void put_word(struct strbuf *out, const struct bottleneck_def *def)
{
	strbuf_addf(out, ".It Cm %s\n", def->word);
	mdoc_line(out, def->why);
	/* One that is a place alone depends on what was found. */
	if (def->next && def->next[0] != '{') {
		strbuf_addstr(out, ".br\nNext: ");
		mdoc_line(out, def->next);
	}
	strbuf_addf(out, ".br\n(%s", counts_words(def->counts));
	if (def->seconds)
		strbuf_addf(out, "; after %u s", def->seconds);
	if (def->blame != BLAME_NONE)
		strbuf_addf(out, "; blame: %s", blame_name(def->blame));
	strbuf_addstr(out, ")\n");
}

void manual_words(struct strbuf *out)
{
	/* The first is no word of the table: nothing was known. */
	if (NR_BOTTLENECKS < 2)
		return;
	strbuf_addstr(out, ".Bl -tag -width Ds\n");
	for (size_t i = 1; i < NR_BOTTLENECKS; i++)
		put_word(out, &bottleneck_defs[i]);
	strbuf_addstr(out, ".El\n");
}
