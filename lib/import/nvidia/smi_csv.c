// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smi_csv.c - nvidia-smi --query-gpu=… --format=csv. The header tells which column is what, or, where it was left out,
 * the command. A line with more or fewer values than there are columns is passed over: names with commas shift columns,
 * and nothing is quoted. Errors and messages stand between rows.
 */
#include "base/compat.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"
#include "import/nvidia/smi_gpu.h"
#include "import/nvidia/smi_value.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_COLUMNS = 256, MAX_NAME = 80 };

/* A column as nvidia-smi -q has it, and its unit, which --format=nounits leaves out. */
static const struct column_value { const char *name, *path, *unit; } values[] = {
#define COLUMN(name, path, unit) { name, path, unit },
#include "import/nvidia/smi_csv.def"
};

/* Totals of ECC errors, which -q does not have as such. */
static const struct { const char *name; size_t offset; } totals[] = {
#define TOTAL(name, field) { name, offsetof(struct nvml_gpu, field) },
#include "import/nvidia/smi_csv.def"
};

enum identity { IS_INDEX, IS_ADDRESS, IS_UUID, NR_IDENTITIES };

static const struct { const char *name; enum identity identity; } identities[] = {
	{ "index", IS_INDEX }, { "pci.bus_id", IS_ADDRESS }, { "gpu_bus_id", IS_ADDRESS }, { "uuid", IS_UUID },
	{ "gpu_uuid", IS_UUID },
};

/* ---- cells */

/* The cells between commas, without blanks around them; 0 where there are too many. */
static size_t cells_of(struct arena *arena, const char *text, const char *ret[MAX_COLUMNS])
{
	size_t nr = 0;

	for (;;) {
		size_t len = strcspn(text, ",");

		if (nr == MAX_COLUMNS)
			return 0;
		ret[nr++] = layout_trimmed(arena, text, len);
		if (!text[len])
			return nr;
		text += len + 1;
	}
}

static bool name_is(const char *name, size_t len, const char *is)
{
	return len == strlen(is) && !strncasecmp(name, is, len);
}

/* Newer drivers print clocks_event_reasons where older ones have clocks_throttle_reasons. */
static const char *reason_of(const char *name, size_t *len)
{
	static const char *const prefixes[] = { "clocks_event_reasons.", "clocks_throttle_reasons." };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t prefix_len = strlen(prefixes[i]);

		if (*len <= prefix_len || strncasecmp(name, prefixes[i], prefix_len) != 0)
			continue;
		*len -= prefix_len;
		return name + prefix_len;
	}
	return NULL;
}

static const struct column_value *value_of(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (name_is(name, len, values[i].name))
			return &values[i];
	return NULL;
}

static bool is_known_name(const char *name, size_t len)
{
	size_t reason_len = len;

	for (size_t i = 0; i < ARRAY_SIZE(identities); i++)
		if (name_is(name, len, identities[i].name))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(totals); i++)
		if (name_is(name, len, totals[i].name))
			return true;
	return value_of(name, len) || reason_of(name, &reason_len);
}

/* ---- where it begins */

/* "0, NVIDIA A100-SXM4-80GB, GPU-5f3c0000-…": a row that names a GPU as nvidia-smi does. */
static bool names_gpu(const char *text)
{
	static const char *const words[] = { ", NVIDIA ", ", Tesla ", ", GeForce ", ", Quadro ", ", GPU-" };

	return text_has_any(text, words, ARRAY_SIZE(words)) || text_begins(text, "NVIDIA ") || text_begins(text, "GPU-");
}

/*
 * "name, pci.bus_id, memory.total [MiB]": names only, two of them known; a list of processes is none of GPUs. row: below
 * it, or "".
 */
static bool is_header(const char *text, const char *row)
{
	size_t nr_known = 0;
	bool is_smi = names_gpu(row);

	text += strspn(text, " ");
	for (;;) {
		size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._");
		const char *name = text;

		if (!len || len > MAX_NAME || name_is(name, len, "pid"))
			return false;
		nr_known += is_known_name(name, len) ? 1 : 0;
		is_smi |= is_known_name(name, len) && (memchr(name, '.', len) || memchr(name, '_', len));
		text += len;
		if (!strncmp(text, " [", 2) && strchr(text, ']'))
			text = strchr(text, ']') + 1;
		text += strspn(text, " ");
		if (!*text)
			return nr_known > 1 && is_smi;
		if (*text++ != ',')
			return false;
		text += strspn(text, " ");
	}
}

/* Behind "--query-gpu=" or "--query-remapped-rows=" of a command; NULL: there is none. */
static const char *queried(const char *command)
{
	static const char *const options[] = { "--query-gpu=", "--query-remapped-rows=" };

	if (!strstr(command, "nvidia-smi") || !strstr(command, "csv"))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const char *at = strstr(command, options[i]);

		if (!at)
			continue;
		at += strlen(options[i]);
		return *at == '"' || *at == '\'' ? at + 1 : at;
	}
	return NULL;
}

bool smi_csv_is_command(const char *command)
{
	return queried(command) != NULL;
}

enum dump_begins smi_csv_begins(const struct dump_line *lines, size_t nr)
{
	return is_header(lines->text, nr > 1 ? lines[1].text : "") || queried(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

/* ---- columns and rows */

struct csv {
	struct reading *reading;
	const char *columns[MAX_COLUMNS];
	size_t nr_columns;		/* 0: not known */
	int identity[NR_IDENTITIES];	/* the column, or -1 */
	uint64_t nr_rows;
};

static void set_columns(struct csv *csv, const char *names)
{
	csv->nr_columns = cells_of(csv->reading->arena, names, csv->columns);
	csv->nr_rows = 0;
	for (size_t i = 0; i < NR_IDENTITIES; i++)
		csv->identity[i] = -1;
	for (size_t column = 0; column < csv->nr_columns; column++) {
		/* The unit stands behind it. */
		csv->columns[column] = arena_strndup(csv->reading->arena, csv->columns[column],
						     strcspn(csv->columns[column], " "));
		for (size_t i = 0; i < ARRAY_SIZE(identities); i++)
			if (!strcasecmp(csv->columns[column], identities[i].name))
				csv->identity[identities[i].identity] = (int)column;
	}
}

static const char *identity_of(const struct csv *csv, const char *const *cells, enum identity identity)
{
	return csv->identity[identity] < 0 ? "" : cells[csv->identity[identity]];
}

/* The GPU of a row; without any name of it the rows are in nvidia-smi's order. NULL: this is no row. */
static struct gpu *gpu_of(struct csv *csv, const char *const *cells, struct dump_line *line)
{
	const char *address = identity_of(csv, cells, IS_ADDRESS), *uuid = identity_of(csv, cells, IS_UUID);
	struct gpu *gpu = reading_nvidia_gpu(csv->reading, line, address);
	uint64_t index = csv->nr_rows;
	bool has_index = csv->identity[IS_INDEX] >= 0;

	if (has_index && parse_u64(identity_of(csv, cells, IS_INDEX), &index))
		return NULL;
	if (!gpu && !has_index && (*uuid || *address) && strncmp(uuid, "GPU-", 4) != 0)
		return NULL;
	if (!gpu) {
		gpu = reading_gpu_by_index(csv->reading, index);
		put(csv->reading, line, gpu->pci.vendor_id, val_str("0x10de"));
		put(csv->reading, line, gpu->pci.driver, val_str("nvidia"));
	}
	if (has_index || (!*uuid && !*address))
		put(csv->reading, line, gpu->nvml.index, val_u64(index));
	if (*uuid && !strncmp(uuid, "GPU-", 4))
		put(csv->reading, line, gpu->nvml.uuid, val_str(uuid));
	return gpu;
}

static bool take_total(struct reading *reading, struct gpu *gpu, const char *name, const char *cell,
		       struct dump_line *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(totals); i++) {
		struct val_u64 *to = (void *)((char *)&gpu->nvml + totals[i].offset);
		struct val_head head;
		uint64_t number;

		if (strcasecmp(name, totals[i].name) != 0)
			continue;
		if (!parse_u64(cell, &number))
			put(reading, line, *to, val_u64(number));
		else if (smi_is_no_value(cell, &head))
			put(reading, line, *to, no_u64(head.state, head.why));
		return true;
	}
	return false;
}

/* "clocks_event_reasons.active" is the mask, all others are one of its bits. */
static bool take_reason(struct reading *reading, struct smi_gpu *at, const char *name, const char *cell,
			struct dump_line *line)
{
	size_t len = strlen(name);
	const char *reason = reason_of(name, &len), *digits = cell + 2;
	bool fits = true;
	char *path;
	uint64_t mask;

	if (!reason)
		return false;
	if (!strcasecmp(reason, "active")) {
		if (strncmp(cell, "0x", 2) != 0 || !scan_u64(&digits, 16, &mask, &fits) || !fits || *digits)
			return true;
		put(reading, line, at->gpu->nvml.clock_reasons,
		    val_str(arena_printf(reading->arena, "0x%llx", (unsigned long long)mask)));
		at->slowdown_line = line;
		return true;
	}
	path = arena_printf(reading->arena, "clocks event reasons/%s", strcmp(reason, "gpu_idle") ? reason : "idle");
	for (char *c = path; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	smi_take(reading, at, SMI_TEXT, path, cell, line);
	return true;
}

/* It checks the InfoROM while it is asked. */
static bool take_inforom(struct reading *reading, struct gpu *gpu, const char *name, const char *cell,
			 struct dump_line *line)
{
	if (strcasecmp(name, "inforom.checksum_validation") != 0)
		return false;
	if (!strcasecmp(cell, "valid"))
		put(reading, line, gpu->nvml.inforom_valid, val_bool(true));
	else if (!strcasecmp(cell, "invalid") || !strncasecmp(cell, "corrupt", 7))
		put(reading, line, gpu->nvml.inforom_valid, val_bool(false));
	return true;
}

/* Errors in one kind of memory are errors, whatever the others had. */
static void put_least_total(struct reading *reading, struct nvml_gpu *nvml, struct dump_line *line)
{
	uint64_t errors = u64_or(nvml->dram_uncorrected, 0) + u64_or(nvml->sram_uncorrected, 0);

	if (nvml->ecc_uncorrected.state == VAL_UNSET && errors)
		put(reading, line, nvml->ecc_uncorrected, val_u64(errors));
}

static bool is_bare_number(const char *cell)
{
	return *cell && strspn(cell, "-.0123456789") == strlen(cell);
}

static void take_cell(struct reading *reading, struct smi_gpu *at, const char *name, const char *cell,
		      struct dump_line *line)
{
	const struct column_value *value = value_of(name, strlen(name));

	if (take_total(reading, at->gpu, name, cell, line) || take_reason(reading, at, name, cell, line) ||
	    take_inforom(reading, at->gpu, name, cell, line) || !value)
		return;
	/* "Yes" and "No" are 1 and 0 in some versions. */
	if (!strcmp(value->unit, "yes"))
		cell = !strcmp(cell, "1") ? "Yes" : !strcmp(cell, "0") ? "No" : cell;
	else if (*value->unit && is_bare_number(cell))
		cell = arena_printf(reading->arena, "%s %s", cell, value->unit);
	if (!smi_take_head(reading, SMI_TEXT, value->path, cell, line))
		smi_take(reading, at, SMI_TEXT, value->path, cell, line);
}

/* false: the line is no row. */
static bool take_row(struct csv *csv, struct dump_line *line)
{
	const char *cells[MAX_COLUMNS];
	struct smi_gpu at = { .gpu = NULL };

	if (cells_of(csv->reading->arena, line->text, cells) != csv->nr_columns)
		return false;
	at.gpu = gpu_of(csv, cells, line);
	if (!at.gpu)
		return false;
	csv->nr_rows++;
	put(csv->reading, line, at.gpu->nvml.handle, val_str("ok"));
	for (size_t i = 0; i < csv->nr_columns; i++)
		take_cell(csv->reading, &at, csv->columns[i], cells[i], line);
	put_least_total(csv->reading, &at.gpu->nvml, line);
	smi_gpu_end(csv->reading, &at);
	return true;
}

/*
 * Past what may stand between rows the columns hold, where a row says by itself whose it is: a name with a comma in it,
 * or words without any. Whatever else has commas may be a table of another query.
 */
static bool may_stand_between(struct csv *csv, const char *text)
{
	const char *cells[MAX_COLUMNS];
	size_t nr = cells_of(csv->reading->arena, text, cells);

	if (csv->identity[IS_INDEX] < 0 && csv->identity[IS_ADDRESS] < 0 && csv->identity[IS_UUID] < 0)
		return false;
	return nr > csv->nr_columns || (nr == 1 && csv->nr_columns > 1);
}

static void read_line(struct csv *csv, size_t at)
{
	const struct dump_part *part = csv->reading->part;
	struct dump_line *line = &part->lines[at];
	const char *names = queried(line->text), *below = at + 1 < part->nr_lines ? line[1].text : "";

	if (!*line->text)
		return;
	if (names)
		set_columns(csv, arena_strndup(csv->reading->arena, names, strcspn(names, " \"'")));
	else if (is_header(line->text, below))
		set_columns(csv, line->text);
	else if (!csv->nr_columns || take_row(csv, line) || may_stand_between(csv, line->text))
		return;
	else
		csv->nr_columns = 0;
	line->is_taken |= csv->nr_columns != 0;
}

/* What nvidia-smi says of one GPU begins a part of its own, in which the rows of the others go on. */
static void read_rest(struct csv *csv)
{
	struct reading *reading = csv->reading;
	const struct dump_parts *parts = reading->parts;
	const struct dump_part *part = reading->part, *end = parts ? parts->v + parts->nr : part;
	struct reading rest = *reading;

	csv->reading = &rest;
	while (++part < end && part->kind == DUMP_SMI_FAILURE && part->file == rest.part->file && !part->about &&
	       csv->nr_columns) {
		rest.part = part;
		for (size_t i = 1; i < part->nr_lines; i++)
			read_line(csv, i);
	}
	csv->reading = reading;
}

/* Its command asks for no choice of GPUs, and each has a row: these are all that the driver has. */
static void put_count(const struct csv *csv)
{
	struct reading *reading = csv->reading;
	const struct dump_part *part = reading->part, *next = part + 1;
	const struct dump_parts *parts = reading->parts;
	size_t last;
	bool fails_below = parts && next < parts->v + parts->nr && next->kind == DUMP_SMI_FAILURE && !next->about;

	if (!part->about || !queried(part->about) || !csv->nr_rows || fails_below || smi_is_choice(part) ||
	    smi_is_elsewhere(reading))
		return;
	/* "...", or what somebody wrote right below the rows: they may be some of them. */
	for (last = part->nr_lines; last && !part->lines[last - 1].is_taken;)
		last--;
	if (last < part->nr_lines && *part->lines[last].text)
		return;
	for (size_t i = 0; i < reading->snapshot->nr_gpus; i++)
		if (u64_or(reading->snapshot->gpus[i].nvml.index, 0) >= reading->snapshot->nr_gpus)
			return;
	put(reading, &part->lines[0], reading->snapshot->nvml.gpus, val_u64(reading->snapshot->nr_gpus));
}

void smi_csv_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct csv csv = { .reading = reading };
	const char *names = part->about ? queried(part->about) : NULL;

	if (names)
		set_columns(&csv, arena_strndup(reading->arena, names, strcspn(names, " \"'")));
	for (size_t i = 0; i < part->nr_lines; i++)
		read_line(&csv, i);
	read_rest(&csv);
	put_count(&csv);
}
