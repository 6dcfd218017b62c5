// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/error_put.h"

void program_error_put(struct reading *reading, struct dump_line *line, const char *key, const char *words,
		       const char *said)
{
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error, key);

	if (to->words.state == VAL_UNSET) {
		put(reading, line, to->words, val_str(words));
		if (said)
			put(reading, line, to->line, val_str(said));
	}
	put(reading, line, to->lines, val_u64(u64_or(to->lines, 0) + 1));
}
