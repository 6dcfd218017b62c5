// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amd_smi_text.c - amd-smi as people read it: "GPU: 0", below it sections and keys in capitals, each level indented by
 * four blanks. Where a paste lost the blanks, the section last named is the one a key is of, and that is in the last
 * one that had a section for its first line: ends of paths count, so that it does no harm where that was over before.
 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"

#include "base/text_scan.h"

/* "GPU: 3" and nothing behind it. */
static bool is_gpu(const char *text, uint64_t *ret)
{
	bool fits = true;

	text = past_blanks(text);
	if (strncmp(text, "GPU: ", 5) != 0)
		return false;
	text += 5;
	return scan_u64(&text, 10, ret, &fits) && fits && scan_end(text);
}

/* "MARKET_NAME: AMD Instinct MI300X", "ASIC:" */
static bool is_key(const char *text)
{
	size_t len;

	text = past_blanks(text);
	len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return len > 1 && text[len] == ':' && (!text[len + 1] || text[len + 1] == ' ');
}

static bool is_section(const char *text)
{
	size_t len = strlen(text);

	return is_key(text) && text[len - 1] == ':';
}

/* "GPU0  0000:0c:00.0  U U D X": a row of amd-smi xgmi's link status. */
static bool is_link_row(const char *text)
{
	size_t len;
	const char *word = scan_word(&text, &len);

	if (len < 4 || strncmp(word, "GPU", 3) != 0 || strspn(word + 3, "0123456789") != len - 3)
		return false;
	word = scan_word(&text, &len);
	if (len < 7 || strspn(word, "0123456789abcdefABCDEF:.") != len || !memchr(word, '.', len))
		return false;
	word = scan_word(&text, &len);
	return len == 1 && strchr("UDX", *word);
}

enum dump_begins amd_smi_text_begins(const struct dump_line *lines, size_t nr)
{
	uint64_t index;

	if (is_link_row(lines->text))
		return BEGINS_MORE;
	if (!is_gpu(lines->text, &index))
		return BEGINS_NOT;
	for (size_t i = 1; i < nr && i < 4; i++)
		if (is_key(lines[i].text))
			return BEGINS_MORE;
	return BEGINS_NOT;
}

/* ---- reading */

struct text_reading {
	struct reading *reading;
	struct amd_gpu at;
	struct layout_place place;
	bool indented;
};

/* The address that the lines of this GPU name, or NULL. */
static const char *address_below(struct text_reading *text, size_t from)
{
	const struct dump_part *part = text->reading->part;
	uint64_t index;

	for (size_t i = from + 1; i < part->nr_lines && !is_gpu(part->lines[i].text, &index); i++) {
		const char *at = past_blanks(part->lines[i].text);

		if (!strncmp(at, "BDF: ", 5))
			return dump_address(text->reading->arena, at + 5);
	}
	return NULL;
}

static void end_gpu(struct text_reading *text)
{
	if (text->at.gpu)
		amd_gpu_end(text->reading, &text->at);
	text->at = (struct amd_gpu){ .gpu = NULL };
	text->place.depth = 0;
}

/* Of the page whose address stands in a line: what stands behind "STATUS: " before the next page or list; "": none. */
static const char *status_below(const struct text_reading *text, const struct dump_line *line)
{
	enum { LINES_OF_PAGE = 4 };
	const struct dump_part *part = text->reading->part;
	const struct dump_line *end = part->lines + part->nr_lines;

	for (const struct dump_line *at = line + 1; at < end && at - line < LINES_OF_PAGE; at++) {
		const char *key = past_blanks(at->text);

		if (is_section(key) || !strncmp(key, "PAGE_ADDRESS", 12))
			break;
		if (!strncmp(key, "STATUS: ", 8))
			return past_blanks(key + 8);
	}
	return "";
}

/* Of a list of bad pages: "RETIRED: No bad pages found.", or for each page its address below "RETIRED:". */
static bool take_pages(struct text_reading *text, const char *value, struct dump_line *line)
{
	const struct layout_place *place = &text->place;
	const char *name = place->names[place->depth - 1];
	const char *list = place->depth > 1 ? place->names[place->depth - 2] : "";

	if (!strncmp(value, "No bad pages", 12))
		return amd_take_bad_pages(&text->at, name, 0, line);
	if (strcmp(name, "page_address") != 0 || !amd_take_bad_pages(&text->at, list, 0, line))
		return false;
	return amd_take_bad_pages(&text->at, amd_list_of_page(status_below(text, line), list), 1, line);
}

/* Without indentation, as if it had one. lines: of the part, from this one on. */
static size_t indent_without(const struct dump_line *lines, size_t nr)
{
	if (!is_section(lines->text))
		return 3;
	return nr > 1 && is_section(lines[1].text) ? 1 : 2;
}

static void read_key(struct text_reading *text, struct dump_line *line)
{
	const struct dump_part *part = text->reading->part;
	struct arena *arena = text->reading->arena;
	const char *at = past_blanks(line->text), *colon = strchr(at, ':'), *value;
	size_t indent = (size_t)(at - line->text);

	if (!colon)
		return;
	value = past_blanks(colon + 1);
	if (!text->indented)
		indent = indent_without(line, part->nr_lines - (size_t)(line - part->lines));
	layout_enter(&text->place, indent, arena_small_letters(arena, at, (size_t)(colon - at)));
	if (!*value || take_pages(text, value, line))
		return;
	amd_take(text->reading, &text->at, AMD_SMI, layout_path(arena, &text->place, NULL), value, line);
}

/* A partition is a part of the GPU, and has an address of its own. */
static bool is_partition(const struct dump_part *part, size_t from)
{
	uint64_t index;

	for (size_t i = from + 1; i < part->nr_lines && !is_gpu(part->lines[i].text, &index); i++) {
		const char *at = past_blanks(part->lines[i].text);

		if (!strncmp(at, "PARTITION_ID: ", 14))
			return at[14] >= '1' && at[14] <= '9';
	}
	return false;
}

/* U: up, D: down, X: none. */
static void read_links(struct text_reading *text, struct dump_line *line)
{
	const char *at = line->text, *address, *word;
	uint64_t index = 0, nr = 0;
	size_t len;
	bool fits = true;

	word = scan_word(&at, &len) + 3;
	scan_u64(&word, 10, &index, &fits);
	address = scan_word(&at, &len);
	end_gpu(text);
	amd_gpu_begin(text->reading, &text->at, line, index, arena_strndup(text->reading->arena, address, len));
	for (word = scan_word(&at, &len); len == 1; word = scan_word(&at, &len))
		amd_take_link(text->reading, &text->at, nr++, *word, line);
	end_gpu(text);
}

void amd_smi_text_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct text_reading text = { .reading = reading, .indented = layout_is_indented(part) };
	uint64_t index;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];

		if (is_gpu(line->text, &index)) {
			end_gpu(&text);
			if (!is_partition(part, i))
				amd_gpu_begin(reading, &text.at, line, index, address_below(&text, i));
		} else if (is_link_row(line->text)) {
			read_links(&text, line);
		} else if (!strncmp(past_blanks(line->text), "CPU: ", 5)) {
			end_gpu(&text);
		} else if (text.at.gpu && is_key(line->text)) {
			read_key(&text, line);
		}
	}
	end_gpu(&text);
}
