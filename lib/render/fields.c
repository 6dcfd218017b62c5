// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/fields.h"

#include "base/alloc.h"

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
