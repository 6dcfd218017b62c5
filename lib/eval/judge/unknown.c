// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/unknown.h"

#include "eval/judge/vendor.h"
#include "eval/nvidia/nvml_error.h"
#include "snapshot/under_test.h"

enum whose { WHOSE_ANY, WHOSE_VITAL, WHOSE_SOURCE, WHOSE_WITH_RIGHTS, WHOSE_NOT_ROOT, WHOSE_OF_GPU, WHOSE_MEASURED,
	WHOSE_FIELD };

static const struct unknown_row {
	enum val_state state;
	const char *code;
	enum whose whose;
	enum unknown_kind kind;
} rows[] = {
#define KIND_NATURE UNKNOWN_BY_NATURE
#define KIND_LISTED UNKNOWN_LISTED
#define KIND_FAILURE UNKNOWN_BY_FAILURE
#define UNKNOWN(state_, code_, whose_, kind_, source_) \
	{ .state = VAL_##state_, .code = code_, .whose = WHOSE_##whose_, .kind = KIND_##kind_ },
#include "eval/judge/unknown.def"
};

static const struct vital {
	const struct record *record;
	size_t field;
	const char *check;
	bool while_used, is_source;
} vitals[] = {
#define VITAL(of, field_, check_) { .record = &record_##of, .field = FIELD_##of##_##field_, .check = check_ },
#define VITAL_WHILE_USED(of, field_, check_) \
	{ .record = &record_##of, .field = FIELD_##of##_##field_, .check = check_, .while_used = true },
#define VITAL_SOURCE(of, field_, check_) \
	{ .record = &record_##of, .field = FIELD_##of##_##field_, .check = check_, .is_source = true },
#include "eval/judge/vital.def"
};

static const struct vital *vital_of(const struct field *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(vitals); i++)
		if (field == &vitals[i].record->fields[vitals[i].field])
			return &vitals[i];
	return NULL;
}

/* The owner of that much memory has to be known. On a GPU with MIG its instances are read. */
static bool is_much_used(const struct unknown_place *place)
{
	return place->gpu && !bool_or(place->gpu->nvml.mig_enabled, false) &&
	       (double)u64_or(vendor_u64(place->gpu, "vram_used_bytes"), 0) >= place->policy->vram_dead_bytes;
}

static bool is_vital(const struct unknown_place *place, const struct field *field)
{
	const struct vital *vital = vital_of(field);

	return vital && (!vital->while_used || is_much_used(place));
}

static bool is_of_record(const struct record *record, const struct field *field)
{
	return field >= record->fields && field < record->fields + record->nr;
}

/* Root, with all that root can have: what is refused then is refused by no rule. */
static bool has_all_rights(const struct snapshot *snapshot)
{
	return bool_or(snapshot->host.has_all_rights, false) && !is_in_container(snapshot);
}

static bool is_whose(enum whose whose, const struct unknown_place *place, const struct field *field)
{
	switch (whose) {
	case WHOSE_VITAL:
		return is_vital(place, field);
	case WHOSE_SOURCE:
		return is_vital(place, field) && vital_of(field)->is_source;
	case WHOSE_WITH_RIGHTS:
		return is_vital(place, field) && has_all_rights(place->snapshot);
	case WHOSE_NOT_ROOT:
		return u64_or(place->snapshot->host.user_id, 0);
	case WHOSE_OF_GPU:
		return place->gpu || is_of_record(&record_nvml, field);
	case WHOSE_MEASURED:
		return place->gpu && (field->class == CLASS_GAUGE || field->class == CLASS_COUNTER);
	case WHOSE_FIELD:
		return !strncmp(field->source, "NVML field", strlen("NVML field"));
	default:
		return true;
	}
}

enum unknown_kind unknown_kind(const struct unknown_place *place, const struct field *field, struct val_head head)
{
	if (head.state == VAL_OK || head.state == VAL_UNSET)
		return UNKNOWN_NOT;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].state == head.state && (!rows[i].code || nvml_error_is(head.why, rows[i].code)) &&
		    is_whose(rows[i].whose, place, field))
			return rows[i].kind;
	return UNKNOWN_BY_FAILURE;
}

bool unknown_speaks_of_gpu(const struct field *field, struct val_head head)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool is_code = rows[i].whose == WHOSE_OF_GPU ||
			       (rows[i].whose == WHOSE_MEASURED &&
				(field->class == CLASS_GAUGE || field->class == CLASS_COUNTER));

		if (is_code && rows[i].state == head.state && (!rows[i].code || nvml_error_is(head.why, rows[i].code)))
			return true;
	}
	return false;
}

const char *unknown_check(const struct unknown_place *place, const struct field *field, struct val_head head)
{
	const struct vital *vital = vital_of(field);

	if (vital)
		return vital->check;
	if (place->gpu && (head.state == VAL_LOST || nvml_error_is(head.why, "GPU_IS_LOST")))
		return "gpu-lost";
	return "gpu-enumerated";
}
