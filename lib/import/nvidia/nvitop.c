// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvitop.c - the table of nvitop, also as nvitop -1 prints it once: nvidia-smi's cells between bars of its own, two
 * lines for each GPU, or one where it is compact. Names lack their maker and are cut; "N/A" stands for what the driver
 * does not tell.
 */
#include "base/compat.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"
#include "import/nvidia/figure_limits.h"
#include "import/nvidia/smi_value.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "klog/span.h"

static const char bar[] = "\xe2\x94\x82";	/* U+2502 */

enum { MAX_CELLS = 3, MAX_WORDS = 12, MOST_GPUS = 64, MOST_STATE = 15 };

static bool is_head(const char *text)
{
	text = past_blanks(text);
	if (text_begins(text, bar))
		text = past_blanks(text + strlen(bar));
	return text_begins(text, "NVITOP ") && strstr(text, "Driver Version:");
}

/* The first three cells of a line; false: it has not as many. */
static bool cells_of(const char *text, struct span cells[MAX_CELLS])
{
	text = past_blanks(text);
	for (size_t i = 0; i < MAX_CELLS; i++) {
		const char *end = text_begins(text, bar) ? strstr(text + strlen(bar), bar) : NULL;

		if (!end)
			return false;
		cells[i] = (struct span){ text + strlen(bar), end };
		text = end;
	}
	return true;
}

static bool take_index(struct span cell, uint64_t *ret)
{
	const char *at = past_blanks(cell.at);
	bool fits = true;

	return scan_u64(&at, 10, ret, &fits) && fits && *ret < MOST_GPUS && *at == ' ';
}

/* "  0  H800                Off  │ 00000000:18:00.0 Off │ Disabled           0 │": the first line of a GPU. */
static bool is_first_row(const char *text)
{
	struct span cells[MAX_CELLS], address;
	char key[PCI_TEXT_BYTES];
	uint64_t index;

	if (!cells_of(text, cells) || !take_index(cells[0], &index))
		return false;
	address = span_of(past_blanks(cells[1].at));
	return span_take_pci(&address, key);
}

/* "  0 30%  35C  P8   14W / 300W │  22.69MiB / 47.99GiB │      0%      Default │" */
static bool is_compact_row(const char *text)
{
	struct span cells[MAX_CELLS];
	uint64_t index;

	return cells_of(text, cells) && take_index(cells[0], &index) &&
	       memmem(cells[0].at, span_len(cells[0]), "W / ", 4) &&
	       memmem(cells[1].at, span_len(cells[1]), "B / ", 4) && memchr(cells[2].at, '%', span_len(cells[2]));
}

enum dump_begins nvitop_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	if (is_head(lines->text))
		return BEGINS_NEW;
	return is_first_row(lines->text) || is_compact_row(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

/* ---- values */

static size_t words_of(struct arena *arena, struct span cell, const char **ret)
{
	return layout_words(arena, arena_strndup(arena, cell.at, span_len(cell)), ret, MAX_WORDS);
}

/* "43C", "700W", "30%": what stands before the unit, or false. */
static bool take_unit(const char *word, const char *unit, uint64_t most, uint64_t *ret)
{
	bool fits = true;

	return scan_u64(&word, 10, ret, &fits) && fits && *ret <= most && !strcmp(word, unit);
}

/* "3.50MiB", "79.65GiB", "0B". */
static bool take_bytes(struct arena *arena, const char *word, uint64_t *ret)
{
	static const struct { const char *unit; double bytes; } units[] = {
		{ "B", 1 }, { "KiB", 1024.0 }, { "MiB", 1048576.0 }, { "GiB", 1073741824.0 },
	};
	size_t len = strspn(word, "0123456789.");
	double number;

	if (!len || parse_f64(arena_strndup(arena, word, len), &number))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(word + len, units[i].unit)) {
			number *= units[i].bytes;
			if (number > MOST_MIB * 1048576.0)
				return false;
			*ret = (uint64_t)number;
			return true;
		}
	return false;
}

/* "N/A   36C    P0    85W / 700W": what is what shows in the units; of a GPU that does not answer nothing has any. */
static void read_sensors(struct reading *reading, struct dump_line *line, struct gpu *gpu, struct span cell)
{
	const char *words[MAX_WORDS];
	size_t nr = words_of(reading->arena, cell, words);
	bool after_slash = false;
	uint64_t number;

	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(words[i], "/")) {
			after_slash = true;
		} else if (take_unit(words[i], "%", MOST_PERCENT, &number)) {
			put(reading, line, gpu->nvml.fan_percent, val_u64(number));
		} else if (take_unit(words[i], "C", MOST_CELSIUS, &number)) {
			put(reading, line, gpu->nvml.temperature_c, val_f64((double)number));
			put(reading, line, gpu->nvml.handle, val_str("ok"));
		} else if (take_unit(words[i], "W", MOST_WATTS, &number) && after_slash) {
			put(reading, line, gpu->nvml.power_limit_mw, val_u64(number * 1000));
		} else if (take_unit(words[i], "W", MOST_WATTS, &number)) {
			put(reading, line, gpu->nvml.power_mw, val_u64(number * 1000));
		} else if (*words[i] == 'P' && is_digit(words[i][1]) &&
			   take_unit(words[i] + 1, "", MOST_STATE, &number)) {
			put(reading, line, gpu->nvml.performance_state, val_u64(number));
		}
	}
}

static void read_memory(struct reading *reading, struct dump_line *line, struct gpu *gpu, struct span cell)
{
	const char *words[MAX_WORDS];
	size_t nr = words_of(reading->arena, cell, words);
	uint64_t used, total;

	if (nr != 3 || !take_bytes(reading->arena, words[0], &used) || !take_bytes(reading->arena, words[2], &total))
		return;
	put(reading, line, gpu->nvml.vram_used_bytes, val_u64(used));
	put(reading, line, gpu->nvml.vram_total_bytes, val_u64(total));
}

static void read_second_row(struct reading *reading, struct dump_line *line, struct gpu *gpu,
			    const struct span cells[MAX_CELLS])
{
	const char *words[MAX_WORDS];
	uint64_t number;

	read_sensors(reading, line, gpu, cells[0]);
	read_memory(reading, line, gpu, cells[1]);
	if (words_of(reading->arena, cells[2], words) && take_unit(words[0], "%", MOST_PERCENT, &number))
		put(reading, line, gpu->use.busy_percent, val_f64((double)number));
}

/* "  1  RTX 6000 Ada Gen.. On": the name, between the index and the driver's mode, where it was not cut. */
static void put_name(struct reading *reading, struct dump_line *line, struct gpu *gpu, struct span cell)
{
	const char *text = layout_trimmed(reading->arena, cell.at, span_len(cell)), *at, *end;

	at = past_blanks(text + strspn(text, "0123456789"));
	end = strrchr(at, ' ');
	while (end && end > at && end[-1] == ' ')
		end--;
	if (end && end > at && !(end - at > 2 && !strncmp(end - 2, "..", 2)) && !text_begins(at, "N/A"))
		put(reading, line, gpu->nvml.name, val_str(arena_strndup(reading->arena, at, (size_t)(end - at))));
}

/* In the third cell the mode of MIG may stand before the errors. */
static struct gpu *read_first_row(struct reading *reading, struct dump_line *line, const struct span cells[MAX_CELLS])
{
	struct gpu *gpu = reading_nvidia_gpu(reading, line, past_blanks(cells[1].at));
	const char *words[MAX_WORDS];
	size_t nr = words_of(reading->arena, cells[2], words);
	uint64_t number;

	if (!gpu)
		return NULL;
	if (take_index(cells[0], &number))
		put(reading, line, gpu->nvml.index, val_u64(number));
	put_name(reading, line, gpu, cells[0]);
	if (nr && !parse_u64(words[nr - 1], &number))
		put(reading, line, gpu->nvml.ecc_uncorrected, val_u64(number));
	if (nr > 1 && (!strcmp(words[0], "Enabled") || !strcmp(words[0], "Disabled")))
		put(reading, line, gpu->nvml.mig_enabled, val_bool(*words[0] == 'E'));
	return gpu;
}

static void read_compact_row(struct reading *reading, struct dump_line *line, const struct span cells[MAX_CELLS])
{
	uint64_t index;
	struct gpu *gpu;

	if (!take_index(cells[0], &index))
		return;
	gpu = reading_gpu_by_index(reading, index);
	put(reading, line, gpu->pci.vendor_id, val_str("0x10de"));
	put(reading, line, gpu->pci.driver, val_str("nvidia"));
	put(reading, line, gpu->nvml.index, val_u64(index));
	read_second_row(reading, line, gpu, cells);
}

static void read_head(struct reading *reading, struct dump_line *line)
{
	struct nvml *nvml = &reading->snapshot->nvml;

	put(reading, line, nvml->init, val_str("ok"));
	smi_put_version(reading, line, "Driver Version:", &nvml->driver_version);
	smi_put_version(reading, line, "CUDA Driver Version:", &nvml->cuda_version);
}

void nvitop_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct gpu *gpu = NULL;		/* whose first line was the last with cells */

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		struct span cells[MAX_CELLS];

		line->is_taken |= (unsigned char)*past_blanks(line->text) >= 0x80;
		if (is_head(line->text)) {
			read_head(reading, line);
		} else if (!cells_of(line->text, cells)) {
			continue;
		} else if (is_first_row(line->text)) {
			gpu = read_first_row(reading, line, cells);
		} else if (gpu) {
			read_second_row(reading, line, gpu, cells);
			gpu = NULL;
		} else if (is_compact_row(line->text)) {
			read_compact_row(reading, line, cells);
		}
	}
}
