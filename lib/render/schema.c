// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schema.c - what a snapshot holds, told by the field tables: as JSON Schema
 * and as text for gpudiag-snapshot(5).
 */
#include "base/compat.h"
#include "render/render.h"

#include "base/alloc.h"

/* ---- all records, each once, those that hold others after them */

struct records {
	size_t nr;
	const struct record **items;
};

static void collect(struct records *records, const struct record *record)
{
	for (size_t i = 0; i < records->nr; i++)
		if (records->items[i] == record)
			return;
	for (size_t i = 0; i < record->nr; i++)
		if (record->fields[i].record)
			collect(records, record->fields[i].record);
	records->items = xrealloc(records->items, (records->nr + 1) * sizeof(*records->items));
	records->items[records->nr++] = record;
}

static bool has_key(const struct record *record)
{
	return record->nr && record->fields[0].kind == FIELD_STR && !strcmp(record->fields[0].name, "key");
}

static bool is_key(const struct record *record, const struct field *field)
{
	return has_key(record) && field == &record->fields[0];
}

static const char *class_word(enum field_class class)
{
	static const char *const words[] = {
		[CLASS_IDENTITY] = "identity", [CLASS_VERSION] = "version", [CLASS_SETTING] = "setting",
		[CLASS_CAPABILITY] = "capability", [CLASS_COUNTER] = "counter", [CLASS_GAUGE] = "gauge",
	};

	return words[class];
}

static bool is_measured(const struct field *field)
{
	return field->kind != FIELD_RECORD && field->kind != FIELD_LIST;
}

/* ---- JSON Schema */

static void put_description(struct json_writer *w, const struct field *field)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addstr(&text, field->doc);
	if (is_measured(field)) {
		strbuf_addf(&text, " (%s", class_word(field->class));
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
	const char *const types[] = { type, "null" };

	json_key(w, "type");
	json_array_begin(w);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		json_put_str(w, types[i]);
	json_array_end(w);
}

static void put_reference(struct json_writer *w, const struct record *record)
{
	STRBUF_AUTO path = STRBUF_INIT;

	strbuf_addf(&path, "#/$defs/%s", record->name);
	json_str(w, "$ref", path.buf);
}

static void put_array_of(struct json_writer *w, const char *type)
{
	json_str(w, "type", "array");
	json_key(w, "items");
	json_object_begin(w);
	json_str(w, "type", type);
	json_object_end(w);
}

static void put_type(struct json_writer *w, const struct record *record, const struct field *field)
{
	switch (field->kind) {
	case FIELD_U64:
		put_type_or_null(w, "integer");
		json_u64_member(w, "minimum", 0);
		json_u64_member(w, "maximum", UINT64_MAX);
		break;
	case FIELD_F64:
		put_type_or_null(w, "number");
		break;
	case FIELD_BOOL:
		put_type_or_null(w, "boolean");
		break;
	case FIELD_STR:
		if (is_key(record, field))
			json_str(w, "type", "string");
		else
			put_type_or_null(w, "string");
		break;
	case FIELD_F64S:
		put_array_of(w, "number");
		break;
	case FIELD_STRS:
		put_array_of(w, "string");
		break;
	case FIELD_RECORD:
		put_reference(w, field->record);
		break;
	case FIELD_LIST:
		json_str(w, "type", "array");
		json_key(w, "items");
		json_object_begin(w);
		put_reference(w, field->record);
		json_object_end(w);
		break;
	}
}

static void put_property(struct json_writer *w, const struct record *record, const struct field *field)
{
	json_key(w, field->name);
	json_object_begin(w);
	put_description(w, field);
	put_type(w, record, field);
	json_object_end(w);
}

static void put_unknown(struct json_writer *w)
{
	json_key(w, "unknown");
	json_object_begin(w);
	json_str(w, "description", "why a value of this object is null: its state (absent, unsupported, denied, "
		 "asleep, lost, timeout, error) and, after a colon, the reason");
	json_str(w, "type", "object");
	json_key(w, "additionalProperties");
	json_object_begin(w);
	json_str(w, "type", "string");
	json_object_end(w);
	json_object_end(w);
}

static void put_required(struct json_writer *w, const char *key)
{
	json_key(w, "required");
	json_array_begin(w);
	json_put_str(w, key);
	json_array_end(w);
}

static void put_properties(struct json_writer *w, const struct record *record)
{
	for (size_t i = 0; i < record->nr; i++)
		put_property(w, record, &record->fields[i]);
	put_unknown(w);
}

static void put_definition(struct json_writer *w, const struct record *record)
{
	json_key(w, record->name);
	json_object_begin(w);
	json_str(w, "description", record->doc);
	json_str(w, "type", "object");
	if (has_key(record))
		put_required(w, "key");
	json_key(w, "properties");
	json_object_begin(w);
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
	json_key(w, "properties");
	json_object_begin(w);
	json_key(w, "schema");
	json_object_begin(w);
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

	collect(&records, &record_snapshot);
	json_object_begin(&w);
	json_str(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_str(&w, "title", SNAPSHOT_SCHEMA);
	json_str(&w, "description", record_snapshot.doc);
	put_root(&w, &record_snapshot);
	json_key(&w, "$defs");
	json_object_begin(&w);
	for (size_t i = 0; i < records.nr; i++)
		if (records.items[i] != &record_snapshot)
			put_definition(&w, records.items[i]);
	json_object_end(&w);
	json_object_end(&w);
	strbuf_addch(out, '\n');
	free(records.items);
}

/* ---- mdoc */

/* Text on a line of its own, or within one: no escapes, no control line, no end of line. */
static void put_mdoc_text(struct strbuf *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		strbuf_addstr(out, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			strbuf_addstr(out, "\\e");
		else
			strbuf_addch(out, *text == '\n' ? ' ' : *text);
	}
}

static const char *kind_words(enum field_kind kind)
{
	static const char *const words[] = {
		[FIELD_U64] = "whole number", [FIELD_F64] = "number", [FIELD_STR] = "text",
		[FIELD_BOOL] = "true or false", [FIELD_F64S] = "numbers", [FIELD_STRS] = "texts",
		[FIELD_RECORD] = "object", [FIELD_LIST] = "list",
	};

	return words[kind];
}

static void put_mdoc_field(struct strbuf *out, const struct field *field)
{
	strbuf_addf(out, ".It Va %s\n", field->name);
	put_mdoc_text(out, field->doc);
	strbuf_addf(out, "\n.br\n(%s", kind_words(field->kind));
	if (field->record)
		strbuf_addf(out, field->kind == FIELD_LIST ? " of %s" : ": %s", field->record->name);
	if (*unit_symbol(field->unit) && is_measured(field))
		strbuf_addf(out, ", in %s", unit_symbol(field->unit));
	if (is_measured(field))
		strbuf_addf(out, "; %s", class_word(field->class));
	if (field->twin)
		strbuf_addstr(out, "; GPUs of a kind must agree");
	if (*field->source) {
		strbuf_addstr(out, "; from ");
		put_mdoc_text(out, field->source);
	}
	strbuf_addstr(out, ")\n");
}

void render_snapshot_fields_mdoc(struct strbuf *out)
{
	struct records records = { 0 };

	collect(&records, &record_snapshot);
	/* Outermost first: a reader begins with the whole. */
	for (size_t i = records.nr; i-- > 0;) {
		const struct record *record = records.items[i];

		strbuf_addf(out, ".Ss %s\n", record->name);
		put_mdoc_text(out, record->doc);
		strbuf_addstr(out, ".\n.Bl -tag -width Ds\n");
		for (size_t f = 0; f < record->nr; f++)
			put_mdoc_field(out, &record->fields[f]);
		strbuf_addstr(out, ".El\n");
	}
	free(records.items);
}
