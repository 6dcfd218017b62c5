// SPDX-License-Identifier: GPL-2.0-or-later
/* reading.c - what readers have in common: which GPU a text names, and which parts are of one output. */
#include "base/compat.h"
#include "import/dump/dump.h"

#include "klog/span.h"

const char *dump_address(struct arena *arena, const char *text)
{
	struct span at = span_of(text), with_domain;
	char address[PCI_TEXT_BYTES];

	if (span_take_pci(&at, address))
		return arena_strdup(arena, address);
	/* Without a domain, as lspci has it where all are 0: "5d:00.0". */
	if (strnlen(text, 8) < 7 || text[2] != ':' || text[5] != '.')
		return NULL;
	with_domain = span_of(arena_printf(arena, "0000:%.7s", text));
	return span_take_pci(&with_domain, address) ? arena_strdup(arena, address) : NULL;
}

const char *dump_file_of(const struct dump_parts *parts, uint32_t from)
{
	const unsigned number = value_from_source(from);

	for (size_t i = 0; number && i < parts->nr; i++)
		if (parts->v[i].number == number)
			return parts->v[i].file;
	return NULL;
}

const struct dump_line *dump_lines_next(const struct dump_parts *parts, struct file_lines *at)
{
	for (; at->text < parts->nr_texts; at->text++, at->line = 0) {
		const struct dump_lines *lines = &parts->texts[at->text];

		if (at->line < lines->nr && !strcmp(lines->file, at->file))
			return &lines->v[at->line++];
	}
	return NULL;
}

const struct dump_line *file_lines_next(const struct reading *reading, struct file_lines *at)
{
	at->file = reading->part->file;
	return reading->parts ? dump_lines_next(reading->parts, at) : NULL;
}

struct gpu *reading_gpu(struct reading *reading, const char *address)
{
	const char *key = dump_address(reading->arena, address);

	return key ? list_element(reading->arena, reading->snapshot, gpus, gpu, key) : NULL;
}

struct gpu *reading_gpu_by_index(struct reading *reading, uint64_t index)
{
	const char *key = arena_printf(reading->arena, "gpu%llu", (unsigned long long)index);

	return list_element(reading->arena, reading->snapshot, gpus, gpu, key);
}

struct gpu *reading_nvidia_gpu(struct reading *reading, struct dump_line *line, const char *address)
{
	struct gpu *gpu = reading_gpu(reading, address);

	if (!gpu)
		return NULL;
	put(reading, line, gpu->pci.vendor_id, val_str("0x10de"));
	put(reading, line, gpu->pci.driver, val_str("nvidia"));
	return gpu;
}

static bool is_of_same(const struct dump_part *part, const struct dump_part *of)
{
	return part->kind == of->kind && !strcmp(part->file, of->file) &&
	       !strcmp(part->host.text ? part->host.text : "", of->host.text ? of->host.text : "");
}

const struct dump_part *reading_next_part(const struct reading *reading, const struct dump_part *part)
{
	const struct dump_parts *parts = reading->parts;

	if (!parts)
		return part ? NULL : reading->part;
	for (size_t i = part ? (size_t)(part - parts->v) + 1 : 0; i < parts->nr; i++) {
		const struct dump_part *at = &parts->v[i];

		if (!is_of_same(at, reading->part))
			continue;
		return part || at == reading->part ? at : NULL;
	}
	return NULL;
}
