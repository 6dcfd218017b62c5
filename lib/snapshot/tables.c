// SPDX-License-Identifier: GPL-2.0-or-later
/* tables.c - the records of records.def as tables. */
#include "base/compat.h"
#include "snapshot/snapshot.h"

#define TWIN true
#define ANY false

#define KIND_u64 FIELD_U64
#define KIND_f64 FIELD_F64
#define KIND_str FIELD_STR
#define KIND_bool FIELD_BOOL
#define KIND_f64s FIELD_F64S
#define KIND_strs FIELD_STRS

#define RECORD(record_name, record_doc) static const struct field fields_##record_name[] = {
#define F(owner, type, name_, unit_, source_, class_, privacy_, twin_, doc_) \
	[FIELD_##owner##_##name_] = { \
		.name = #name_, .kind = KIND_##type, .offset = offsetof(struct owner, name_), \
		.unit = UNIT_##unit_, .source = source_, .class = CLASS_##class_, \
		.privacy = PRIVACY_##privacy_, .twin = twin_, .doc = doc_, \
	},
#define A(owner, type, name_, unit_, source_, class_, privacy_, doc_) \
	F(owner, type, name_, unit_, source_, class_, privacy_, ANY, doc_)
#define S(owner, type, name_, doc_) \
	[FIELD_##owner##_##name_] = { \
		.name = #name_, .kind = FIELD_RECORD, .offset = offsetof(struct owner, name_), \
		.source = "", .doc = doc_, .record = &record_##type, \
	},
#define L(owner, type, name_, doc_) \
	[FIELD_##owner##_##name_] = { \
		.name = #name_, .kind = FIELD_LIST, .offset = offsetof(struct owner, name_), \
		.offset_nr = offsetof(struct owner, nr_##name_), \
		.source = "", .doc = doc_, .record = &record_##type, \
	},
#define END(record_name) };
#include "snapshot/records.def"

#define RECORD(name_, doc_) \
	const struct record record_##name_ = { \
		.name = #name_, .doc = doc_, .size = sizeof(struct name_), \
		.nr = NR_FIELDS_##name_, .fields = fields_##name_, \
	};
#include "snapshot/records.def"
