// SPDX-License-Identifier: GPL-2.0-or-later
/* write.c - records as JSON. */
#include "base/compat.h"
#include "snapshot/snapshot.h"

static void write_unknown(struct json_writer *w, const struct record *record, const char *base)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		const struct val_head *head = (const void *)(base + field->offset);
		STRBUF_AUTO text = STRBUF_INIT;

		if (!field_is_value(field) || head->state == VAL_OK || head->state == VAL_UNSET)
			continue;
		strbuf_addstr(&text, val_state_name(head->state));
		if (head->why)
			strbuf_addf(&text, ": %s", head->why);
		json_str(w, field->name, text.buf);
	}
}

static void write_list(struct json_writer *w, const struct field *field, const char *base)
{
	size_t nr = *(const size_t *)(base + field->offset_nr);
	const char *element = *(const char *const *)(base + field->offset);

	json_array_begin(w);
	for (size_t i = 0; i < nr; i++, element += field->record->size)
		record_write(w, field->record, element);
	json_array_end(w);
}

static void write_f64s(struct json_writer *w, const struct f64s *series)
{
	json_array_begin(w);
	for (size_t i = 0; i < series->nr; i++)
		json_put_f64(w, series->v[i]);
	json_array_end(w);
}

static void write_strs(struct json_writer *w, const struct strs *series)
{
	json_array_begin(w);
	for (size_t i = 0; i < series->nr; i++)
		json_put_str(w, series->v[i]);
	json_array_end(w);
}

/* Is anything said below here? A record of which nothing is known is left out. */
static bool has_content(const struct record *record, const char *base)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		const char *member = base + field->offset;

		if (field_is_value(field) && ((const struct val_head *)(const void *)member)->state != VAL_UNSET)
			return true;
		if (field->kind == FIELD_RECORD && has_content(field->record, member))
			return true;
		if (field->kind == FIELD_LIST && *(const size_t *)(const void *)(base + field->offset_nr))
			return true;
		if (field->kind == FIELD_F64S && ((const struct f64s *)(const void *)member)->nr)
			return true;
		if (field->kind == FIELD_STRS && ((const struct strs *)(const void *)member)->nr)
			return true;
	}
	return false;
}

static bool write_member(struct json_writer *w, const struct field *field, const char *base)
{
	const void *member = base + field->offset;
	const struct val_head *head = member;

	switch (field->kind) {
	case FIELD_RECORD:
		if (has_content(field->record, member)) {
			json_key(w, field->name);
			record_write(w, field->record, member);
		}
		return false;
	case FIELD_LIST:
		if (*(const size_t *)(const void *)(base + field->offset_nr)) {
			json_key(w, field->name);
			write_list(w, field, base);
		}
		return false;
	case FIELD_F64S:
		if (((const struct f64s *)member)->nr) {
			json_key(w, field->name);
			write_f64s(w, member);
		}
		return false;
	case FIELD_STRS:
		if (((const struct strs *)member)->nr) {
			json_key(w, field->name);
			write_strs(w, member);
		}
		return false;
	default:
		if (head->state == VAL_UNSET)
			return false;
		json_key(w, field->name);
		value_write(w, field, member);
		return head->state != VAL_OK;
	}
}

static void write_members(struct json_writer *w, const struct record *record, const char *base)
{
	bool any_unknown = false;

	for (size_t i = 0; i < record->nr; i++)
		any_unknown |= write_member(w, &record->fields[i], base);
	if (any_unknown) {
		json_key(w, "unknown");
		json_object_begin(w);
		write_unknown(w, record, base);
		json_object_end(w);
	}
}

void record_write(struct json_writer *w, const struct record *record, const void *base)
{
	json_object_begin(w);
	write_members(w, record, base);
	json_object_end(w);
}

void snapshot_write_object(struct json_writer *w, const struct snapshot *snapshot)
{
	json_object_begin(w);
	json_str(w, "schema", SNAPSHOT_SCHEMA);
	write_members(w, &record_snapshot, (const char *)snapshot);
	json_object_end(w);
}

void snapshot_write(struct strbuf *out, const struct snapshot *snapshot)
{
	struct json_writer w = { .out = out, .indent = 2 };

	snapshot_write_object(&w, snapshot);
	strbuf_addch(out, '\n');
}
