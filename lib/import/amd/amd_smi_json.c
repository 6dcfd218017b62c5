// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amd_smi_json.c - amd-smi with --json. Releases put the objects of GPUs into a list, into member "gpu_data" of an
 * object, or one after another; a GPU's object has its number in "gpu".
 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"

enum { DEEPEST = 12 };

/* bad-pages with --retired or --pending alone: of its keys one is any tool's word, of its values none is. */
static bool is_of_bad_pages(const struct dump_line *lines, size_t nr)
{
	static const char *const keys[] = { "retired", "pending" };
	enum { MAX_LINES = 20 };

	if (!json_text_has_any(lines, nr, keys, ARRAY_SIZE(keys)))
		return false;
	if (json_text_has_key(lines, nr, "page_address"))
		return true;
	for (size_t i = 0; i < nr && i < MAX_LINES; i++)
		if (strstr(lines[i].text, "\"No bad pages"))
			return true;
	return false;
}

enum dump_begins amd_smi_json_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const keys[] = {
		"market_name", "asic_serial", "target_graphics_version", "max_pcie_width", "gfx_activity",
		"umc_activity",
		"socket_power", "average_socket_power", "hotspot", "replay_count", "total_uncorrectable_count",
		"uncorrectable_count", "total_vram", "un_res", "fw_list", "link_metrics", "num_hops", "kfd_id",
		"gpu_data",
		"max_power_limit", "slowdown_hotspot_temperature", "prochot_accumulated", "ecc_block_state", "xgmi_err",
		"link_status",
	};

	if (!json_scan_start(lines, nr) || !json_text_has_key(lines, nr, "gpu"))
		return BEGINS_NOT;
	return json_text_has_any(lines, nr, keys, ARRAY_SIZE(keys)) || is_of_bad_pages(lines, nr) ? BEGINS_NEW :
												     BEGINS_NOT;
}

/* What goes down the tree with each call. */
struct walk {
	struct reading *reading;
	const struct json_text *text;
	struct amd_gpu at;
};

static bool is_list_of_pages(const char *key)
{
	return key && (!strcmp(key, "retired") || !strcmp(key, "pending") || !strcmp(key, "un_res"));
}

static void take_page(struct walk *walk, const cJSON *page, const char *list)
{
	const cJSON *status = json_member(page, "status");
	const char *word = cJSON_IsString(status) ? status->valuestring : "";

	amd_take_bad_pages(&walk->at, amd_list_of_page(word, list), 1, json_text_line(walk->text, page));
}

/* "No bad pages found.", one object for one page, or a list of them. "N/A", "": not told. */
static void take_pages(struct walk *walk, const cJSON *list)
{
	if (cJSON_IsString(list) ? strncasecmp(list->valuestring, "No bad pages", 12) != 0 :
				   !cJSON_IsObject(list) && !cJSON_IsArray(list))
		return;
	amd_take_bad_pages(&walk->at, list->string, 0, json_text_line(walk->text, list));
	if (cJSON_IsObject(list))
		take_page(walk, list, list->string);
	for (const cJSON *page = cJSON_IsArray(list) ? list->child : NULL; page; page = page->next)
		if (cJSON_IsObject(page))
			take_page(walk, page, list->string);
}

/* {"value": 41, "unit": "C"} is "41 C". */
static const char *text_of(struct walk *walk, const cJSON *value)
{
	struct arena *arena = walk->reading->arena;
	const cJSON *number = cJSON_IsObject(value) ? json_member(value, "value") : value, *unit;
	const char *text = json_text_string(arena, walk->text, number);

	if (!text || !cJSON_IsObject(value))
		return text;
	unit = json_member(value, "unit");
	return cJSON_IsString(unit) ? arena_printf(arena, "%s %s", text, unit->valuestring) : text;
}

/* "link_status": ["U", "U", "D", "X", …] */
static void take_links(struct walk *walk, const cJSON *list)
{
	uint64_t nr = 0;

	for (const cJSON *state = list->child; state; state = state->next, nr++)
		if (cJSON_IsString(state) && strlen(state->valuestring) == 1)
			amd_take_link(walk->reading, &walk->at, nr, *state->valuestring,
				      json_text_line(walk->text, state));
}

/* "links" of topology: of the GPU to each, itself too, which has link type "SELF". */
static void take_paths(struct walk *walk, const cJSON *list)
{
	for (const cJSON *link = list->child; link; link = link->next) {
		const cJSON *address = json_member(link, "bdf"), *type = json_member(link, "link_type"),
			    *number = json_member(link, "num_hops");
		const char *to =
			cJSON_IsString(address) ? dump_address(walk->reading->arena, address->valuestring) : NULL;
		uint64_t hops;

		if (!to || !cJSON_IsString(type))
			continue;
		amd_take_path_link(walk->reading, json_text_line(walk->text, type), walk->at.gpu, to,
				   type->valuestring);
		if (number && !json_u64(&walk->text->doc, number, &hops))
			amd_take_path_hops(walk->reading, json_text_line(walk->text, number), walk->at.gpu, to, hops);
	}
}

static void take_tree(struct walk *walk, const cJSON *parent, const char *path, unsigned depth)
{
	struct arena *arena = walk->reading->arena;

	for (const cJSON *value = parent->child; value && depth < DEEPEST; value = value->next) {
		const char *name, *text;

		if (!value->string)
			continue;
		if (!depth && is_list_of_pages(value->string)) {
			take_pages(walk, value);
			continue;
		}
		if (!depth && cJSON_IsArray(value) && !strcmp(value->string, "link_status")) {
			take_links(walk, value);
			continue;
		}
		if (!depth && cJSON_IsArray(value) && !strcmp(value->string, "links")) {
			take_paths(walk, value);
			continue;
		}
		name = arena_small_letters(arena, value->string, strlen(value->string));
		name = *path ? arena_printf(arena, "%s/%s", path, name) : name;
		text = text_of(walk, value);
		if (text)
			amd_take(walk->reading, &walk->at, AMD_SMI, name, text, json_text_line(walk->text, value));
		else if (cJSON_IsObject(value))
			take_tree(walk, value, name, depth + 1);
	}
}

/* Member "bdf" of its own, or of its section "bus". */
static const char *address_of(const cJSON *gpu)
{
	const cJSON *bus = json_member(gpu, "bus"), *address = json_member(gpu, "bdf");

	if (!cJSON_IsString(address) && cJSON_IsObject(bus))
		address = json_member(bus, "bdf");
	return cJSON_IsString(address) ? address->valuestring : NULL;
}

/* A partition is a part of the GPU whose first partition is 0, and has an address of its own. */
static bool is_partition(const cJSON *gpu)
{
	const cJSON *partition = json_member(gpu, "partition"), *id = json_member(gpu, "partition_id");

	if (!id && cJSON_IsObject(partition))
		id = json_member(partition, "partition_id");
	return id && cJSON_IsNumber(id) && id->valuedouble > 0;
}

static void take_gpu(void *to, const cJSON *gpu, const cJSON *number, uint64_t index)
{
	struct walk *walk = to;

	if (is_partition(gpu))
		return;
	amd_gpu_begin(walk->reading, &walk->at, json_text_line(walk->text, number), index, address_of(gpu));
	take_tree(walk, gpu, "", 0);
	amd_gpu_end(walk->reading, &walk->at);
}

void amd_smi_json_read(struct reading *reading)
{
	static const char *const names[] = { "gpu" };
	struct json_text text;
	struct walk walk = { .reading = reading, .text = &text };

	if (json_text_read(reading->part, &text) < 0)
		return;
	json_text_numbered(&text, names, ARRAY_SIZE(names), take_gpu, &walk);
	json_text_release(&text);
}
