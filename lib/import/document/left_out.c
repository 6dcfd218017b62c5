// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/left_out.h"

#include "import/document/article.h"
#include "import/document/comment.h"
#include "import/document/example.h"
#include "import/document/git.h"
#include "import/document/guide.h"
#include "import/document/literal.h"
#include "import/document/man_page.h"
#include "import/document/manual.h"
#include "import/document/patch.h"
#include "import/document/questions.h"
#include "import/document/reference.h"
#include "import/document/remedies.h"
#include "import/document/resolved.h"
#include "import/document/rule_text.h"
#include "import/document/solved.h"
#include "import/document/statement.h"
#include "import/document/test_data.h"
#include "import/document/test_log.h"
#include "import/document/test_result.h"

static bool (*const look_for[NR_LEFT_OUT_KINDS])(const struct dump_line *, size_t, size_t, struct left_out *) = {
	patch_message_next, literal_next, manual_next, example_next, comment_next, statement_next,
	test_data_next, rule_text_next, reference_next, article_next,
	guide_next, man_page_next, resolved_next, questions_next, git_next, test_result_next, solved_next,
	test_log_next, remedies_next,
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
