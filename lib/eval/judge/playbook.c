// SPDX-License-Identifier: GPL-2.0-or-later
/* playbook.c - what may be said of the playbook's rows without asking any of its checks. */
#include "base/compat.h"
#include "eval/judge/check.h"

const char *playbook_row_words(const struct playbook_row *row)
{
	if (row->gate_only)
		return row->required_in_gate ? " (gate only, required)" : " (gate only)";
	if (row->required_in_gate)
		return " (required by gate)";
	return row->required ? " (required)" : "";
}

const struct playbook_row *playbook_row_by_name(const struct playbook *playbook, const char *name)
{
	for (size_t i = 0; i < playbook->nr; i++)
		if (!strcmp(playbook->rows[i].check->name, name))
			return &playbook->rows[i];
	return NULL;
}

struct strs playbook_checks(struct arena *arena, const struct playbook *playbook)
{
	struct strs names = { .nr = 0 };

	for (size_t i = 0; i < playbook->nr; i++)
		strs_add(arena, &names, playbook->rows[i].check->name);
	return names;
}
