// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/left_out.h"

#include "import/literal.h"
#include "import/manual.h"
#include "import/patch.h"

static bool look_for(const struct left_outs *outs, size_t kind, const struct dump_line *lines, size_t nr, size_t from,
		     struct left_out *ret)
{
	switch (kind) {
	case 0:
		return patch_message_next(lines, nr, from, ret);
	case 1:
		return literal_next(lines, nr, from, ret);
	default:
		return manual_next(lines, nr, from, outs->is_for_login, ret);
	}
}

void left_outs_begin(struct left_outs *outs, const struct dump_line *lines, size_t nr)
{
	*outs = (struct left_outs){ .is_for_login = manual_is_for_login(lines, nr) };
	for (size_t i = 0; i < NR_LEFT_OUT_KINDS; i++)
		outs->has[i] = look_for(outs, i, lines, nr, 0, &outs->next[i]);
}

size_t left_outs_at(struct left_outs *outs, const struct dump_line *lines, size_t nr, size_t at)
{
	size_t ret = 0;

	for (size_t i = 0; i < NR_LEFT_OUT_KINDS; i++) {
		/* One that begins within another that was left out is none. */
		if (outs->has[i] && outs->next[i].begin < at)
			outs->has[i] = look_for(outs, i, lines, nr, at, &outs->next[i]);
		if (outs->has[i] && outs->next[i].begin == at && outs->next[i].end - at > ret)
			ret = outs->next[i].end - at;
	}
	return ret;
}

bool left_outs_has_any(const struct left_outs *outs)
{
	bool ret = false;

	for (size_t i = 0; i < NR_LEFT_OUT_KINDS; i++)
		ret |= outs->has[i];
	return ret;
}
