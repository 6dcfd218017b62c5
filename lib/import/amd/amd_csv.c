// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amd_csv.c - amd-smi and rocm-smi with --csv: a line of names, and a line of values for each GPU. amd-smi quotes a
 * value with commas in it; rocm-smi, whose columns bear the names of its other outputs, does not. Samples of one GPU
 * follow one another, and the last counts.
 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_COLUMNS = 512 };

static const struct column_value { const char *name, *path, *unit; } columns[] = {
#define COLUMN(name, path, unit) { name, path, unit },
#include "import/amd/amd_csv.def"
}, monitor_columns[] = {
#define MONITOR(name, path, unit) { name, path, unit },
#include "import/amd/amd_csv.def"
};

/* ---- cells */

/* The length of a cell at the beginning of a text: a comma in quotes, or in brackets, is the cell's own. */
static size_t cell_len(const char *text)
{
	bool in_quotes = false;
	int depth = 0;

	for (size_t i = 0;; i++) {
		in_quotes ^= text[i] == '"';
		depth += !in_quotes && text[i] == '(' ? 1 : !in_quotes && text[i] == ')' && depth ? -1 : 0;
		if (!text[i] || (text[i] == ',' && !in_quotes && !depth))
			return i;
	}
}

/* Without the blanks and quotes around it. */
static const char *trimmed(struct arena *arena, const char *at, size_t len)
{
	while (len && strchr(" \"", *at)) {
		at++;
		len--;
	}
	while (len && strchr(" \"", at[len - 1]))
		len--;
	return arena_strndup(arena, at, len);
}

static size_t cells_of(struct arena *arena, const char *text, const char *ret[MAX_COLUMNS])
{
	size_t nr = 0;

	for (;;) {
		size_t len = cell_len(text);

		if (nr == MAX_COLUMNS)
			return 0;
		ret[nr++] = trimmed(arena, text, len);
		if (!text[len])
			return nr;
		text += len + 1;
	}
}

/* Older releases of rocm-smi print the vendor's name as it is, "Advanced Micro Devices, Inc. [AMD/ATI]". */
static size_t join_vendor(const char **cells, size_t nr)
{
	for (size_t i = 0; i + 1 < nr; i++) {
		if (strcmp(cells[i], "Advanced Micro Devices") != 0 || strncmp(cells[i + 1], "Inc.", 4) != 0)
			continue;
		memmove(&cells[i + 1], &cells[i + 2], (nr - i - 2) * sizeof(*cells));
		nr--;
	}
	return nr;
}

/* ---- where it begins */

static const struct column_value *value_of(const char *name, size_t len, bool is_monitor)
{
	for (size_t i = 0; is_monitor && i < ARRAY_SIZE(monitor_columns); i++)
		if (len == strlen(monitor_columns[i].name) && !strncasecmp(name, monitor_columns[i].name, len))
			return &monitor_columns[i];
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (len == strlen(columns[i].name) && !strncasecmp(name, columns[i].name, len))
			return &columns[i];
	return NULL;
}

static bool is_word(const char *name, size_t len, const char *word)
{
	return len == strlen(word) && !strncasecmp(name, word, len);
}

static bool ends_in(const char *name, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len > end_len && !strncmp(name + len - end_len, end, end_len);
}

/* How often does a line of names have one that the reader knows? */
static size_t nr_known(const char *text)
{
	size_t ret = 0;

	for (;;) {
		size_t len = strcspn(text, ",");

		ret += value_of(text, len, true) || is_word(text, len, "bdf") || is_word(text, len, "retired") ||
		       is_word(text, len, "un_res") || ends_in(text, len, "correctable_count");
		/* No other tool has this name. */
		ret += is_word(text, len, "gpu_bdf") ? 2 : 0;
		if (!text[len])
			return ret;
		text += len + 1;
	}
}

static bool is_amd_smi_header(const char *text)
{
	text += strspn(text, " ");
	if (!strncmp(text, "timestamp,", 10))
		text += 10;
	return !strncmp(text, "gpu,", 4) && nr_known(text) > 1;
}

/* "device,GPU use (%),Card Series": what is no number of a card below it is another table. */
static bool is_rocm_smi_header(const struct dump_line *lines, size_t nr)
{
	if (strncmp(lines->text, "device,", 7) != 0)
		return false;
	for (size_t i = 1; i < nr && i < 4; i++)
		if (*lines[i].text)
			return !strncmp(lines[i].text, "card", 4) && is_digit(lines[i].text[4]) &&
			       strchr(lines[i].text, ',');
	return false;
}

enum dump_begins amd_smi_csv_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	return is_amd_smi_header(lines->text) ? BEGINS_NEW : BEGINS_NOT;
}

enum dump_begins rocm_smi_csv_begins(const struct dump_line *lines, size_t nr)
{
	return is_rocm_smi_header(lines, nr) ? BEGINS_NEW : BEGINS_NOT;
}

/* ---- reading */

struct csv {
	struct reading *reading;
	enum amd_tool tool;
	const char *names[MAX_COLUMNS];
	size_t nr_names;
	bool is_monitor, is_static;
};

static const char *cell_named(const struct csv *csv, const char *const *cells, const char *name)
{
	for (size_t i = 0; i < csv->nr_names; i++)
		if (!strcasecmp(csv->names[i], name))
			return cells[i];
	return NULL;
}

static bool has_name(const struct csv *csv, const char *name)
{
	return cell_named(csv, csv->names, name);
}

static void set_names(struct csv *csv, struct dump_line *line)
{
	csv->nr_names = cells_of(csv->reading->arena, line->text, csv->names);
	csv->is_monitor =
		has_name(csv, "power_usage") || has_name(csv, "hotspot_temperature") || has_name(csv, "double_bit_ecc");
	csv->is_static = has_name(csv, "max_power") || has_name(csv, "slowdown_hotspot_temperature");
	line->is_taken = true;
}

/* "'status': 'PENDING'" of the page at the beginning of a text, or "". */
static const char *status_of_page(const char *page)
{
	static const char name[] = "status";
	const char *next = strstr(page + 1, "page_address"), *at = strstr(page, name);

	if (!at || (next && at > next))
		return "";
	at += strlen(name);
	return at + strspn(at, "\"': ");
}

/* "No bad pages found.", or Python's words for a list of pages. */
static bool take_pages(struct amd_gpu *at, const char *name, const char *cell, struct dump_line *line)
{
	bool is_any = false;

	if (strcmp(name, "retired") != 0 && strcmp(name, "pending") != 0 && strcmp(name, "un_res") != 0)
		return false;
	if (!strncasecmp(cell, "No bad pages", 12))
		return amd_take_bad_pages(at, name, 0, line);
	for (const char *page = cell; (page = strstr(page, "page_address")); page++) {
		amd_take_bad_pages(at, name, 0, line);
		is_any = amd_take_bad_pages(at, amd_list_of_page(status_of_page(page), name), 1, line);
	}
	return is_any;
}

/* "umc_uncorrectable_count" */
static bool take_block(struct csv *csv, struct amd_gpu *at, const char *name, const char *cell, struct dump_line *line)
{
	static const char *const ends[] = { "_uncorrectable_count", "_correctable_count", "_deferred_count" };
	struct arena *arena = csv->reading->arena;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const char *end = strstr(name, ends[i]);

		if (!end || end == name || strcmp(end, ends[i]) != 0)
			continue;
		return amd_take_counter(csv->reading, at,
					arena_printf(arena, "ecc_blocks/%s/%s",
						     arena_strndup(arena, name, (size_t)(end - name)), ends[i] + 1),
					cell, line);
	}
	return false;
}

static bool is_bare_number(const char *cell)
{
	return *cell && strspn(cell, "-.0123456789") == strlen(cell);
}

static void take_amd_smi(struct csv *csv, struct amd_gpu *at, const char *name, const char *cell,
			 struct dump_line *line)
{
	const struct column_value *value = value_of(name, strlen(name), csv->is_monitor);
	const char *path = value ? value->path : NULL;

	if (take_pages(at, name, cell, line) || (!value && take_block(csv, at, name, cell, line)) || !value)
		return;
	/* What is drawn and what may be drawn have one name. */
	if (csv->is_static && !strcmp(path, "power/socket_power"))
		path = "limit/socket_power";
	if (*value->unit && is_bare_number(cell))
		cell = arena_printf(csv->reading->arena, "%s %s", cell, value->unit);
	amd_take(csv->reading, at, AMD_SMI, path, cell, line);
}

static void take_cell(struct csv *csv, struct amd_gpu *at, const char *name, const char *cell, struct dump_line *line)
{
	size_t len = strlen(name);

	name = arena_small_letters(csv->reading->arena, name, len && name[len - 1] == ':' ? len - 1 : len);
	if (csv->tool == AMD_SMI)
		take_amd_smi(csv, at, name, cell, line);
	else
		amd_take(csv->reading, at, ROCM_SMI, name, cell, line);
}

/* "3" of amd-smi, "card3" of rocm-smi; a partition is a part of the GPU whose first partition is 0. */
static bool take_index(const struct csv *csv, const char *const *cells, uint64_t *ret)
{
	const char *cell = cell_named(csv, cells, csv->tool == AMD_SMI ? "gpu" : "device");
	const char *partition = csv->tool == AMD_SMI ? cell_named(csv, cells, "partition_id") : NULL;

	if (csv->tool == ROCM_SMI && cell && !strncmp(cell, "card", 4))
		cell += 4;
	return cell && !parse_u64(cell, ret) && !(partition && *partition >= '1' && *partition <= '9');
}

static const char *address_of(const struct csv *csv, const char *const *cells)
{
	static const char *const names[] = { "bdf", "gpu_bdf", "PCI Bus" };
	const char *ret = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !ret; i++)
		ret = cell_named(csv, cells, names[i]);
	return ret;
}

static void take_row(struct csv *csv, struct dump_line *line)
{
	const char *cells[MAX_COLUMNS];
	size_t nr = cells_of(csv->reading->arena, line->text, cells);
	struct amd_gpu at;
	uint64_t index;

	if (nr > csv->nr_names)
		nr = join_vendor(cells, nr);
	if (nr != csv->nr_names || !take_index(csv, cells, &index))
		return;
	amd_gpu_begin(csv->reading, &at, line, index, address_of(csv, cells));
	for (size_t i = 0; i < nr; i++)
		take_cell(csv, &at, csv->names[i], cells[i], line);
	amd_gpu_end(csv->reading, &at);
}

static void read_csv(struct reading *reading, enum amd_tool tool)
{
	const struct dump_part *part = reading->part;
	struct csv csv = { .reading = reading, .tool = tool };

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];

		if (!*line->text)
			continue;
		if (tool == AMD_SMI ? is_amd_smi_header(line->text) : is_rocm_smi_header(line, part->nr_lines - i))
			set_names(&csv, line);
		else if (csv.nr_names)
			take_row(&csv, line);
	}
}

void amd_smi_csv_read(struct reading *reading)
{
	read_csv(reading, AMD_SMI);
}

void rocm_smi_csv_read(struct reading *reading)
{
	read_csv(reading, ROCM_SMI);
}
