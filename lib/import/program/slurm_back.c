// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/slurm_back.h"

#include "base/hostlist.h"
#include "base/text.h"
#include "base/text_scan.h"

static const struct { const char *text; bool is_returned; } ends[] = {
	{ " now responding", false }, { " returned to service", true }, { " state set to IDLE", false },
	{ " state set to RESUME", false },
};

/* The last "node " or "nodes " before a place, and what stands behind it. */
static const char *past_node(const char *text, const char *end)
{
	static const char *const words[] = { "node ", "nodes " };
	const char *ret = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (const char *at = text; (at = strcasestr(at, words[i])) && at + strlen(words[i]) <= end; at++)
			if ((at == text || !is_letter_or_digit(at[-1])) && at + strlen(words[i]) > (ret ? ret : text))
				ret = at + strlen(words[i]);
	return ret;
}

const char *slurm_nodes_of(struct arena *arena, const char *text, const char *error, const char *words)
{
	const char *at = past_node(text, error + strlen(words));
	size_t len = at ? strcspn(at, " :;") : 0;

	while (len && strchr(",.", at[len - 1]))
		len--;
	return len && is_letter_or_digit(*at) ? arena_strndup(arena, at, len) : NULL;
}

/* ---- who came back */

struct adding {
	struct slurm_back *to;
	struct arena *arena;
	const struct dump_line *line;
	bool is_returned;
};

static void add_name(void *to, const char *name)
{
	struct adding *adding = to;
	struct slurm_back *back = adding->to;
	size_t i = 0;

	while (i < back->nr && (strcmp(back->v[i].name, name) != 0 || back->v[i].is_returned != adding->is_returned))
		i++;
	if (i == MOST_NODES_BACK)
		return;
	if (i == back->nr) {
		back->v[i].name = arena_strdup(adding->arena, name);
		back->v[i].is_returned = adding->is_returned;
		back->nr++;
	}
	back->v[i].line = adding->line;
}

void slurm_back_read(struct arena *arena, const struct dump_part *part, struct slurm_back *ret)
{
	ret->nr = 0;
	for (const struct dump_line *line = part->lines; line < part->lines + part->nr_lines; line++) {
		for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
			struct adding adding = { ret, arena, line, ends[i].is_returned };
			const char *at = strstr(line->text, ends[i].text);
			const char *nodes = at ? slurm_nodes_of(arena, line->text, at, "") : NULL, *why;

			if (nodes && !hostlist_expand(nodes, add_name, &adding, &why))
				break;
		}
	}
}

/* ---- is it over */

struct asking {
	const struct slurm_back *back;
	const struct dump_line *line;
	bool is_of_settings;	/* a node that answers has them still */
	bool are_all;
};

static bool is_back(const struct asking *asking, const char *name)
{
	for (size_t i = 0; i < asking->back->nr; i++)
		if ((!name || !strcmp(asking->back->v[i].name, name)) &&
		    (!asking->line || asking->back->v[i].line > asking->line) &&
		    (asking->back->v[i].is_returned || !asking->is_of_settings))
			return true;
	return false;
}

static void ask(void *to, const char *name)
{
	struct asking *asking = to;

	asking->are_all = asking->are_all && is_back(asking, name);
}

bool slurm_are_back(const struct slurm_back *back, const char *key, const char *nodes, const struct dump_line *line)
{
	struct asking asking = { back, line, !strcmp(key, "slurm-config"), true };
	const char *why;

	if (!nodes)
		return is_back(&asking, NULL);
	return !hostlist_expand(nodes, ask, &asking, &why) && asking.are_all;
}
