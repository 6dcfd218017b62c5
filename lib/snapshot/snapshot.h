/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - all that was seen of a node: the contract between probes, which
 * write it, and checks, which read it.
 *
 * The records are generated from records.def; read that for what there is.
 * Life of a snapshot: zeroed, filled by snapshot_merge() (one fact from a
 * worker or a whole file, it is the same thing), completed by
 * snapshot_fill_unset() for each worker that failed, const from then on. All
 * its memory is in its member `arena`.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "snapshot/value.h"

#define SNAPSHOT_SCHEMA "gpudiag.snapshot/1"

struct gpu_standing;	/* snapshot/under_test.h */

/* The structs: one per RECORD, members as the rows say; a list L(…, x, xs) gives struct x *xs and size_t nr_xs. */
#define RECORD(name, doc) struct name {
#define F(record, type, name, ...) struct val_##type name;
#define A(record, type, name, ...) struct type name;
#define S(record, type, name, doc) struct type name;
#define L(record, type, name, doc) struct type *name; size_t nr_##name;
#define PRIVATE(record, type, name) type name;
#define END(name) };
#include "snapshot/records.def"

/* The indexes: FIELD_pci_function_link_width is the row of that field in record_pci_function. */
#define RECORD(name, doc) enum {
#define F(record, type, name, ...) FIELD_##record##_##name,
#define A(record, type, name, ...) FIELD_##record##_##name,
#define S(record, type, name, doc) FIELD_##record##_##name,
#define L(record, type, name, doc) FIELD_##record##_##name,
#define END(name) NR_FIELDS_##name };
#include "snapshot/records.def"

enum field_kind { FIELD_U64, FIELD_F64, FIELD_STR, FIELD_BOOL, FIELD_F64S, FIELD_STRS, FIELD_RECORD, FIELD_LIST };
enum field_class { CLASS_IDENTITY, CLASS_VERSION, CLASS_SETTING, CLASS_CAPABILITY, CLASS_COUNTER, CLASS_GAUGE };
enum field_privacy { PRIVACY_PUBLIC, PRIVACY_IDENTITY, PRIVACY_PERSONAL };

struct record;

/* A row of the table. */
struct field {
	const char *name;
	enum field_kind kind;
	size_t offset;			/* of the member in its struct */
	size_t offset_nr;		/* of nr_…, for a list */
	enum unit unit;
	const char *source;		/* file, call or attribute it is read from */
	enum field_class class;
	enum field_privacy privacy;
	bool twin;			/* GPUs of a kind must agree on it */
	const char *doc;
	const struct record *record;	/* of a record or a list's elements */
};

struct record {
	const char *name;
	const char *doc;
	size_t size;
	size_t nr;
	const struct field *fields;
};

static inline bool field_is_value(const struct field *field)
{
	return field->kind <= FIELD_BOOL;
}
/* Of such a field: the bytes of its value. */
size_t value_size(const struct field *field);

#define RECORD(name, doc) extern const struct record record_##name;
#include "snapshot/records.def"

/* ---- merging */

/*
 * How long a list of a snapshot may be: no node has more GPUs, devices or
 * processes worth a name. A holder is one process and one node: a thousand
 * workers, each with ten nodes open, are still all there. A GPU is compared with
 * every other one, so that four thousand take minutes to judge; sixteen with all
 * their virtual functions are five hundred.
 */
enum { MAX_LIST = 4096, MAX_HOLDERS = 4 * MAX_LIST, MAX_GPUS = 1024 };

/*
 * Where a fact may write. Each path names a record, a list or a field from the
 * top: "host", "gpus", "ocl_devices.timings". A worker that looks at one
 * element of a top-level list writes that one alone: the element whose key is
 * `key`, or those whose keys begin with `key_prefix`; both NULL: any.
 */
struct merge_scope {
	const char *const *paths;	/* ends with NULL; NULL itself: everything */
	const char *key;
	const char *key_prefix;
};

struct merge_unknown {
	size_t nr;
	const char *first;
	unsigned first_line;
};

struct merge_options {
	const struct merge_scope *scope;	/* NULL: everything */
	/*
	 * NULL: an unknown key is an error (a worker's frame). Otherwise it is
	 * left out and counted, and the first one is named (a newer file); the
	 * name lives in the snapshot's arena. So is a reason in "unknown" for what
	 * is not null beside it ("unknown.link_width"): a value that is there
	 * stands, whatever is said of it.
	 */
	struct merge_unknown *unknown;
};

/*
 * Adds a JSON object's facts to the snapshot. A scalar is said once: saying
 * it twice is an error, even with the same value, unless it is a list
 * element's key. Lists are kept sorted by key (base/text.h key_compare), so
 * the order of arrival leaves no trace. 0, or -EINVAL with *error filled;
 * what came before the error stays.
 */
int snapshot_merge(struct snapshot *snapshot, const struct json_doc *doc, const cJSON *facts,
		   const struct merge_options *options, struct json_error *error) MUST_CHECK;

/*
 * A whole file: {"schema": "gpudiag.snapshot/1", …}. Parses, checks the
 * schema, merges. 0, or -EINVAL with *error filled. *ret ends with
 * snapshot_release() in either case.
 */
int snapshot_load(struct snapshot *ret, const char *text, size_t len, struct merge_unknown *unknown,
		  struct json_error *error) MUST_CHECK;

/* The same of an object within another document; *ret is empty. */
int snapshot_load_object(struct snapshot *ret, const struct json_doc *doc, const cJSON *object,
			 struct merge_unknown *unknown, struct json_error *error) MUST_CHECK;

void snapshot_release(struct snapshot *snapshot);

/* ---- filling in C: probes and the parent */

/* The element of that key in a list, made where it is missing. owner is a pointer to the struct that holds the list. */
#define list_element(arena, owner, list, type, key_text)                                                               \
	((struct type *)list_element_((arena), &record_##type, (void **)&(owner)->list, &(owner)->nr_##list,           \
				      (key_text)))
void *list_element_(struct arena *arena, const struct record *record, void **list, size_t *nr, const char *key);

/* Adds to a series. */
void f64s_add(struct arena *arena, struct f64s *series, double value);
void strs_add(struct arena *arena, struct strs *series, const char *text);
bool strs_has(const struct strs *series, const char *text);
void strs_write(struct json_writer *w, const struct strs *series);	/* as an array */

/* The element of that key, or NULL. */
#define list_find(owner, list, type, key_text) \
	((struct type *)list_find_(&record_##type, (owner)->list, (owner)->nr_##list, (key_text)))
void *list_find_(const struct record *record, const void *list, size_t nr, const char *key);

/*
 * Gives every unset value below the scope the state a failed worker left it
 * in, so that no reader takes "the worker died" for "nobody looked".
 */
void snapshot_fill_unset(struct snapshot *snapshot, const struct merge_scope *scope, enum val_state state,
			 const char *why);

/* ---- ticks of gpudiag watch */

/*
 * The same for a tick (tick.def), which is no part of a snapshot: zeroed, filled by frames of its samplers or by a
 * line of a recording, const from then on.
 */
int tick_merge(struct tick *tick, const struct json_doc *doc, const cJSON *facts, const struct merge_options *options,
	       struct json_error *error) MUST_CHECK;
void tick_fill_unset(struct tick *tick, const struct merge_scope *scope, enum val_state state, const char *why);
void tick_release(struct tick *tick);

/* ---- writing */

/* Writes one record as a JSON object: the inverse of snapshot_merge(). Unset values and empty lists are left out. */
void record_write(struct json_writer *w, const struct record *record, const void *base);

/* Writes a whole snapshot file, with its schema, ending in a line feed. */
void snapshot_write(struct strbuf *out, const struct snapshot *snapshot);
/* The same as a value within another document. */
void snapshot_write_object(struct json_writer *w, const struct snapshot *snapshot);

/* A value as JSON: its number or text, or null where it is not known. */
void value_write(struct json_writer *w, const struct field *field, const void *value);

/* Of two known values: are they the same? */
bool value_equals(const struct field *field, const void *a, const void *b);

/* A value as a person reads it, by its unit; where it is not known, the state and why. */
void value_format(struct strbuf *out, const struct field *field, const void *value);
