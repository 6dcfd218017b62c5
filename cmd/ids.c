// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/ids.h"

#include <fnmatch.h>

#include "base/alloc.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "snapshot/snapshot.h"

const char **all_ids(unsigned kinds, const char *const *more, size_t *ret_nr)
{
	size_t nr_more = 0, nr = 0;
	const char **names;

	while (more && more[nr_more])
		nr_more++;
	names = xcalloc(nr_more + playbook.nr + NR_FINDINGS, sizeof(*names));
	for (size_t i = 0; i < nr_more; i++)
		names[nr++] = more[i];
	for (size_t i = 0; kinds & IDS_OF_CHECKS && i < playbook.nr; i++)
		names[nr++] = playbook.rows[i].check->name;
	for (int id = NO_FINDING + 1; kinds & IDS_OF_FINDINGS && id < NR_FINDINGS; id++)
		names[nr++] = finding_defs[id].name;
	*ret_nr = nr;
	return names;
}

NORETURN static void die_no_such_id(const struct option_parser *parser, unsigned kinds, const char *given,
				    const char *const *names, size_t nr)
{
	STRBUF_AUTO what = STRBUF_INIT;

	strbuf_addf(&what, "--%s: unknown check%s", parser->row->name,
		    kinds & IDS_OF_FINDINGS ? " or finding" : "");
	die_no_such(what.buf, given, names, nr, kinds & IDS_OF_FINDINGS ? "see gpudiag list checks and list findings" :
									  "see gpudiag list checks");
}

void option_ids(const struct option_parser *parser, unsigned kinds, const char *const *more, struct arena *arena,
		struct strs *list)
{
	const char *at = parser->argument;
	STRBUF_AUTO word = STRBUF_INIT;
	size_t nr;
	const char **names = all_ids(kinds, more, &nr);

	for (;;) {
		size_t len = strcspn(at, ",");

		strbuf_reset(&word);
		strbuf_add(&word, at, len);
		if (!text_is_any(word.buf, names, nr))
			die_no_such_id(parser, kinds, word.buf, names, nr);
		strs_add(arena, list, word.buf);
		if (!at[len])
			break;
		at += len + 1;
	}
	free(names);
}

/* ---- --check and --skip */

static bool selects(const char *word, const struct playbook_row *row)
{
	return !strcmp(word, stage_name(row->stage)) || !fnmatch(word, row->check->name, 0);
}

NORETURN static void die_selects_nothing(const struct option_parser *parser, const char *word)
{
	const char *stages[NR_STAGES + 1] = { NULL };
	STRBUF_AUTO what = STRBUF_INIT;
	const char **names;
	size_t nr;

	for (int i = 0; i < NR_STAGES; i++)
		stages[i] = stage_name((enum stage)i);
	names = all_ids(IDS_OF_CHECKS, stages, &nr);
	strbuf_addf(&what, strpbrk(word, "*?[") ? "--%s: no check matches" : "--%s: unknown check or stage",
		    parser->row->name);
	die_no_such(what.buf, word, names, nr, "see gpudiag list checks");
}

void option_selection(const struct option_parser *parser, struct arena *arena, struct strs *list)
{
	const char *at = parser->argument;

	do {
		size_t len = strcspn(at, ",");
		const char *word = arena_strndup(arena, at, len);
		bool any = false;

		for (size_t i = 0; i < playbook.nr; i++) {
			if (!selects(word, &playbook.rows[i]))
				continue;
			any = true;
			if (!strs_has(list, playbook.rows[i].check->name))
				strs_add(arena, list, playbook.rows[i].check->name);
		}
		if (!any)
			die_selects_nothing(parser, word);
		at += len;
	} while (*at++);
}
