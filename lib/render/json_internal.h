/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_internal.h - the members of the JSON report, each with its key, in their order. Private to json*.c. */
#pragma once

#include "base/json_writer.h"
#include "eval/judge/report.h"

/*
 * Values picked from records into one object. Every key is always there: null
 * where the value is not known, and why in the object's "unknown", which is
 * always there too. Null without a reason: nobody looked.
 */
struct pick {
	const char *key;
	const struct field *field;
	const void *value;
};
#define PICK(key_, record, pointer, field_) \
	{ .key = (key_), .field = &record_##record.fields[FIELD_##record##_##field_], .value = &(pointer)->field_ }
/* A value that an accessor chose among sources, in the words of one of them. */
#define PICK_VALUE(key_, record, field_, pointer) \
	{ .key = (key_), .field = &record_##record.fields[FIELD_##record##_##field_], .value = (pointer) }

/* json_internal.c */
void json_value(struct json_writer *w, const char *key, const struct field *field, const void *value);
void json_picks(struct json_writer *w, const struct pick *picks, size_t nr);
void json_pick_reasons(struct json_writer *w, const struct pick *picks, size_t nr);

void json_texts(struct json_writer *w, const char *key, const char *const *texts, size_t nr);
void json_steps(struct json_writer *w, const char *key, const struct step *steps, size_t nr);
void json_subject(struct json_writer *w, const struct subject *subject);

/* json.c */
void json_run(struct json_writer *w, const struct run *run);

/* json_seen.c: of the snapshot */
void json_host(struct json_writer *w, const struct snapshot *snapshot);
void json_request(struct json_writer *w, const struct snapshot *snapshot);
/* The dumps that it was made from; nothing where there are none. */
void json_sources(struct json_writer *w, const struct snapshot *snapshot);
void json_gpus(struct json_writer *w, const struct report *report);
/* is_compact: those alone that did not end well. */
void json_probes(struct json_writer *w, const struct snapshot *snapshot, bool is_compact);

/* json_timings.c */
void json_timings(struct json_writer *w, const struct report *report);

/* json_judged.c: of the judgement */
/* is_compact: those alone that neither passed nor were skipped, and of the others how many. */
void json_checks(struct json_writer *w, const struct report *report, bool is_compact);
void json_findings(struct json_writer *w, const struct report *report);
void json_unknown(struct json_writer *w, const struct report *report);
void json_unanswered(struct json_writer *w, const struct report *report);

/*
 * json_policy.c: one row that a policy sets; the parts that it has beside rows, where it has them; what it made of a
 * finding.
 */
void json_policy_row(struct json_writer *w, const struct policy *policy, unsigned row);
void json_policy_parts(struct json_writer *w, const struct report *report);
void json_grade(struct json_writer *w, const struct finding *finding);
