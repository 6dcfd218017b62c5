// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvbandwidth_json.c - nvbandwidth -j: an object "nvbandwidth" with a list of test cases, matrices as lists of texts.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"
#include "import/nvidia/nvbandwidth.h"

enum dump_begins nvbandwidth_json_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const keys[] = { "nvbandwidth", "bandwidth_matrix", "bandwidth_description" };

	return json_text_has_any(lines, nr, keys, ARRAY_SIZE(keys)) ? BEGINS_NEW : BEGINS_NOT;
}

static const char *text_of(const cJSON *object, const char *name)
{
	const cJSON *member = json_member(object, name);

	return cJSON_IsString(member) ? member->valuestring : NULL;
}

static void take_matrix(struct reading *reading, const struct json_text *text, const struct tool_place *place,
			const struct nvbandwidth_form *form, const cJSON *matrix)
{
	uint64_t row_number = 0, column;
	double value;

	for (const cJSON *row = matrix->child; row; row = row->next, row_number++) {
		column = 0;
		for (const cJSON *cell = row->child; cell; cell = cell->next, column++)
			if (json_text_number(cell, &value))
				tool_put(reading, json_text_line(text, cell), place,
					 tool_way_words(reading->arena, form->way, row_number, column),
					 value * form->scale);
	}
}

static void take_status(struct reading *reading, const struct json_text *text, const struct tool_place *place,
			const cJSON *status)
{
	static const struct { const char *word, *status; } words[] = {
		{ "Passed", "passed" }, { "Waived", "waived" }, { "Error", "failed" },
	};

	for (size_t i = 0; cJSON_IsString(status) && i < ARRAY_SIZE(words); i++)
		if (!strcmp(status->valuestring, words[i].word))
			tool_put_status(reading, json_text_line(text, status), place, words[i].status);
}

static void take_test(struct reading *reading, const struct json_text *text, struct tool_place place, const cJSON *test)
{
	const char *name = text_of(test, "name"), *description = text_of(test, "bandwidth_description");
	const cJSON *matrix = json_member(test, "bandwidth_matrix");
	struct nvbandwidth_form form;

	if (!name || !*name)
		return;
	place.test = arena_strdup(reading->arena, name);
	place.method = description ? arena_strdup(reading->arena, description) : NULL;
	if (description && cJSON_IsArray(matrix) && nvbandwidth_form(description, &form)) {
		place.unit = form.unit;
		take_matrix(reading, text, &place, &form, matrix);
	}
	take_status(reading, text, &place, json_member(test, "status"));
	for (const cJSON *member = test->child; member; member = member->next)
		json_text_line(text, member)->is_taken = true;
}

static void take_root(struct reading *reading, const struct json_text *text, const cJSON *root)
{
	const cJSON *tests = json_member(root, "testcases"), *driver = json_member(root, "Driver Version");
	const char *version = text_of(root, "version");
	struct tool_place place = { .tool = "nvbandwidth" };

	place.version = version ? nvbandwidth_version(reading->arena, version) : NULL;
	if (cJSON_IsString(driver) && *driver->valuestring)
		put(reading, json_text_line(text, driver), reading->snapshot->nvml.driver_version,
		    val_str(arena_strdup(reading->arena, driver->valuestring)));
	for (const cJSON *test = cJSON_IsArray(tests) ? tests->child : NULL; test; test = test->next)
		if (cJSON_IsObject(test))
			take_test(reading, text, place, test);
	for (const cJSON *member = root->child; member; member = member->next)
		json_text_line(text, member)->is_taken = true;
}

void nvbandwidth_json_read(struct reading *reading)
{
	struct json_text text;
	const cJSON *root;

	if (json_text_read(reading->part, &text) < 0)
		return;
	root = cJSON_IsObject(text.doc.root) ? json_member(text.doc.root, "nvbandwidth") : NULL;
	if (root && cJSON_IsObject(root))
		take_root(reading, &text, root);
	json_text_release(&text);
}
