// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lshw_json.c - lshw -json: the same as in lshw.c, a device an object, and those below it its "children". Of one that
 * has a driver "claimed" is true; it is missing otherwise. A class is a list of devices, in older versions one without
 * its brackets.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"
#include "import/host/lshw.h"

#include "base/text_scan.h"

enum { MAX_DEPTH = 32 };

enum dump_begins lshw_json_begins(const struct dump_line *lines, size_t nr)
{
	return json_text_has_key(lines, nr, "businfo") || (json_text_has_key(lines, nr, "physid") &&
							    json_text_has_key(lines, nr, "claimed"))
		       ? BEGINS_NEW
		       : BEGINS_NOT;
}

static const char *text_of(struct arena *arena, const cJSON *object, const char *name)
{
	const cJSON *member = json_member(object, name);

	return cJSON_IsString(member) && *member->valuestring ? arena_strdup(arena, member->valuestring) : NULL;
}

static void read_device(struct reading *reading, const struct json_text *text, const cJSON *object,
			struct lspci_listing *listing)
{
	const cJSON *settings = json_member(object, "configuration");
	struct arena *arena = reading->arena;
	struct lshw_device device = {
		.line = json_text_line(text, json_member(object, "id")),
		.is_unclaimed = !cJSON_IsTrue(json_member(object, "claimed")),
		.description = text_of(arena, object, "description"),
		.product = text_of(arena, object, "product"),
		.vendor = text_of(arena, object, "vendor"),
		.bus_info = text_of(arena, object, "businfo"),
		.driver = text_of(arena, settings, "driver"),
	};

	if (device.driver)
		device.driver_line = json_text_line(text, json_member(settings, "driver"));
	/* Of what was cut off inside of it nobody knows whether a driver would have followed. */
	if (cJSON_IsObject(settings))
		lshw_put(reading, listing, &device);
}

static void read_devices(struct reading *reading, const struct json_text *text, const cJSON *value, unsigned depth,
			 struct lspci_listing *listing)
{
	if (depth > MAX_DEPTH)
		return;
	if (cJSON_IsObject(value)) {
		if (cJSON_IsString(json_member(value, "id")))
			read_device(reading, text, value, listing);
		value = json_member(value, "children");
	}
	for (const cJSON *child = cJSON_IsArray(value) ? value->child : NULL; child; child = child->next)
		read_devices(reading, text, child, depth + 1, listing);
}

void lshw_json_read(struct reading *reading)
{
	struct lspci_listing listing = { .is_closed = true };
	struct json_text text;

	if (json_text_read(reading->part, &text) < 0)
		return;
	read_devices(reading, &text, text.doc.root, 0, &listing);
	lspci_put_gpus(reading, &listing);
	json_text_release(&text);
}
