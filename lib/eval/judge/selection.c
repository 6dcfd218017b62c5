// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/selection.h"

#include "base/text.h"

static bool is_left_out(const struct request *request, const struct playbook_row *row)
{
	return (row->gate_only && !bool_or(request->gate, false)) || strs_has(&request->skip_checks, row->check->name);
}

static bool is_chosen(const struct request *request, const struct playbook_row *row)
{
	return !request->only_checks.nr || strs_has(&request->only_checks, row->check->name);
}

bool row_is_selected(const struct request *request, const struct playbook_row *row)
{
	return !is_left_out(request, row) && is_chosen(request, row);
}

bool gate_check_is_selected(const struct request *request, const char *name)
{
	return bool_or(request->gate, false) && !strs_has(&request->skip_checks, name) &&
	       (!request->only_checks.nr || strs_has(&request->only_checks, name));
}

bool row_is_of_failed_workers(const struct request *request, const struct playbook_row *row)
{
	return row->check->per == SUBJECT_PROBE && !is_left_out(request, row) && !is_chosen(request, row);
}

static size_t rank_of_level(const char *level)
{
	static const char *const levels[] = { "read", "quick", "standard", "deep" };
	size_t rank = 0;

	while (rank < ARRAY_SIZE(levels) && strcmp(levels[rank], level) != 0)
		rank++;
	return rank;
}

bool level_asks_for(const struct request *request, const struct check *check)
{
	const char *level = str_or(request->level, "read");

	return check->level && bool_or(request->level_given, false) &&
	       rank_of_level(level) >= rank_of_level(check->level);
}

unsigned needs_of(const struct request *request, const struct playbook *playbook)
{
	unsigned needs = 0;

	for (size_t i = 0; i < playbook->nr; i++)
		if (row_is_selected(request, &playbook->rows[i]))
			needs |= playbook->rows[i].check->needs;
	/* Whether a GPU may be loaded is a matter of who uses it, which its files and its vendor's library tell. */
	return needs & (NEEDS_LOAD | NEEDS_COLLECTIVE) ? needs | NEEDS_LINKS | NEEDS_VENDOR : needs;
}

/* In a snapshot is what a run asked that may have been for more. Files are read in every run. */
static bool serves(const struct probe_run *run, unsigned needs)
{
	if (str_is(run->probe, "collective"))
		return needs & NEEDS_COLLECTIVE;
	if (str_is(run->touches, "device"))
		return needs & NEEDS_LOAD;
	if (str_is(run->probe, "opencl"))
		return needs & (NEEDS_OPENCL | NEEDS_LOAD);
	return !str_is(run->touches, "library") || needs & NEEDS_VENDOR;
}

bool worker_failed(const struct probe_run *run, unsigned needs)
{
	static const char *const ended[] = { "ok", "partial", "refused", "denied", "unavailable" };

	return is_known(run->outcome) && !text_is_any(str_or(run->outcome, ""), ended, ARRAY_SIZE(ended)) &&
	       serves(run, needs);
}
