// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/layout.h"

#include "base/text_scan.h"

void layout_leave(struct layout_place *place, size_t indent)
{
	while (place->depth && place->indents[place->depth - 1] >= indent)
		place->depth--;
}

void layout_enter(struct layout_place *place, size_t indent, const char *name)
{
	layout_leave(place, indent);
	if (place->depth < LAYOUT_DEEPEST) {
		place->indents[place->depth] = indent;
		place->names[place->depth++] = name;
	}
}

const char *layout_path(struct arena *arena, const struct layout_place *place, const char *key)
{
	STRBUF_AUTO path = STRBUF_INIT;

	for (size_t i = 0; i < place->depth; i++)
		strbuf_addf(&path, "%s%s", i ? "/" : "", place->names[i]);
	if (key)
		strbuf_addf(&path, "%s%s", place->depth ? "/" : "", key);
	return arena_strdup(arena, path.buf);
}

bool layout_is_indented(const struct dump_part *part)
{
	for (size_t i = 0; i < part->nr_lines; i++)
		if (part->lines[i].text[0] == ' ' && part->lines[i].text[1] == ' ')
			return true;
	return false;
}

const char *layout_trimmed(struct arena *arena, const char *text, size_t len)
{
	for (; len && *text == ' '; len--)
		text++;
	while (len && text[len - 1] == ' ')
		len--;
	return arena_strndup(arena, text, len);
}

size_t layout_words(struct arena *arena, const char *text, const char **ret, size_t room)
{
	size_t nr = 0, len;

	for (const char *word = scan_word(&text, &len); len && nr < room; word = scan_word(&text, &len))
		ret[nr++] = arena_strndup(arena, word, len);
	return nr;
}

size_t layout_cells(struct arena *arena, const char *text, const char **ret, size_t room)
{
	size_t nr = 0;

	text = past_blanks(text);
	if (*text != '|')
		return 0;
	text += strspn(text, "|");
	while (nr < room) {
		size_t len = strcspn(text, "|");

		if (!text[len])
			break;
		ret[nr++] = layout_trimmed(arena, text, len);
		text += len + 1;
	}
	return nr;
}
