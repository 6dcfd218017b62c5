// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge.c - facts into a snapshot. A worker's frame and a whole snapshot file
 * go the same way: there is one decoder.
 */
#include "base/compat.h"
#include "base/text_scan.h"
#include "snapshot/domain.h"
#include "snapshot/snapshot.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>

enum { MAX_PATH_DEPTH = 8 };	/* records.def nests no deeper than this; see snapshot_fill_unset() */

/* One merge under way. */
struct merge {
	struct arena *arena;
	const struct json_doc *doc;
	const struct merge_options *options;
	struct json_error *error;
	const char *path[MAX_PATH_DEPTH];
	size_t depth;
	bool is_within;			/* the scope: so is all that is deeper */
};

static int PRINTF_LIKE(3, 4) refuse(struct merge *m, const cJSON *at, const char *format, ...)
{
	va_list args;

	m->error->line = json_line(m->doc, at);
	va_start(args, format);
	vsnprintf(m->error->what, sizeof(m->error->what), format, args);
	va_end(args);
	return -EINVAL;
}

/* How a scope path and the place we are at agree. */
enum reach { REACH_NONE, REACH_ON_THE_WAY, REACH_WITHIN };

static enum reach path_reach(const char *scope_path, const char *const *path, size_t depth)
{
	for (size_t i = 0; i < depth; i++) {
		size_t len = strcspn(scope_path, ".");

		if (strlen(path[i]) != len || memcmp(path[i], scope_path, len))
			return REACH_NONE;
		scope_path += len;
		if (!*scope_path)
			return REACH_WITHIN;
		scope_path++;
	}
	return REACH_ON_THE_WAY;
}

static enum reach scope_reach(const struct merge_scope *scope, const char *const *path, size_t depth)
{
	enum reach best = REACH_NONE;

	if (!scope || !scope->paths)
		return REACH_WITHIN;
	for (const char *const *p = scope->paths; *p && best != REACH_WITHIN; p++) {
		enum reach reach = path_reach(*p, path, depth);

		if (reach > best)
			best = reach;
	}
	return best;
}

/* The key restriction applies to elements of top-level lists only. */
static bool scope_allows_key(const struct merge_scope *scope, size_t depth, const char *key)
{
	if (!scope || depth != 1 || (!scope->key && !scope->key_prefix))
		return true;
	if (scope->key && !strcmp(scope->key, key))
		return true;
	return scope->key_prefix && !strncmp(key, scope->key_prefix, strlen(scope->key_prefix));
}

/* The next from *from on, where the search of the one behind it begins: members come in the order of the fields. */
static const struct field *next_field(const struct record *record, const char *name, size_t *from)
{
	for (size_t i = 0; i < record->nr; i++) {
		size_t at = *from + i < record->nr ? *from + i : *from + i - record->nr;

		if (!strcmp(record->fields[at].name, name)) {
			*from = at + 1;
			return &record->fields[at];
		}
	}
	return NULL;
}

static const struct field *find_field(const struct record *record, const char *name)
{
	size_t from = 0;

	return next_field(record, name, &from);
}

/* "denied: EACCES" into a state and its why. A state of a newer tool is an error that says so. */
static void read_state(struct merge *m, const char *text, struct val_head *ret)
{
	const size_t len = strcspn(text, ":");
	const char *name, *why = text + len;

	ret->state = val_state_from_name(text, len);
	name = val_state_name(ret->state);
	if (strlen(name) != len || strncmp(text, name, len) != 0)
		why = text;
	why += strspn(why, ": ");
	/* How it was said before there was a state of its own. */
	if (ret->state == VAL_ERROR && !strncmp(why, "not asked: ", strlen("not asked: "))) {
		ret->state = VAL_SKIPPED;
		why += strlen("not asked: ");
	}
	ret->why = *why ? arena_strdup(m->arena, why) : NULL;
}

static int read_known(struct merge *m, const struct field *field, const cJSON *value, union any_value *ret)
{
	ret->head.state = VAL_OK;
	switch (field->kind) {
	case FIELD_U64:
		if (json_u64(m->doc, value, &ret->u64.v_))
			return refuse(m, value, "\"%s\": a whole number from 0 to 2^64-1 expected", field->name);
		return 0;
	case FIELD_F64:
		if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
			return refuse(m, value, "\"%s\": a number expected", field->name);
		ret->f64.v_ = value->valuedouble;
		return 0;
	case FIELD_BOOL:
		if (!cJSON_IsBool(value))
			return refuse(m, value, "\"%s\": true or false expected", field->name);
		ret->boolean.v_ = cJSON_IsTrue(value);
		return 0;
	default:
		if (!cJSON_IsString(value))
			return refuse(m, value, "\"%s\": a text expected", field->name);
		if (domain_refuses(field, value->valuestring))
			return refuse(m, value, "\"%s\": %s expected", field->name,
				      domain_refuses(field, value->valuestring));
		ret->str.v_ = arena_strdup(m->arena, value->valuestring);
		return 0;
	}
}

static int merge_value(struct merge *m, const struct field *field, const cJSON *value, const cJSON *unknown,
		       void *member)
{
	struct val_head *old = member;
	union any_value new = { .head = { .state = VAL_UNSET } };

	if (cJSON_IsNull(value)) {
		const cJSON *why = json_member(unknown, field->name);

		if (!cJSON_IsString(why))
			return refuse(m, value, "\"%s\": null without its reason in \"unknown\"", field->name);
		read_state(m, why->valuestring, &new.head);
	} else {
		int r = read_known(m, field, value, &new);

		if (r)
			return r;
	}
	if (old->state != VAL_UNSET) {
		/* A list element's key comes with every fact about it. */
		if (field->offset == 0 && !strcmp(field->name, "key"))
			return 0;
		return refuse(m, value, "\"%s\" said twice", field->name);
	}
	memcpy(member, &new, value_size(field));
	return 0;
}

static int merge_record(struct merge *m, const cJSON *object, const struct record *record, void *base);

static size_t most_elements(const struct field *field)
{
	if (field->record == &record_holder)
		return MAX_HOLDERS;
	return field->record == &record_gpu || field->record == &record_ocl_device ? MAX_GPUS : MAX_LIST;
}

static int refuse_long_list(struct merge *m, const struct field *field, const cJSON *at)
{
	return refuse(m, at, "\"%s\": more than %zu elements", field->name, most_elements(field));
}

static int merge_list(struct merge *m, const struct field *field, const cJSON *array, char *base)
{
	const struct merge_scope *scope = m->options->scope;
	void **list = (void **)(void *)(base + field->offset);
	size_t *nr = (size_t *)(void *)(base + field->offset_nr);
	size_t most = most_elements(field);

	if (!cJSON_IsArray(array))
		return refuse(m, array, "\"%s\": a list expected", field->name);
	if ((size_t)cJSON_GetArraySize(array) > most)
		return refuse_long_list(m, field, array);
	for (const cJSON *item = array->child; item; item = item->next) {
		const cJSON *key = json_member(item, "key");
		void *element;
		int r;

		if (!cJSON_IsString(key))
			return refuse(m, item, "\"%s\": an element %s", field->name,
				      key ? "whose \"key\" is no text" : "without its \"key\"");
		if (!scope_allows_key(scope, m->depth, key->valuestring))
			return refuse(m, key, "\"%s\": this worker may not write \"%.60s\"", field->name,
				      key->valuestring);
		/* Frames add up: what a run gathers, a snapshot of it must be able to hold. */
		if (*nr >= most && !list_find_(field->record, *list, *nr, key->valuestring))
			return refuse_long_list(m, field, item);
		element = list_element_(m->arena, field->record, list, nr, key->valuestring);
		r = merge_record(m, item, field->record, element);
		if (r)
			return r;
	}
	return 0;
}

static int merge_series(struct merge *m, const struct field *field, const cJSON *array, void *member)
{
	struct f64s *numbers = member;
	struct strs *texts = member;

	if (!cJSON_IsArray(array))
		return refuse(m, array, "\"%s\": a list expected", field->name);
	if (field->kind == FIELD_F64S ? numbers->nr : texts->nr)
		return refuse(m, array, "\"%s\" said twice", field->name);
	for (const cJSON *item = array->child; item; item = item->next) {
		if (field->kind == FIELD_F64S) {
			if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
				return refuse(m, item, "\"%s\": a number expected", field->name);
			f64s_add(m->arena, numbers, item->valuedouble);
		} else {
			if (!cJSON_IsString(item))
				return refuse(m, item, "\"%s\": a text expected", field->name);
			if (domain_refuses(field, item->valuestring))
				return refuse(m, item, "\"%s\": %s expected", field->name,
					      domain_refuses(field, item->valuestring));
			strs_add(m->arena, texts, item->valuestring);
		}
	}
	return 0;
}

static int merge_member(struct merge *m, const struct field *field, const cJSON *value, const cJSON *unknown,
			char *base)
{
	bool is_key = field->offset == 0 && field->kind == FIELD_STR && !strcmp(field->name, "key");
	const bool was_within = m->is_within;
	enum reach reach;
	int r;

	if (m->depth == MAX_PATH_DEPTH)
		return refuse(m, value, "\"%s\": nested too deep", field->name);
	m->path[m->depth++] = field->name;
	reach = was_within ? REACH_WITHIN : scope_reach(m->options->scope, m->path, m->depth);
	if (reach == REACH_NONE && !is_key)
		return refuse(m, value, "\"%s\": this worker may not write it", field->name);
	m->is_within = reach == REACH_WITHIN;
	switch (field->kind) {
	case FIELD_RECORD:
		r = merge_record(m, value, field->record, base + field->offset);
		break;
	case FIELD_LIST:
		r = merge_list(m, field, value, base);
		break;
	case FIELD_F64S:
	case FIELD_STRS:
		r = merge_series(m, field, value, base + field->offset);
		break;
	default:
		r = merge_value(m, field, value, unknown, base + field->offset);
		break;
	}
	m->depth--;
	m->is_within = was_within;
	return r;
}

/* A key that means nothing here: an error in a frame, left out and counted in a file. */
static int merge_stranger(struct merge *m, const cJSON *value, const struct record *record, const char *within)
{
	struct merge_unknown *unknown = m->options->unknown;

	if (!unknown)
		return refuse(m, value, "unknown key \"%s%.60s\" in %s", within, value->string, record->name);
	if (!unknown->nr++) {
		unknown->first = arena_printf(m->arena, "%s%s", within, value->string);
		unknown->first_line = json_line(m->doc, value);
	}
	return 0;
}

/* Is it the reason of a null, of a field or of one that this version does not know? That is counted by itself. */
static bool is_reason(const cJSON *object, const struct record *record, const cJSON *why)
{
	const struct field *field = find_field(record, why->string);

	return (!field || field_is_value(field)) && cJSON_IsNull(json_member(object, why->string));
}

static int merge_reasons(struct merge *m, const cJSON *object, const struct record *record, const cJSON *unknown)
{
	if (!cJSON_IsObject(unknown))
		return refuse(m, unknown, "\"unknown\": an object expected in %s", record->name);
	for (const cJSON *why = unknown->child; why; why = why->next) {
		int r = is_reason(object, record, why) ? 0 : merge_stranger(m, why, record, "unknown.");

		if (r)
			return r;
	}
	return 0;
}

/* "2:8123": the number of a source and a line in it. */
static int read_from(struct merge *m, const cJSON *value, uint32_t *ret)
{
	const char *at = cJSON_IsString(value) ? value->valuestring : "";
	uint64_t source, line;
	bool fits = true;

	if (!scan_u64(&at, 10, &source, &fits) || *at++ != ':' || !scan_u64(&at, 10, &line, &fits) || *at || !fits ||
	    !source || source > MAX_SOURCES || line > UINT_MAX)
		return refuse(m, value, "\"from.%.60s\": the number of a source and a line expected, as \"2:813\"",
			      value->string);
	*ret = value_from((unsigned)source, (unsigned)line);
	return 0;
}

static int merge_from(struct merge *m, const struct record *record, const cJSON *from, char *base)
{
	if (!cJSON_IsObject(from))
		return refuse(m, from, "\"from\": an object expected in %s", record->name);
	for (const cJSON *value = from->child; value; value = value->next) {
		const struct field *field = find_field(record, value->string);
		struct val_head *head = field ? (void *)(base + field->offset) : NULL;
		int r;

		if (field && field_is_value(field) && head->state != VAL_UNSET)
			r = read_from(m, value, &head->from);
		else
			r = merge_stranger(m, value, record, "from.");
		if (r)
			return r;
	}
	return 0;
}

static int merge_record(struct merge *m, const cJSON *object, const struct record *record, void *base)
{
	const cJSON *unknown, *from;
	size_t at = 0;

	if (!cJSON_IsObject(object))
		return refuse(m, object, "an object expected for %s", record->name);
	unknown = json_member(object, "unknown");
	from = json_member(object, "from");
	for (const cJSON *value = object->child; value; value = value->next) {
		const struct field *field = next_field(record, value->string, &at);
		int r = 0;

		if (field)
			r = merge_member(m, field, value, unknown, base);
		else if (value == unknown)
			r = merge_reasons(m, object, record, unknown);
		else if (value != from && !(record == &record_snapshot && !strcmp(value->string, "schema")))
			r = merge_stranger(m, value, record, "");
		if (r)
			return r;
	}
	return from ? merge_from(m, record, from, base) : 0;
}

static int merge(struct arena *arena, const struct record *record, void *base, const struct json_doc *doc,
		 const cJSON *facts, const struct merge_options *options, struct json_error *error)
{
	static const struct merge_options everything;
	struct merge m = { .arena = arena, .doc = doc, .error = error, .options = options ? options : &everything };

	return merge_record(&m, facts, record, base);
}

int snapshot_merge(struct snapshot *snapshot, const struct json_doc *doc, const cJSON *facts,
		   const struct merge_options *options, struct json_error *error)
{
	snapshot->nr_standings = 0;
	return merge(&snapshot->arena, &record_snapshot, snapshot, doc, facts, options, error);
}

int tick_merge(struct tick *tick, const struct json_doc *doc, const cJSON *facts, const struct merge_options *options,
	       struct json_error *error)
{
	return merge(&tick->arena, &record_tick, tick, doc, facts, options, error);
}

void tick_release(struct tick *tick)
{
	arena_release(&tick->arena);
	memset(tick, 0, sizeof(*tick));
}

/* What is another document of ours was taken for a snapshot: say what it is, and what writes one. */
static void say_schema(struct json_error *error, const char *schema)
{
	bool is_ours = schema && !strncmp(schema, "gpudiag.", strlen("gpudiag.")) && strchr(schema, '/');

	if (is_ours)
		snprintf(
			error->what, sizeof(error->what),
			"not a gpudiag snapshot but \"%.40s\": gpudiag collect -o FILE writes one, and so does gpudiag gate "
			"--record FILE",
			schema);
	else
		snprintf(error->what, sizeof(error->what), "not a gpudiag snapshot: no \"schema\": \"%s\"",
			 SNAPSHOT_SCHEMA);
}

static int check_schema(const struct json_doc *doc, const cJSON *object, struct json_error *error)
{
	static const char family[] = "gpudiag.snapshot/";
	const cJSON *schema = json_member(object, "schema");

	if (!cJSON_IsObject(object) || !cJSON_IsString(schema) ||
	    strncmp(schema->valuestring, family, strlen(family))) {
		error->line = json_line(doc, schema ? schema : object);
		say_schema(error, schema && cJSON_IsString(schema) ? schema->valuestring : NULL);
		return -EINVAL;
	}
	if (strcmp(schema->valuestring, SNAPSHOT_SCHEMA)) {
		error->line = json_line(doc, schema);
		snprintf(error->what, sizeof(error->what),
			 "schema \"%.40s\" is not known to this gpudiag, which reads \"%s\": "
			 "use a newer one",
			 schema->valuestring, SNAPSHOT_SCHEMA);
		return -EINVAL;
	}
	return 0;
}

int snapshot_load_object(struct snapshot *ret, const struct json_doc *doc, const cJSON *object,
			 struct merge_unknown *unknown, struct json_error *error)
{
	struct merge_options options = { .unknown = unknown };
	int r = check_schema(doc, object, error);

	return r ? r : snapshot_merge(ret, doc, object, &options, error);
}

int snapshot_load(struct snapshot *ret, const char *text, size_t len, struct merge_unknown *unknown,
		  struct json_error *error)
{
	struct json_doc doc;
	int r;

	memset(ret, 0, sizeof(*ret));
	memset(unknown, 0, sizeof(*unknown));
	r = json_parse(text, len, 0, &doc, error);
	if (r)
		return r;
	r = snapshot_load_object(ret, &doc, doc.root, unknown, error);
	json_release(&doc);
	return r;
}

void snapshot_release(struct snapshot *snapshot)
{
	arena_release(&snapshot->arena);
	memset(snapshot, 0, sizeof(*snapshot));
}

/* ---- sealing */

struct seal {
	const struct merge_scope *scope;
	enum val_state state;
	const char *why;
	const char *path[MAX_PATH_DEPTH];
	size_t depth;
};

static void seal_record(struct seal *s, const struct record *record, char *base);

static void seal_list(struct seal *s, const struct field *field, char *base)
{
	size_t nr = *(size_t *)(void *)(base + field->offset_nr);
	char *element = *(char **)(void *)(base + field->offset);

	for (size_t i = 0; i < nr; i++, element += field->record->size) {
		const struct val_str *key = (const void *)element;

		if (scope_allows_key(s->scope, s->depth, key->v_))
			seal_record(s, field->record, element);
	}
}

static void seal_record(struct seal *s, const struct record *record, char *base)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		struct val_head *head = (void *)(base + field->offset);
		enum reach reach;

		s->path[s->depth++] = field->name;
		reach = scope_reach(s->scope, s->path, s->depth);
		if (reach == REACH_WITHIN && field_is_value(field) && head->state == VAL_UNSET) {
			head->state = s->state;
			head->why = s->why;
		} else if (reach != REACH_NONE && field->kind == FIELD_RECORD) {
			seal_record(s, field->record, base + field->offset);
		} else if (reach != REACH_NONE && field->kind == FIELD_LIST) {
			seal_list(s, field, base);
		}
		s->depth--;
	}
}

void snapshot_fill_unset(struct snapshot *snapshot, const struct merge_scope *scope, enum val_state state,
			 const char *why)
{
	struct seal s = { .scope = scope, .state = state, .why = why ? arena_strdup(&snapshot->arena, why) : NULL };

	seal_record(&s, &record_snapshot, (char *)snapshot);
}

void tick_fill_unset(struct tick *tick, const struct merge_scope *scope, enum val_state state, const char *why)
{
	struct seal s = { .scope = scope, .state = state, .why = why ? arena_strdup(&tick->arena, why) : NULL };

	seal_record(&s, &record_tick, (char *)tick);
}
