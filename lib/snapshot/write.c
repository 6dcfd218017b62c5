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

void strs_write(struct json_writer *w, const struct strs *series)
{
	json_array_begin(w);
	for (size_t i = 0; i < series->nr; i++)
		json_put_str(w, series->v[i]);
	json_array_end(w);
}

/* Is anything said there, or below it? A record of which nothing is known is left out. */
static bool has_content(const struct field *field, const char *base)
{
	const void *member = base + field->offset;

	switch (field->kind) {
	case FIELD_RECORD:
		for (size_t i = 0; i < field->record->nr; i++)
			if (has_content(&field->record->fields[i], member))
				return true;
		return false;
	case FIELD_LIST:
		return *(const size_t *)(const void *)(base + field->offset_nr);
	case FIELD_F64S:
		return ((const struct f64s *)member)->nr;
	case FIELD_STRS:
		return ((const struct strs *)member)->nr;
	default:
		return ((const struct val_head *)member)->state != VAL_UNSET;
	}
}

/* true: a value that is not known, whose reason is to be told. */
static bool write_member(struct json_writer *w, const struct field *field, const char *base)
{
	const void *member = base + field->offset;

	if (!has_content(field, base))
		return false;
	json_key(w, field->name);
	switch (field->kind) {
	case FIELD_RECORD:
		record_write(w, field->record, member);
		return false;
	case FIELD_LIST:
		write_list(w, field, base);
		return false;
	case FIELD_F64S:
		write_f64s(w, member);
		return false;
	case FIELD_STRS:
		strs_write(w, member);
		return false;
	default:
		value_write(w, field, member);
		return ((const struct val_head *)member)->state != VAL_OK;
	}
}

static void write_members(struct json_writer *w, const struct record *record, const char *base)
{
	bool any_unknown = false;

	for (size_t i = 0; i < record->nr; i++)
		any_unknown |= write_member(w, &record->fields[i], base);
	if (any_unknown) {
		json_object_member(w, "unknown");
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
