// SPDX-License-Identifier: GPL-2.0-or-later
/* policy_file.c - the text of a policy file into a policy; anything that is not understood is an error with its line. */
#include "base/compat.h"
#include "eval/policy.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>

#include "base/alloc.h"
#include "base/text.h"
#include "eval/check.h"

/* One file being read. */
struct reading {
	struct policy *policy;
	struct arena *arena;
	const struct playbook *playbook;
	const struct json_doc *doc;
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

static int refuse_key(struct reading *r, const cJSON *value)
{
	const char *names[NR_POLICY_ROWS], *near;
	size_t len = strlen(value->string);

	for (size_t i = 0; i < NR_POLICY_ROWS; i++) {
		names[i] = policy_rows[i].key;
		if (cJSON_IsObject(value) && !strncmp(names[i], value->string, len) && names[i][len] == '.')
			return refuse(r, value, "\"%.40s\": keys are written whole, as in \"%s\"", value->string, names[i]);
	}
	near = nearest_word(value->string, names, NR_POLICY_ROWS);
	if (near)
		return refuse(r, value, "unknown key \"%.40s\" (did you mean \"%s\"?)", value->string, near);
	return refuse(r, value, "unknown key \"%.40s\"; see gpudiag policy", value->string);
}

static int read_number(struct reading *r, unsigned row, const cJSON *value, double *ret)
{
	const char *key = policy_rows[row].key;
	double min, max;

	policy_range(row, &min, &max);
	if (!cJSON_IsNumber(value))
		return refuse(r, value, "\"%s\": a number expected", key);
	if (!isfinite(value->valuedouble) || value->valuedouble < min || value->valuedouble > max) {
		char low[32], high[32];

		json_format_f64(min, low);
		json_format_f64(max, high);
		if (!isfinite(max))
			return refuse(r, value, "\"%s\": %s or more expected", key, low);
		return refuse(r, value, "\"%s\": a number from %s to %s expected", key, low, high);
	}
	*ret = value->valuedouble;
	return 0;
}

static int refuse_check(struct reading *r, const cJSON *value)
{
	const char **names = xcalloc(r->playbook->nr, sizeof(*names)), *near;

	for (size_t i = 0; i < r->playbook->nr; i++)
		names[i] = r->playbook->rows[i].check->name;
	near = nearest_word(value->valuestring, names, r->playbook->nr);
	free(names);
	return refuse(r, value, "there is no check \"%.40s\"%s%s%s; see gpudiag list checks", value->valuestring,
		      near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

static bool is_check(const struct playbook *playbook, const char *name)
{
	for (size_t i = 0; i < playbook->nr; i++)
		if (!strcmp(playbook->rows[i].check->name, name))
			return true;
	return false;
}

static int read_text(struct reading *r, unsigned row, const cJSON *value, struct strs *ret)
{
	if (!cJSON_IsString(value))
		return refuse(r, value, "\"%s\": a text or a list of texts expected", policy_rows[row].key);
	if (policy_rows[row].kind == POLICY_IS_CHECKS && !is_check(r->playbook, value->valuestring))
		return refuse_check(r, value);
	/* An empty pattern is none: "pins.kernel": "" pins nothing. */
	if (*value->valuestring) {
		ret->v = arena_grow(r->arena, ret->v, ret->nr, sizeof(*ret->v));
		ret->v[ret->nr++] = arena_strdup(r->arena, value->valuestring);
	}
	return 0;
}

/* One text stands for a list of one. */
static int read_texts(struct reading *r, unsigned row, const cJSON *value, struct strs *ret)
{
	*ret = (struct strs){ .nr = 0 };
	if (!cJSON_IsArray(value))
		return read_text(r, row, value, ret);
	for (const cJSON *item = value->child; item; item = item->next)
		if (read_text(r, row, item, ret))
			return -EINVAL;
	return 0;
}

/* As a number 1.10 would be 1.1. */
static int read_version(struct reading *r, unsigned row, const cJSON *value, const char **ret)
{
	if (!cJSON_IsString(value) || (*value->valuestring && !version_valid(value->valuestring)))
		return refuse(r, value, "\"%s\": a version in quotes expected, as in \"3.0\"", policy_rows[row].key);
	/* An empty one is none. */
	*ret = *value->valuestring ? arena_strdup(r->arena, value->valuestring) : NULL;
	return 0;
}

static int read_value(struct reading *r, unsigned row, const cJSON *value)
{
	void *member = (char *)r->policy + policy_rows[row].offset;

	r->policy->lines[row] = json_line(r->doc, value);
	switch (policy_rows[row].kind) {
	case POLICY_IS_NUMBER:
		return read_number(r, row, value, member);
	case POLICY_IS_BOOL:
		if (!cJSON_IsBool(value))
			return refuse(r, value, "\"%s\": true or false expected", policy_rows[row].key);
		*(bool *)member = cJSON_IsTrue(value);
		return 0;
	case POLICY_IS_VERSION:
		return read_version(r, row, value, member);
	default:
		return read_texts(r, row, value, member);
	}
}

static int read_member(struct reading *r, const cJSON *value)
{
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++)
		if (!strcmp(policy_rows[row].key, value->string))
			return read_value(r, row, value);
	return refuse_key(r, value);
}

static int read_members(struct reading *r)
{
	const cJSON *root = r->doc->root;

	if (!cJSON_IsObject(root))
		return refuse(r, root, "an object expected, as in { \"%s\": … }", policy_rows[0].key);
	for (const cJSON *value = root->child; value; value = value->next)
		if (read_member(r, value))
			return -EINVAL;
	return 0;
}

int policy_parse(struct policy *ret, struct arena *arena, const struct playbook *playbook, const char *path,
		 const char *text, size_t len, struct json_error *error)
{
	struct json_doc doc;
	struct reading reading = {
		.policy = ret, .arena = arena, .playbook = playbook, .doc = &doc, .error = error,
	};
	int r;

	*ret = policy_built_in;
	ret->path = arena_strdup(arena, path);
	r = json_parse(text, len, JSON_COMMENTS, &doc, error);
	if (r)
		return r;
	r = read_members(&reading);
	json_release(&doc);
	return r;
}
