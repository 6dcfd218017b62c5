// SPDX-License-Identifier: GPL-2.0-or-later
/* source.c - the table of source.def. */
#include "base/compat.h"
#include "import/dump/dump.h"
#include "import/dump/readers.h"

static const struct dump_source sources[] = {
#define SOURCE(id_, id_text, title_, rank_, begins_, read_, command_)                                         \
	[DUMP_##id_] = { .id = id_text, .title = title_, .rank = rank_, .begins = begins_, .read = read_,     \
			 .command = command_ },
#include "import/dump/source.def"
};

const struct dump_source *dump_source(enum dump_kind kind)
{
	return &sources[kind];
}

void dump_part_read(const struct dump_parts *parts, const struct dump_part *part, struct snapshot *ret)
{
	struct reading reading = {
		.part = part, .parts = parts, .snapshot = ret, .arena = &ret->arena,
	};

	dump_source(part->kind)->read(&reading);
}
