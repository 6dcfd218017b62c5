// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amd_smi_table.c - amd-smi without arguments, releases 26 and later: two lines for each GPU, with a bar between
 * address, name, numbers and partitions on the left and what was measured on the right.
 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_WORDS = 16 };

enum dump_begins amd_smi_table_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = lines->text + strspn(lines->text, " ");

	(void)nr;
	return *text == '|' && strstr(text, "AMD-SMI ") && strstr(text, "amdgpu version") ? BEGINS_NEW : BEGINS_NOT;
}

/* The words of one of the two cells of a line, without "|". */
static size_t words_of(struct arena *arena, const char *line, size_t cell, const char *ret[MAX_WORDS])
{
	const char *cells[2], *text;
	size_t nr = 0, len;

	if (layout_cells(arena, line, cells, ARRAY_SIZE(cells)) <= cell)
		return 0;
	text = cells[cell];
	for (const char *word = scan_word(&text, &len); len && nr < MAX_WORDS; word = scan_word(&text, &len))
		ret[nr++] = arena_strndup(arena, word, len);
	return nr;
}

static bool is_no_value(const char *word)
{
	return !strcmp(word, "N/A");
}

/* "0 %", "49 C": the words of a number and its unit; of "N/A" one. */
static const char *take_measure(struct arena *arena, const char *const *words, size_t nr, size_t *at)
{
	if (*at + 1 >= nr)
		return NULL;
	if (is_no_value(words[*at]))
		return words[(*at)++];
	*at += 2;
	return arena_printf(arena, "%s %s", words[*at - 2], words[*at - 1]);
}

/* "144/1000 W", "14 W", "283/262128 MB": the part before the slash, or that after it with its unit. */
static void take_pair(struct reading *reading, struct amd_gpu *at, struct dump_line *line, const char *word,
		      const char *present, const char *total)
{
	const char *slash = strchr(word, '/');

	if (is_no_value(word))
		return;
	amd_take(reading, at, AMD_SMI, present, arena_strndup(reading->arena, word, strcspn(word, "/")), line);
	if (slash)
		amd_take(reading, at, AMD_SMI, total, slash + 1, line);
}

/* "0000:09:00.0  AMD Instinct MI325X": a name that was cut ends in dots. */
static void read_name(struct reading *reading, struct amd_gpu *at, struct dump_line *line, const char *const *words,
		      size_t nr)
{
	STRBUF_AUTO name = STRBUF_INIT;

	for (size_t i = 1; i < nr; i++)
		strbuf_addf(&name, "%s%s", i > 1 ? " " : "", words[i]);
	if (name.len && !strstr(name.buf, ".."))
		amd_take(reading, at, AMD_SMI, "asic/market_name", name.buf, line);
}

/* Use of its memory, temperature, uncorrected errors, power. */
static void read_first(struct reading *reading, struct amd_gpu *at, struct dump_line *line, const char *const *words,
		       size_t nr)
{
	struct arena *arena = reading->arena;
	size_t i = 0;
	const char *use = take_measure(arena, words, nr, &i), *temperature = take_measure(arena, words, nr, &i);

	if (!use || !temperature || i >= nr)
		return;
	amd_take(reading, at, AMD_SMI, "usage/umc_activity", use, line);
	amd_take(reading, at, AMD_SMI, "temperature/hotspot", temperature, line);
	amd_take_total(at, words[i], line);
	if (++i < nr)
		take_pair(reading, at, line, words[i], "power/socket_power", "limit/socket_power");
}

/* "N/A N/A N/A N/A": nothing that was measured. */
static bool is_mute(const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!is_no_value(words[i]))
			return false;
	return nr >= 4;
}

/* A GPU that is one by its partition, or that has none. */
static bool is_whole(const char *const *words, size_t nr)
{
	return nr && (text_begins(words[nr - 1], "SPX/") || is_no_value(words[nr - 1]));
}

/* Use, fan, memory. */
static void read_second(struct reading *reading, struct amd_gpu *at, struct dump_line *line, const char *const *words,
			size_t nr)
{
	size_t i = 0;
	const char *use = take_measure(reading->arena, words, nr, &i);

	if (!use || nr < 3)
		return;
	amd_take(reading, at, AMD_SMI, "usage/gfx_activity", use, line);
	if (!strcmp(words[nr - 1], "MB"))
		take_pair(reading, at, line, words[nr - 2], "mem_usage/used_vram", "mem_usage/total_vram");
}

/* The second line's number tells whose both are. */
static void read_gpu(struct reading *reading, struct dump_line *lines, const char *address)
{
	const char *words[MAX_WORDS];
	size_t nr = words_of(reading->arena, lines[1].text, 0, words);
	struct amd_gpu at;
	uint64_t index;
	bool is_one;

	if (!nr || parse_u64(words[0], &index))
		return;
	amd_gpu_begin(reading, &at, &lines[0], index, address);
	is_one = is_whole(words, nr);
	read_name(reading, &at, &lines[0], words, words_of(reading->arena, lines[0].text, 0, words));
	nr = words_of(reading->arena, lines[0].text, 1, words);
	read_first(reading, &at, &lines[0], words, nr);
	if (is_one && is_mute(words, nr))
		amd_mute(reading, &at, "N/A in amd-smi's table", &lines[0]);
	read_second(reading, &at, &lines[1], words, words_of(reading->arena, lines[1].text, 1, words));
	lines[1].is_taken = true;
	amd_gpu_end(reading, &at);
}

void amd_smi_table_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;

	for (size_t i = 0; i + 1 < part->nr_lines; i++) {
		const char *words[MAX_WORDS];
		size_t nr = words_of(reading->arena, part->lines[i].text, 0, words);
		const char *address = nr ? dump_address(reading->arena, words[0]) : NULL;

		if (address)
			read_gpu(reading, &part->lines[i], address);
	}
}
