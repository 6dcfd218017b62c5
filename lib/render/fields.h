/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.h - the field tables as documents tell them. Private to lib/render. */
#pragma once

#include "snapshot/snapshot.h"

/* Records, each once, those that hold others after them. Zeroed is empty; items is the caller's to free. */
struct records {
	size_t nr;
	const struct record **items;
};
void records_collect(struct records *records, const struct record *record);

/* A value or a series, and not a record or list of them. */
bool field_is_measured(const struct field *field);
const char *field_class_name(enum field_class class);
