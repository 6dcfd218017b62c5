// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smi_table.c - nvidia-smi without arguments, drivers 352 to 610: three lines for each GPU, between bars. Widths
 * differ, names are cut; what stands where is told by the columns' bars and by how a value is written.
 */
#include "base/compat.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"
#include "import/nvidia/smi_value.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "klog/span.h"
#include "snapshot/windows.h"

enum { MAX_CELLS = 4, MAX_WORDS = 16 };

static bool is_head(const char *text)
{
	text += strspn(text, " ");
	return *text == '|' && strstr(text, "NVIDIA-SMI") &&
	       (strstr(text, "Driver Version:") || strstr(text, "KMD Version:"));
}

/* Behind an address: is a display lit by it? */
static bool is_display(const char *text)
{
	static const char *const words[] = { "On", "Off", "N/A", "ERR!" };

	return text_begins_any(text + strspn(text, " "), words, ARRAY_SIZE(words));
}

/*
 * "|   3  NVIDIA H100 80GB HBM3   On  |   00000000:8B:00.0 Off |": the first line of a GPU. Other vendors' tools draw
 * alike, and so do people who make tables of addresses.
 */
static bool is_row(const char *text)
{
	char key[PCI_TEXT_BYTES];
	uint64_t index;
	bool fits = true;
	struct span span;

	text += strspn(text, " ");
	if (*text != '|' || strstr(text, "Intel") || strstr(text, "AMD") || strstr(text, " HL-"))
		return false;
	text += strspn(text, "| ");
	if (!scan_u64(&text, 10, &index, &fits) || !fits || *text != ' ')
		return false;
	text = strchr(text, '|');
	if (!text || !strchr(text + 1, '|'))
		return false;
	text++;
	text += strspn(text, " ");
	span = span_of(text);
	return span_take_pci(&span, key) && is_display(text + strcspn(text, " |"));
}

/* Of a paste that begins below the head. */
enum dump_begins smi_table_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	if (is_head(lines->text))
		return BEGINS_NEW;
	return is_row(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

static void read_head(struct reading *reading, struct dump_line *line)
{
	struct nvml *nvml = &reading->snapshot->nvml;

	put(reading, line, nvml->init, val_str("ok"));
	smi_put_version(reading, line, "Driver Version:", &nvml->driver_version);
	smi_put_version(reading, line, "KMD Version:", &nvml->driver_version);
	smi_put_version(reading, line, "CUDA Version:", &nvml->cuda_version);
	smi_put_version(reading, line, "CUDA UMD Version:", &nvml->cuda_version);
}

/* "NVIDIA A100-SXM4-80GB  On": the name, where it was not cut. */
static void put_name(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *at)
{
	const char *end;

	at += strspn(at, " ");
	end = strstr(at, "  ");
	/* Where blanks were squeezed, what stands behind the name is the last word. */
	end = end ? end : strrchr(at, ' ');
	if (!end || end == at || (end - at > 3 && !strncmp(end - 3, "...", 3)) || !strncmp(at, "ERR!", 4))
		return;
	put(reading, line, gpu->nvml.name, val_str(arena_strndup(reading->arena, at, (size_t)(end - at))));
}

/* "NVIDIA GeForce RTX 4090    WDDM": Windows has a model of its driver where Linux has persistence. */
static bool is_of_windows(const char *cell)
{
	static const char *const models[] = { " WDDM", " TCC", " MCDM" };
	size_t len = strlen(cell);

	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (len > strlen(models[i]) && !strcmp(cell + len - strlen(models[i]), models[i]))
			return true;
	return false;
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

	if (!is_row(line->text) || !scan_u64(&at, 10, &index, &fits) || !span_take_pci(&span, key))
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
	else if (is_of_windows(cells[0]))
		put(reading, line, gpu->nvml.persistence, no_bool(VAL_UNSUPPORTED, WINDOWS_DRIVER));
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

/*
 * "ERR!   ERR! ERR!    N/A / 250W": neither temperature nor state can be read. The fan's or the power's alone is no
 * trouble of the GPU.
 */
static bool is_dead(const char *const *words, size_t nr)
{
	return nr > 2 && !strcmp(words[1], "ERR!") && !strcmp(words[2], "ERR!");
}

/*
 * "ERR!   40C    P8   ERR! / 250W", and the use: what shows how busy the GPU is, and a sensor, which have nothing to do
 * with one another, cannot be read. Fan and power, also both, fail on GPUs that work.
 */
static bool is_mute(const char *const *words, size_t nr, const char *use)
{
	return nr > 3 && !strncmp(use, "ERR!", 4) && (!strcmp(words[0], "ERR!") || !strcmp(words[3], "ERR!"));
}

/* "N/A   33C    P0    70W / 700W": what is what shows in the units. */
static void read_sensors(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *cell,
			 const char *use)
{
	const char *words[MAX_WORDS];
	size_t nr = layout_words(reading->arena, cell, words, MAX_WORDS);
	bool after_slash = false;
	uint64_t number;

	if (is_dead(words, nr) || is_mute(words, nr, use))
		put(reading, line, gpu->nvml.handle, no_str(VAL_ERROR, "NVML_ERROR_UNKNOWN"));
	if (nr > 3 && !strcmp(words[0], "ERR!"))
		put(reading, line, gpu->nvml.fan_percent, no_u64(VAL_ERROR, "NVML_ERROR_UNKNOWN"));
	if (nr > 3 && !strcmp(words[3], "ERR!"))
		put(reading, line, gpu->nvml.power_mw, no_u64(VAL_ERROR, "NVML_ERROR_UNKNOWN"));
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
	size_t nr = layout_words(reading->arena, cell, words, MAX_WORDS);
	uint64_t used, total;

	if (nr != 3 || !take_unit(words[0], "MiB", &used) || !take_unit(words[2], "MiB", &total))
		return;
	put(reading, line, gpu->nvml.vram_used_bytes, val_u64(used << 20));
	put(reading, line, gpu->nvml.vram_total_bytes, val_u64(total << 20));
}

static void read_use(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *cell)
{
	const char *words[MAX_WORDS];
	size_t nr = layout_words(reading->arena, cell, words, MAX_WORDS);
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
	} else if (!strcmp(cell, "ERR!") && is_known(gpu->nvml.vram_used_bytes) &&
		   !u64_or(gpu->nvml.vram_used_bytes, 0)) {
		put(reading, line, gpu->nvml.trouble, val_str("RESET_REQUIRED"));
		put(reading, line, gpu->nvml.trouble_call, val_str("nvmlDeviceGetMigMode"));
	} else if (!strcmp(cell, "N/A")) {
		line->is_taken = true;
	}
}

/* ---- MIG devices, in a table of their own */

static struct gpu *gpu_of_index(struct snapshot *snapshot, uint64_t index)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (is_known(snapshot->gpus[i].nvml.index) && u64_or(snapshot->gpus[i].nvml.index, 0) == index)
			return &snapshot->gpus[i];
	return NULL;
}

/*
 * "|  0    3   0   1  |   71MiB /  9984MiB    | 14      3 |": GPU, instances and device | memory | SMs and uncorrected
 * errors. Their GPU shows "On" for its own; devices without any prove nothing of the rest of it.
 */
static void read_mig_device(struct reading *reading, struct dump_line *line, const char *const *cells)
{
	const char *ids[MAX_WORDS], *memory[MAX_WORDS], *counts[MAX_WORDS];
	size_t nr_ids = layout_words(reading->arena, cells[0], ids, MAX_WORDS);
	size_t nr_memory = layout_words(reading->arena, cells[1], memory, MAX_WORDS);
	size_t nr_counts = layout_words(reading->arena, cells[2], counts, MAX_WORDS);
	uint64_t index, number[3], used, total, errors;
	struct gpu_instance *instance;
	struct gpu *gpu;

	if (nr_ids != 4 || nr_counts != 2 || parse_u64(ids[0], &index))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(number); i++)
		if (parse_u64(ids[i + 1], &number[i]))
			return;
	gpu = gpu_of_index(reading->snapshot, index);
	if (!gpu)
		return;
	instance = list_element(reading->arena, gpu, instances, gpu_instance,
				arena_printf(reading->arena, "%s/%s", ids[1], ids[2]));
	put(reading, line, gpu->nvml.mig_instances, val_u64(gpu->nr_instances));
	if (nr_memory == 3 && take_unit(memory[0], "MiB", &used) && take_unit(memory[2], "MiB", &total)) {
		put(reading, line, instance->vram_used_bytes, val_u64(used << 20));
		put(reading, line, instance->vram_total_bytes, val_u64(total << 20));
	}
	if (!parse_u64(counts[1], &errors) && errors)
		put(reading, line, gpu->nvml.ecc_uncorrected, val_u64(errors + u64_or(gpu->nvml.ecc_uncorrected, 0)));
}

/* ---- the whole */

enum table { TABLE_GPUS, TABLE_MIG, TABLE_OTHER };

static enum table table_from(const char *text, enum table table)
{
	if (strstr(text, "MIG devices:"))
		return TABLE_MIG;
	if (strstr(text, "rocesses:"))
		return TABLE_OTHER;
	return table;
}

/* A GPU's row below the processes, without a head: people show what it says now, or what another GPU says. */
static bool begins_again(const char *text, const char *const *cells, size_t nr)
{
	char key[PCI_TEXT_BYTES];
	struct span address = nr >= 3 ? span_of(cells[1]) : (struct span){ text, text };

	return is_row(text) && span_take_pci(&address, key);
}

/* A GPU whose three lines are being read. */
struct gpu_rows {
	struct gpu *gpu;	/* NULL: none yet */
	unsigned row;
	uint64_t nr;		/* so far, of which each had the number of the one before and one */
	bool is_broken;		/* one is missing, or stands there again */
};

static void read_row(struct reading *reading, struct gpu_rows *at, struct dump_line *line,
		     const char *const cells[MAX_CELLS])
{
	struct gpu *begun = begin_gpu(reading, line, cells);

	if (begun) {
		at->is_broken |= u64_or(begun->nvml.index, 0) != at->nr;
		at->gpu = begun;
		at->row = 1;
		at->nr++;
	} else if (at->row == 1) {
		read_sensors(reading, line, at->gpu, cells[0], cells[2]);
		read_memory(reading, line, at->gpu, cells[1]);
		read_use(reading, line, at->gpu, cells[2]);
		at->row = 2;
	} else if (at->row == 2) {
		read_mig(reading, line, at->gpu, cells[2]);
		at->row = 3;
	}
}

/* From its head to the processes, which stand below the last: it lists all that the driver has. */
static void put_count(struct reading *reading, const struct gpu_rows *at, struct dump_line *head, bool has_end)
{
	if (head && has_end && at->nr && !at->is_broken && !smi_is_choice(reading->part) &&
	    !smi_is_elsewhere(reading))
		put(reading, head, reading->snapshot->nvml.gpus, val_u64(at->nr));
}

void smi_table_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	enum table table = TABLE_GPUS;
	struct gpu_rows at = { .row = 0 };
	struct dump_line *head = NULL;
	bool has_end = false;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *cells[MAX_CELLS], *text = line->text + strspn(line->text, " ");
		size_t nr = layout_cells(reading->arena, text, cells, MAX_CELLS);

		line->is_taken |= *text == '+' || *text == '|';
		table = table_from(text, table);
		has_end |= table != TABLE_GPUS;
		if (table == TABLE_OTHER && begins_again(text, cells, nr))
			table = TABLE_GPUS;
		if (is_head(text)) {
			read_head(reading, line);
			at.is_broken |= head && at.nr;
			head = line;
		} else if (table == TABLE_GPUS && nr >= 3) {
			read_row(reading, &at, line, cells);
		} else if (table == TABLE_MIG && nr >= 3) {
			read_mig_device(reading, line, cells);
		}
	}
	put_count(reading, &at, head, has_end);
}
