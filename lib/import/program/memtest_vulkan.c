// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memtest_vulkan.c - memtest_vulkan, which writes the memory of a GPU of any vendor and reads it again: the GPUs that
 * it finds, the one that it tests, what it found wrong each time, and a verdict at its end.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/program/dcgm_result.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char test[] = "memtest_vulkan";

/* "1: Bus=0x01:00 DevId=0x2684   24GB NVIDIA GeForce RTX 4090", alone or behind "Testing ": behind its number. */
static const char *device_of(const char *text)
{
	static const char *const begins[] = { "Testing ", "Standard 5-minute test of " };
	uint64_t number;
	bool fits = true;

	text = past_blanks(text);
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (text_begins(text, begins[i]))
			text += strlen(begins[i]);
	return scan_u64(&text, 10, &number, &fits) && text_begins(text, ": Bus=0x") ? text + strlen(": Bus=0x") : NULL;
}

/* "Error found. Mode NEXT_RE_READ, total errors 0x3F out of 0x2C000000 (0.00000853%)": from "total errors" on. */
static const char *errors_of(const char *text)
{
	text = past_blanks(text);
	return text_begins(text, "Error found. Mode ") ? strstr(text, "total errors 0x") : NULL;
}

static const char *verdict_of(const char *text)
{
	static const struct { const char *said, *status; } verdicts[] = {
		{ "memtest_vulkan: no any errors, testing PASSed", "pass" },
		{ "memtest_vulkan: memory/gpu ERRORS FOUND", "fail" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++)
		if (text_begins(past_blanks(text), verdicts[i].said))
			return verdicts[i].status;
	return NULL;
}

enum dump_begins memtest_vulkan_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	return device_of(lines->text) || errors_of(lines->text) || verdict_of(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

/* "01:00 DevId=0x2684   24GB NVIDIA …": one of software is at no place of the bus, and is no GPU. */
static struct gpu *take_device(struct reading *reading, struct dump_line *line, const char *at)
{
	const char *id = strstr(at, "DevId=0x"), *name = strstr(at, "GB ");
	char *address = arena_printf(reading->arena, "0000:%.*s.0", (int)strcspn(at, " "), at);
	struct gpu *gpu;

	line->is_taken = true;
	if (text_begins(at, "00:00 ") || !dump_address(reading->arena, address))
		return NULL;
	name = name ? past_blanks(name + strlen("GB ")) : "";
	gpu = text_begins(name, "NVIDIA") ? reading_nvidia_gpu(reading, line, address) : reading_gpu(reading, address);
	if (text_begins(name, "NVIDIA"))
		put(reading, line, gpu->nvml.name, val_str(name));
	else if (*name)
		put(reading, line, gpu->pci.model, val_str(name));
	if (id)
		put(reading, line, gpu->pci.device_id,
		    val_str(arena_strndup(reading->arena, id + strlen("DevId="), strlen("0x2684"))));
	return gpu;
}

void memtest_vulkan_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct gpu *gpu = NULL;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *device = device_of(line->text), *errors = errors_of(line->text);
		const struct dcgm_result result = {
			.test = test, .gpu = DCGM_NO_GPU, .words = errors,
			.status = errors ? "fail" : verdict_of(line->text),
		};

		/* What it lists it does not test, but for the only one. */
		if (device && (!gpu || !is_digit(*past_blanks(line->text))))
			gpu = take_device(reading, line, device);
		else if (device)
			line->is_taken = true;
		else if (result.status)
			dcgm_put_result_of(reading, line, &result, gpu);
	}
}
