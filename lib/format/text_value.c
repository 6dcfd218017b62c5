// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/text_value.h"

#include "base/text.h"

enum { MAX_QUOTED_BYTES = 40 };		/* of a text that is not what was asked for */

const char *text_cleaned(struct arena *arena, const char *text, size_t len)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	utf8_clean(&clean, text, len);
	return arena_strdup(arena, clean.buf);
}

const char *text_quoted(struct arena *arena, const char *text, size_t len)
{
	bool is_cut = len > MAX_QUOTED_BYTES;
	const char *clean = text_cleaned(arena, text, is_cut ? MAX_QUOTED_BYTES : len);

	return arena_printf(arena, "reads \"%s\"%s", clean, is_cut ? " …" : "");
}

struct val_str text_value(struct arena *arena, const char *text, size_t len)
{
	if (len > MAX_TEXT_BYTES)
		return no_str(VAL_ERROR, arena_printf(arena, "%zu bytes, a line expected", len));
	return val_str(text_cleaned(arena, text, len));
}

struct val_str checked_cpulist(struct arena *arena, struct val_str text)
{
	const char *list = str_or(text, "");
	uint64_t count;

	if (is_known(text) && cpulist_count(list, &count))
		return no_str(VAL_ERROR, text_quoted(arena, list, strlen(list)));
	return text;
}

struct val_str checked_driver_version(struct arena *arena, struct val_str text)
{
	const char *version = str_or(text, "");

	if (is_known(text) && !version_valid(version))
		return no_str(VAL_ERROR, text_quoted(arena, version, strlen(version)));
	return text;
}

struct val_str checked_version(struct arena *arena, struct val_str text)
{
	const char *version = str_or(text, "");
	bool is_word = strpbrk(version, "0123456789");

	/* From ! to ~: what is no ASCII was no text, or belongs to another file. */
	for (const char *c = version; *c && is_word; c++)
		is_word = *c > ' ' && *c < 0x7f;
	if (is_known(text) && !is_word)
		return no_str(VAL_ERROR, text_quoted(arena, version, strlen(version)));
	return text;
}
