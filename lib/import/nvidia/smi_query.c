// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smi_query.c - the text of nvidia-smi -q. Its sections nest by four blanks; where a paste lost them, the section last
 * named is the one a key is of.
 */
#include "base/compat.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"
#include "import/nvidia/smi_gpu.h"

#include "base/text.h"
#include "base/text_scan.h"

/* "GPU 00000000:5D:00.0" */
static const char *gpu_of_line(const char *text)
{
	const char *address;

	text += strspn(text, " ");
	if (strncmp(text, "GPU ", 4) != 0)
		return NULL;
	address = text + 4;
	/* Four or eight digits of domain, and nothing after the function. */
	return strspn(address, "0123456789abcdefABCDEF:.") == strlen(address) && strchr(address, '.') ? address : NULL;
}

static bool is_head(const char *text)
{
	return strstr(text, "=NVSMI LOG=") || !strcmp(text, "NVSMI LOG");
}

/* Sections that people search the output for, so that the lines that name the GPUs are missing. */
static const char *const searched[] = {
	"ECC Errors", "Remapped Rows", "Retired Pages", "Clocks Event Reasons", "Clocks Throttle Reasons", "Fabric",
	"ECC Mode", "Ecc Mode", "MIG Mode", "vGPU Software Licensed Product",
};

static int searched_section(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(searched); i++)
		if (!strcmp(text, searched[i]))
			return (int)i;
	return -1;
}

/* A line of its own that people search for: what the driver asks for, of one GPU after another. */
static bool is_recovery(const char *text)
{
	static const char *const actions[] = { "None", "Reset", "Reboot", "Drain P2P", "Drain and Reset" };
	const char *value = text_begins(text, "GPU Recovery Action") ? strstr(text, " : ") : NULL;

	return value && text_is_any(past_blanks(value + 3), actions, ARRAY_SIZE(actions));
}

/* Another: "License Status : Unlicensed (Unrestricted)", of a vGPU. */
static bool is_license(const char *text)
{
	const char *value = text_begins(text, "License Status") ? strstr(text, " : ") : NULL;

	return value &&
	       (text_begins(past_blanks(value + 3), "Unlicensed") || text_begins(past_blanks(value + 3), "Licensed"));
}

static bool begins_section(const struct dump_line *lines, size_t nr)
{
	enum { LINES_BELOW = 3 };

	if (searched_section(lines->text + strspn(lines->text, " ")) < 0)
		return false;
	for (size_t i = 1; i < nr && i < LINES_BELOW; i++)
		if (strstr(lines[i].text, " : "))
			return true;
	return false;
}

enum dump_begins smi_query_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = lines->text + strspn(lines->text, " ");

	if (is_head(text))
		return BEGINS_NEW;
	if (gpu_of_line(text) || begins_section(lines, nr) || is_recovery(text) || is_license(text))
		return BEGINS_MORE;
	/* A paste without its first lines. */
	if (!strncmp(text, "Attached GPUs", 13) && strchr(text, ':'))
		return BEGINS_MORE;
	return BEGINS_NOT;
}

/* "Key   : value", or a section's name; value "" where nothing follows the colon. */
static const char *split_line(const char *text, size_t *ret_key_len)
{
	const char *colon = strstr(text, " : ");
	size_t len = strlen(text);

	if (!colon && len && text[len - 1] == ':')
		colon = text + len - 1;
	if (!colon)
		colon = strstr(text, ": ");
	*ret_key_len = colon ? (size_t)(colon - text) : len;
	while (*ret_key_len && text[*ret_key_len - 1] == ' ')
		--*ret_key_len;
	if (!colon)
		return NULL;
	colon += strspn(colon, " :");
	return colon;
}

/*
 * Without indentation each section replaces the one before it. Single and double bit errors (drivers up to 440) are of
 * the section before, which tells since when they were counted.
 */
static size_t indent_of(const char *text, bool indented, bool is_section)
{
	static const char *const inner[] = { "Single Bit", "Double Bit" };

	if (indented)
		return strspn(text, " ") + 1;
	if (!is_section)
		return 3;
	return text_is_any(past_blanks(text), inner, ARRAY_SIZE(inner)) ? 2 : 1;
}

static void begin_gpu(struct reading *reading, struct smi_gpu *at, struct dump_line *line, const char *address)
{
	if (at->gpu)
		smi_gpu_end(reading, at);
	*at = (struct smi_gpu){ .gpu = reading_nvidia_gpu(reading, line, address) };
	if (at->gpu)
		put(reading, line, at->gpu->nvml.handle, val_str("ok"));
}

/* What was searched out of the output: the Nth of one section is of the Nth GPU, or of the one that was asked for. */
struct search {
	bool is_one;			/* it has no head, and no line that names a GPU yet */
	uint64_t nr[ARRAY_SIZE(searched) + 2];	/* the last two: lines of is_recovery() and of is_license() */
};

static uint64_t asked_index(const struct dump_part *part, uint64_t otherwise)
{
	const char *at = part->about ? strstr(part->about, " -i ") : NULL;
	uint64_t index;
	bool fits = true;

	if (!at)
		return otherwise;
	at += 4;
	return scan_u64(&at, 10, &index, &fits) && fits && (!*at || *at == ' ') ? index : otherwise;
}

static void begin_searched(struct reading *reading, struct search *search, struct smi_gpu *at, struct dump_line *line,
			   const char *text)
{
	int section = is_recovery(text) ? (int)ARRAY_SIZE(searched) : is_license(text) ? (int)ARRAY_SIZE(searched) + 1 :
											 searched_section(text);
	uint64_t index;

	if (!search->is_one || section < 0)
		return;
	index = asked_index(reading->part, search->nr[section]++);
	if (at->gpu)
		smi_gpu_end(reading, at);
	*at = (struct smi_gpu){ .gpu = reading_gpu_by_index(reading, index) };
	put(reading, line, at->gpu->nvml.index, val_u64(index));
	put(reading, line, at->gpu->nvml.handle, val_str("ok"));
	put(reading, line, at->gpu->pci.vendor_id, val_str("0x10de"));
	put(reading, line, at->gpu->pci.driver, val_str("nvidia"));
}

void smi_query_read(struct reading *reading)
{
	struct search search = { .is_one = true };
	const struct dump_part *part = reading->part;
	struct smi_gpu at = { .gpu = NULL };
	struct layout_place place = { .depth = 0 };
	bool indented = layout_is_indented(part);

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *text = line->text + strspn(line->text, " ");
		const char *address = gpu_of_line(text), *value, *key;
		size_t key_len;

		if (!*text)
			continue;
		if (is_head(text) || address || !strncmp(text, "Attached GPUs", 13))
			search.is_one = false;
		if (is_head(text)) {
			line->is_taken = true;
			continue;
		}
		if (address) {
			place.depth = 0;
			begin_gpu(reading, &at, line, address);
			continue;
		}
		value = split_line(text, &key_len);
		key = arena_small_letters(reading->arena, text, key_len);
		layout_leave(&place, indent_of(line->text, indented, !value));
		if (!value) {
			layout_enter(&place, indent_of(line->text, indented, true), key);
			begin_searched(reading, &search, &at, line, text);
			line->is_taken = true;
			continue;
		}
		if (is_license(text) && search.is_one && !place.depth)
			key = "vgpu software licensed product/license status";
		else
			key = layout_path(reading->arena, &place, key);
		if (is_recovery(text) || (is_license(text) && !place.depth))
			begin_searched(reading, &search, &at, line, text);
		if (at.gpu)
			smi_take(reading, &at, SMI_TEXT, key, value, line);
		else
			smi_take_head(reading, SMI_TEXT, key, value, line);
	}
	if (at.gpu)
		smi_gpu_end(reading, &at);
	smi_number_gpus(reading->snapshot);
}
