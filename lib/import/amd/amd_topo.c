// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amd_topo.c - the matrices of rocm-smi --showtopo, headed by GPU numbers, and of amd-smi topology, headed by
 * addresses: the kind of link between two GPUs, and hops; the JSON of the latter brings the same. Weights, access and
 * what links can do have no place.
 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_COLUMNS = 128, MAX_NAME = 24, MAX_HOPS = 64, MAX_GPU = 1024 };

enum table { NO_TABLE, OTHER_TABLE, LINK_TABLE, HOPS_TABLE };

/* Which matrix a line heads: "=== Hops between two GPUs ===", "HOPS TABLE:". */
static enum table table_of(const char *text)
{
	static const struct { const char *words; enum table table; } heads[] = {
		{ "Link Type between two GPUs", LINK_TABLE }, { "Hops between two GPUs", HOPS_TABLE },
		{ "Weight between two GPUs", OTHER_TABLE }, { "Link accessibility between two GPUs", OTHER_TABLE },
		{ "Bandwidth between two GPUs", OTHER_TABLE }, { "LINK TYPE TABLE:", LINK_TABLE },
		{ "HOPS TABLE:", HOPS_TABLE }, { "ACCESS TABLE:", OTHER_TABLE }, { "WEIGHT TABLE:", OTHER_TABLE },
		{ "NUMA BW TABLE:", OTHER_TABLE }, { "CACHE COHERANCY TABLE:", OTHER_TABLE },
		{ "CACHE COHERENCY TABLE:", OTHER_TABLE }, { "ATOMICS TABLE:", OTHER_TABLE },
		{ "DMA TABLE:", OTHER_TABLE },
		{ "BI-DIRECTIONAL TABLE:", OTHER_TABLE },
	};
	const char *at = text + strspn(text, "= ");

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		size_t len = strlen(heads[i].words);

		if (!strncmp(at, heads[i].words, len) && !at[len + strspn(at + len, "= ")])
			return heads[i].table;
	}
	return NO_TABLE;
}

enum dump_begins amd_topo_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	return table_of(lines->text) != NO_TABLE ? BEGINS_MORE : BEGINS_NOT;
}

struct topo {
	struct reading *reading;
	enum table table;
	const char *columns[MAX_COLUMNS];	/* as paths are keyed: "GPU1", "0000:26:00.0" */
	size_t nr_columns;			/* 0: the head is yet to come */
};

/* A GPU by the number or address that heads its row or column: its path's key; NULL: the word is none. */
static const char *key_of(struct arena *arena, const char *word, size_t len)
{
	const char *text, *digits;
	uint64_t number;
	bool fits = true;

	if (len < 4 || len > MAX_NAME)
		return NULL;
	text = arena_strndup(arena, word, len);
	digits = text + 3;
	if (!strncmp(text, "GPU", 3))
		return scan_u64(&digits, 10, &number, &fits) == len - 3 && fits && number < MAX_GPU ? text : NULL;
	return strchr(text, '.') ? dump_address(arena, text) : NULL;
}

static bool take_head(struct topo *topo, struct dump_line *line)
{
	const char *at = line->text, *word;
	size_t len, nr = 0;

	for (word = scan_word(&at, &len); len; word = scan_word(&at, &len)) {
		const char *key = key_of(topo->reading->arena, word, len);

		if (!key || nr == MAX_COLUMNS)
			return false;
		topo->columns[nr++] = key;
	}
	topo->nr_columns = nr;
	line->is_taken = nr > 0;
	return nr > 0;
}

static struct gpu *gpu_of(struct topo *topo, struct dump_line *line, const char *key)
{
	uint64_t index;
	struct gpu *gpu;

	if (!strncmp(key, "GPU", 3)) {
		if (parse_u64(key + 3, &index))
			return NULL;
		gpu = reading_gpu_by_index(topo->reading, index);
		put(topo->reading, line, gpu->amdgpu.index, val_u64(index));
	} else {
		gpu = reading_gpu(topo->reading, key);
	}
	if (!gpu)
		return NULL;
	put(topo->reading, line, gpu->pci.vendor_id, val_str("0x1002"));
	put(topo->reading, line, gpu->pci.driver, val_str("amdgpu"));
	return gpu;
}

void amd_take_path_link(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *to,
			const char *word)
{
	const char *link = !strcmp(word, "XGMI") ? "XGMI" : !strcmp(word, "PCIE") ? "PCIE" : NULL;
	struct gpu_path *path;

	if (!link)
		return;
	path = list_element(reading->arena, gpu, paths, gpu_path, to);
	put(reading, line, path->link, val_str(link));
}

void amd_take_path_hops(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *to, uint64_t hops)
{
	struct gpu_path *path;

	if (!hops || hops >= MAX_HOPS)
		return;
	path = list_element(reading->arena, gpu, paths, gpu_path, to);
	put(reading, line, path->hops, val_u64(hops));
}

static void take_cell(struct topo *topo, struct dump_line *line, struct gpu *gpu, const char *column, const char *word)
{
	uint64_t hops;

	if (topo->table == LINK_TABLE)
		amd_take_path_link(topo->reading, line, gpu, column, word);
	else if (topo->table == HOPS_TABLE && !parse_u64(word, &hops))
		amd_take_path_hops(topo->reading, line, gpu, column, hops);
}

/* A row with more or fewer cells than the head was broken. */
static void take_row(struct topo *topo, struct dump_line *line)
{
	const char *words[MAX_COLUMNS], *at = line->text, *word, *key;
	struct gpu *gpu;
	size_t len, nr = 0;

	word = scan_word(&at, &len);
	key = key_of(topo->reading->arena, word, len);
	for (word = scan_word(&at, &len); key && len; word = scan_word(&at, &len)) {
		if (nr == topo->nr_columns)
			return;
		words[nr++] = arena_strndup(topo->reading->arena, word, len);
	}
	if (!key || nr != topo->nr_columns)
		return;
	line->is_taken = true;
	gpu = topo->table != OTHER_TABLE ? gpu_of(topo, line, key) : NULL;
	for (size_t i = 0; gpu && i < nr; i++)
		take_cell(topo, line, gpu, topo->columns[i], words[i]);
}

void amd_topo_read(struct reading *reading)
{
	struct topo topo = { .reading = reading };

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		enum table table = table_of(line->text);

		if (table != NO_TABLE) {
			topo.table = table;
			topo.nr_columns = 0;
			line->is_taken = true;
		} else if (topo.table != NO_TABLE && *line->text && (topo.nr_columns || !take_head(&topo, line))) {
			take_row(&topo, line);
		}
	}
}
