// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smi_topo.c - nvidia-smi topo -m: a matrix of GPUs and network cards, then the CPUs and the NUMA node near each GPU,
 * since driver 450 and 535 with columns of their own. Terminals break wide matrices: a row goes on until it has all its
 * cells, and cells that lost the blank between them are told apart by their words. A row that even so has others is
 * passed over.
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_DEVICES = 128, MAX_TAIL = 3, MAX_NAME = 32, MAX_HEAD_LINES = 4, MAX_GPU = 1024 };

/* ---- words */

/* "GPU12"; false: the word is none. */
static bool gpu_number(const char *word, size_t len, uint64_t *ret)
{
	const char *at = word + 3;
	bool fits = true;

	return len > 3 && !strncmp(word, "GPU", 3) && scan_u64(&at, 10, ret, &fits) == len - 3 && fits &&
	       *ret < MAX_GPU;
}

/* A cell that a text begins with: "NV18", "PIX"; its length, or 0. SOC is what drivers before 384 call SYS. */
static size_t cell_len(const char *text)
{
	static const char *const cells[] = { "N/A", "NODE", "PIX", "PXB", "PHB", "SYS", "SOC", "X" };

	if (!strncmp(text, "NV", 2) && is_digit(text[2]))
		return 2 + strspn(text + 2, "0123456789");
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		if (!strncmp(text, cells[i], strlen(cells[i])))
			return strlen(cells[i]);
	return 0;
}

static bool is_cells(const char *word, size_t len)
{
	size_t at = 0, cell;

	while (at < len && (cell = cell_len(word + at)))
		at += cell;
	return len && at == len;
}

/* Heads are underlined, also in a file; where a paste lost the escape character, the rest of "ESC[4m" is left. */
static const char *past_underline(const char *text)
{
	text += strspn(text, " ");
	return strncmp(text, "[4m", 3) != 0 ? text : text + 3;
}

/* "GPU0    GPU1    NIC0    CPU Affinity …": that it is this matrix and no other with such heads the last words tell. */
static bool is_head(const struct dump_line *lines, size_t nr)
{
	const char *at = past_underline(lines->text), *word;
	uint64_t number;
	size_t len;

	word = scan_word(&at, &len);
	if (!gpu_number(word, len, &number))
		return false;
	word = scan_word(&at, &len);
	if (len && !gpu_number(word, len, &number) && strncmp(word, "NIC", 3) != 0 && strncmp(word, "mlx", 3) != 0 &&
	    strncmp(word, "CPU", 3) != 0)
		return false;
	for (size_t i = 0; i < nr && i < MAX_HEAD_LINES; i++)
		if (strstr(lines[i].text, "CPU Affinity"))
			return true;
	return false;
}

/* "GPU1  NV18  X  NV18 …" of GPU 1: the cell of its own column is X. */
static bool is_row_of(const char *text, uint64_t gpu)
{
	const char *word;
	uint64_t number;
	size_t len;

	word = scan_word(&text, &len);
	if (!gpu_number(word, len, &number) || number != gpu)
		return false;
	for (uint64_t i = 0; i <= gpu; i++) {
		word = scan_word(&text, &len);
		if (!len || cell_len(word) != len)
			return false;
	}
	return len == 1 && *word == 'X';
}

/* What a terminal broke off a row: cells, or its last columns. */
static bool goes_on(const char *text)
{
	const char *word;
	size_t len;

	word = scan_word(&text, &len);
	return is_cells(word, len) || (len && strspn(word, "0123456789,-") >= len);
}

/*
 * Rows of which the head was not pasted, from GPU 0 on: as many, for as many columns are theirs; what more there are is
 * not told.
 */
static size_t headless_rows(const struct dump_line *lines, size_t nr)
{
	enum { MAX_BROKEN = 4 };
	size_t rows = 0, at = 0;

	while (at < nr && rows < MAX_DEVICES && is_row_of(lines[at].text, rows)) {
		rows++;
		at++;
		for (int i = 0; i < MAX_BROKEN && at < nr && goes_on(lines[at].text); i++)
			at++;
	}
	return rows > 1 ? rows : 0;
}

enum dump_begins smi_topo_begins(const struct dump_line *lines, size_t nr)
{
	if (is_head(lines, nr))
		return BEGINS_NEW;
	return headless_rows(lines, nr) ? BEGINS_MORE : BEGINS_NOT;
}

/* ---- the heads */

struct topo {
	struct reading *reading;
	const char *devices[MAX_DEVICES];
	size_t nr_devices;		/* 0: no head yet */
	size_t nr_named;		/* network cards whose name is told */
	bool has_numa, has_memory_node;	/* columns NUMA Affinity, GPU NUMA ID */
	bool is_headless;		/* columns beyond those of `devices` are of anything */

	uint64_t gpu;			/* of the row at hand */
	struct dump_line *line;		/* its first; NULL: no row */
	const char *cells[MAX_DEVICES], *tail[MAX_TAIL];
	size_t nr_cells, nr_tail;
};

/* Takes the heads of a line; true: those of the last columns stood in it. */
static bool take_heads(struct topo *topo, struct dump_line *line)
{
	const char *at = past_underline(line->text), *word;
	size_t len;

	line->is_taken = true;
	for (word = scan_word(&at, &len); len; word = scan_word(&at, &len)) {
		if (len == 3 && !strncmp(word, "CPU", 3)) {
			topo->has_numa = strstr(at, "NUMA Affinity");
			topo->has_memory_node = strstr(at, "GPU NUMA ID");
			return true;
		}
		if (topo->nr_devices < MAX_DEVICES && len <= MAX_NAME)
			topo->devices[topo->nr_devices++] = arena_strndup(topo->reading->arena, word, len);
	}
	return false;
}

/* How many lines the heads take. */
static size_t begin_matrix(struct topo *topo, struct dump_line *lines, size_t nr)
{
	size_t nr_lines = 0;

	*topo = (struct topo){ .reading = topo->reading };
	while (nr_lines < nr && nr_lines < MAX_HEAD_LINES && !take_heads(topo, &lines[nr_lines++]))
		continue;
	return nr_lines;
}

/* Where the part begins with such rows. */
static void begin_headless(struct topo *topo, size_t nr)
{
	topo->is_headless = nr > 0;
	while (topo->nr_devices < nr) {
		topo->devices[topo->nr_devices] = arena_printf(topo->reading->arena, "GPU%zu", topo->nr_devices);
		topo->nr_devices++;
	}
}

/* ---- a row */

static struct gpu *gpu_of_row(struct topo *topo)
{
	struct gpu *gpu = reading_gpu_by_index(topo->reading, topo->gpu);

	put(topo->reading, topo->line, gpu->nvml.index, val_u64(topo->gpu));
	put(topo->reading, topo->line, gpu->nvml.handle, val_str("ok"));
	put(topo->reading, topo->line, gpu->pci.vendor_id, val_str("0x10de"));
	put(topo->reading, topo->line, gpu->pci.driver, val_str("nvidia"));
	return gpu;
}

static bool is_cpu_list(const char *text)
{
	return is_digit(*text) && !text[strspn(text, "0123456789,-")];
}

static bool is_na(const char *text)
{
	return !strcmp(text, "N/A");
}

/* Where a column is empty, as in virtual machines, what stands behind it cannot be told apart. */
static void put_tail(struct topo *topo, struct gpu *gpu)
{
	size_t nr = 1 + (topo->has_numa ? 1 : 0) + (topo->has_memory_node ? 1 : 0);
	const char *cpus = topo->nr_tail ? topo->tail[0] : "", *memory = topo->nr_tail ? topo->tail[nr - 1] : "";
	uint64_t node;

	if (is_cpu_list(cpus) && (topo->nr_tail == nr || strpbrk(cpus, "-,"))) {
		put(topo->reading, topo->line, gpu->nvml.local_cpus, val_str(cpus));
		gpu->pci.local_cpus = gpu->nvml.local_cpus;
	}
	if (topo->nr_tail != nr)
		return;
	if (topo->has_numa && !parse_u64(topo->tail[1], &node))
		put(topo->reading, topo->line, gpu->pci.numa_node, val_u64(node));
	if (topo->has_memory_node && !parse_u64(memory, &node))
		put(topo->reading, topo->line, gpu->nvml.numa_node, val_u64(node));
	else if (topo->has_memory_node && is_na(memory))
		put(topo->reading, topo->line, gpu->nvml.numa_node, no_u64(VAL_UNSUPPORTED, "N/A"));
}

static void end_row(struct topo *topo)
{
	struct arena *arena = topo->reading->arena;
	struct gpu *gpu;

	if (!topo->line || topo->nr_cells != topo->nr_devices) {
		topo->line = NULL;
		return;
	}
	gpu = gpu_of_row(topo);
	for (size_t i = 0; i < topo->nr_cells; i++) {
		struct gpu_path *path;

		if (!strcmp(topo->cells[i], "X") || is_na(topo->cells[i]))
			continue;
		path = list_element(arena, gpu, paths, gpu_path, topo->devices[i]);
		put(topo->reading, topo->line, path->link, val_str(topo->cells[i]));
	}
	put_tail(topo, gpu);
	topo->line = NULL;
}

static void add_cells(struct topo *topo, const char *word, size_t len)
{
	for (size_t at = 0; at < len; at += cell_len(word + at)) {
		const char *cell = arena_strndup(topo->reading->arena, word + at, cell_len(word + at));

		if (topo->nr_cells < MAX_DEVICES)
			topo->cells[topo->nr_cells++] = strcmp(cell, "SOC") != 0 ? cell : "SYS";
	}
}

/* What is neither a cell nor of the last columns ends the row: it is not one of this matrix. */
static void take_words(struct topo *topo, struct dump_line *line, const char *at)
{
	const char *word;
	size_t len;

	for (word = scan_word(&at, &len); len; word = scan_word(&at, &len)) {
		if (topo->nr_cells < topo->nr_devices && is_cells(word, len)) {
			add_cells(topo, word, len);
		} else if (topo->nr_cells == topo->nr_devices && topo->is_headless) {
			break;
		} else if (topo->nr_cells == topo->nr_devices && topo->nr_tail < MAX_TAIL &&
			   (is_digit(*word) || (len == 3 && !strncmp(word, "N/A", 3)))) {
			topo->tail[topo->nr_tail++] = arena_strndup(topo->reading->arena, word, len);
		} else {
			topo->line = NULL;
			return;
		}
	}
	line->is_taken = true;
}

/* ---- network cards: "NIC0: mlx5_0" */

static bool take_legend(struct topo *topo, struct dump_line *line)
{
	const char *at = line->text + strspn(line->text, " "), *colon = strchr(at, ':'), *name;
	size_t len = colon ? (size_t)(colon - at) : 0;

	if (len < 4 || len > MAX_NAME || strncmp(at, "NIC", 3) != 0 || !is_digit(at[3]))
		return false;
	name = colon + 1 + strspn(colon + 1, " ");
	if (!*name || strchr(name, ' ') || strlen(name) > MAX_NAME || topo->nr_named++ == MAX_DEVICES)
		return false;
	line->is_taken = true;
	for (size_t i = 0; i < topo->reading->snapshot->nr_gpus; i++) {
		struct gpu *gpu = &topo->reading->snapshot->gpus[i];
		const char *key = arena_strndup(topo->reading->arena, at, len);
		const struct gpu_path *path = list_find(gpu, paths, gpu_path, key);

		if (path)
			list_element(topo->reading->arena, gpu, paths, gpu_path, name)->link = path->link;
	}
	return true;
}

/* Those with a name keep no number. */
static void drop_numbers(struct gpu *gpu)
{
	size_t nr = 0, nr_named = 0;

	for (size_t i = 0; i < gpu->nr_paths; i++) {
		const char *key = str_or(gpu->paths[i].key, "");

		nr_named += strncmp(key, "GPU", 3) != 0 && strncmp(key, "NIC", 3) != 0;
	}
	for (size_t i = 0; i < gpu->nr_paths; i++)
		if (!nr_named || strncmp(str_or(gpu->paths[i].key, ""), "NIC", 3) != 0)
			gpu->paths[nr++] = gpu->paths[i];
	gpu->nr_paths = nr;
}

static bool is_words_of_legend(const char *text)
{
	text += strspn(text, " ");
	return !strcmp(text, "Legend:") || !strcmp(text, "NIC Legend:") || strstr(text, " = Connection traversing") ||
	       strstr(text, "= Self");
}

/* ---- */

static void read_line(struct topo *topo, struct dump_line *line)
{
	const char *at = line->text, *word;
	bool is_device = false;
	uint64_t gpu;
	size_t len;

	word = scan_word(&at, &len);
	for (size_t i = 0; i < topo->nr_devices && len; i++)
		is_device |= strlen(topo->devices[i]) == len && !strncmp(topo->devices[i], word, len);
	if (is_device || !len || is_words_of_legend(line->text)) {
		end_row(topo);
		line->is_taken |= len != 0;
	} else if (take_legend(topo, line)) {
		end_row(topo);
		return;
	}
	if (is_device && gpu_number(word, len, &gpu)) {
		topo->gpu = gpu;
		topo->line = line;
		topo->nr_cells = topo->nr_tail = 0;
		take_words(topo, line, at);
	} else if (!is_device && topo->line && len) {
		take_words(topo, line, line->text);
	}
}

void smi_topo_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct topo topo = { .reading = reading };

	begin_headless(&topo, headless_rows(part->lines, part->nr_lines));
	for (size_t i = 0; i < part->nr_lines;) {
		if (is_head(&part->lines[i], part->nr_lines - i)) {
			end_row(&topo);
			i += begin_matrix(&topo, &part->lines[i], part->nr_lines - i);
		} else {
			read_line(&topo, &part->lines[i++]);
		}
	}
	end_row(&topo);
	for (size_t i = 0; i < reading->snapshot->nr_gpus; i++)
		drop_numbers(&reading->snapshot->gpus[i]);
}
