// SPDX-License-Identifier: GPL-2.0-or-later
/* cdi.c - what of a CDI file is kept, from JSON and from YAML alike. Keys: the CDI specification, SPEC.md. */
#include "base/compat.h"
#include "format/cdi.h"

#include "base/json.h"
#include "format/json_broken.h"

enum { MAX_KEPT = 1024 };		/* devices, and paths, of one file; a full node has some 200 */

struct collector {
	struct arena *arena;
	struct cdi_content *content;
	const char *node_path, *node_host_path;		/* of the device node that is being read */
	bool has_type, has_major;
};

static void keep(struct collector *collector, struct strs *list, const char *text)
{
	if (list->nr < MAX_KEPT && *text && !strs_has(list, text))
		strs_add(collector->arena, list, text);
}

/*
 * A mount of another root, and a device node that has another name on the host, have a hostPath. A node that is given
 * by its type and number is made from these, and need not exist.
 */
static void end_node(struct collector *collector)
{
	const char *path = collector->node_host_path ? collector->node_host_path : collector->node_path;

	if (path && !(collector->has_type && collector->has_major))
		keep(collector, &collector->content->paths, path);
	collector->node_path = collector->node_host_path = NULL;
	collector->has_type = collector->has_major = false;
}

/* ---- YAML */

static bool key_is(const struct cdi_place *place, size_t level, const char *key)
{
	return level < place->depth && place->keys[level] && !strcmp(place->keys[level], key);
}

/* Is the innermost level a member of an item of that list? */
static bool is_in_list(const struct cdi_place *place, const char *list)
{
	return place->depth >= 3 && key_is(place, place->depth - 3, list) && !place->keys[place->depth - 2] &&
	       place->keys[place->depth - 1];
}

static void take_item(void *data, const struct cdi_place *place)
{
	(void)place;
	end_node(data);
}

static void take_scalar(void *data, const struct cdi_place *place, const char *text)
{
	struct collector *collector = data;
	struct cdi_content *content = collector->content;
	const size_t last = place->depth - 1;

	if (!last && key_is(place, last, "kind"))
		content->kind = text;
	else if (last == 2 && is_in_list(place, "devices") && key_is(place, last, "name"))
		keep(collector, &content->devices, text);
	else if (is_in_list(place, "mounts") && key_is(place, last, "hostPath"))
		keep(collector, &content->paths, text);
	else if (is_in_list(place, "deviceNodes") && key_is(place, last, "path"))
		collector->node_path = text;
	else if (is_in_list(place, "deviceNodes") && key_is(place, last, "hostPath"))
		collector->node_host_path = text;
	else if (is_in_list(place, "deviceNodes") && key_is(place, last, "type"))
		collector->has_type = true;
	else if (is_in_list(place, "deviceNodes") && key_is(place, last, "major"))
		collector->has_major = true;
}

/* ---- JSON */

static const char *text_of(struct arena *arena, const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(json_member(object, key));

	return text ? arena_strdup(arena, text) : NULL;
}

static void take_edits(struct collector *collector, const cJSON *owner)
{
	const cJSON *edits = json_member(owner, "containerEdits"), *item;

	cJSON_ArrayForEach(item, json_member(edits, "deviceNodes")) {
		collector->node_path = text_of(collector->arena, item, "path");
		collector->node_host_path = text_of(collector->arena, item, "hostPath");
		collector->has_type = json_member(item, "type");
		collector->has_major = json_member(item, "major");
		end_node(collector);
	}
	cJSON_ArrayForEach(item, json_member(edits, "mounts")) {
		const char *path = text_of(collector->arena, item, "hostPath");

		if (path)
			keep(collector, &collector->content->paths, path);
	}
}

static void read_json(struct collector *collector, const char *text, size_t len)
{
	struct cdi_content *content = collector->content;
	struct json_error error = { .line = 0 };
	const cJSON *device;
	struct json_doc doc;

	if (json_parse(text, len, 0, &doc, &error)) {
		content->form = is_broken_as_yaml(text, len, &error) ? CDI_BROKEN : CDI_UNKNOWN_FORM;
		content->line = error.line ? error.line : 1;
		content->what = arena_strdup(collector->arena, error.what);
		return;
	}
	content->kind = text_of(collector->arena, doc.root, "kind");
	take_edits(collector, doc.root);
	cJSON_ArrayForEach(device, json_member(doc.root, "devices")) {
		const char *name = text_of(collector->arena, device, "name");

		if (name)
			keep(collector, &content->devices, name);
		take_edits(collector, device);
	}
	json_release(&doc);
}

void cdi_parse(struct arena *arena, const char *text, size_t len, bool is_json, struct cdi_content *ret)
{
	struct collector collector = { .arena = arena, .content = ret };
	const struct cdi_taker taker = { .data = &collector, .item = take_item, .scalar = take_scalar };

	*ret = (struct cdi_content){ .form = CDI_READ };
	/* JSON is YAML too, and some name it so. */
	if (is_json || text[strspn(text, " \t\r\n")] == '{') {
		read_json(&collector, text, len);
		return;
	}
	ret->line = cdi_yaml_read(arena, text, len, &taker, &ret->form, &ret->what);
	end_node(&collector);
}
