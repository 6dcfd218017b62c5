// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dcgm_json.c - dcgmi diag -j and dcgmi health -c -j. In the diagnostic of DCGM 3 a list "gpu_ids" names GPUs, and
 * warnings are texts; DCGM 4 has a result for each "entity", and warnings are objects with a number, a category and a
 * severity. What runs the diagnostic before a pod (NVSentinel) logs an object for each result.
 */
#include "base/compat.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"
#include "import/program/dcgm_result.h"

enum { DEEPEST = 8 };

/* A result, or the sum of all, as NVSentinel's check of a pod's GPUs logs it. */
static bool is_logged(const struct dump_line *lines, size_t nr)
{
	static const char *const results[] = { "error_code", "warned" };

	return json_text_has_key(lines, nr, "event") && json_text_has_any(lines, nr, results, ARRAY_SIZE(results));
}

enum dump_begins dcgm_json_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const keys[] = { "DCGM GPU Diagnostic", "DCGM Diagnostic", "test_categories",
					    "Health Monitor Report", "Overall Health" };

	if (!json_scan_start(lines, nr))
		return BEGINS_NOT;
	if (is_logged(lines, nr))
		return BEGINS_NEW;
	return json_text_has_any(lines, nr, keys, ARRAY_SIZE(keys)) ? BEGINS_NEW : BEGINS_NOT;
}

struct walk {
	struct reading *reading;
	const struct json_text *text;
};

static int number_of(const cJSON *value)
{
	double number;

	return json_text_number(value, &number) && number >= 0 && number < 1 << 20 ? (int)number : 0;
}

/* The error that says most: one that is no matter of settings before one that is. */
static void take_warnings(const struct walk *walk, const cJSON *from, struct dcgm_result *ret)
{
	const cJSON *list = json_member(from, "warnings");

	if (!list)
		list = json_member(from, "error");
	for (const cJSON *warning = cJSON_IsArray(list) ? list->child : list; warning; warning = warning->next) {
		const cJSON *text = cJSON_IsObject(warning) ? json_member(warning, "warning") : warning;
		int severity = cJSON_IsObject(warning) ? number_of(json_member(warning, "error_severity")) : 0;

		if (!cJSON_IsString(text) || !*text->valuestring)
			continue;
		if (!ret->words || (ret->severity == DCGM_SEVERITY_CONFIG && severity != DCGM_SEVERITY_CONFIG)) {
			ret->words = json_text_string(walk->reading->arena, walk->text, text);
			ret->severity = severity;
			ret->error = cJSON_IsObject(warning) ? number_of(json_member(warning, "error_id")) : 0;
			ret->category = cJSON_IsObject(warning) ? number_of(json_member(warning, "error_category")) : 0;
		}
		if (!cJSON_IsArray(list))
			break;
	}
	for (const cJSON *value = cJSON_IsArray(list) ? list->child : NULL; value; value = value->next) {
		json_text_line(walk->text, value)->is_taken = true;
		for (const cJSON *member = cJSON_IsObject(value) ? value->child : NULL; member; member = member->next)
			json_text_line(walk->text, member)->is_taken = true;
	}
}

/* DCGM 4: what the result is of; true if it says so. */
static bool take_entity(const struct walk *walk, const cJSON *from, struct dcgm_result *ret)
{
	const cJSON *group = json_member(from, "entity_group"), *number = json_member(from, "entity_id");
	const cJSON *group_id = json_member(from, "entity_group_id");
	bool is_gpu = cJSON_IsString(group) ? !strcmp(group->valuestring, "GPU") : number_of(group_id) == 1;
	double id;

	if (!json_text_number(number, &id) || id < 0 || (!group && !group_id))
		return false;
	if (is_gpu && id < DCGM_MAX_GPUS)
		ret->gpu = (int)id;
	else
		ret->test = arena_printf(walk->reading->arena, "%s (%s %d)", ret->test,
					 group && cJSON_IsString(group) ? group->valuestring : "entity", (int)id);
	return true;
}

/* DCGM 3: "0,1,2,3", "0" or 0; of several it is the node's, as the tests of its software are. */
static void take_gpu_ids(const cJSON *from, struct dcgm_result *ret)
{
	const cJSON *ids = json_member(from, "gpu_ids");
	double number;

	if (!ids)
		ids = json_member(from, "gpu_id");
	if (cJSON_IsString(ids) && ids->valuestring[strspn(ids->valuestring, "0123456789 ")])
		return;
	if (json_text_number(ids, &number) && number >= 0 && number < DCGM_MAX_GPUS)
		ret->gpu = (int)number;
}

static void take_result(const struct walk *walk, const cJSON *from, const char *test)
{
	const cJSON *status = json_member(from, "status");
	struct dcgm_result result = { .test = test, .gpu = DCGM_NO_GPU };

	if (!cJSON_IsString(status))
		return;
	result.status = status->valuestring;
	if (!take_entity(walk, from, &result))
		take_gpu_ids(from, &result);
	take_warnings(walk, from, &result);
	dcgm_put_result(walk->reading, json_text_line(walk->text, status), &result);
	for (const cJSON *member = from->child; member; member = member->next)
		json_text_line(walk->text, member)->is_taken = true;
}

static const char *status_of(const cJSON *from)
{
	const cJSON *status = json_member(from, "status");

	return cJSON_IsString(status) ? dcgm_status(status->valuestring) : NULL;
}

/* A summary is the worst of a test's results, as a rule. */
static bool repeats_a_result(const cJSON *summary, const cJSON *results)
{
	const char *status = status_of(summary);
	bool is_bad = status && (!strcmp(status, "fail") || !strcmp(status, "warn"));

	if (!cJSON_IsArray(results) || !results->child)
		return false;
	for (const cJSON *result = results->child; is_bad && result; result = result->next)
		if (cJSON_IsObject(result) && status_of(result) == status)
			return true;
	return !is_bad;
}

static void take_test(const struct walk *walk, const cJSON *test)
{
	const cJSON *name = json_member(test, "name"), *results = json_member(test, "results");
	const cJSON *summary = json_member(test, "test_summary");
	const char *text;

	if (!cJSON_IsString(name))
		return;
	text = json_text_string(walk->reading->arena, walk->text, name);
	json_text_line(walk->text, name)->is_taken = true;
	for (const cJSON *result = cJSON_IsArray(results) ? results->child : NULL; result; result = result->next)
		if (cJSON_IsObject(result))
			take_result(walk, result, text);
	if (cJSON_IsObject(summary) && !repeats_a_result(summary, results))
		take_result(walk, summary, text);
	if (!summary && !cJSON_IsArray(results))
		take_result(walk, test, text);
}

/* What kept it from running, and which driver it met, stand at different depths. */
static void take_member(const struct walk *walk, const cJSON *value)
{
	struct dump_line *line = json_text_line(walk->text, value);
	struct arena *arena = walk->reading->arena;

	if (!value->string || !cJSON_IsString(value))
		return;
	if (!strcmp(value->string, "Driver Version Detected")) {
		dcgm_put_driver(walk->reading, line, arena_strdup(arena, value->valuestring));
	} else if (!strcmp(value->string, "runtime_error") && *value->valuestring) {
		const struct dcgm_result result = { .test = "diagnostic", .gpu = DCGM_NO_GPU, .status = "not run",
						    .words = arena_strdup(arena, value->valuestring) };

		dcgm_put_result(walk->reading, line, &result);
	}
}

static void take_any(const struct walk *walk, const cJSON *value, unsigned depth)
{
	take_member(walk, value);
	for (const cJSON *child = value->child; child && depth < DEEPEST; child = child->next) {
		const cJSON *tests = cJSON_IsObject(child) ? NULL : child;

		if (!tests || !tests->string || strcmp(tests->string, "tests") != 0 || !cJSON_IsArray(tests)) {
			take_any(walk, child, depth + 1);
			continue;
		}
		for (const cJSON *test = tests->child; test; test = test->next)
			if (cJSON_IsObject(test))
				take_test(walk, test);
	}
}

/*
 * ---- health watches: {"body": {"GPU": {"children": {"0": {"value": "Warning", "children": …}}}, "Overall Health": …}}
 */

/* What was put is no pass. */
static bool take_status(const struct walk *walk, const cJSON *from, const char *test, int gpu)
{
	const cJSON *value = json_member(from, "value"), *more = json_member(from, "overflow");
	const cJSON *words = cJSON_IsArray(more) && cJSON_IsString(more->child) ? more->child : NULL;
	const char *status = cJSON_IsString(value) ? dcgm_health_status(value->valuestring) : NULL;
	const struct dcgm_result result = {
		.test = test, .gpu = gpu, .status = status,
		.words = words ? json_text_string(walk->reading->arena, walk->text, words) : NULL,
	};

	if (!status)
		return false;
	dcgm_put_result(walk->reading, json_text_line(walk->text, value), &result);
	return strcmp(status, "pass") != 0;
}

static bool take_health(const struct walk *walk, const cJSON *from, int gpu, unsigned depth)
{
	struct arena *arena = walk->reading->arena;
	bool is_bad = false;
	uint64_t number;

	for (const cJSON *child = from->child; child && depth < DEEPEST; child = child->next) {
		int of = gpu;

		if (!cJSON_IsObject(child) || !child->string || !strcmp(child->string, "Overall Health"))
			continue;
		if (gpu == DCGM_NO_GPU && !parse_u64(child->string, &number) && number < DCGM_MAX_GPUS)
			of = (int)number;
		if (of != DCGM_NO_GPU)
			is_bad |=
				take_status(walk, child, of == gpu ? arena_strdup(arena, child->string) : "health", of);
		is_bad |= take_health(walk, child, of, depth + 1);
	}
	return is_bad;
}

/* What is no GPU's is in the word for all alone. */
static bool take_report(const struct walk *walk)
{
	const cJSON *body = json_member(walk->text->doc.root, "body"), *overall = json_member(body, "Overall Health");

	if (!overall)
		return false;
	if (!take_health(walk, body, DCGM_NO_GPU, 0))
		take_status(walk, overall, "health", DCGM_NO_GPU);
	return true;
}

/* ---- {"event": "Test fail", "gpu": "GPU-…", "test": "memory", "error_code": 38, "detail": "GPU 0 …"} */

static void take_logged_result(const struct walk *walk, const cJSON *event)
{
	const cJSON *root = walk->text->doc.root, *uuid = json_member(root, "gpu"), *test = json_member(root, "test");
	const cJSON *words = json_member(root, "detail");
	struct arena *arena = walk->reading->arena;
	struct dcgm_result result = {
		.status = event->valuestring + strlen("Test "), .error = number_of(json_member(root, "error_code")),
	};

	if (!cJSON_IsString(test) || !cJSON_IsString(uuid))
		return;
	result.test = json_text_string(arena, walk->text, test);
	result.words = cJSON_IsString(words) ? json_text_string(arena, walk->text, words) : NULL;
	/* Of a warning that was cut off nothing tells whether it is of a setting. */
	if (!result.words && strcmp(result.status, "warn") == 0)
		return;
	result.gpu = result.words ? dcgm_gpu_of_words(result.words) : DCGM_NO_GPU;
	if (result.gpu == DCGM_NO_GPU)
		result.test = arena_printf(arena, "%s (%s)", result.test, uuid->valuestring);
	else if (text_begins(uuid->valuestring, "GPU-"))
		put(walk->reading, json_text_line(walk->text, uuid),
		    dcgm_gpu(walk->reading, json_text_line(walk->text, uuid), result.gpu)->nvml.uuid,
		    val_str(json_text_string(arena, walk->text, uuid)));
	dcgm_put_result(walk->reading, json_text_line(walk->text, event), &result);
}

/* How many failed: which they were stands below it, unless the log was cut. */
static void take_logged_sum(const struct walk *walk, const cJSON *event)
{
	const cJSON *root = walk->text->doc.root;
	int failed = number_of(json_member(root, "failed")), total = number_of(json_member(root, "total"));
	const struct dcgm_result result = {
		.test = "diagnostic", .gpu = DCGM_NO_GPU, .status = failed ? "fail" : "pass",
		.words = failed ? arena_printf(walk->reading->arena, "%d of %d tests failed", failed, total) : NULL,
	};

	dcgm_put_result(walk->reading, json_text_line(walk->text, event), &result);
}

static bool take_logged(const struct walk *walk)
{
	const cJSON *event = json_member(walk->text->doc.root, "event");

	if (!cJSON_IsString(event))
		return false;
	if (text_begins(event->valuestring, "Test "))
		take_logged_result(walk, event);
	else if (!strcmp(event->valuestring, "Diagnostic summary"))
		take_logged_sum(walk, event);
	return true;
}

void dcgm_json_read(struct reading *reading)
{
	struct json_text text;
	const struct walk walk = { .reading = reading, .text = &text };

	if (json_text_read(reading->part, &text) < 0)
		return;
	if (!take_logged(&walk) && !take_report(&walk))
		take_any(&walk, text.doc.root, 0);
	json_text_release(&text);
}
