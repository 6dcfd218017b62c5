// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/sources.h"

#include "base/text.h"

bool source_is_section(const struct snapshot *snapshot, const struct import_source *source)
{
	static const char report[] = "bug-report";

	if (str_is(source->kind, report))
		return false;
	for (size_t i = 0; i < snapshot->nr_sources; i++)
		if (str_is(snapshot->sources[i].kind, report) &&
		    str_is(snapshot->sources[i].file, str_or(source->file, "")))
			return true;
	return false;
}

const struct import_source *source_of(const struct snapshot *snapshot, uint32_t from)
{
	for (size_t i = 0; from && i < snapshot->nr_sources; i++) {
		uint64_t number;

		if (!parse_u64(str_or(snapshot->sources[i].key, ""), &number) && number == value_from_source(from))
			return &snapshot->sources[i];
	}
	return NULL;
}

const char *source_words(const struct import_source *source)
{
	return str_or(str_is(source->kind, "recorded-file") ? source->about : source->title, "file");
}

const char *source_place(struct arena *arena, const struct snapshot *snapshot, uint32_t from)
{
	const struct import_source *source = source_of(snapshot, from);

	if (!source)
		return "?";
	if (!value_from_line(from))
		return arena_printf(arena, "%s (%s)", str_or(source->file, "?"), source_words(source));
	return arena_printf(arena, "%s:%u (%s)", str_or(source->file, "?"), value_from_line(from),
			    source_words(source));
}
