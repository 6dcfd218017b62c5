// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/overlay.h"

static void overlay_record(struct arena *arena, const struct record *record, char *base, const char *part);

/* Does what `part` tells say more? A failure of the device itself is kept: that other tools got an answer is no cure. */
static bool tells_more(const struct val_head *base, const struct val_head *part)
{
	if (part->state == VAL_UNSET)
		return false;
	if (base->state == VAL_UNSET)
		return true;
	return part->state == VAL_OK && base->state != VAL_OK && base->state != VAL_ERROR && base->state != VAL_LOST;
}

static void overlay_list(struct arena *arena, const struct field *field, char *base, const char *part)
{
	const struct record *record = field->record;
	void **list = (void *)(base + field->offset);
	size_t *nr = (void *)(base + field->offset_nr);
	const char *element = *(const char *const *)(const void *)(part + field->offset);
	size_t nr_elements = *(const size_t *)(const void *)(part + field->offset_nr);

	for (size_t i = 0; i < nr_elements; i++, element += record->size) {
		/* "key" is the first field of every record that stands in a list. */
		const struct val_str *key = (const void *)(element + record->fields[0].offset);

		overlay_record(arena, record, list_element_(arena, record, list, nr, str_or(*key, "")), element);
	}
}

static void overlay_field(struct arena *arena, const struct field *field, char *base, const char *part)
{
	void *to = base + field->offset;
	const void *from = part + field->offset;

	switch (field->kind) {
	case FIELD_RECORD:
		overlay_record(arena, field->record, to, from);
		return;
	case FIELD_LIST:
		overlay_list(arena, field, base, part);
		return;
	case FIELD_F64S:
		if (!((struct f64s *)to)->nr)
			*(struct f64s *)to = *(const struct f64s *)from;
		return;
	case FIELD_STRS:
		if (!((struct strs *)to)->nr)
			*(struct strs *)to = *(const struct strs *)from;
		return;
	default:
		if (tells_more(to, from))
			memcpy(to, from, value_size(field));
	}
}

static void overlay_record(struct arena *arena, const struct record *record, char *base, const char *part)
{
	for (size_t i = 0; i < record->nr; i++)
		overlay_field(arena, &record->fields[i], base, part);
}

void snapshot_overlay(struct snapshot *base, const struct snapshot *part)
{
	overlay_record(&base->arena, &record_snapshot, (char *)base, (const char *)part);
}
