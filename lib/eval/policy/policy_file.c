// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * policy_file.c - the text of a policy file into a policy, with the parts of it that are objects of their own; anything
 * that is not understood, and what contradicts itself, is an error with its line.
 */
#include "base/compat.h"
#include "eval/policy/policy_reading.h"

#include <errno.h>

#include "base/text.h"
#include "eval/nvidia/nvidia_branches.h"
#include "eval/policy/pins.h"
#include "snapshot/snapshot.h"

/* ---- "regrade" */

static void refuse_finding(struct policy_reading *r, const cJSON *at, const char *where, const char *name,
			   bool or_check)
{
	size_t nr = 0;
	const char **names = arena_alloc(r->arena, (NR_FINDINGS + r->checks->nr) * sizeof(*names));
	struct policy_reading inner = *r;

	for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++)
		names[nr++] = finding_defs[id].name;
	for (size_t i = 0; i < r->checks->nr && or_check; i++)
		names[nr++] = r->checks->v[i];
	if (!or_check && strs_has(r->checks, name)) {
		policy_refuse(r, at,
			      "\"%s%s\": \"%s\" is a check, not a finding (for its findings: gpudiag explain %s)",
			      r->prefix, where, name, name);
		return;
	}
	inner.prefix = "";
	policy_refuse_word(&inner, at, arena_printf(r->arena, "\"%s%s\": unknown finding", r->prefix, where),
			   name, names, nr, "see gpudiag list findings");
}

static bool outcome_of(const cJSON *value, enum outcome *ret)
{
	static const enum outcome grades[] = { OUTCOME_NOTE, OUTCOME_WARN, OUTCOME_FAIL };

	for (size_t i = 0; i < ARRAY_SIZE(grades) && cJSON_IsString(value); i++) {
		*ret = grades[i];
		if (!strcmp(value->valuestring, outcome_name(grades[i])))
			return true;
	}
	return false;
}

static void read_regrade(struct policy_reading *r, const cJSON *value)
{
	enum finding_id id = finding_by_name(value->string);
	struct policy_regrade *all;
	enum outcome outcome;

	if (id == NO_FINDING) {
		refuse_finding(r, value, "regrade", value->string, false);
	} else if (!outcome_of(value, &outcome)) {
		policy_refuse(r, value, "\"%sregrade.%s\": \"note\", \"warn\" or \"fail\" expected", r->prefix,
			      value->string);
	} else if (outcome < finding_defs[id].outcome && finding_is_fatal(id)) {
		policy_refuse(r, value, "\"%sregrade.%s\": stays %s: %s", r->prefix, value->string,
			      outcome_name(finding_defs[id].outcome), finding_is_fatal(id));
	} else {
		all = arena_grow(r->arena, (void *)(uintptr_t)r->policy->regrades, r->policy->nr_regrades,
				 sizeof(*all));
		all[r->policy->nr_regrades++] = (struct policy_regrade){
			.finding = id, .outcome = outcome, .line = json_line(r->doc, value),
			.place = policy_origin_of(r, value),
		};
		r->policy->regrades = all;
	}
}

static void read_regrades(struct policy_reading *r, const cJSON *value)
{
	if (!cJSON_IsObject(value)) {
		policy_refuse(r, value, "\"%sregrade\": an object of findings expected, as in { \"%s\": \"warn\" }",
			      r->prefix, finding_defs[NO_FINDING + 1].name);
		return;
	}
	for (const cJSON *item = value->child; item; item = item->next)
		read_regrade(r, item);
}

/* ---- "quiet" */

static bool is_date(const char *text)
{
	char again[32];
	int64_t seconds;
	STRBUF_AUTO stamp = STRBUF_INIT;

	strbuf_addf(&stamp, "%sT00:00:00.000Z", text);
	if (strlen(text) != strlen("2026-12-31") || parse_rfc3339(stamp.buf, &seconds))
		return false;
	/* The 31st of a month of 30 days comes back as another day. */
	format_rfc3339(seconds, 0, again);
	return !strncmp(again, text, strlen(text));
}

static const char *const quiet_keys[] = { "finding", "gpu", "node", "until", "reason" };

/* A member as a text, NULL where it is not there. What is no text, or none at all, is refused. */
static const char *read_quiet_text(struct policy_reading *r, const cJSON *item, const char *key)
{
	const cJSON *value = json_member(item, key);

	if (value && (!cJSON_IsString(value) || !value->valuestring[strspn(value->valuestring, " ")])) {
		policy_refuse(r, value, "\"quiet.%s\": a text expected", key);
		return NULL;
	}
	return value ? arena_strdup(r->arena, value->valuestring) : NULL;
}

static void check_quiet_keys(struct policy_reading *r, const cJSON *item)
{
	struct policy_reading inner = *r;

	inner.prefix = "quiet.";
	for (const cJSON *member = item->child; member; member = member->next) {
		bool is_key = false;

		for (size_t i = 0; i < ARRAY_SIZE(quiet_keys); i++)
			is_key |= !strcmp(member->string, quiet_keys[i]);
		if (!is_key)
			policy_refuse_word(&inner, member, "unknown key", member->string, quiet_keys,
					   ARRAY_SIZE(quiet_keys), "there are finding, gpu, node, until and reason");
	}
}

static bool is_value_of(const struct record *record, const char *name)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];

		if (field_is_value(field) ? !strcmp(field->name, name)
					  : field->record && is_value_of(field->record, name))
			return true;
	}
	return false;
}

static void check_quiet_value(struct policy_reading *r, const cJSON *at, const char *name)
{
	if (!is_value_of(&record_gpu, name) && !is_value_of(&record_nvml, name) &&
	    !is_value_of(&record_kernel_log, name))
		policy_refuse(r, at,
			      "\"quiet.finding\": unknown GPU value \"%.40s\" (see the keys in gpudiag-snapshot(5))",
			      name);
}

/* What it must say, and whether that may be said. */
static void check_quiet(struct policy_reading *r, const cJSON *item, const struct policy_quiet *quiet)
{
	enum finding_id id = quiet->finding ? finding_by_name(quiet->finding) : NO_FINDING;

	if (!json_member(item, "finding"))
		policy_refuse(r, item, "\"quiet\": an entry without \"finding\": the id of a finding, or a check");
	else if (quiet->finding && !strncmp(quiet->finding, QUIET_VALUE, strlen(QUIET_VALUE)))
		check_quiet_value(r, json_member(item, "finding"), quiet->finding + strlen(QUIET_VALUE));
	else if (quiet->finding && id == NO_FINDING && !strs_has(r->checks, quiet->finding))
		refuse_finding(r, json_member(item, "finding"), "quiet.finding", quiet->finding, true);
	else if (id != NO_FINDING && finding_is_fatal(id))
		policy_refuse(r, json_member(item, "finding"), "\"quiet.finding\": %s cannot be quiet: %s",
			      quiet->finding, finding_is_fatal(id));
	if (!json_member(item, "until"))
		policy_refuse(r, item, "\"quiet\": an entry without \"until\": its last day, as in \"2026-12-31\"");
	else if (quiet->until && !is_date(quiet->until))
		policy_refuse(r, json_member(item, "until"),
			      "\"quiet.until\": \"%.40s\" is not a date; use the form \"2026-12-31\"", quiet->until);
	if (!json_member(item, "reason"))
		policy_refuse(r, item, "\"quiet\": an entry without \"reason\": why no action is needed");
}

static void read_quiet(struct policy_reading *r, const cJSON *item)
{
	struct policy_quiet quiet = { .line = json_line(r->doc, item), .place = policy_origin_of(r, item) }, *all;

	if (!cJSON_IsObject(item)) {
		policy_refuse(r, item, "\"quiet\": a list of objects expected, each with finding, until and reason");
		return;
	}
	check_quiet_keys(r, item);
	quiet.finding = read_quiet_text(r, item, "finding");
	quiet.gpu = read_quiet_text(r, item, "gpu");
	quiet.node = read_quiet_text(r, item, "node");
	quiet.until = read_quiet_text(r, item, "until");
	quiet.reason = read_quiet_text(r, item, "reason");
	check_quiet(r, item, &quiet);
	all = arena_grow(r->arena, (void *)(uintptr_t)r->policy->quiets, r->policy->nr_quiets, sizeof(*all));
	all[r->policy->nr_quiets++] = quiet;
	r->policy->quiets = all;
}

static void read_quiets(struct policy_reading *r, const cJSON *value)
{
	if (!cJSON_IsArray(value)) {
		policy_refuse(r, value, "\"quiet\": a list expected, as in [ { \"finding\": … } ]");
		return;
	}
	for (const cJSON *item = value->child; item; item = item->next)
		read_quiet(r, item);
}

/* ---- what contradicts each other */

/* No driver that the pins allow is as new as what a CUDA version came with. */
static void check_cuda(struct policy_reading *r, const struct policy *policy, const char *prefix)
{
	const char *cuda = policy->runtime_cuda_version_min, *driver = cuda ? nvidia_driver_least_for_cuda(cuda) : NULL;
	const struct strs *pins = &policy->pins_nvidia_driver;

	if (!driver || !pins->nr)
		return;
	for (size_t i = 0; i < pins->nr; i++)
		if (!pin_is_below(pins->v[i], driver))
			return;
	policy_refuse_line(
		r, policy->lines[POLICY_ROW_pins_nvidia_driver],
		"\"%s%s\": none of these drivers offers CUDA %s, which \"%s\" asks for in line %u: that takes %s",
		prefix, policy_rows[POLICY_ROW_pins_nvidia_driver].key, cuda,
		policy_rows[POLICY_ROW_runtime_cuda_version_min].key,
		policy->lines[POLICY_ROW_runtime_cuda_version_min], driver);
}

static void check_pins(struct policy_reading *r)
{
	check_cuda(r, r->policy, "");
	for (size_t i = 0; i < r->policy->nr_overrides; i++) {
		const struct policy_override *override = &r->policy->overrides[i];
		struct policy over = *r->policy;

		if (!override->set->lines[POLICY_ROW_pins_nvidia_driver] &&
		    !override->set->lines[POLICY_ROW_runtime_cuda_version_min])
			continue;
		policy_lay_over(r->arena, &over, override->set);
		check_cuda(r, &over, arena_printf(r->arena, "nodes.%.60s.", override->pattern));
	}
}

/* ---- keys */

static void refuse_key(struct policy_reading *r, const cJSON *value)
{
	const char *names[NR_POLICY_ROWS + NR_POLICY_PARTS];
	size_t len = strlen(value->string), nr = 0;

	for (size_t i = 0; i < NR_POLICY_ROWS; i++) {
		names[nr++] = policy_rows[i].key;
		if (cJSON_IsObject(value) && !strncmp(policy_rows[i].key, value->string, len) &&
		    policy_rows[i].key[len] == '.') {
			policy_refuse(r, value, "\"%s%.40s\": write the whole key, as in \"%s\"", r->prefix,
				      value->string, policy_rows[i].key);
			return;
		}
	}
	for (size_t i = 0; i < NR_POLICY_PARTS && r->of == READING_FILE; i++)
		names[nr++] = policy_parts[i].key;
	for (size_t i = 0; i < NR_POLICY_PARTS && r->of != READING_FILE; i++) {
		if (strcmp(policy_parts[i].key, value->string) != 0)
			continue;
		policy_refuse(r, value, "\"%s%s\": allowed only at the top level, not in an override", r->prefix,
			      value->string);
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
		return "a GPU model has more than one word; use * for the rest, as in \"*H100*\"";
	if (!of_models && strpbrk(pattern, "[]{}()|,+^$ "))
		return "not a host name pattern; only * and ? are wildcards";
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
		read_regrades(r, value);
		return true;
	}
	if (r->of != READING_FILE)
		return false;
	if (!strcmp(value->string, "models"))
		read_overrides(r, value, true);
	else if (!strcmp(value->string, "nodes"))
		read_overrides(r, value, false);
	else if (!strcmp(value->string, "quiet"))
		read_quiets(r, value);
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
	check_pins(r);
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
