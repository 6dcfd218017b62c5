// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline_file.c - a baseline as a JSON file, there and back. */
#include "base/compat.h"
#include "eval/baseline/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>

#include "base/text.h"

/* ---- what a figure's object holds */

enum member_kind {
	MEMBER_TEXT,			/* const char *; null where it may be */
	MEMBER_WHOLE,			/* struct val_u64; null where it may be */
	MEMBER_NUMBER,			/* double, not below 0 */
	MEMBER_COUNT,			/* uint64_t, 1 and more */
	MEMBER_UNIT,			/* enum unit, by its symbol */
};

struct member {
	const char *key;
	enum member_kind kind;
	bool may_be_null;
	size_t offset;
};

#define MEMBER(record, name, kind, may_be_null) { #name, kind, may_be_null, offsetof(struct record, name) }

static const struct member gpu_members[] = {
	MEMBER(gpu_identity, serial, MEMBER_TEXT, true), MEMBER(gpu_identity, uuid, MEMBER_TEXT, true),
	{ "pci", MEMBER_TEXT, true, offsetof(struct gpu_identity, address) },
	MEMBER(gpu_identity, model, MEMBER_TEXT, true),
};

static const struct member figure_members[] = {
	MEMBER(baseline_figure, device, MEMBER_TEXT, false),
	MEMBER(baseline_figure, test, MEMBER_TEXT, false),
	MEMBER(baseline_figure, method, MEMBER_TEXT, true),
	MEMBER(baseline_figure, size_bytes, MEMBER_WHOLE, true),
	MEMBER(baseline_figure, numa_node, MEMBER_WHOLE, true),
	MEMBER(baseline_figure, unit, MEMBER_UNIT, false),
	MEMBER(baseline_figure, median, MEMBER_NUMBER, false),
	MEMBER(baseline_figure, spread, MEMBER_NUMBER, false),
	MEMBER(baseline_figure, noise, MEMBER_NUMBER, false),
	MEMBER(baseline_figure, n, MEMBER_COUNT, false),
};

static const enum unit units[] = { UNIT_GBPS, UNIT_GFLOPS, UNIT_NS };

/* ---- reading */

struct reading {
	struct baseline *baseline;
	const struct json_doc *doc;
	struct merge_unknown *unknown;
	struct json_error *error;
};

static int PRINTF_LIKE(3, 4) refuse(struct reading *r, const cJSON *at, const char *format, ...)
{
	va_list args;

	r->error->line = json_line(r->doc, at);
	va_start(args, format);
	vsnprintf(r->error->what, sizeof(r->error->what), format, args);
	va_end(args);
	return -EINVAL;
}

static int refuse_key(struct reading *r, const cJSON *value, const char *const *names, size_t nr)
{
	const char *near = nearest_word(value->string, names, nr);

	return refuse(r, value, "unknown key \"%.40s\"%s%s%s", value->string, near ? " (did you mean \"" : "",
		      near ? near : "", near ? "\"?)" : "");
}

static int read_unit(struct reading *r, const cJSON *value, enum unit *ret)
{
	for (size_t i = 0; cJSON_IsString(value) && i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit_symbol(units[i]), value->valuestring)) {
			*ret = units[i];
			return 0;
		}
	return refuse(r, value, "\"unit\": \"GB/s\", \"GFLOP/s\" or \"ns\" expected");
}

static int read_whole(struct reading *r, const struct member *member, const cJSON *value, uint64_t least, uint64_t *ret)
{
	if (json_u64(r->doc, value, ret) || *ret < least)
		return refuse(r, value, "\"%s\": a whole number%s expected", member->key, least ? " from 1" : "");
	return 0;
}

static int read_member(struct reading *r, const struct member *member, const cJSON *value, void *base)
{
	void *at = (char *)base + member->offset;
	uint64_t whole;

	if (cJSON_IsNull(value) && member->may_be_null) {
		if (member->kind == MEMBER_WHOLE)
			*(struct val_u64 *)at = no_u64(VAL_ABSENT, NULL);
		return 0;
	}
	switch (member->kind) {
	case MEMBER_TEXT:
		if (!cJSON_IsString(value))
			return refuse(r, value, "\"%s\": a text expected", member->key);
		*(const char **)at = arena_strdup(&r->baseline->arena, value->valuestring);
		return 0;
	case MEMBER_WHOLE:
		if (read_whole(r, member, value, 0, &whole))
			return -EINVAL;
		*(struct val_u64 *)at = val_u64(whole);
		return 0;
	case MEMBER_COUNT:
		return read_whole(r, member, value, 1, at);
	case MEMBER_UNIT:
		return read_unit(r, value, at);
	default:
		if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble < 0.0)
			return refuse(r, value, "\"%s\": a number from 0 expected", member->key);
		*(double *)at = value->valuedouble;
		return 0;
	}
}

/* Every member once, and nothing else but the object named apart, which may be NULL. */
static int read_members(struct reading *r, const cJSON *object, const struct member *members, size_t nr,
			const char *apart, void *base)
{
	const char *names[ARRAY_SIZE(figure_members) + 1];

	if (!cJSON_IsObject(object))
		return refuse(r, object, "an object expected");
	for (size_t i = 0; i < nr; i++) {
		const cJSON *value = json_member(object, members[i].key);

		names[i] = members[i].key;
		if (!value)
			return refuse(r, object, "no \"%s\"", members[i].key);
		if (read_member(r, &members[i], value, base))
			return -EINVAL;
	}
	names[nr] = apart;
	for (const cJSON *value = object->child; value; value = value->next) {
		size_t at = 0;

		while (at < nr + (apart != NULL) && strcmp(names[at], value->string) != 0)
			at++;
		if (at == nr + (apart != NULL))
			return refuse_key(r, value, names, at);
	}
	return 0;
}

static int read_figure(struct reading *r, const cJSON *object, struct baseline_figure *ret)
{
	const cJSON *gpu = json_member(object, "gpu");

	if (read_members(r, object, figure_members, ARRAY_SIZE(figure_members), "gpu", ret))
		return -EINVAL;
	if (ret->median <= 0.0)
		return refuse(r, json_member(object, "median"), "\"median\": a number above 0 expected");
	if (!gpu)
		return refuse(r, object, "no \"gpu\"");
	if (cJSON_IsNull(gpu))
		return 0;
	return read_members(r, gpu, gpu_members, ARRAY_SIZE(gpu_members), NULL, &ret->gpu);
}

static int read_figures(struct reading *r, const cJSON *list)
{
	struct baseline *baseline = r->baseline;

	if (!cJSON_IsArray(list))
		return refuse(r, list, "\"figures\": a list expected");
	baseline->figures = arena_alloc(&baseline->arena,
					(size_t)cJSON_GetArraySize(list) * sizeof(*baseline->figures));
	for (const cJSON *item = list->child; item; item = item->next)
		if (read_figure(r, item, &baseline->figures[baseline->nr_figures++]))
			return -EINVAL;
	return 0;
}

static int read_saved_at(struct reading *r, const cJSON *value)
{
	int64_t seconds;

	if (!cJSON_IsString(value) || parse_rfc3339(value->valuestring, &seconds))
		return refuse(r, value, "\"saved_at\": a time expected, as in \"2026-01-02T03:04:05.000Z\"");
	r->baseline->saved_at = arena_strdup(&r->baseline->arena, value->valuestring);
	return 0;
}

static int read_top(struct reading *r, const cJSON *value)
{
	static const char *const keys[] = { "tool", "saved_at", "runs", "with_findings", "figures", "snapshot" };
	static const struct member tool = { "tool", MEMBER_TEXT, false, offsetof(struct baseline, tool) };
	static const struct member runs = { "runs", MEMBER_COUNT, false, offsetof(struct baseline, runs) };

	if (!strcmp(value->string, "schema"))
		return 0;
	if (!strcmp(value->string, "tool"))
		return read_member(r, &tool, value, r->baseline);
	if (!strcmp(value->string, "saved_at"))
		return read_saved_at(r, value);
	if (!strcmp(value->string, "runs"))
		return read_member(r, &runs, value, r->baseline);
	if (!strcmp(value->string, "figures"))
		return read_figures(r, value);
	if (!strcmp(value->string, "snapshot"))
		return snapshot_load_object(&r->baseline->snapshot, r->doc, value, r->unknown, r->error);
	if (strcmp(value->string, "with_findings") != 0)
		return refuse_key(r, value, keys, ARRAY_SIZE(keys));
	if (!cJSON_IsBool(value))
		return refuse(r, value, "\"with_findings\": true or false expected");
	r->baseline->with_findings = cJSON_IsTrue(value);
	return 0;
}

static const char family[] = "gpudiag.baseline/";

static int check_schema(struct reading *r, const cJSON *root)
{
	const cJSON *schema = json_member(root, "schema");

	if (!cJSON_IsObject(root) || !cJSON_IsString(schema) ||
	    strncmp(schema->valuestring, family, strlen(family)) != 0)
		return refuse(r, schema ? schema : root, "not a baseline of gpudiag: no \"schema\": \"%s\"",
			      BASELINE_SCHEMA);
	if (strcmp(schema->valuestring, BASELINE_SCHEMA) != 0)
		return refuse(r, schema,
			      "schema \"%.40s\" is unknown to this gpudiag, which reads \"%s\": save a new baseline",
			      schema->valuestring, BASELINE_SCHEMA);
	return 0;
}

static int read_root(struct reading *r)
{
	static const char *const needed[] = { "tool", "saved_at", "runs", "figures", "snapshot" };
	const cJSON *root = r->doc->root;

	if (check_schema(r, root))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!json_member(root, needed[i]))
			return refuse(r, root, "no \"%s\"", needed[i]);
	for (const cJSON *value = root->child; value; value = value->next)
		if (read_top(r, value))
			return -EINVAL;
	return 0;
}

int baseline_parse(struct baseline *ret, const char *path, const char *text, size_t len, struct merge_unknown *unknown,
		   struct json_error *error)
{
	struct json_doc doc;
	struct reading reading = { .baseline = ret, .doc = &doc, .unknown = unknown, .error = error };
	int r;

	memset(ret, 0, sizeof(*ret));
	memset(unknown, 0, sizeof(*unknown));
	ret->path = arena_strdup(&ret->arena, path);
	r = json_parse(text, len, 0, &doc, error);
	if (r)
		return r;
	r = read_root(&reading);
	json_release(&doc);
	return r;
}

bool is_baseline(const char *text, size_t len)
{
	struct json_error error;
	struct json_doc doc;
	const cJSON *schema;
	bool is;

	if (json_parse(text, len, 0, &doc, &error))
		return false;
	schema = json_member(doc.root, "schema");
	is = cJSON_IsString(schema) && !strncmp(schema->valuestring, family, strlen(family));
	json_release(&doc);
	return is;
}

/* ---- writing */

static void write_members(struct json_writer *w, const struct member *members, size_t nr, const void *base)
{
	for (size_t i = 0; i < nr; i++) {
		const void *at = (const char *)base + members[i].offset;
		const struct val_u64 *whole = at;

		json_key(w, members[i].key);
		switch (members[i].kind) {
		case MEMBER_TEXT:
			json_put_str(w, *(const char *const *)at);
			break;
		case MEMBER_WHOLE:
			if (is_known(*whole))
				json_put_u64(w, u64_or(*whole, 0));
			else
				json_put_null(w);
			break;
		case MEMBER_COUNT:
			json_put_u64(w, *(const uint64_t *)at);
			break;
		case MEMBER_UNIT:
			json_put_str(w, unit_symbol(*(const enum unit *)at));
			break;
		default:
			json_put_f64(w, *(const double *)at);
			break;
		}
	}
}

static void write_figure(struct json_writer *w, const struct baseline_figure *figure)
{
	const struct gpu_identity *gpu = &figure->gpu;

	json_object_begin(w);
	json_key(w, "gpu");
	if (gpu->serial || gpu->uuid || gpu->address || gpu->model) {
		json_object_begin(w);
		write_members(w, gpu_members, ARRAY_SIZE(gpu_members), gpu);
		json_object_end(w);
	} else {
		json_put_null(w);
	}
	write_members(w, figure_members, ARRAY_SIZE(figure_members), figure);
	json_object_end(w);
}

void baseline_write(struct strbuf *out, const struct baseline *baseline)
{
	struct json_writer w = { .out = out, .indent = 2 };

	json_object_begin(&w);
	json_str(&w, "schema", BASELINE_SCHEMA);
	json_str(&w, "tool", baseline->tool);
	json_str(&w, "saved_at", baseline->saved_at);
	json_u64_member(&w, "runs", baseline->runs);
	json_bool_member(&w, "with_findings", baseline->with_findings);
	json_array_member(&w, "figures");
	for (size_t i = 0; i < baseline->nr_figures; i++)
		write_figure(&w, &baseline->figures[i]);
	json_array_end(&w);
	json_key(&w, "snapshot");
	snapshot_write_object(&w, &baseline->snapshot);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}

void baseline_release(struct baseline *baseline)
{
	snapshot_release(&baseline->snapshot);
	arena_release(&baseline->arena);
	memset(baseline, 0, sizeof(*baseline));
}
