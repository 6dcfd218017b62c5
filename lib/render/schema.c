// SPDX-License-Identifier: GPL-2.0-or-later
/* schema.c - the fields of a snapshot, as JSON Schema, from the field tables. */
#include "base/compat.h"
#include "render/render.h"

#include "base/alloc.h"
#include "render/fields.h"

void records_collect(struct records *records, const struct record *record)
{
	for (size_t i = 0; i < records->nr; i++)
		if (records->items[i] == record)
			return;
	for (size_t i = 0; i < record->nr; i++)
		if (record->fields[i].record)
			records_collect(records, record->fields[i].record);
	records->items = xrealloc(records->items, (records->nr + 1) * sizeof(*records->items));
	records->items[records->nr++] = record;
}

bool field_is_measured(const struct field *field)
{
	return field->kind != FIELD_RECORD && field->kind != FIELD_LIST;
}

const char *field_class_name(enum field_class class)
{
	static const char *const names[] = {
		[CLASS_IDENTITY] = "identity", [CLASS_VERSION] = "version", [CLASS_SETTING] = "setting",
		[CLASS_CAPABILITY] = "capability", [CLASS_COUNTER] = "counter", [CLASS_GAUGE] = "gauge",
	};

	return names[class];
}

static bool has_key(const struct record *record)
{
	return record->nr && record->fields[0].kind == FIELD_STR && !strcmp(record->fields[0].name, "key");
}

static bool is_key(const struct record *record, const struct field *field)
{
	return has_key(record) && field == &record->fields[0];
}

static void put_description(struct json_writer *w, const struct field *field)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addstr(&text, field->doc);
	if (field_is_measured(field)) {
		strbuf_addf(&text, " (%s", field_class_name(field->class));
		if (*unit_symbol(field->unit))
			strbuf_addf(&text, ", in %s", unit_symbol(field->unit));
		if (*field->source)
			strbuf_addf(&text, ", from %s", field->source);
		strbuf_addch(&text, ')');
	}
	json_str(w, "description", text.buf);
}

/* A value's type; null, with the reason in "unknown", where it is not known. */
static void put_type_or_null(struct json_writer *w, const char *type)
{
	json_array_member(w, "type");
	json_put_str(w, type);
	json_put_str(w, "null");
	json_array_end(w);
}

static void put_reference(struct json_writer *w, const struct record *record)
{
	STRBUF_AUTO path = STRBUF_INIT;

	strbuf_addf(&path, "#/$defs/%s", record->name);
	json_str(w, "$ref", path.buf);
}

static void put_type(struct json_writer *w, const struct record *record, const struct field *field)
{
	static const char *const types[] = {
		[FIELD_U64] = "integer", [FIELD_F64] = "number", [FIELD_BOOL] = "boolean", [FIELD_STR] = "string",
		[FIELD_F64S] = "number", [FIELD_STRS] = "string",
	};

	switch (field->kind) {
	case FIELD_RECORD:
		put_reference(w, field->record);
		break;
	case FIELD_F64S:
	case FIELD_STRS:
	case FIELD_LIST:
		json_str(w, "type", "array");
		json_object_member(w, "items");
		if (field->kind == FIELD_LIST)
			put_reference(w, field->record);
		else
			json_str(w, "type", types[field->kind]);
		json_object_end(w);
		break;
	default:
		if (is_key(record, field))
			json_str(w, "type", types[field->kind]);
		else
			put_type_or_null(w, types[field->kind]);
		if (field->kind == FIELD_U64) {
			json_u64_member(w, "minimum", 0);
			json_u64_member(w, "maximum", UINT64_MAX);
		}
		break;
	}
}

static void put_property(struct json_writer *w, const struct record *record, const struct field *field)
{
	json_object_member(w, field->name);
	put_description(w, field);
	put_type(w, record, field);
	json_object_end(w);
}

/* An object of texts. */
static void put_texts(struct json_writer *w, const char *key, const char *description, const char *pattern)
{
	json_object_member(w, key);
	json_str(w, "description", description);
	json_str(w, "type", "object");
	json_object_member(w, "additionalProperties");
	json_str(w, "type", "string");
	if (pattern)
		json_str(w, "pattern", pattern);
	json_object_end(w);
	json_object_end(w);
}

static void put_required(struct json_writer *w, const char *key)
{
	json_array_member(w, "required");
	json_put_str(w, key);
	json_array_end(w);
}

static void put_properties(struct json_writer *w, const struct record *record)
{
	for (size_t i = 0; i < record->nr; i++)
		put_property(w, record, &record->fields[i]);
	put_texts(w, "unknown", "why a value of this object is null: its state (absent, unsupported, denied, asleep, "
		  "lost, timeout, error, skipped) and, after a colon, the reason", NULL);
	put_texts(w, "from", "of what was imported: which line of which dump told a value of this object, as "
		  "SOURCE:LINE; SOURCE is the key of an element of \"sources\"", "^[0-9]+:[0-9]+$");
}

static void put_definition(struct json_writer *w, const struct record *record)
{
	json_object_member(w, record->name);
	json_str(w, "description", record->doc);
	json_str(w, "type", "object");
	if (has_key(record))
		put_required(w, "key");
	json_object_member(w, "properties");
	put_properties(w, record);
	json_object_end(w);
	json_bool_member(w, "additionalProperties", true);
	json_object_end(w);
}

/* The whole file is the outermost record and the name of its schema. */
static void put_root(struct json_writer *w, const struct record *root)
{
	json_str(w, "type", "object");
	put_required(w, "schema");
	json_object_member(w, "properties");
	json_object_member(w, "schema");
	json_str(w, "const", SNAPSHOT_SCHEMA);
	json_object_end(w);
	put_properties(w, root);
	json_object_end(w);
	json_bool_member(w, "additionalProperties", true);
}

void render_snapshot_schema(struct strbuf *out)
{
	struct json_writer w = { .out = out, .indent = 2 };
	struct records records = { 0 };

	records_collect(&records, &record_snapshot);
	json_object_begin(&w);
	json_str(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_str(&w, "title", SNAPSHOT_SCHEMA);
	json_str(&w, "description", record_snapshot.doc);
	put_root(&w, &record_snapshot);
	json_object_member(&w, "$defs");
	for (size_t i = 0; i < records.nr; i++)
		if (records.items[i] != &record_snapshot)
			put_definition(&w, records.items[i]);
	json_object_end(&w);
	json_object_end(&w);
	strbuf_addch(out, '\n');
	free(records.items);
}
