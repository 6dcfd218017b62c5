// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/left_out.h"

#include "import/literal.h"
#include "import/manual.h"
#include "import/patch.h"

bool left_out_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	static bool (*const kinds[])(const struct dump_line *, size_t, size_t, struct left_out *) = {
		patch_message_next, literal_next, manual_next,
	};
	bool has = false;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct left_out next;

		/* None behind the first matters: the others end where that begins, and are asked again behind it. */
		if (!kinds[i](lines, nr, from, &next) || (has && next.begin >= ret->begin))
			continue;
		*ret = next;
		has = true;
	}
	return has;
}
