// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amd_monitor.c - amd-smi monitor: a line of column heads, and a line for each GPU, whose cells end where the heads do.
 * Where a paste lost the blanks before a line it is moved back; where it lost them between cells, these go by their
 * order.
 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_HEADS = 32 };

static const struct head { const char *name, *path; } heads[] = {
	{ "POWER", "power/socket_power" },	{ "POWER_USAGE", "power/socket_power" },
	{ "GPU_T", "temperature/hotspot" },	{ "GPU_TEMP", "temperature/hotspot" },
	{ "MEM_T", "temperature/mem" },		{ "MEM_TEMP", "temperature/mem" },
	{ "GFX_CLK", "clock/gfx_0/clk" },	{ "GFX_CLOCK", "clock/gfx_0/clk" },
	{ "MEM_CLOCK", "clock/mem_0/clk" },	{ "GFX%", "usage/gfx_activity" },
	{ "GFX_UTIL", "usage/gfx_activity" },	{ "MEM%", "usage/umc_activity" },
	{ "MEM_UTIL", "usage/umc_activity" },	{ "SINGLE_ECC", "ecc/total_correctable_count" },
	{ "DOUBLE_ECC", "ecc/total_uncorrectable_count" },
	{ "PCIE_REPLAY", "pcie/replay_count" },
};

static const struct head *head_of(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (len == strlen(heads[i].name) && !strncmp(name, heads[i].name, len))
			return &heads[i];
	return NULL;
}

/* "GPU  XCP  POWER   GPU_T …" */
static bool is_head(const char *text)
{
	size_t len, nr = 0;
	const char *word = scan_word(&text, &len);

	if (len == strlen("TIMESTAMP") && !strncmp(word, "TIMESTAMP", len))
		word = scan_word(&text, &len);
	if (len != 3 || strncmp(word, "GPU", 3) != 0)
		return false;
	for (word = scan_word(&text, &len); len; word = scan_word(&text, &len))
		nr += head_of(word, len) ? 1 : 0;
	return nr > 1;
}

enum dump_begins amd_monitor_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	return is_head(lines->text) ? BEGINS_NEW : BEGINS_NOT;
}

/*
 * The cell that ends in that column, "45 °C" without what stands left of it; a character of several bytes is one
 * column.
 */
static const char *cell_ending(struct arena *arena, const char *text, size_t column)
{
	size_t at = 0, end = 0, begin;

	for (; text[end] && at < column; end++)
		at += ((unsigned char)text[end + 1] & 0xc0) != 0x80;
	if (at < column || (text[end] && text[end] != ' '))
		return NULL;
	for (begin = end; begin && !(text[begin - 1] == ' ' && (begin < 2 || text[begin - 2] == ' ')); begin--)
		;
	return begin < end ? arena_strndup(arena, text + begin, end - begin) : NULL;
}

/* The number of a GPU ends where its head does. */
static const char *moved_back(struct arena *arena, const char *names, const char *text)
{
	size_t digits = strspn(text, "0123456789"), width = strcspn(names, " ");

	return *names == 'G' && digits && digits < width ? arena_printf(arena, "%*s%s", (int)(width - digits), "", text)
							 : text;
}

/* One more cell: "45 °C", "0.3/192.0 GB", "N/A", "12"; NULL at the end. */
static const char *next_cell(struct arena *arena, const char **at)
{
	size_t len, unit;
	const char *word = scan_word(at, &len), *rest = *at, *next;

	if (!len)
		return NULL;
	next = scan_word(&rest, &unit);
	if (is_digit(*word) && unit && !is_digit(*next) && strncmp(next, "N/A", 3) != 0) {
		*at = rest;
		return arena_strndup(arena, word, (size_t)(next - word) + unit);
	}
	return arena_strndup(arena, word, len);
}

/* As many cells as heads: NULL where there are more or fewer. */
static const char *const *cells_in_order(struct arena *arena, const char *names, const char *text)
{
	const char **ret = arena_alloc(arena, MOST_HEADS * sizeof(*ret)), *cell;
	size_t nr = 0, nr_names = 0, len;

	while (scan_word(&names, &len), len)
		nr_names++;
	while ((cell = next_cell(arena, &text)) && nr < MOST_HEADS)
		ret[nr++] = cell;
	return nr == nr_names ? ret : NULL;
}

static void read_row(struct reading *reading, const char *names, struct dump_line *line)
{
	const bool is_squeezed = !strstr(names, "  ");
	const char *text = moved_back(reading->arena, names, line->text);
	const char *const *cells = is_squeezed ? cells_in_order(reading->arena, names, text) : NULL;
	size_t column = 0;
	const char *at = line->text, *word;
	struct amd_gpu gpu;
	bool fits = true;
	uint64_t index;
	size_t len;

	at = past_blanks(at);
	if (!scan_u64(&at, 10, &index, &fits) || !fits || *at != ' ')
		return;
	amd_gpu_begin(reading, &gpu, line, index, NULL);
	for (at = names, word = scan_word(&at, &len); len; word = scan_word(&at, &len), column++) {
		const struct head *head = head_of(word, len);
		const char *cell = cells ? cells[column] : NULL;

		if (head && !is_squeezed)
			cell = cell_ending(reading->arena, text, (size_t)(word - names) + len);
		if (head && cell)
			amd_take(reading, &gpu, AMD_SMI, head->path, cell, line);
	}
	amd_gpu_end(reading, &gpu);
}

void amd_monitor_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	const char *names = NULL;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];

		if (is_head(line->text)) {
			names = line->text;
			line->is_taken = true;
		} else if (names) {
			read_row(reading, names, line);
		}
	}
}
