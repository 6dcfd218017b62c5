// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_call.c - a call, said before it is made, and what came back as a value. */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "base/text.h"
#include "probe/read.h"

struct val_head nvml_missing_value(int error)
{
	const char *name = nvml_error_name(error);
	struct val_head no = { .state = VAL_ERROR, .why = name ? name : "an error that nvml.h does not name" };

	switch (error) {
	case NVML_ERROR_FUNCTION_NOT_FOUND:
		no = (struct val_head){ .state = VAL_UNSUPPORTED, .why = "not in this driver's library" };
		break;
	case NVML_ERROR_NOT_SUPPORTED:
	case NVML_ERROR_VGPU_ECC_NOT_SUPPORTED:
	case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
	case NVML_ERROR_DEPRECATED:
		no.state = VAL_UNSUPPORTED;
		break;
	case NVML_ERROR_NO_PERMISSION:
		no.state = VAL_DENIED;
		break;
	case NVML_ERROR_NOT_FOUND:
	case NVML_ERROR_NO_DATA:
		no.state = VAL_ABSENT;
		break;
	case NVML_ERROR_GPU_IS_LOST:
		no.state = VAL_LOST;
		break;
	default:
		break;
	}
	return no;
}

/* ---- asking */

struct gpu *nvml_facts(const struct nvml_session *session)
{
	struct snapshot *facts = &session->sink->facts;

	return list_element(&facts->arena, facts, gpus, gpu, session->address);
}

bool nvml_begin(const struct nvml_session *session, bool is_there, const char *call)
{
	if (!is_there || session->is_lost)
		return false;
	sink_step(session->sink, call);
	return true;
}

int nvml_skipped_error(const struct nvml_session *session)
{
	return session->is_lost ? NVML_ERROR_GPU_IS_LOST : NVML_ERROR_FUNCTION_NOT_FOUND;
}

/* How grave an error is for the GPU; 0: it says nothing about its health. */
static unsigned error_severity(int error)
{
	static const int by_gravity[] = {
		NVML_ERROR_UNKNOWN, NVML_ERROR_CORRUPTED_INFOROM, NVML_ERROR_IRQ_ISSUE, NVML_ERROR_INSUFFICIENT_POWER,
		NVML_ERROR_RESET_REQUIRED, NVML_ERROR_GPU_IS_LOST,
	};

	for (unsigned i = 0; i < ARRAY_SIZE(by_gravity); i++)
		if (by_gravity[i] == error)
			return i + 1;
	return 0;
}

int nvml_note(struct nvml_session *session, const char *call, int error)
{
	if (error_severity(error) > error_severity(session->worst_error)) {
		session->worst_error = error;
		session->worst_error_call = call;
		session->worst_error_part = session->retry.part;
	}
	session->is_lost |= error == NVML_ERROR_GPU_IS_LOST;
	return error;
}

/* ---- values */

static const char *reads(const struct nvml_session *session, long long value)
{
	if (value == NVML_ALL_ONES_32 || value == -1)
		return NVML_READS_ALL_ONES;
	return arena_printf(&session->sink->facts.arena, "reads %lld", value);
}

struct val_u64 nvml_in_range(const struct nvml_session *session, int error, uint64_t value, uint64_t least,
			     uint64_t most)
{
	struct val_head no = nvml_missing_value(error);

	if (error)
		return no_u64(no.state, no.why);
	if (value < least || value > most)
		return no_u64(VAL_ERROR, reads(session, (long long)value));
	return val_u64(value);
}

struct val_u64 nvml_u64(const struct nvml_session *session, int error, uint64_t value)
{
	/* All ones of either width is what a device that does not answer reads as. */
	if (!error && value == NVML_ALL_ONES_32)
		return no_u64(VAL_ERROR, reads(session, (long long)value));
	/* Above: a negative number. */
	return nvml_in_range(session, error, value, 0, INT64_MAX);
}

struct val_u64 nvml_u32(const struct nvml_session *session, int error, const unsigned *value)
{
	return nvml_u64(session, error, *value);
}

struct val_u64 nvml_u32_in_range(const struct nvml_session *session, int error, const unsigned *value, unsigned least,
			       unsigned most)
{
	return nvml_in_range(session, error, *value, least, most);
}

struct val_f64 nvml_celsius(const struct nvml_session *session, int error, int64_t value)
{
	/* No GPU in use is as cold. */
	if (!error && value == -1)
		return no_f64(VAL_ERROR, reads(session, value));
	return nvml_margin(session, error, value);
}

struct val_f64 nvml_margin(const struct nvml_session *session, int error, int64_t value)
{
	struct val_head no = nvml_missing_value(error);

	if (error)
		return no_f64(no.state, no.why);
	if (value < -50 || value > 200)
		return no_f64(VAL_ERROR, reads(session, value));
	return val_f64((double)value);
}

struct val_bool nvml_bool(const struct nvml_session *session, int error, uint64_t value)
{
	struct val_head no = nvml_missing_value(error);

	if (error)
		return no_bool(no.state, no.why);
	if (value > 1)
		return no_bool(VAL_ERROR, reads(session, (long long)value));
	return val_bool(value != 0);
}

struct val_str nvml_enum(const struct nvml_session *session, int error, uint64_t value, const struct nvml_names *names)
{
	struct val_head no = nvml_missing_value(error);

	if (error)
		return no_str(no.state, no.why);
	if (value >= names->nr || !names->names[value])
		return no_str(VAL_ERROR, reads(session, (long long)value));
	return val_str(names->names[value]);
}

struct val_str nvml_text(const struct nvml_session *session, int error, const char *text, size_t size)
{
	struct val_head no = nvml_missing_value(error);
	STRBUF_AUTO clean = STRBUF_INIT;

	if (error)
		return no_str(no.state, no.why);
	utf8_clean(&clean, text, strnlen(text, size));
	strbuf_rtrim(&clean);
	if (!clean.len)
		return no_str(VAL_ABSENT, "empty");
	if (!strcmp(clean.buf, "N/A") || !strcmp(clean.buf, "[N/A]"))
		return no_str(VAL_ABSENT, "N/A");
	return val_str(arena_strdup(&session->sink->facts.arena, clean.buf));
}

struct val_str nvml_address(const struct nvml_session *session, int error, const struct nvml_pci_info *pci)
{
	struct val_head no = nvml_missing_value(error);

	if (error)
		return no_str(no.state, no.why);
	if (pci->bus > 0xff || pci->device > 0x1f)
		return no_str(VAL_ERROR, arena_printf(&session->sink->facts.arena, "reads domain %u, bus %u, device %u",
						      pci->domain, pci->bus, pci->device));
	return val_str(arena_printf(&session->sink->facts.arena, "%04x:%02x:%02x.0", pci->domain, pci->bus,
				    pci->device));
}

/* ---- fields */

void nvml_call_fields(struct nvml_session *session, struct nvml_field *fields, size_t nr)
{
	int error = nvml_call(session, nvmlDeviceGetFieldValues, session->device, (int)nr, fields);

	for (size_t i = 0; i < nr; i++) {
		if (error)
			fields[i].result = error;
		else if (fields[i].result != NVML_ERROR_UNKNOWN) /* of one field it says nothing about the GPU */
			nvml_note(session, "nvmlDeviceGetFieldValues", fields[i].result);
	}
}

/* A number of the type its driver gives it; false: none of these. */
static bool field_number(const struct nvml_field *field, int64_t *ret)
{
	switch (field->type) {
	case NVML_TYPE_F64:
		*ret = field->value.f64 > -1e18 && field->value.f64 < 1e18 ? (int64_t)field->value.f64 : -1;
		return true;
	case NVML_TYPE_U32:
		*ret = field->value.u32;
		return true;
	case NVML_TYPE_ULONG:
		*ret = (int64_t)field->value.ulong;
		return true;
	case NVML_TYPE_U64:
		*ret = (int64_t)field->value.u64;
		return true;
	case NVML_TYPE_S64:
		*ret = field->value.s64;
		return true;
	case NVML_TYPE_S32:
		*ret = field->value.s32;
		return true;
	case NVML_TYPE_U16:
		*ret = field->value.u16;
		return true;
	default:
		return false;
	}
}

struct val_u64 nvml_field_u64(const struct nvml_session *session, const struct nvml_field *field)
{
	int64_t value = 0;

	if (!field->result && !field_number(field, &value))
		return no_u64(VAL_ERROR, arena_printf(&session->sink->facts.arena, "a value of type %d", field->type));
	return nvml_u64(session, field->result, (uint64_t)value);
}

typedef struct val_f64 (*degrees)(const struct nvml_session *session, int error, int64_t value);

static struct val_f64 field_degrees(const struct nvml_session *session, const struct nvml_field *field,
				    degrees degrees_of)
{
	int64_t value = 0;

	if (!field->result && !field_number(field, &value))
		return no_f64(VAL_ERROR, arena_printf(&session->sink->facts.arena, "a value of type %d", field->type));
	/* Some drivers call a signed number an unsigned one. */
	if (field->type == NVML_TYPE_U32)
		value = (int32_t)field->value.u32;
	return degrees_of(session, field->result, value);
}

struct val_f64 nvml_field_celsius(const struct nvml_session *session, const struct nvml_field *field)
{
	return field_degrees(session, field, nvml_celsius);
}

struct val_f64 nvml_field_margin(const struct nvml_session *session, const struct nvml_field *field)
{
	return field_degrees(session, field, nvml_margin);
}
