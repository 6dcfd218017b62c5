// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/left_out.h"

#include "import/comment.h"
#include "import/example.h"
#include "import/literal.h"
#include "import/manual.h"
#include "import/patch.h"
#include "import/reference.h"
#include "import/rule_text.h"
#include "import/statement.h"
#include "import/test_data.h"

static bool (*const look_for[NR_LEFT_OUT_KINDS])(const struct dump_line *, size_t, size_t, struct left_out *) = {
	patch_message_next, literal_next, manual_next, example_next, comment_next, statement_next,
	test_data_next, rule_text_next, reference_next,
};

void left_outs_begin(struct left_outs *outs, const struct dump_line *lines, size_t nr, size_t from)
{
	for (size_t i = 0; i < NR_LEFT_OUT_KINDS; i++)
		outs->has[i] = look_for[i](lines, nr, from, &outs->next[i]);
}

size_t left_outs_at(struct left_outs *outs, const struct dump_line *lines, size_t nr, size_t at)
{
	size_t ret = 0;

	for (size_t i = 0; i < NR_LEFT_OUT_KINDS; i++) {
		/* One that begins within another that was left out is none. */
		if (outs->has[i] && outs->next[i].begin < at)
			outs->has[i] = look_for[i](lines, nr, at, &outs->next[i]);
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
