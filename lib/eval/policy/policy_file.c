// SPDX-License-Identifier: GPL-2.0-or-later
/* policy_file.c - the text of a policy file into a policy; anything that is not understood is an error with its line. */
#include "base/compat.h"
#include "eval/policy/policy_reading.h"

#include <errno.h>

static void refuse_key(struct policy_reading *r, const cJSON *value)
{
	const char *names[NR_POLICY_ROWS + NR_POLICY_PARTS];
	size_t len = strlen(value->string), nr = 0;

	for (size_t i = 0; i < NR_POLICY_ROWS; i++) {
		names[nr++] = policy_rows[i].key;
		if (cJSON_IsObject(value) && !strncmp(policy_rows[i].key, value->string, len) &&
		    policy_rows[i].key[len] == '.') {
			policy_refuse(r, value, "\"%s%.40s\": keys are written whole, as in \"%s\"", r->prefix,
				      value->string, policy_rows[i].key);
			return;
		}
	}
	for (size_t i = 0; i < NR_POLICY_PARTS && r->of == READING_FILE; i++)
		names[nr++] = policy_parts[i].key;
	for (size_t i = 0; i < NR_POLICY_PARTS && r->of != READING_FILE; i++) {
		if (strcmp(policy_parts[i].key, value->string) != 0)
			continue;
		policy_refuse(r, value, "\"%s%s\": stands at the top of the file, not in an override", r->prefix, value->string);
		return;
	}
	policy_refuse_word(r, value, "unknown key", value->string, names, nr, "see gpudiag policy");
}

/* ---- "models" and "nodes": files within the file */

static void read_member(struct policy_reading *r, const cJSON *value);

/* Why nothing can have that name, as a pattern goes; NULL: something may. */
static const char *pattern_fault(const char *pattern, bool of_models)
{
	if (!*pattern)
		return "a pattern expected";
	/* "NVIDIA H100 80GB HBM3": a maker and a model at least, as a rule. What is one word can end in a *. */
	if (of_models && !strpbrk(pattern, "*? "))
		return "hardly the whole name of a GPU; * stands for the rest, as in \"*H100*\"";
	if (!of_models && strpbrk(pattern, "[]{}()|,+^$ "))
		return "no host has such a name; patterns know * and ? alone";
	return NULL;
}

static void read_override(struct policy_reading *r, const cJSON *value, bool of_models)
{
	const char *where = of_models ? "models" : "nodes", *fault = pattern_fault(value->string, of_models);

	struct policy *set = arena_alloc(r->arena, sizeof(*set));
	struct policy_override *all;
	struct policy_reading inner = *r;

	inner.policy = set;
	inner.of = of_models ? READING_MODEL : READING_NODE;
	inner.prefix = arena_printf(r->arena, "%s.%.60s.", where, value->string);
	if (fault)
		policy_refuse(r, value, "\"%s.%.60s\": %s", where, value->string, fault);
	if (!cJSON_IsObject(value)) {
		policy_refuse(r, value, "\"%s.%.60s\": an object of values expected, as in { \"%s\": … }", where,
			      value->string, policy_rows[0].key);
		return;
	}
	for (const cJSON *member = value->child; member; member = member->next)
		read_member(&inner, member);
	all = arena_grow(r->arena, (void *)(uintptr_t)r->policy->overrides, r->policy->nr_overrides, sizeof(*all));
	all[r->policy->nr_overrides++] = (struct policy_override){
		.is_of_models = of_models, .pattern = arena_strdup(r->arena, value->string),
		.line = json_line(r->doc, value), .set = set,
	};
	r->policy->overrides = all;
}

static void read_overrides(struct policy_reading *r, const cJSON *value, bool of_models)
{
	if (!cJSON_IsObject(value)) {
		policy_refuse(r, value, "\"%s\": an object of patterns expected, as in %s", value->string,
			      of_models ? "{ \"*H100*\": { … } }" : "{ \"gpu-1*\": { … } }");
		return;
	}
	for (const cJSON *item = value->child; item; item = item->next)
		read_override(r, item, of_models);
}

/* The part of that name, which an override has no more of than its regrades; false: it is none. */
static bool read_part(struct policy_reading *r, const cJSON *value)
{
	if (!strcmp(value->string, "regrade")) {
		policy_read_regrades(r, value);
		return true;
	}
	if (r->of != READING_FILE)
		return false;
	if (!strcmp(value->string, "models"))
		read_overrides(r, value, true);
	else if (!strcmp(value->string, "nodes"))
		read_overrides(r, value, false);
	else if (!strcmp(value->string, "quiet"))
		policy_read_quiets(r, value);
	else
		return false;
	return true;
}

static void read_member(struct policy_reading *r, const cJSON *value)
{
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++) {
		if (strcmp(policy_rows[row].key, value->string) != 0)
			continue;
		policy_read_row(r, row, value);
		return;
	}
	if (!read_part(r, value))
		refuse_key(r, value);
}

static void read_root(struct policy_reading *r)
{
	const cJSON *root = r->doc->root;

	if (!cJSON_IsObject(root)) {
		policy_refuse(r, root, "an object expected, as in { \"%s\": … }", policy_rows[0].key);
		return;
	}
	for (const cJSON *value = root->child; value; value = value->next)
		read_member(r, value);
	policy_check_pins(r);
}

int policy_parse(struct policy *ret, struct arena *arena, const struct strs *checks, const char *path,
		 const char *text, size_t len, struct policy_errors *errors)
{
	struct json_error error = { .line = 0 };
	struct json_doc doc;
	struct policy_reading reading = {
		.policy = ret, .arena = arena, .checks = checks, .doc = &doc, .errors = errors, .prefix = "",
	};

	memset(errors, 0, sizeof(*errors));
	*ret = policy_built_in;
	ret->path = reading.path = arena_strdup(arena, path);
	if (json_parse(text, len, JSON_COMMENTS, &doc, &error)) {
		policy_add_error(arena, errors, error.line, error.what);
		return -EINVAL;
	}
	read_root(&reading);
	json_release(&doc);
	return errors->nr ? -EINVAL : 0;
}
