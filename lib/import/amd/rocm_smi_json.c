// SPDX-License-Identifier: GPL-2.0-or-later
/* rocm_smi_json.c - rocm-smi with --json: an object with one object for each card, "card0"; all values are texts. */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"

#include "base/text_scan.h"

/* The number of "card3". */
static bool is_card(const char *key, uint64_t *ret)
{
	bool fits = true;

	if (!key || strncmp(key, "card", 4) != 0)
		return false;
	key += 4;
	return scan_u64(&key, 10, ret, &fits) && fits && !*key;
}

enum dump_begins rocm_smi_json_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const keys[] = {
		"GPU ID", "Device ID", "Unique ID", "PCI Bus", "VBIOS version", "GPU use (%)", "Card series",
		"Card Series",
		"Performance Level", "PCIe Replay Count", "VRAM Total Memory (B)", "Max Graphics Package Power (W)",
		"Temperature (Sensor edge) (C)", "Temperature (Sensor junction) (C)", "Temperature (Sensor memory) (C)",
		"Temperature (Sensor edge) (c)", "Average Graphics Package Power (W)", "GPU memory use (%)",
		"Current Socket Graphics Package Power (W)", "sclk clock speed:", "GFX Version", "Serial Number",
		"Compute Partition", "Memory Partition",
	};
	const char *start = json_scan_start(lines, nr);
	bool has_card = false;

	if (!start || *start != '{')
		return BEGINS_NOT;
	for (int i = 0; i < 10 && !has_card; i++)
		has_card = json_text_has_key(lines, nr, (char[]){ 'c', 'a', 'r', 'd', (char)('0' + i), '\0' });
	return has_card && json_text_has_any(lines, nr, keys, ARRAY_SIZE(keys)) ? BEGINS_NEW : BEGINS_NOT;
}

/* Some names end in the colon at which the tool cut them off. */
static const char *name_of(struct arena *arena, const char *key)
{
	size_t len = strlen(key);

	return arena_small_letters(arena, key, len && key[len - 1] == ':' ? len - 1 : len);
}

static void read_card(struct reading *reading, const struct json_text *text, const cJSON *card, uint64_t index)
{
	const cJSON *address = json_member(card, "PCI Bus");
	struct amd_gpu at;

	amd_gpu_begin(reading, &at, json_text_line(text, card), index,
		      cJSON_IsString(address) ? address->valuestring : NULL);
	if (cJSON_IsString(address))
		json_text_line(text, address)->is_taken = true;
	for (const cJSON *value = card->child; value; value = value->next) {
		const char *string = json_text_string(reading->arena, text, value);

		if (string && value->string)
			amd_take(reading, &at, ROCM_SMI, name_of(reading->arena, value->string), string,
				 json_text_line(text, value));
	}
	amd_gpu_end(reading, &at);
}

void rocm_smi_json_read(struct reading *reading)
{
	struct json_text text;
	uint64_t index;

	if (json_text_read(reading->part, &text) < 0)
		return;
	for (const cJSON *card = text.doc.root->child; card; card = card->next)
		if (cJSON_IsObject(card) && is_card(card->string, &index))
			read_card(reading, &text, card, index);
	json_text_release(&text);
}
