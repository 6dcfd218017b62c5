// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/error_put.h"

#include "import/dump/named_gpu.h"

#include "base/text.h"

enum { MOST_CHARACTERS = 4096 };	/* of a line that are looked at: it may be as long as a file */

/* A program counts the GPUs that it may use, and in an order of its own: which one its number means only it knows. */
static void put_gpu(struct reading *reading, struct dump_line *line, struct program_error *to)
{
	const char *text = line->text;
	const struct named_gpu gpu =
		named_gpu_in(reading->arena, text, text + utf8_floor(text, strnlen(text, MOST_CHARACTERS)));


	if (gpu.address || gpu.uuid)
		put(reading, line, to->gpu, val_str(gpu.address ? gpu.address : gpu.uuid));
	else if (gpu.has_index)
		put(reading, line, to->gpu,
		    val_str(arena_printf(reading->arena, "%llu", (unsigned long long)gpu.index)));
}

void program_error_put(struct reading *reading, struct dump_line *line, const char *key, const char *words,
		       const char *said)
{
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error, key);

	if (to->words.state == VAL_UNSET) {
		put(reading, line, to->words, val_str(words));
		if (said)
			put(reading, line, to->line, val_str(said));
		put_gpu(reading, line, to);
	}
	put(reading, line, to->lines, val_u64(u64_or(to->lines, 0) + 1));
}
