// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_fields.c - values by number. See nvml.c. */
#include "nvml_answer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct field_value {
	u32 field, scope;
	long long timestamp_us, latency_us;
	int type, error;
	union {
		double f64;
		u32 u32;
		u64 u64;
		long long s64;
		int s32;
		unsigned short u16;
	} value;
};

enum value_type { F64, U32, ULONG, U64, S64, S32, U16 };

enum of { OF_GPU, OF_LINK, OF_LINKS, OF_POLICY };

/* Fields that are other values too; those of a link have its number as the scope, those of all links all ones. */
static const struct {
	u32 field;
	enum value_type type;
	enum of of;
	const char *key;
	long long otherwise;
} fields[] = {
	{1, U32, OF_GPU, "ecc_enabled", 1},
	{2, U32, OF_GPU, "ecc_pending", 1},
	{3, U64, OF_GPU, "ecc_corrected", 0},
	{4, U64, OF_GPU, "ecc_uncorrected", 0},
	{5, U64, OF_GPU, "ecc_corrected_lifetime", 0},
	{6, U64, OF_GPU, "ecc_uncorrected_lifetime", 0},
	{74, U64, OF_POLICY, "0", 0},
	{75, U64, OF_POLICY, "1", 0},
	{76, U64, OF_POLICY, "2", 0},
	{77, U64, OF_POLICY, "3", 0},
	{78, U64, OF_POLICY, "4", 0},
	{79, U64, OF_POLICY, "5", 0},
	{80, U64, OF_POLICY, "10", 0},
	{81, U64, OF_POLICY, "11", 0},
	{82, U32, OF_GPU, "memory_temperature_c", 41},
	{83, U64, OF_GPU, "energy_mj", 918273645},
	{94, U32, OF_GPU, "pcie_replays", 0},
	{138, U64, OF_LINK, "sent_kib", NOT_SUPPORTED},
	{139, U64, OF_LINK, "received_kib", NOT_SUPPORTED},
	{142, U32, OF_GPU, "rows_remapped_corrected", 0},
	{143, U32, OF_GPU, "rows_remapped_uncorrected", 0},
	{144, U32, OF_GPU, "remap_pending", 0},
	{145, U32, OF_GPU, "remap_failed", 0},
	{164, U32, OF_LINK, "speed_mbps", 26562},
	{165, U32, OF_LINK, "state", 1},
	{166, U32, OF_LINK, "version", 4},
	{169, U32, OF_GPU, "pcie_recoveries", 0},
	{170, U32, OF_GPU, "c2c_links", NOT_SUPPORTED},
	{173, U32, OF_GPU, "pcie_correctable", 0},
	{179, U32, OF_GPU, "pcie_nonfatal", 0},
	{180, U32, OF_GPU, "pcie_fatal", 0},
	{185, U32, OF_GPU, "power_mw", 68000},
	{186, U32, OF_GPU, "power_mw", 68000},
	{193, S32, OF_GPU, "margin_shutdown_c", NOT_SUPPORTED},
	{194, S32, OF_GPU, "margin_slowdown_c", NOT_SUPPORTED},
	{195, S32, OF_GPU, "margin_memory_max_c", NOT_SUPPORTED},
	{196, S32, OF_GPU, "margin_max_c", NOT_SUPPORTED},
	{197, U64, OF_GPU, "pcie_sent_bytes", NOT_SUPPORTED},
	{198, U64, OF_GPU, "pcie_received_bytes", NOT_SUPPORTED},
	{202, U64, OF_LINKS, "links_sent_bytes", NOT_SUPPORTED},
	{204, U64, OF_LINKS, "links_received_bytes", NOT_SUPPORTED},
	{206, U64, OF_LINK, "malformed", NOT_SUPPORTED},
	{207, U64, OF_LINK, "overruns", NOT_SUPPORTED},
	{208, U64, OF_LINK, "receive_errors", NOT_SUPPORTED},
	{209, U64, OF_LINK, "remote_errors", NOT_SUPPORTED},
	{210, U64, OF_LINK, "general_errors", NOT_SUPPORTED},
	{211, U64, OF_LINK, "integrity_errors", NOT_SUPPORTED},
	{213, U64, OF_LINK, "recoveries", NOT_SUPPORTED},
	{214, U64, OF_LINK, "failed_recoveries", NOT_SUPPORTED},
	{230, U32, OF_GPU, "recovery_action", 0},
	{251, U64, OF_GPU, "throttled_ns", NOT_SUPPORTED},
	{252, U64, OF_GPU, "hw_throttled_ns", NOT_SUPPORTED},
	{253, U64, OF_GPU, "braked_ns", NOT_SUPPORTED},
	{269, U64, OF_GPU, "throttled_ns", NOT_SUPPORTED},
	{270, U64, OF_GPU, "hw_throttled_ns", NOT_SUPPORTED},
	{271, U64, OF_GPU, "braked_ns", NOT_SUPPORTED},
};

/* Fields that came with a branch of the driver, or had another number in some. */
static const struct {
	u32 first, last;
	int since, until;
} field_branches[] = {
	{197, 198, 555, 9999},
	{251, 253, 575, 589},
	{269, 271, 590, 9999},
};

static bool has_field(u32 field)
{
	const char *version = "";
	int branch;

	tell_text(machine.said, "driver_version", "550.54.14", &version);
	branch = atoi(version);
	for (size_t i = 0; i < sizeof(field_branches) / sizeof(*field_branches); i++)
		if (field >= field_branches[i].first && field <= field_branches[i].last)
			return branch >= field_branches[i].since && branch <= field_branches[i].until;
	return true;
}

static void put_value(struct field_value *entry, enum value_type type, long long value)
{
	entry->type = (int)type;
	entry->value.u64 = 0;
	if (type == F64)
		entry->value.f64 = (double)value;
	else if (type == U32 || type == S32)
		entry->value.u32 = (u32)value;
	else
		entry->value.s64 = value;
}

static bool is_narrow(const struct gpu *gpu, u32 field)
{
	return (field == 197 || field == 198) && cJSON_IsTrue(member(gpu->said, "pcie_counts_32_bits"));
}

static int known_field(const struct gpu *gpu, struct field_value *entry)
{
	long long value = 0;
	int error = NVML_NOT_SUPPORTED;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const cJSON *links = member(gpu->said, "nvlinks");
		const cJSON *link = cJSON_GetArrayItem(links, (int)entry->scope);

		if (fields[i].field != entry->field || !has_field(entry->field))
			continue;
		if (fields[i].of == OF_POLICY)
			error = violation(gpu, (u32)atoi(fields[i].key), &value);
		else if (fields[i].of == OF_LINKS && entry->scope != UINT32_MAX)
			error = NVML_INVALID_ARGUMENT;
		else if (fields[i].of == OF_GPU || fields[i].of == OF_LINKS)
			error = tell(gpu->said, fields[i].key, fields[i].otherwise, &value);
		else if (link)
			error = tell(link, fields[i].key, fields[i].otherwise, &value);
		else
			error = cJSON_GetArraySize(links) ? NVML_INVALID_ARGUMENT : NVML_NOT_SUPPORTED;
		if (!error)
			put_value(entry, is_narrow(gpu, entry->field) ? U32 : fields[i].type, value);
	}
	return error;
}

static int field_value(const struct gpu *gpu, struct field_value *entry)
{
	char name[32], *number = name + strlen("NVML field "), detail[16];
	const cJSON *said;
	long long value = 0;
	int error;

	snprintf(name, sizeof(name), "NVML field %u", entry->field);
	snprintf(detail, sizeof(detail), "%u", entry->scope);
	log_call(name, gpu, detail);
	error = fault_of(name, gpu, detail);
	if (error)
		return error;
	said = member(member(gpu->said, "fields"), number);
	if (!said)
		return known_field(gpu, entry);
	error = tell_item(said, 0, &value);
	if (!error)
		put_value(entry, U64, value);
	return error;
}

API(nvmlDeviceGetFieldValues, device_t device, int count, struct field_value *values)
{
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, "", &gpu);

	_Static_assert(sizeof(struct field_value) == 40, "as nvml.h lays it out");
	if (!error && (count <= 0 || !values))
		error = misuse(__func__, "count", NVML_INVALID_ARGUMENT);
	for (int i = 0; !error && i < count; i++) {
		values[i].timestamp_us = (long long)(seconds_now() * 1e6);
		values[i].error = field_value(gpu, &values[i]);
	}
	return error;
}
