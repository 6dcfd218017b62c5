// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smi_table.c - nvidia-smi without arguments, drivers 352 to 610: three lines for each GPU, between bars. Widths differ,
 * names are cut; what stands where is told by the columns' bars and by how a value is written.
 */
#include "base/compat.h"
#include "import/readers.h"
#include "import/smi_value.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "klog/span.h"

enum { MAX_CELLS = 4, MAX_WORDS = 16 };

static bool is_head(const char *text)
{
	text += strspn(text, " ");
	return *text == '|' && strstr(text, "NVIDIA-SMI") && (strstr(text, "Driver Version:") || strstr(text, "KMD Version:"));
}

/* "|   5  ERR!   On | 00000000:91:00.0 Off | …": people paste no more than that. Intel's tool draws the same bars. */
static bool is_gpu_row(const char *text)
{
	char key[PCI_TEXT_BYTES];
	struct span span;

	text += strspn(text, " ");
	if (*text++ != '|' || strstr(text, "Intel"))
		return false;
	text += strspn(text, " ");
	if (!is_digit(*text) || !strchr(text, '|'))
		return false;
	text = strchr(text, '|') + 1;
	span = span_of(text + strspn(text, " "));
	return span_take_pci(&span, key) && strchr(span.at, '|') && (strstr(span.at, "Off") || strstr(span.at, "On"));
}

enum dump_begins smi_table_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	if (is_head(lines->text))
		return BEGINS_NEW;
	return is_gpu_row(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

/* The cells between the bars of a line, without the blanks around them; how many. */
static size_t cells_of(struct arena *arena, const char *text, const char *ret[MAX_CELLS])
{
	size_t nr = 0;

	text += strspn(text, " ");
	if (*text++ != '|')
		return 0;
	while (nr < MAX_CELLS) {
		size_t len = strcspn(text, "|"), end = len, begin = 0;

		if (!text[len])
			break;
		while (begin < end && text[begin] == ' ')
			begin++;
		while (end > begin && text[end - 1] == ' ')
			end--;
		ret[nr++] = arena_strndup(arena, text + begin, end - begin);
		text += len + 1;
	}
	return nr;
}

/* The word after a label, "Driver Version: 550.90.07": digits and points. */
static void put_after(struct reading *reading, struct dump_line *line, const char *label, struct val_str *to)
{
	const char *at = strstr(line->text, label);
	size_t len;

	if (!at)
		return;
	at += strlen(label);
	at += strspn(at, " ");
	len = strspn(at, "0123456789.");
	if (len)
		put(reading, line, *to, val_str(arena_strndup(reading->arena, at, len)));
}

static void read_head(struct reading *reading, struct dump_line *line)
{
	struct nvml *nvml = &reading->snapshot->nvml;

	put(reading, line, nvml->init, val_str("ok"));
	put_after(reading, line, "Driver Version:", &nvml->driver_version);
	put_after(reading, line, "KMD Version:", &nvml->driver_version);
	put_after(reading, line, "CUDA Version:", &nvml->cuda_version);
	put_after(reading, line, "CUDA UMD Version:", &nvml->cuda_version);
}

/* "NVIDIA A100-SXM4-80GB  On": the name, where it was not cut. */
static void put_name(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *at)
{
	const char *end;

	at += strspn(at, " ");
	end = strstr(at, "  ");
	if (!end || end == at || (end - at > 3 && !strncmp(end - 3, "...", 3)) || !strncmp(at, "ERR!", 4))
		return;
	put(reading, line, gpu->nvml.name, val_str(arena_strndup(reading->arena, at, (size_t)(end - at))));
}

/* The first line of a GPU: index, name and persistence | address | uncorrected errors. */
static struct gpu *begin_gpu(struct reading *reading, struct dump_line *line, const char *const cells[MAX_CELLS])
{
	const char *at = cells[0], *address = cells[1];
	struct span span = span_of(address);
	char key[PCI_TEXT_BYTES];
	uint64_t index, errors;
	bool fits = true;
	struct gpu *gpu;

	if (!scan_u64(&at, 10, &index, &fits) || !fits || *at != ' ' || !span_take_pci(&span, key))
		return NULL;
	gpu = reading_nvidia_gpu(reading, line, key);
	put(reading, line, gpu->nvml.index, val_u64(index));
	put_name(reading, line, gpu, at);
	/* The narrow table has this in place of the name of a GPU that must be reset; elsewhere the name is cut. */
	if (!strncmp(at + strspn(at, " "), "ERR!", 4))
		put(reading, line, gpu->nvml.handle, no_str(VAL_ERROR, "NVML_ERROR_UNKNOWN"));
	else
		put(reading, line, gpu->nvml.handle, val_str("ok"));
	if (strlen(at) > 2 && !strcmp(at + strlen(at) - 2, "On"))
		put(reading, line, gpu->nvml.persistence, val_bool(true));
	else if (strlen(at) > 3 && !strcmp(at + strlen(at) - 3, "Off"))
		put(reading, line, gpu->nvml.persistence, val_bool(false));
	/* "N/A" without ECC, "Off" where it is switched off, "On" for a parent of MIG instances. */
	if (!parse_u64(cells[2], &errors))
		put(reading, line, gpu->nvml.ecc_uncorrected, val_u64(errors));
	return gpu;
}

/* A number and its unit, as a word: "43C", "700W", "81559MiB". */
static bool take_unit(const char *word, const char *unit, uint64_t *ret)
{
	bool fits = true;

	return scan_u64(&word, 10, ret, &fits) && fits && !strcmp(word, unit);
}

static size_t words_of(struct arena *arena, const char *text, const char *ret[MAX_WORDS])
{
	size_t nr = 0, len;

	for (const char *word = scan_word(&text, &len); len && nr < MAX_WORDS; word = scan_word(&text, &len))
		ret[nr++] = arena_strndup(arena, word, len);
	return nr;
}

/* "N/A   33C    P0    70W / 700W": what is what shows in the units. */
static void read_sensors(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *cell)
{
	const char *words[MAX_WORDS];
	size_t nr = words_of(reading->arena, cell, words);
	bool after_slash = false;
	uint64_t number;

	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(words[i], "/"))
			after_slash = true;
		else if (take_unit(words[i], "C", &number))
			put(reading, line, gpu->nvml.temperature_c, val_f64((double)number));
		else if (take_unit(words[i], "W", &number) && after_slash)
			put(reading, line, gpu->nvml.power_limit_mw, val_u64(number * 1000));
		else if (take_unit(words[i], "W", &number))
			put(reading, line, gpu->nvml.power_mw, val_u64(number * 1000));
		else if (*words[i] == 'P' && is_digit(words[i][1]) && take_unit(words[i] + 1, "", &number))
			put(reading, line, gpu->nvml.performance_state, val_u64(number));
	}
}

/* "551MiB / 81559MiB"; the driver counts its own share in or out by its version, so that used is a gauge. */
static void read_memory(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *cell)
{
	const char *words[MAX_WORDS];
	size_t nr = words_of(reading->arena, cell, words);
	uint64_t used, total;

	if (nr != 3 || !take_unit(words[0], "MiB", &used) || !take_unit(words[2], "MiB", &total))
		return;
	put(reading, line, gpu->nvml.vram_used_bytes, val_u64(used << 20));
	put(reading, line, gpu->nvml.vram_total_bytes, val_u64(total << 20));
}

static void read_use(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *cell)
{
	const char *words[MAX_WORDS];
	size_t nr = words_of(reading->arena, cell, words);
	uint64_t number;

	if (!nr)
		return;
	if (take_unit(words[0], "%", &number))
		put(reading, line, gpu->use.busy_percent, val_f64((double)number));
	if (nr > 1 && !strcmp(words[nr - 1], "Default"))
		put(reading, line, gpu->nvml.compute_mode, val_str("default"));
	else if (nr > 1 && !strcmp(words[nr - 1], "Prohibited"))
		put(reading, line, gpu->nvml.compute_mode, val_str("prohibited"));
	else if (nr > 2 && !strcmp(words[nr - 2], "E.") && !strcmp(words[nr - 1], "Process"))
		put(reading, line, gpu->nvml.compute_mode, val_str("exclusive-process"));
}

/* The third line has MIG's mode; "ERR!" there, with 0 MiB in use, is a GPU that must be reset (drivers 535 to 595). */
static void read_mig(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *cell)
{
	if (!strcmp(cell, "Enabled") || !strcmp(cell, "Disabled")) {
		put(reading, line, gpu->nvml.mig_enabled, val_bool(*cell == 'E'));
	} else if (!strcmp(cell, "ERR!") && is_known(gpu->nvml.vram_used_bytes) && !u64_or(gpu->nvml.vram_used_bytes, 0)) {
		put(reading, line, gpu->nvml.trouble, val_str("RESET_REQUIRED"));
		put(reading, line, gpu->nvml.trouble_call, val_str("nvmlDeviceGetMigMode"));
	} else if (!strcmp(cell, "N/A")) {
		line->is_taken = true;
	}
}

static bool ends_table(const char *text)
{
	return strstr(text, "Processes:") || strstr(text, "MIG devices:");
}

void smi_table_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct gpu *gpu = NULL;
	unsigned row = 0;
	bool over = false;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *cells[MAX_CELLS], *text = line->text + strspn(line->text, " ");
		size_t nr = cells_of(reading->arena, text, cells);
		struct gpu *begun;

		line->is_taken |= *text == '+' || *text == '|';
		over |= ends_table(text);
		if (is_head(text)) {
			read_head(reading, line);
		} else if (over || nr < 3) {
			continue;
		} else if ((begun = begin_gpu(reading, line, cells))) {
			gpu = begun;
			row = 1;
		} else if (gpu && row == 1) {
			read_sensors(reading, line, gpu, cells[0]);
			read_memory(reading, line, gpu, cells[1]);
			read_use(reading, line, gpu, cells[2]);
			row = 2;
		} else if (gpu && row == 2) {
			read_mig(reading, line, gpu, cells[2]);
			row = 3;
		}
	}
}
