// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xpu_smi_json.c - xpu-smi with -j. Release 1 has objects with "device_id", and metrics as lists of type and value for
 * the device and its tiles; release 2 has "device_index", and metrics as members.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"
#include "import/intel/xpu_smi.h"

enum { DEEPEST = 12 };

enum dump_begins xpu_smi_json_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const keys[] = {
		"device_level", "tile_level", "pci_bdf_address", "metrics_type", "core_temperature",
		"memory_temperature",
		"xe_link_port", "component_list", "ras_errors", "gpu_power_w", "gpu_core_celsius", "power_health",
		"gfx_firmware_version", "gfx_firmware_status", "amc_firmware_version", "memory_physical_size_byte",
	};

	if (!json_text_has_key(lines, nr, "device_id") && !json_text_has_key(lines, nr, "device_index"))
		return BEGINS_NOT;
	return json_text_has_any(lines, nr, keys, ARRAY_SIZE(keys)) ? BEGINS_NEW : BEGINS_NOT;
}

struct walk {
	struct reading *reading;
	const struct json_text *text;
	struct xpu_gpu gpu;
	bool has_device_level;
};

/* "XPUM_STATS_POWER": "xpum stats power" */
static const char *words_of(struct arena *arena, const char *name)
{
	char *ret = arena_small_letters(arena, name, strlen(name));

	for (char *at = ret; (at = strchr(at, '_'));)
		*at = ' ';
	return ret;
}

/* {"metrics_type": "XPUM_STATS_POWER", "value": 15.4} */
static bool take_metric(struct walk *walk, const cJSON *metric)
{
	struct arena *arena = walk->reading->arena;
	const cJSON *type = json_member(metric, "metrics_type"), *value = json_member(metric, "value");
	const char *text = value ? json_text_string(arena, walk->text, value) : NULL;

	if (!cJSON_IsString(type))
		return false;
	if (text)
		xpu_take(walk->reading, &walk->gpu, "", words_of(arena, type->valuestring), text,
			 json_text_line(walk->text, value));
	return true;
}

/* {"component_type": "XPUM_DIAG_SOFTWARE_LIBRARY", "result": "Pass", "message": "…"} */
static bool take_test(struct walk *walk, const cJSON *test)
{
	static const char prefix[] = "XPUM_DIAG_";
	const cJSON *type = json_member(test, "component_type");
	const char *name;

	if (!cJSON_IsString(type))
		return false;
	name = type->valuestring + (strncmp(type->valuestring, prefix, strlen(prefix)) ? 0 : strlen(prefix));
	for (const cJSON *value = test->child; value; value = value->next)
		if (cJSON_IsString(value) && value != type)
			xpu_take(walk->reading, &walk->gpu, words_of(walk->reading->arena, name), value->string,
				 value->valuestring, json_text_line(walk->text, value));
	json_text_line(walk->text, type)->is_taken = true;
	return true;
}

static void take_tree(struct walk *walk, const cJSON *parent, const char *section, unsigned depth)
{
	struct arena *arena = walk->reading->arena;

	for (const cJSON *value = parent->child; value && depth < DEEPEST; value = value->next) {
		const char *text = json_text_string(arena, walk->text, value), *name;

		/* What the device tells is the sum of its tiles. */
		if (value->string && !strcmp(value->string, "tile_level") && walk->has_device_level)
			continue;
		name = value->string ? words_of(arena, value->string) : section;
		if (text && value->string)
			xpu_take(walk->reading, &walk->gpu, section, name, text, json_text_line(walk->text, value));
		else if (!(cJSON_IsObject(value) && (take_metric(walk, value) || take_test(walk, value))) &&
			 value->child)
			take_tree(walk, value, name, depth + 1);
	}
}

static bool is_filled(const cJSON *list)
{
	return cJSON_IsArray(list) && list->child;
}

static void take_device(void *to, const cJSON *device, const cJSON *number, uint64_t index)
{
	static const char *const names[] = { "pci_bdf_address", "pci_bdf", "bdf_address" };
	struct walk *walk = to;
	const char *address = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const cJSON *member = json_member(device, names[i]);

		if (!address && cJSON_IsString(member))
			address = member->valuestring;
	}
	walk->gpu = xpu_gpu(walk->reading, json_text_line(walk->text, number), index, address);
	walk->has_device_level = is_filled(json_member(device, "device_level"));
	take_tree(walk, device, "", 0);
	xpu_gpu_end(walk->gpu.gpu);
}

void xpu_smi_json_read(struct reading *reading)
{
	static const char *const names[] = { "device_id", "device_index" };
	struct json_text text;
	struct walk walk = { .reading = reading, .text = &text };

	if (json_text_read(reading->part, &text) < 0)
		return;
	json_text_numbered(&text, names, ARRAY_SIZE(names), take_device, &walk);
	json_text_release(&text);
}
