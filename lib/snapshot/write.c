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

/* Which line of which dump told each value that one told: "2:8123" (value_from()). */
static void write_from(struct json_writer *w, const struct record *record, const char *base)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		const struct val_head *head = (const void *)(base + field->offset);
		char text[32];

		if (!field_is_value(field) || !head->from || head->state == VAL_UNSET)
			continue;
		snprintf(text, sizeof(text), "%u:%u", value_from_source(head->from), value_from_line(head->from));
		json_str(w, field->name, text);
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

/* What is to be told of the values of an object beside them. */
struct beside {
	bool unknown, from;
};

static void write_member(struct json_writer *w, const struct field *field, const char *base, struct beside *beside)
{
	const void *member = base + field->offset;

	if (!has_content(field, base))
		return;
	json_key(w, field->name);
	switch (field->kind) {
	case FIELD_RECORD:
		record_write(w, field->record, member);
		return;
	case FIELD_LIST:
		write_list(w, field, base);
		return;
	case FIELD_F64S:
		write_f64s(w, member);
		return;
	case FIELD_STRS:
		strs_write(w, member);
		return;
	default:
		value_write(w, field, member);
		beside->unknown |= ((const struct val_head *)member)->state != VAL_OK;
		beside->from |= ((const struct val_head *)member)->from != 0;
	}
}

static void write_members(struct json_writer *w, const struct record *record, const char *base)
{
	struct beside beside = { .unknown = false };

	for (size_t i = 0; i < record->nr; i++)
		write_member(w, &record->fields[i], base, &beside);
	if (beside.unknown) {
		json_object_member(w, "unknown");
		write_unknown(w, record, base);
		json_object_end(w);
	}
	if (beside.from) {
		json_object_member(w, "from");
		write_from(w, record, base);
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
