// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sensors.c - sensors of lm-sensors: for each chip its name and bus, then a line a value with its limits in brackets.
 * Of chips that are GPUs amdgpu's are read, of the rest of a machine alarms (host_heat.h).
 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/amd/host_heat.h"
#include "import/dump/readers.h"

#include "base/text_scan.h"

/* A label of amdgpu's, and what amd-smi calls the value and its limits. */
static const struct label {
	const char *text, *value, *crit, *emerg, *cap;
} labels[] = {
	{ "edge:", "temperature/edge", "limit/slowdown_edge_temperature", "limit/shutdown_edge_temperature", NULL },
	{ "temp1:", "temperature/edge", "limit/slowdown_edge_temperature", "limit/shutdown_edge_temperature", NULL },
	{ "junction:", "temperature/hotspot", "limit/slowdown_hotspot_temperature", NULL, NULL },
	{ "mem:", "temperature/mem", "limit/slowdown_vram_temperature", NULL, NULL },
	{ "power1:", "power/socket_power", NULL, NULL, "limit/socket_power" },
	{ "PPT:", "power/socket_power", NULL, NULL, "limit/socket_power" },
};

/* "amdgpu-pci-2900", "nvme-pci-0100", "coretemp-isa-0000": where the number stands, or NULL. */
static const char *number_of_chip(const char *text)
{
	static const char *const buses[] = { "-pci-", "-isa-", "-acpi-", "-i2c-", "-virtual-" };
	const char *at = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(buses) && !at; i++) {
		at = strstr(text, buses[i]);
		at = at ? at + strlen(buses[i]) : NULL;
	}
	return at && hex_digit(*at) >= 0 && !strpbrk(text, " :,(") ? at : NULL;
}

enum dump_begins sensors_begins(const struct dump_line *lines, size_t nr)
{
	if (host_heat_is_in(lines->text))
		return BEGINS_MORE;
	return nr > 1 && number_of_chip(lines->text) && scan_behind(lines[1].text, "Adapter:") ? BEGINS_MORE
											       : BEGINS_NOT;
}

/* The number is the domain, the bus and the function in one. */
static struct gpu *gpu_of_chip(struct reading *reading, struct dump_line *line)
{
	const char *at = number_of_chip(line->text);
	struct gpu *gpu;
	uint64_t number;
	bool fits = true;

	if (strncmp(line->text, "amdgpu-pci-", 11) != 0 || !scan_u64(&at, 16, &number, &fits) || !fits ||
	    number > UINT32_MAX)
		return NULL;
	gpu = reading_gpu(reading, arena_printf(reading->arena, "%04x:%02x:%02x.%x", (unsigned)(number >> 16),
						(unsigned)(number >> 8 & 0xff), (unsigned)(number >> 3 & 0x1f),
						(unsigned)(number & 7)));
	put(reading, line, gpu->pci.vendor_id, val_str("0x1002"));
	put(reading, line, gpu->pci.driver, val_str("amdgpu"));
	return gpu;
}

/* "+53.0", and no "N/A" */
static void take_figure(struct reading *reading, struct amd_gpu *at, struct dump_line *line, const char *path,
			const char *text)
{
	text = past_blanks(text);
	text += *text == '+';
	if (path && is_digit(*text))
		amd_take(reading, at, AMD_SMI, path, arena_strndup(reading->arena, text, strspn(text, "0123456789.")),
			 line);
}

static void take_limit(struct reading *reading, struct amd_gpu *at, struct dump_line *line, const char *path,
		       const char *words)
{
	const char *found = strstr(line->text, words);

	if (found)
		take_figure(reading, at, line, path, found + strlen(words));
}

/* The limits of a value may go on in the line below it. */
static void read_line(struct reading *reading, struct amd_gpu *at, struct dump_line *line, const struct label **label)
{
	const char *text = past_blanks(line->text);

	if (*text != '(')
		*label = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(labels) && *text != '('; i++) {
		const char *value = scan_behind(text, labels[i].text);

		if (!value)
			continue;
		*label = &labels[i];
		/* Power in thousandths, as of a GPU at rest, is not worth a form of its own. */
		if (!strstr(value, " mW"))
			take_figure(reading, at, line, (*label)->value, value);
	}
	if (!*label)
		return;
	take_limit(reading, at, line, (*label)->crit, "crit = ");
	take_limit(reading, at, line, (*label)->emerg, "emerg = ");
	take_limit(reading, at, line, (*label)->cap, "cap = ");
}

void sensors_read(struct reading *reading)
{
	struct amd_gpu at = { .gpu = NULL };
	const struct label *label = NULL;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];

		if (number_of_chip(line->text)) {
			line->is_taken = true;
			if (at.gpu)
				amd_gpu_end(reading, &at);
			at = (struct amd_gpu){ .gpu = gpu_of_chip(reading, line) };
			label = NULL;
		} else if (at.gpu) {
			read_line(reading, &at, line, &label);
		} else {
			host_heat_take(reading, line);
		}
	}
	if (at.gpu)
		amd_gpu_end(reading, &at);
}
