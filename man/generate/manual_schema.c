// SPDX-License-Identifier: GPL-2.0-or-later
/* manual_schema.c - a JSON Schema of ours as a part of the manual: what a document holds, object by object. */
#include "base/compat.h"
#include "man/generate/manual.h"

#include "base/json.h"
#include "man/generate/mdoc.h"

static const char *string_of(const cJSON *value, const char *key)
{
	const cJSON *member = json_member(value, key);

	return member && member->valuestring ? member->valuestring : NULL;
}

static void put_scalar(struct strbuf *out, const cJSON *value)
{
	if (value->valuestring)
		mdoc_text(out, value->valuestring);
	else if (cJSON_IsNull(value))
		strbuf_addstr(out, "null");
	else
		strbuf_addf(out, "%g", value->valuedouble);
}

static void put_list(struct strbuf *out, const cJSON *list)
{
	for (const cJSON *value = list->child; value; value = value->next) {
		put_scalar(out, value);
		if (value->next)
			strbuf_addstr(out, value->next->next ? ", " : " or ");
	}
}

static void put_type(struct strbuf *out, const cJSON *schema);

static void put_alternatives(struct strbuf *out, const cJSON *list)
{
	for (const cJSON *schema = list->child; schema; schema = schema->next) {
		put_type(out, schema);
		if (schema->next)
			strbuf_addstr(out, " or ");
	}
}

/* What a value may be, in words. */
static void put_type(struct strbuf *out, const cJSON *schema)
{
	const cJSON *type = json_member(schema, "type");
	const char *reference = string_of(schema, "$ref");

	if (reference) {
		for (const char *at = strrchr(reference, '/') + 1; *at; at++)
			strbuf_addch(out, *at == '_' ? ' ' : *at);
	} else if (json_member(schema, "enum")) {
		put_list(out, json_member(schema, "enum"));
	} else if (json_member(schema, "anyOf")) {
		put_alternatives(out, json_member(schema, "anyOf"));
	} else if (json_member(schema, "const")) {
		put_scalar(out, json_member(schema, "const"));
	} else if (type && type->child) {
		put_list(out, type);
	} else if (type) {
		strbuf_addstr(out, type->valuestring);
		if (json_member(schema, "items")) {
			strbuf_addstr(out, " of ");
			put_type(out, json_member(schema, "items"));
		}
	}
}

static void put_properties(struct strbuf *out, const cJSON *schema)
{
	const cJSON *properties = json_member(schema, "properties");

	if (!properties)
		return;
	strbuf_addstr(out, ".Bl -tag -width Ds\n");
	for (const cJSON *property = properties->child; property; property = property->next) {
		const char *description = string_of(property, "description");

		strbuf_addf(out, ".It Va %s\n", property->string);
		if (description) {
			mdoc_line(out, description);
			strbuf_addstr(out, ".br\n");
		}
		strbuf_addch(out, '(');
		put_type(out, property);
		strbuf_addstr(out, ")\n");
	}
	strbuf_addstr(out, ".El\n");
}

static void put_definition(struct strbuf *out, const cJSON *schema)
{
	const char *description = string_of(schema, "description");

	strbuf_addstr(out, ".Ss ");
	for (const char *at = schema->string; *at; at++)
		strbuf_addch(out, *at == '_' ? ' ' : *at);
	strbuf_addch(out, '\n');
	if (description)
		mdoc_line(out, description);
	if (json_member(schema, "properties")) {
		put_properties(out, schema);
		return;
	}
	if (description)
		strbuf_addstr(out, ".br\n");
	strbuf_addch(out, '(');
	put_type(out, schema);
	strbuf_addstr(out, ")\n");
}

void manual_schema(struct strbuf *out, const char *schema)
{
	struct json_doc doc;
	struct json_error error;
	const cJSON *definitions;

	if (json_parse(schema, strlen(schema), 0, &doc, &error))
		return;
	/* A document that may be one of several has none of its own. */
	if (json_member(doc.root, "properties"))
		strbuf_addstr(out, ".Ss The whole\n");
	put_properties(out, doc.root);
	definitions = json_member(doc.root, "$defs");
	for (const cJSON *definition = definitions ? definitions->child : NULL; definition;
	     definition = definition->next)
		put_definition(out, definition);
	json_release(&doc);
}
